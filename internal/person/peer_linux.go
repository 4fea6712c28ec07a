package person

import (
	"net/netip"
	"os"
)

// otherUsers tells whether the program that connects to a page from an address is another
// user's: everybody on this machine reaches its loopback, and sees the command line by
// which a browser was given a link. Where the system tells nothing, nobody is refused; nor
// is root, who needs no page, nor anybody where root itself opened it.
func otherUsers(from, page string) bool {
	client, err := netip.ParseAddrPort(from)
	server, pageErr := netip.ParseAddrPort(page)
	user := os.Geteuid()
	if err != nil || pageErr != nil || user == 0 {
		return false
	}
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return false
	}
	uid, ok := ownerOf(table, client, server)
	return ok && uid != 0 && uid != user
}
