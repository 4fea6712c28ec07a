package usernet

import (
	"net/netip"
	"strings"
)

// maxServers is how many name servers C libraries ask.
const maxServers = 3

// servers reads the name servers out of a resolv.conf; none is this machine
// itself, as the file's manual has it.
func servers(text string) []netip.AddrPort {
	var list []netip.AddrPort
	for line := range strings.SplitSeq(text, "\n") {
		w := strings.Fields(line)
		if len(w) < 2 || w[0] != "nameserver" || len(list) == maxServers {
			continue
		}
		if a, err := netip.ParseAddr(w[1]); err == nil {
			list = append(list, netip.AddrPortFrom(a, 53))
		}
	}
	if list == nil {
		list = append(list, netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 53))
	}
	return list
}
