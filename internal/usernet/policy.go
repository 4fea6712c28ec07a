package usernet

import (
	"net/netip"
	"slices"
)

// special are the IPv4 addresses that do not belong to the internet, by the
// IANA IPv4 Special-Purpose Address Registry (RFC 6890) and its successors,
// and the one that a large cloud answers its machines on.
var special = []string{
	"0.0.0.0/8",        // this network; to many systems another name of this machine
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // shared by a carrier's customers
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // Azure's platform, metadata and keys
	"169.254.0.0/16",   // link-local, metadata of most clouds
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocol assignments; the sandbox's own link
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // relays, given up
	"192.168.0.0/16",   // private
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, and the broadcast
}

// special6 are the exceptions within 2000::/3, outside of which no IPv6
// address is routed on the internet.
var special6 = []string{
	"2001::/23",     // protocol assignments: Teredo aside, which carries an IPv4 address
	"2001:db8::/32", // documentation
	"3fff::/20",     // documentation
}

// ranges are the lists above, read when they are first needed: the program
// starts often and carries packets seldom.
type ranges struct {
	special, special6 []netip.Prefix
	global            netip.Prefix
}

func newRanges() *ranges {
	read := func(texts []string) (list []netip.Prefix) {
		for _, t := range texts {
			list = append(list, netip.MustParsePrefix(t))
		}
		return list
	}
	return &ranges{special: read(special), special6: read(special6), global: netip.MustParsePrefix("2000::/3")}
}

// public tells whether an address is one of the internet's.
func (r *ranges) public(a netip.Addr) bool {
	in := func(list []netip.Prefix) bool {
		return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
	}
	switch {
	case !a.IsValid() || a.Zone() != "":
		return false
	case a.Is4():
		return !in(r.special)
	}
	if v4 := embedded(a); v4 != nil {
		return !slices.ContainsFunc(v4, func(a netip.Addr) bool { return !r.public(a) })
	}
	return r.global.Contains(a) && !in(r.special6)
}

// embedded are the IPv4 addresses that an IPv6 address leads to: mapped,
// through a translator (NAT64), through 6to4, and through Teredo, where one is
// the server's and the other, turned over, the client's.
func embedded(a netip.Addr) []netip.Addr {
	if !a.Is6() {
		return nil
	}
	b := a.As16()
	at := func(i int) netip.Addr { return netip.AddrFrom4([4]byte(b[i : i+4])) }
	switch {
	case a.Is4In6(), [12]byte(b[:12]) == [12]byte{0x00, 0x64, 0xff, 0x9b}:
		return []netip.Addr{at(12)}
	case b[0] == 0x20 && b[1] == 0x02:
		return []netip.Addr{at(2)}
	case [4]byte(b[:4]) == [4]byte{0x20, 0x01}:
		for i := 12; i < 16; i++ {
			b[i] = ^b[i]
		}
		return []netip.Addr{at(4), at(12)}
	}
	return nil
}

// metadata tells whether an address is one that only its own number opens: no
// name does, for the name's owner would choose who tells the tool what.
func metadata(a netip.Addr) bool {
	if v4 := embedded(a); v4 != nil {
		return slices.ContainsFunc(v4, metadata)
	}
	return a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() ||
		a == netip.AddrFrom4([4]byte{168, 63, 129, 16}) || a == netip.AddrFrom4([4]byte{100, 100, 100, 200}) ||
		a == netip.AddrFrom4([4]byte{192, 0, 0, 192}) || a == netip.MustParseAddr("fd00:ec2::254") || a == netip.MustParseAddr("fd20:ce::254")
}
