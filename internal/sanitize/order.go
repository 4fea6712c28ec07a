package sanitize

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/bidi"
)

// InOrder writes a text so that every screen shows it in the order that it has:
// letters that run from right to left stand as their numbers, such as \u{5D0}. turned
// tells that a screen may show it in another order as it is, because such letters take
// along what stands beside them: digits, or letters that run the other way. A word
// that runs one way is turned by nobody.
func InOrder(text string) (ordered string, turned bool) {
	right, left := false, false
	var b strings.Builder
	for _, r := range text {
		p, _ := bidi.LookupRune(r)
		switch p.Class() {
		case bidi.R, bidi.AL, bidi.AN:
			right = true
			left = left || p.Class() == bidi.AN
			fmt.Fprintf(&b, `\u{%X}`, r)
			continue
		case bidi.L, bidi.EN:
			left = true
		}
		b.WriteRune(r)
	}
	return b.String(), right && left
}
