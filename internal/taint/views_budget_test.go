package taint_test

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/taint"
)

// TestDecoys: what a text says in a code is found behind as much of other codes as its
// writer likes, and reading it comes to an end.
func TestDecoys(t *testing.T) {
	words := strings.Repeat("the quick brown fox jumps over a lazy dog ", 40)
	const codes = `%41 \x41 &amp; dot `
	for name, decoy := range map[string]string{
		"none":   "",
		"one":    codes + b64(strings.Repeat(codes+words, 3)) + " ",
		"hex":    codes + hex.EncodeToString([]byte(words)) + " ",
		"many":   codes + strings.Repeat(b64(codes+words)+" ", 20),
		"nested": codes + strings.Repeat(b64(`%41 &amp; `+b64(`\x41 &amp; `+b64(words)))+" ", 20),
	} {
		for how, code := range map[string]string{"base64": b64(value), "twice": b64(hexed(value))} {
			h := read(t, decoy+code)
			if v := check(t, h, value); !v.Held() {
				t.Errorf("%s: %s is not found", name, how)
			}
			if v := check(t, h, "a.friend@home.example"); v.Held() {
				t.Errorf("%s: the twin is held: %+v", name, v)
			}
		}
	}
	from := time.Now()
	h := taint.NewHistory()
	h.UntrustedText(taint.Source{Run: "r1"}, strings.Repeat(codes+b64(codes+words)+" ", 400))
	if d := time.Since(from); d > 20*time.Second {
		t.Errorf("a megabyte took %v", d)
	}
}
