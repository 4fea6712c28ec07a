package usernet

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

func query(tb testing.TB, name string, kind dnsmessage.Type) []byte {
	tb.Helper()
	m := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: 7, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(name), Type: kind, Class: dnsmessage.ClassINET}},
	}
	b, err := m.Pack()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestQuestion(t *testing.T) {
	good := query(t, "Nas.Lan.", dnsmessage.TypeA)
	q, ok := parseQuery(good)
	if !ok || q.name != "nas.lan" {
		t.Fatalf("%+v, %v", q, ok)
	}
	alter := func(at int, to byte) []byte {
		b := append([]byte(nil), good...)
		b[at] = to
		return b
	}
	for what, b := range map[string][]byte{
		"nothing": nil, "short": good[:11], "no question": good[:12], "a response": alter(2, good[2]|0x80), "an update": alter(2, 5<<3),
		"two questions announced": alter(5, 2), "none announced": alter(5, 0), "cut": good[:len(good)-1], "a loop": append(append([]byte(nil), good[:12]...), 0xc0, 12, 0, 1, 0, 1),
	} {
		if _, ok := parseQuery(b); ok {
			t.Errorf("%s is taken", what)
		}
	}

	answer := q.addresses([]netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fd00::1")}, nil)
	var m dnsmessage.Message
	if err := m.Unpack(answer); err != nil || m.ID != 7 || len(m.Answers) != 1 || !q.answeredBy(answer) {
		t.Errorf("%v %v %+v", err, q.answeredBy(answer), m)
	}
	if a, ok := m.Answers[0].Body.(*dnsmessage.AResource); !ok || a.A != [4]byte{10, 0, 0, 1} {
		t.Errorf("%v", m.Answers)
	}
	for code, err := range map[dnsmessage.RCode]error{
		dnsmessage.RCodeNameError:     &net.DNSError{IsNotFound: true},
		dnsmessage.RCodeServerFailure: errors.New("no way"),
	} {
		if err := m.Unpack(q.addresses(nil, err)); err != nil || m.RCode != code || len(m.Answers) != 0 {
			t.Errorf("%v: %v %+v", code, err, m)
		}
	}
	// What is no answer to it.
	other, _ := parseQuery(query(t, "other.lan.", dnsmessage.TypeA))
	kind, _ := parseQuery(query(t, "nas.lan.", dnsmessage.TypeAAAA))
	for what, b := range map[string][]byte{
		"a query": good, "of another name": other.failure(0), "of another type": kind.failure(0), "nothing": nil, "rubbish": []byte("rubbish, rubbish"),
		"without a question": {0, 7, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0},
	} {
		if q.answeredBy(b) {
			t.Errorf("%s passes for an answer", what)
		}
	}
	if !q.answeredBy([]byte{0, 7, 0x80, 1, 0, 0, 0, 0, 0, 0, 0, 0}) {
		t.Error("a server that could not read it may say so without it")
	}
	many := make([]netip.Addr, 200)
	for i := range many {
		many[i] = netip.MustParseAddr(fmt.Sprintf("10.0.0.%d", i))
	}
	long, _ := parseQuery(query(t, strings.Repeat(strings.Repeat("a", 49)+".", 5), dnsmessage.TypeA))
	if b := long.addresses(many, nil); b == nil || len(b) > 512 {
		t.Errorf("%d bytes", len(b))
	}
}

// FuzzQuery: nothing that a tool sends makes a panic, and what is taken for a
// question can be answered.
func FuzzQuery(f *testing.F) {
	f.Add(query(f, "a.b.", dnsmessage.TypeA))
	f.Add(query(f, ".", dnsmessage.TypeTXT))
	f.Fuzz(func(t *testing.T, b []byte) {
		q, ok := parseQuery(b)
		if !ok {
			return
		}
		for _, a := range [][]byte{q.failure(dnsmessage.RCodeNameError), q.addresses([]netip.Addr{netip.IPv6Loopback()}, nil)} {
			if !q.answeredBy(a) {
				t.Errorf("%x is no answer to %x", a, b)
			}
		}
	})
}

// FuzzAnswer: nothing that a name server sends makes a panic.
func FuzzAnswer(f *testing.F) {
	q, _ := parseQuery(query(f, "a.b.", dnsmessage.TypeA))
	f.Add(q.failure(0))
	f.Fuzz(func(_ *testing.T, b []byte) { q.answeredBy(b) })
}

func TestServers(t *testing.T) {
	for text, want := range map[string]string{
		"": "[127.0.0.1:53]", "nameserver 127.0.0.53\n": "[127.0.0.53:53]", "# nameserver 1.1.1.1\nnameserver\nnameserver x\n": "[127.0.0.1:53]",
		"search a\nnameserver 10.0.0.1 # x\n\tnameserver\tfe80::1%eth0\n": "[10.0.0.1:53 [fe80::1%eth0]:53]",
		strings.Repeat("nameserver 1.1.1.1\n", 9):                         "[1.1.1.1:53 1.1.1.1:53 1.1.1.1:53]",
	} {
		if got := fmt.Sprint(servers(text)); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func FuzzCarriable(f *testing.F) {
	f.Add([]byte{0x45, 19: 0})
	f.Add([]byte{0x60, 6: 44, 40: 6})
	f.Fuzz(func(_ *testing.T, b []byte) { carriable(b) })
}
