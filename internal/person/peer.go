package person

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"strconv"
)

// stranger tells whether the owner of a socket is neither a user nor root, by whom some
// systems carry what a browser outside of them asks. One that is not found is nobody's.
func stranger(uid int, found bool, user int) bool { return !found || uid != 0 && uid != user }

// ownerOf finds whose socket connects one address of IPv4 to another, in the tables of
// sockets as Linux writes them (/proc/net/tcp and tcp6): a line for each, with its own
// address, the other one, and five columns on the number of its user.
func ownerOf(table []byte, from, to netip.AddrPort) (uid int, ok bool) {
	const own, other, user = 1, 2, 7
	for line := range bytes.Lines(table) {
		f := bytes.Fields(line)
		if len(f) <= user || !is(f[own], from) || !is(f[other], to) {
			continue
		}
		uid, err := strconv.Atoi(string(f[user]))
		return uid, err == nil
	}
	return 0, false
}

// is tells whether an address of a table is this one: groups of four bytes, each as a
// number of this machine.
func is(text []byte, a netip.AddrPort) bool {
	if !a.Addr().Unmap().Is4() {
		return false
	}
	four, six := a.Addr().Unmap().As4(), a.Addr().Unmap().As16()
	for _, ip := range [][]byte{four[:], six[:]} {
		var want []byte
		for len(ip) > 0 {
			want = fmt.Appendf(want, "%08X", binary.NativeEndian.Uint32(ip))
			ip = ip[4:]
		}
		if string(fmt.Appendf(want, ":%04X", a.Port())) == string(text) {
			return true
		}
	}
	return false
}
