package usernet

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
)

func TestParseException(t *testing.T) {
	for text, want := range map[string]string{
		"192.168.1.5": "192.168.1.5", "192.168.1.5:80": "192.168.1.5:80", "[fd00::5]": "[fd00::5]", "[FD00::5]:443": "[fd00::5]:443",
		"Printer.LAN:631": "printer.lan:631", "nas": "nas", "nas.": "nas", "a_b.c-d.e9": "a_b.c-d.e9", "1password.com": "1password.com",
		"localhost:8080": "localhost:8080", "127.0.0.1:65535": "127.0.0.1:65535", "[::1]:1": "[::1]:1", "[::ffff:10.0.0.1]:9": "10.0.0.1:9",
		"169.254.169.254": "169.254.169.254", "8.8.8.8": "8.8.8.8",
		strings.Repeat("a", 63) + ".b": strings.Repeat("a", 63) + ".b",
	} {
		e, err := ParseException(text)
		if err != nil || e.String() != want {
			t.Errorf("%q: %v, %v", text, e, err)
		}
	}
	for _, text := range []string{
		"", ":", ":80", "a:", "a:0", "a:65536", "a:+1", "a:080", "a:-1", "a:http", "a:1:2", "[::1", "[::1]80", "[::1]:", "[1.2.3.4]:80", "[a]:80", "::1", "fd00::5",
		"[fe80::1%eth0]:80", "10.0.0.0/8", "*", "*.lan", "http://a", "a/b", "a b", "a@b", "-a", "a-", "a..b", ".a", "a.-b", "é.lan", "a\x00b", "a\n",
		"127.1", "0x7f.1", "0x7f000001", "2130706433", "017700000001:80", "1.2.3", "256.1.1.1", "1.2.3.4.", "0177.0.0.1", "a.1",
		"0.0.0.0", "0.0.0.0:80", "[::]:80", "224.0.0.1", "[ff02::1]:80", "255.255.255.255",
		"127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "LOCALHOST.", "a.localhost",
		strings.Repeat("a", 64), strings.Repeat("a.", 130) + "b",
	} {
		if e, err := ParseException(text); err == nil || fault.KindOf(err) != fault.Usage || fault.ReasonOf(err) != "allow_net" {
			t.Errorf("%q: %v, %v", text, e, err)
		}
	}
}

// FuzzException: what is read has one spelling, which reads as the same.
func FuzzException(f *testing.F) {
	for _, s := range []string{"a.b:80", "[::1]:80", "1.2.3.4", "[::ffff:1.2.3.4]:1", "0x7f.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := ParseException(s)
		if err != nil {
			return
		}
		again, err := ParseException(e.String())
		if err != nil || again != e {
			t.Errorf("%q is %v, which is %v, %v", s, e, again, err)
		}
	})
}
