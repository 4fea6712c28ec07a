package manifest

import (
	"net/netip"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// formatsKnown are the formats that can assert: those of the schema library, and
// our own of those in which it takes what their grammar does not.
var formatsKnown = sync.OnceValue(func() map[string]func(string) bool {
	known := map[string]func(string) bool{}
	for name, holds := range jsonschema.Formats {
		known[name] = func(text string) bool { return holds(text) }
	}
	known["uri"] = isURI
	known["uri-reference"] = func(text string) bool { return isURI(text) || isRelative(text) }
	known["email"] = isEmail
	known["regex"] = func(text string) bool { _, err := compilePattern(text); return err == nil }
	return known
})

// isURI tells whether s is a URI of RFC 3986, with a scheme.
func isURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || !isLetter(scheme[0]) {
		return false
	}
	for i := range len(scheme) {
		if c := scheme[i]; !isLetter(c) && !isDigit(c) && strings.IndexByte("+-.", c) < 0 {
			return false
		}
	}
	return isHierarchy(rest)
}

// isRelative tells whether s is a relative reference of RFC 3986.
func isRelative(s string) bool {
	first, _, _ := strings.Cut(s, "/")
	first, _, _ = strings.Cut(first, "?")
	first, _, _ = strings.Cut(first, "#")
	return !strings.Contains(first, ":") && isHierarchy(s)
}

// isHierarchy reads what follows the scheme: authority, path, query, fragment.
func isHierarchy(s string) bool {
	s, fragment, _ := strings.Cut(s, "#")
	s, query, _ := strings.Cut(s, "?")
	if !hasOnly(fragment, ":@/?") || !hasOnly(query, ":@/?") {
		return false
	}
	rest, ok := strings.CutPrefix(s, "//")
	if !ok {
		return hasOnly(s, ":@/")
	}
	authority, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	if user, host, ok := strings.Cut(authority, "@"); ok {
		if !hasOnly(user, ":") {
			return false
		}
		authority = host
	}
	return isHostPort(authority) && hasOnly(path, ":@/")
}

// isHostPort reads a name or address, and the port behind it.
func isHostPort(s string) bool {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		address, port, closed := strings.Cut(inner, "]")
		ip, err := netip.ParseAddr(address)
		literal := err == nil && ip.Is6() && ip.Zone() == ""
		if !literal && (address == "" || address[0]|0x20 != 'v' || !hasOnly(address, ":")) {
			return false
		}
		return closed && (port == "" || port[0] == ':' && isDigits(port[1:]))
	}
	host, port, _ := strings.Cut(s, ":")
	return hasOnly(host, "") && isDigits(port)
}

// hasOnly tells whether s has only unreserved characters, sub-delimiters, whole
// percent escapes, and those named.
func hasOnly(s, more string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isLetter(c), isDigit(c), strings.IndexByte("-._~!$&'()*+,;=", c) >= 0, strings.IndexByte(more, c) >= 0:
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			i += 2
		default:
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

const (
	maxMailbox = 254 // RFC 5321, with its errata
	maxLocal   = 64
	maxLabel   = 63
)

// isEmail tells whether s is a mailbox of RFC 5321.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > maxLocal || len(s) > maxMailbox {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if inner, ok := strings.CutPrefix(domain, "["); ok {
		address, ok := strings.CutSuffix(inner, "]")
		six, is6 := strings.CutPrefix(address, "IPv6:")
		ip, err := netip.ParseAddr(six)
		if !ok || err != nil || ip.Is6() != is6 || ip.Zone() != "" {
			return false
		}
	} else if !isDomain(domain) {
		return false
	}
	if quoted, ok := strings.CutPrefix(local, `"`); ok {
		return isQuoted(quoted)
	}
	for atom := range strings.SplitSeq(local, ".") {
		if atom == "" || strings.ContainsFunc(atom, func(c rune) bool {
			return c >= 0x7F || !isLetter(byte(c)) && !isDigit(byte(c)) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", c)
		}) {
			return false
		}
	}
	return true
}

// isQuoted reads the rest of a quoted string, with its closing quote.
func isQuoted(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i == len(s)-1
		case c == '\\':
			i++
			if i < len(s) && (s[i] < ' ' || s[i] > '~') {
				return false
			}
		case c < ' ' || c > '~':
			return false
		}
	}
	return false
}

// isDomain tells whether s is a domain of letters, digits and hyphens.
func isDomain(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; !isLetter(c) && !isDigit(c) && c != '-' {
				return false
			}
		}
	}
	return true
}
