package usernet

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Exception is one thing that a tool may reach beyond the internet: an address
// or what a name stands for, at one port or at all.
type Exception struct {
	name string     // "" where addr is given
	addr netip.Addr // never mapped, without a zone
	port uint16     // 0 is all
}

// ParseException reads HOST[:PORT], where HOST is a name, an IPv4 address, or
// an IPv6 address in brackets. Its errors are of kind Usage.
func ParseException(text string) (Exception, error) {
	no := func(why string) (Exception, error) {
		return Exception{}, fault.New(fault.Usage, "allow_net", "--allow-net %s: %s", spec.Quote(text), why).
			Hint("HOST or HOST:PORT, such as 192.168.1.5, printer.lan:631, localhost:8080 or [fd00::5]:443")
	}
	if strings.Contains(text, "/") {
		return no("that is no single host")
	}
	host, port, brackets := text, "", false
	if rest, ok := strings.CutPrefix(text, "["); ok {
		inner, after, closed := strings.Cut(rest, "]")
		if !closed || after != "" && after[0] != ':' {
			return no("the bracket is not closed")
		}
		host, brackets = inner, true
		if after != "" {
			port = after[1:]
			if port == "" {
				return no("there is no port after the colon")
			}
		}
	} else if h, p, found := strings.Cut(text, ":"); found {
		if strings.Contains(p, ":") {
			return no("an IPv6 address is written in brackets")
		}
		if p == "" {
			return no("there is no port after the colon")
		}
		host, port = h, p
	}
	var e Exception
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 || port[0] == '+' || port[0] == '0' {
			return no("a port is a number from 1 to 65535")
		}
		e.port = uint16(n)
	}
	a, err := netip.ParseAddr(host)
	switch {
	case err == nil && a.Zone() != "":
		return no("an address with a zone is not of this network")
	case err == nil && a.Is4() == brackets:
		return no("brackets are for IPv6 addresses")
	case err == nil:
		e.addr = a.Unmap()
	case brackets:
		return no("that is no IPv6 address")
	default:
		if e.name = strings.ToLower(strings.TrimSuffix(host, ".")); !hostName(e.name) {
			return no("that is neither a name nor an address")
		}
	}
	switch {
	case e.addr.IsValid() && (e.addr.IsUnspecified() || e.addr.IsMulticast() || e.addr == netip.AddrFrom4([4]byte{255, 255, 255, 255})):
		return no("that is nobody's address")
	case e.port == 0 && (e.addr.IsLoopback() || e.name == "localhost" || strings.HasSuffix(e.name, ".localhost")):
		return no("the loopback is opened one port at a time")
	}
	return e, nil
}

// hostName tells whether s is a name that resolvers ask for: letters, digits,
// hyphens and underscores between dots. One whose last part begins with a
// digit is some program's spelling of an address, and means another one to the
// next program.
func hostName(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	labels := strings.Split(s, ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' {
			return false
		}
		for _, c := range []byte(l) {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
	}
	last := labels[len(labels)-1]
	return last[0] < '0' || last[0] > '9'
}

// Names tells whether an exception names the server of an address by the very words:
// a person said it, and no name server.
func (e Exception) Names(u *url.URL) bool {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	return (e.name != "" && e.name == host || e.addr.IsValid() && e.addr.String() == host) && (e.port == 0 || strconv.Itoa(int(e.port)) == port)
}

// String is the exception as [ParseException] reads it, in the one spelling.
func (e Exception) String() string {
	s := e.name
	if e.addr.IsValid() {
		s = e.addr.String()
		if e.addr.Is6() {
			s = "[" + s + "]"
		}
	}
	if e.port != 0 {
		s += ":" + strconv.Itoa(int(e.port))
	}
	return s
}
