package quarantine

import (
	_ "embed" // the endpoints
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/spec"
)

//go:embed endpoints.txt
var endpointText string

// endpointRow is one row of endpoints.txt.
type endpointRow struct {
	kind, path string
	secret     bool
}

// endpoints are the rows by their hosts.
var endpoints = sync.OnceValue(func() map[string][]endpointRow {
	rows := map[string][]endpointRow{}
	for line := range strings.Lines(endpointText) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] != "#" {
			host, path, _ := strings.Cut(fields[1], "/")
			rows[host] = append(rows[host], endpointRow{fields[0], path, len(fields) > 2})
		}
	}
	return rows
})

// webhookToken is what a webhook has behind its path where it is a constant one:
// every service numbers them, so a placeholder of letters alone is none.
var webhookToken = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_:/-]{0,20}[0-9]`) })

var endpointWords = map[string]string{
	"webhook": "a webhook with a constant token", "bin": "a service that collects requests", "paste": "a paste site", "drop": "a site for anonymous files",
	"tunnel": "a tunnel to somebody's machine", "miner": "a mining pool", "cloud": "the address where a cloud hands out its keys",
}

// checkEndpoints holds what the file names in the network against the list
// [PY-006]. An address without a name is a warning, nobody knows whose it is; a
// URL that has one is an error.
func checkEndpoints(c *collector) {
	for _, l := range c.Facts.Literals {
		switch l.Kind {
		case "url", "host", "address":
		default:
			continue
		}
		scheme, rest, isURL := strings.Cut(l.Value, "://")
		if !isURL {
			scheme, rest = "", l.Value
		}
		host, path, _ := strings.Cut(rest, "/")
		host = hostOnly(host)
		if strings.HasPrefix(strings.ToLower(scheme), "stratum") {
			c.add(endpoint, c.inMain(l.Place), "%s is a mining pool", spec.Quote(l.Value))
			continue
		}
		if kind := endpointKind(host, path); kind != "" {
			c.add(endpoint, c.inMain(l.Place), "%s is %s", spec.Quote(l.Value), endpointWords[kind])
			continue
		}
		if ip, err := netip.ParseAddr(host); err == nil && public(ip) {
			report := c.warn
			if isURL && !resolver(ip) {
				report = c.add
			}
			report(endpoint, c.inMain(l.Place), "%s is an address without a name", spec.Quote(l.Value))
		}
	}
}

// hostOnly is the host of what may also have a user, a port and brackets. Other
// spellings that resolve to the same host are brought to one.
func hostOnly(s string) string {
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		s = s[at+1:]
	}
	s, _, _ = strings.Cut(s, "?")
	s, _, _ = strings.Cut(s, "#")
	if un, err := url.PathUnescape(s); err == nil {
		s = un
	}
	if strings.HasPrefix(s, "[") {
		s, _, _ = strings.Cut(s[1:], "]")
	} else if strings.Count(s, ":") == 1 {
		s, _, _ = strings.Cut(s, ":")
	}
	s = strings.TrimSuffix(strings.ToLower(s), ".")
	// One number is an address, too: http://2852039166/ and http://0xa9fea9fe/.
	if n, err := strconv.ParseUint(s, 0, 32); err == nil && n > 1<<24 {
		return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}).String()
	}
	return s
}

// endpointKind looks the host and those above it up.
func endpointKind(host, path string) string {
	for h := host; h != ""; {
		for _, row := range endpoints()[h] {
			rest, ok := strings.CutPrefix(path, row.path)
			if ok && (!row.secret || webhookToken().MatchString(rest)) {
				return row.kind
			}
		}
		_, above, ok := strings.Cut(h, ".")
		if !ok {
			return ""
		}
		h = above
	}
	return ""
}

// public tells an address that may be anybody's. Those of RFC 5737 and RFC 3849
// are nobody's, but code that talks to one talks to a host without a name.
func public(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !ip.IsLoopback()
}

// resolver tells the public name servers, which are known by their addresses.
func resolver(ip netip.Addr) bool {
	switch ip.Unmap().String() {
	case "1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9", "149.112.112.112":
		return true
	}
	return false
}
