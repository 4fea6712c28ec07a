package quarantine

import (
	_ "embed" // the endpoints
	"net/netip"
	"net/url"
	"regexp"
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

// webhookToken is what a webhook has behind its path where it is a constant one.
var webhookToken = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_:/-]{9,}`) })

var endpointWords = map[string]string{
	"webhook": "a webhook with a constant token", "bin": "a service that collects requests", "paste": "a paste site", "drop": "a site for anonymous files",
	"tunnel": "a tunnel to somebody's machine", "miner": "a mining pool", "cloud": "the address where a cloud hands out its keys",
}

// checkEndpoints holds what the file names in the network against the list
// [PY-006]. An address without a name is a warning: nobody knows whose it is.
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
			c.warn(endpoint, c.inMain(l.Place), "%s is an address without a name", spec.Quote(l.Value))
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
	return strings.TrimSuffix(strings.ToLower(s), ".")
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

func public(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !ip.IsLoopback() && !documentation(ip)
}

// documentation tells the addresses of RFC 5737 and RFC 3849, which are nobody's.
func documentation(ip netip.Addr) bool {
	for _, p := range []string{"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32"} {
		if netip.MustParsePrefix(p).Contains(ip) {
			return true
		}
	}
	return false
}
