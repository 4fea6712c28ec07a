package person

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"strconv"
)

// ownerOf finds whose socket connects one address to another, in the table of sockets as
// Linux writes it (/proc/net/tcp): a line for each, with its own address, the other one,
// and six columns on the number of its user.
func ownerOf(table []byte, from, to netip.AddrPort) (uid int, ok bool) {
	const own, other, user = 1, 2, 7
	for line := range bytes.Lines(table) {
		f := bytes.Fields(line)
		if len(f) <= user || string(f[own]) != inTable(from) || string(f[other]) != inTable(to) {
			continue
		}
		uid, err := strconv.Atoi(string(f[user]))
		return uid, err == nil
	}
	return 0, false
}

// inTable is an address as the table has it: the four bytes of IPv4 as a number of this
// machine.
func inTable(a netip.AddrPort) string {
	ip := a.Addr().Unmap()
	if !ip.Is4() {
		return ""
	}
	b := ip.As4()
	return fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(b[:]), a.Port())
}
