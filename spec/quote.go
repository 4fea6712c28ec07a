package spec

import (
	"strconv"
	"unicode/utf8"
)

// maxQuoted is how many bytes of foreign text an error message repeats.
const maxQuoted = 80

// Quote makes foreign text safe to stand in an error message: quoted, ASCII
// only (so that no control, bidi or look-alike character survives), and cut
// where it is long.
func Quote(s string) string {
	if len(s) <= maxQuoted {
		return strconv.QuoteToASCII(s)
	}
	cut := maxQuoted
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.QuoteToASCII(s[:cut]) + "…"
}
