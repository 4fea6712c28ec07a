package usernet_test

import (
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// zone is what the world's name server knows.
var zone = map[string][]string{
	"web.test.":        {"8.8.8.8", "2001:4860:4860::8888"},
	"alias.test.":      {"cname web.test.", "8.8.8.8", "2001:4860:4860::8888"},
	"intra.corp.test.": {"1.1.1.1"},
	"rebind.test.":     {"127.0.0.1", "::1"},
	"neighbour.test.":  {farV4},
	"nas.test.":        {"192.168.7.7", "fd77::7"},
	"metadata.test.":   {"169.254.169.254"},
	"own.test.":        {nearOwn4, nearOwn6},
	"text.test.":       {"txt hello"},
	"big.test.":        {"txt " + strings.Repeat("0123456789", 20), "txt " + strings.Repeat("abcdefghij", 25), "txt " + strings.Repeat("x", 250)},
	"empty.test.":      {},
	"broken.test.":     nil, // SERVFAIL
}

func reply(b []byte, udp bool) []byte {
	var q dnsmessage.Message
	if q.Unpack(b) != nil || len(q.Questions) != 1 {
		return nil
	}
	name, kind := q.Questions[0].Name, q.Questions[0].Type
	m := dnsmessage.Message{Header: dnsmessage.Header{ID: q.ID, Response: true, RecursionDesired: true, RecursionAvailable: true}, Questions: q.Questions}
	records, known := zone[strings.ToLower(name.String())]
	switch {
	case !known:
		m.RCode = dnsmessage.RCodeNameError
	case records == nil:
		m.RCode = dnsmessage.RCodeServerFailure
	}
	owner := name
	for _, r := range records {
		word, rest, _ := strings.Cut(r, " ")
		h := dnsmessage.ResourceHeader{Name: owner, Class: dnsmessage.ClassINET, TTL: 60}
		var body dnsmessage.ResourceBody
		switch word {
		case "cname":
			owner = dnsmessage.MustNewName(rest)
			h.Type, body = dnsmessage.TypeCNAME, &dnsmessage.CNAMEResource{CNAME: owner}
		case "txt":
			h.Type, body = dnsmessage.TypeTXT, &dnsmessage.TXTResource{TXT: []string{rest}}
		default:
			if a := netip.MustParseAddr(word); a.Is4() {
				h.Type, body = dnsmessage.TypeA, &dnsmessage.AResource{A: a.As4()}
			} else {
				h.Type, body = dnsmessage.TypeAAAA, &dnsmessage.AAAAResource{AAAA: a.As16()}
			}
		}
		if h.Type == kind || h.Type == dnsmessage.TypeCNAME {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: body})
		}
	}
	out, err := m.Pack()
	if err != nil {
		die("name server: %v", err)
	}
	if udp && len(out) > 512 {
		m.Truncated, m.Answers = true, nil
		out, _ = m.Pack()
	}
	return out
}

// serveNames is the machine's name server, as its resolv.conf has it.
func serveNames(at string) {
	pc, err := net.ListenPacket("udp", at)
	if err != nil {
		die("%v", err)
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		die("%v", err)
	}
	go func() {
		b := make([]byte, 1<<16)
		for {
			n, from, err := pc.ReadFrom(b)
			if err != nil {
				return
			}
			if a := reply(b[:n], true); a != nil {
				// Somebody answers faster, and does not know the number.
				pc.WriteTo(append([]byte{a[0] ^ 1}, a[1:]...), from)
				pc.WriteTo(a, from)
			}
		}
	}()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for {
					var size [2]byte
					if _, err := io.ReadFull(c, size[:]); err != nil {
						return
					}
					b := make([]byte, binary.BigEndian.Uint16(size[:]))
					if _, err := io.ReadFull(c, b); err != nil {
						return
					}
					a := reply(b, false)
					c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(a))), a...))
				}
			}()
		}
	}()
}
