package manifest

import (
	"strconv"
	"strings"

	"github.com/dlclark/regexp2"
)

// sameNumber tells whether two JSON numbers are one: 1, 1.0 and 10e-1 are. They are
// compared as they are spelled, since computing with them takes memory in the order
// of their exponents.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	less, digits, exponent := decimal(a)
	less2, digits2, exponent2 := decimal(b)
	return less == less2 && digits == digits2 && exponent == exponent2
}

// decimal is a sized JSON number as its sign, its digits without zeros at either end,
// and the power of ten of the last of them. Zero has no sign.
func decimal(text string) (negative bool, digits string, exponent int) {
	text, negative = strings.TrimPrefix(text, "-"), strings.HasPrefix(text, "-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent, _ = strconv.Atoi(text[i+1:])
		text = text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	exponent -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	plain := strings.TrimRight(digits, "0")
	if plain == "" {
		return false, "", 0
	}
	return negative, plain, exponent + len(digits) - len(plain)
}

// pointerName is what a part of a JSON Pointer names (RFC 6901).
func pointerName(part string) string {
	if strings.IndexByte(part, '~') < 0 {
		return part
	}
	return strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
}

// match is one match of a pattern of a foreign schema, on the budget of the check:
// thousands of them, each quick, are slow as well.
func (b *patternBudget) match(re *regexp2.Regexp, text string) (bool, error) {
	most := checkSteps * patternSteps
	if b.reading {
		re.MatchTimeout, most = readTime, readSteps*patternSteps
	}
	if b.matches++; b.matches > most || b.spent.Load() {
		b.spent.Store(true)
		return false, errSteps
	}
	match, err := b.matchString(re, text)
	if err != nil {
		b.spent.Store(true)
	}
	return match, err
}

// patternSteps is how many names and patterns cost as much as one schema.
const patternSteps = 5
