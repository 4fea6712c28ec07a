package person

import (
	"net/netip"
	"os"
)

// otherUsers tells whether the program that connects to a page from an address is another
// user's: everybody on this machine reaches its loopback, and sees the command line by
// which a browser was given a link. Where the system does not say whose sockets there are,
// nobody is refused, nor is anybody where root itself opened the page.
func otherUsers(from, page string) bool {
	client, err := netip.ParseAddrPort(from)
	server, pageErr := netip.ParseAddrPort(page)
	user := os.Geteuid()
	if err != nil || pageErr != nil || user == 0 {
		return false
	}
	// A program may reach an address of IPv4 by a socket of IPv6.
	four, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return false
	}
	six, _ := os.ReadFile("/proc/net/tcp6")
	uid, found := ownerOf(append(four, six...), client, server)
	return stranger(uid, found, user)
}
