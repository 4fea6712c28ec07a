package usernet

import "strings"

// Named tells whether an exception names this host and port by the very words: a
// person said it, and no name server.
func (n *Net) Named(host string, port uint16) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, e := range n.gate.exceptions {
		if (e.name != "" && e.name == host || e.addr.IsValid() && e.addr.String() == host) && (e.port == 0 || e.port == port) {
			return true
		}
	}
	return false
}
