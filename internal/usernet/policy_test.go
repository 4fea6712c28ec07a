package usernet

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// TestPublic has an address of every block that is set apart, the first and
// the last of it, and the ones beside it.
func TestPublic(t *testing.T) {
	r := newRanges()
	for text, want := range map[string]bool{
		"0.0.0.0": false, "0.255.255.255": false, "1.0.0.0": true,
		"9.255.255.255": true, "10.0.0.0": false, "10.255.255.255": false, "11.0.0.0": true,
		"100.63.255.255": true, "100.64.0.0": false, "100.127.255.255": false, "100.128.0.0": true,
		"126.255.255.255": true, "127.0.0.0": false, "127.255.255.255": false, "128.0.0.0": true,
		"168.63.129.15": true, "168.63.129.16": false, "168.63.129.17": true,
		"169.253.255.255": true, "169.254.0.0": false, "169.254.169.254": false, "169.254.255.255": false, "169.255.0.0": true,
		"172.15.255.255": true, "172.16.0.0": false, "172.31.255.255": false, "172.32.0.0": true,
		"191.255.255.255": true, "192.0.0.0": false, "192.0.0.1": false, "192.0.0.255": false, "192.0.1.0": true,
		"192.0.2.0": false, "192.0.2.255": false, "192.0.3.0": true,
		"192.88.98.255": true, "192.88.99.0": false, "192.88.99.255": false, "192.88.100.0": true,
		"192.167.255.255": true, "192.168.0.0": false, "192.168.255.255": false, "192.169.0.0": true,
		"198.17.255.255": true, "198.18.0.0": false, "198.19.255.255": false, "198.20.0.0": true,
		"198.51.99.255": true, "198.51.100.0": false, "198.51.100.255": false, "198.51.101.0": true,
		"203.0.112.255": true, "203.0.113.0": false, "203.0.113.255": false, "203.0.114.0": true,
		"223.255.255.255": true, "224.0.0.0": false, "239.255.255.255": false, "240.0.0.0": false, "255.255.255.255": false,

		"::": false, "::1": false, "::7f00:1": false, "::808:808": false, "100::1": false, "100:0:0:1::1": false,
		"1fff:ffff::": false, "2000::": true, "2000::1": true, "2001:1ff::": false, "2001:200::": true, "2001:4860:4860::8888": true,
		"2001:2::1": false, "2001:3::1": false, "2001:10::": false, "2001:20::1": false, "2001:30::1": false,
		"2001:db7::": true, "2001:db8::": false, "2001:db8:ffff::": false, "2001:db9::": true,
		"3ffe:ffff::": true, "3fff::": false, "3fff:fff::": false, "3fff:1000::": true, "4000::": false, "5f00::1": false,
		"fc00::1": false, "fd00:ec2::254": false, "fe80::1": false, "fec0::1": false, "ff02::1": false,

		"::ffff:8.8.8.8": true, "::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "::ffff:0.0.0.0": false,
		"64:ff9b::8.8.8.8": true, "64:ff9b::10.0.0.1": false, "64:ff9b::127.0.0.1": false, "64:ff9b::a9fe:a9fe": false,
		"64:ff9b:1::8.8.8.8": false, "64:ff9b:0:0:0:1:808:808": false,
		"2002:808:808::1": true, "2002:7f00:1::": false, "2002:a9fe:a9fe::": false, "2002:c0a8:101::1": false,
		// Teredo: the server, and the client turned over.
		"2001:0:808:808:0:0:f7f7:f7f7": true, "2001:0:a00:1:0:0:f7f7:f7f7": false, "2001:0:808:808:0:0:f5ff:fffe": false,
	} {
		if got := r.public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: public is %v", text, got)
		}
	}
	for _, a := range []netip.Addr{{}, netip.MustParseAddr("2001:4860::1%eth0")} {
		if r.public(a) {
			t.Errorf("%v is public", a)
		}
	}
}

// FuzzPublic: whatever the bytes, what is of the internet is a global unicast
// address by the standard library's opinion too, and so is what it carries.
func FuzzPublic(f *testing.F) {
	for _, s := range []string{"8.8.8.8", "2001:0:808:808::1", "64:ff9b::a00:1", "::ffff:10.0.0.1", "2002:a00:1::"} {
		f.Add(netip.MustParseAddr(s).AsSlice())
	}
	r := newRanges()
	f.Fuzz(func(t *testing.T, b []byte) {
		a, ok := netip.AddrFromSlice(b)
		if !ok || !r.public(a) {
			return
		}
		for _, a := range append(embedded(a), a.Unmap()) {
			if !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsMulticast() || metadata(a) {
				t.Errorf("%v passes for public", a)
			}
		}
	})
}

func exceptions(tb testing.TB, texts ...string) (list []Exception) {
	tb.Helper()
	for _, text := range texts {
		e, err := ParseException(text)
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// fakeGate has a machine of its own making.
func fakeGate(tb testing.TB, names map[string][]string, texts ...string) *gate {
	tb.Helper()
	return &gate{
		ranges: newRanges(), exceptions: exceptions(tb, texts...), known: map[string]*known{},
		own: func() ([]netip.Prefix, error) {
			return []netip.Prefix{netip.MustParsePrefix("8.8.4.4/24"), netip.MustParsePrefix("2600::1/64"), {}}, nil
		},
		local: func(a netip.Addr) bool { return a == netip.MustParseAddr("7.7.7.7") },
		lookup: func(_ context.Context, name string) ([]netip.Addr, error) {
			var list []netip.Addr
			for _, s := range names[name] {
				list = append(list, netip.MustParseAddr(s))
			}
			if list == nil {
				return nil, errors.New("no such name")
			}
			return list, nil
		},
	}
}

func TestAdmits(t *testing.T) {
	names := map[string][]string{
		"nas.lan": {"192.168.1.9", "fd00::9"}, "evil.test": {"169.254.169.254", "168.63.129.16", "fe80::1", "64:ff9b::a9fe:a9fe"}, "me.test": {"8.8.4.4"},
	}
	for _, c := range []struct {
		allowed string // separated by spaces
		to      string
		want    bool
	}{
		{"", "8.8.8.8:80", true},
		{"", "8.8.4.4:80", false},            // the machine's own
		{"", "[2600::1]:80", false},          // and by IPv6
		{"", "[64:ff9b::8.8.4.4]:80", false}, // and by a translator
		{"", "[2002:808:404::1]:80", false},  // and by 6to4
		{"", "8.8.4.5:80", false},            // its neighbour
		{"", "8.8.4.255:80", false},          // all neighbours
		{"", "[2600::2]:80", false},
		{"", "[2600:0:0:1::2]:80", true},
		{"", "7.7.7.7:80", false}, // on no interface
		{"", "192.168.1.9:445", false},
		{"192.168.1.9", "192.168.1.9:445", true},
		{"192.168.1.9", "192.168.1.10:445", false},
		{"192.168.1.9:445", "192.168.1.9:445", true},
		{"192.168.1.9:445", "192.168.1.9:446", false},
		{"192.168.1.9:445", "[::ffff:192.168.1.9]:445", true},
		{"192.168.1.9:445", "[64:ff9b::c0a8:109]:445", false},
		{"[::ffff:192.168.1.9]:445", "192.168.1.9:445", true},
		{"nas.lan", "192.168.1.9:1", true},
		{"NAS.lan.", "[fd00::9]:1", true},
		{"nas.lan:445", "192.168.1.9:445", true},
		{"nas.lan:445", "192.168.1.9:80", false},
		{"nas.lan", "192.168.1.10:1", false},
		{"nobody.lan nas.lan:1", "192.168.1.9:1", true},
		{"nobody.lan", "192.168.1.9:1", false},
		{"evil.test", "169.254.169.254:80", false}, // a name opens no metadata
		{"evil.test", "168.63.129.16:80", false},
		{"evil.test", "[fe80::1]:80", false},
		{"evil.test", "[64:ff9b::a9fe:a9fe]:80", false},
		{"169.254.169.254:80", "169.254.169.254:80", true}, // its number does
		{"8.8.4.4:80", "8.8.4.4:80", true},
		{"me.test:80", "8.8.4.4:80", true},
		{"me.test:80", "8.8.4.4:81", false},
	} {
		g := fakeGate(t, names, strings.Fields(c.allowed)...)
		if got := g.admits(t.Context(), netip.MustParseAddrPort(c.to)); got != c.want {
			t.Errorf("allowed %q, to %s: %v", c.allowed, c.to, got)
		}
	}
	g := fakeGate(t, nil)
	g.own = func() ([]netip.Prefix, error) { return nil, errors.New("cannot tell") }
	if g.admits(t.Context(), netip.MustParseAddrPort("8.8.8.8:80")) {
		t.Error("a machine that does not know its own addresses lets pass")
	}
}

// TestNamesAreAskedSeldom: however many addresses a tool tries.
func TestNamesAreAskedSeldom(t *testing.T) {
	g := fakeGate(t, map[string][]string{"nas.lan": {"192.168.1.9"}}, "nas.lan")
	asked, lookup := 0, g.lookup
	g.lookup = func(ctx context.Context, name string) ([]netip.Addr, error) { asked++; return lookup(ctx, name) }
	for i := range 200 {
		to := netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 168, 1, byte(i)}), 80)
		if got := g.admits(t.Context(), to); got != (i == 9) {
			t.Errorf("%v: %v", to, got)
		}
	}
	if asked == 0 || asked > 3 {
		t.Errorf("asked %d times", asked)
	}
}

// TestNameInTurn: a name that stands for another address each time it is asked
// for is not refused for the one before.
func TestNameInTurn(t *testing.T) {
	names := map[string][]string{"turn.lan": {"10.0.0.1"}}
	g := fakeGate(t, names, "turn.lan:80")
	if _, err := g.find(t.Context(), "turn.lan"); err != nil {
		t.Fatal(err)
	}
	names["turn.lan"] = []string{"10.0.0.2"}
	for _, to := range []string{"10.0.0.1:80", "10.0.0.2:80"} {
		if !g.admits(t.Context(), netip.MustParseAddrPort(to)) {
			t.Errorf("%s is refused", to)
		}
	}
	if g.admits(t.Context(), netip.MustParseAddrPort("10.0.0.3:80")) {
		t.Error("10.0.0.3 is not refused")
	}
}

func TestDoors(t *testing.T) {
	g := fakeGate(t, map[string][]string{"localhost": {"::1", "127.0.0.1"}, "both.lan": {"127.0.0.1", "192.168.1.1"}, "self": {"127.0.1.1"}},
		"localhost:80", "127.0.0.1:80", "127.0.0.1:81", "both.lan:82", "192.168.1.1:83", "nobody.lan:84", "8.8.8.8")
	doors, err := g.doors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range doors {
		s := d.at.String() + " to"
		for _, to := range d.targets {
			s += " " + to.String()
		}
		got = append(got, s)
	}
	want := []string{
		"[::1]:80 to [::1]:80 127.0.0.1:80", "127.0.0.1:80 to 127.0.0.1:80 [::1]:80", "127.0.0.1:81 to 127.0.0.1:81", "127.0.0.1:82 to 127.0.0.1:82",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for _, name := range []string{"both.lan", "self"} {
		g.exceptions = exceptions(t, name)
		if _, err := g.doors(t.Context()); err == nil || !strings.Contains(err.Error(), "one port at a time") {
			t.Errorf("%s without a port: %v", name, err)
		}
	}
}
