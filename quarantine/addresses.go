package quarantine

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// shorteners hide where a link leads until it is followed.
const shorteners = " bit.ly tinyurl.com t.co goo.gl is.gd v.gd ow.ly cutt.ly rebrand.ly shorturl.at tiny.cc rb.gy t.ly s.id buff.ly soo.gd qr.ae lnkd.in bl.ink " +
	"short.io shorte.st adf.ly bc.vc clck.ru u.to x.co tr.im snip.ly 1url.com surl.li urlz.fr da.gd kutt.it dub.sh tny.im urlr.me "

// schemes are the beginnings of addresses that lead to the web or run something
// in a browser, and are not encrypted or not the web.
var schemes = [...]string{"http:", "ftp:", "ws:", "telnet:", "javascript:", "vbscript:", "data:text/", "data:application/", "file:"}

// badAddresses finds addresses that do not tell where they lead, or that anybody
// on the way can change.
func badAddresses(text string) []remark {
	if !strings.ContainsAny(text, ":/") {
		return nil
	}
	var out []remark
	told := map[string]bool{}
	for at, w := range wordsOf(text) {
		why := badAddress(w)
		if why == "" || told[why] {
			continue
		}
		told[why] = true
		r := remark{rule: badURL, line: 1 + strings.Count(text[:at], "\n")}
		r.format("has the address %s, which %s", spec.Quote(w), why)
		out = append(out, r)
	}
	return out
}

// badAddress tells what is wrong with a word that is, or holds, an address.
func badAddress(w string) string {
	lower := lowerASCII(w)
	if i := strings.Index(lower, "://"); i > 0 {
		begin := i
		for begin > 0 && (lower[begin-1] >= 'a' && lower[begin-1] <= 'z' || lower[begin-1] >= '0' && lower[begin-1] <= '9' || lower[begin-1] == '+') {
			begin--
		}
		lower, w = lower[begin:], w[begin:]
	}
	plainly := ""
	for _, s := range schemes {
		if strings.HasPrefix(lower, s) && !isCitation(lower) {
			plainly = "is not https"
		}
	}
	if !strings.Contains(lower, "://") {
		if host, _, deep := strings.Cut(lower, "/"); deep && isShortener(host) {
			return "hides where it leads behind a shortener"
		}
		return plainly
	}
	u, err := url.Parse(w)
	if err != nil {
		return "is no address that can be read"
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if u.Scheme != "http" && u.Scheme != "https" {
		return plainly // a database or a bucket
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return ""
	}
	switch ip, ok := address(host); {
	case u.User != nil:
		return "holds a user name or a password"
	case ok && ip.IsLoopback():
		return ""
	case ok:
		return "names a machine by its number"
	case isShortener(host):
		return "hides where it leads behind a shortener"
	case strings.HasPrefix(host, "xn--"), strings.Contains(host, ".xn--"), strings.IndexFunc(host, func(r rune) bool { return r > '~' }) >= 0:
		return "has letters beyond ASCII in its host"
	}
	return plainly
}

// isCitation tells whether a word names how places in a file are written, as file:line,
// and no file: that would have a folder, a dot or an escape behind the colon.
func isCitation(lower string) bool {
	rest, ok := strings.CutPrefix(lower, "file:")
	return ok && rest != "" && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz:-_") == ""
}

// lowerASCII leaves every byte where it is, which strings.ToLower does not.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func isShortener(host string) bool {
	return host != "" && strings.Contains(shorteners, " "+strings.TrimPrefix(host, "www.")+" ")
}

// address reads a host that is a number, in any of the spellings that browsers
// and system libraries take.
func address(host string) (netip.Addr, bool) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip, true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 32)
		if err != nil {
			if n, err = strconv.ParseUint(part, 10, 32); err != nil { // 08 is no octal number
				return netip.Addr{}, false
			}
		}
		if i == len(parts)-1 {
			value += n
		} else {
			value += n << (24 - 8*i)
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}
