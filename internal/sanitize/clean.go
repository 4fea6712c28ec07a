package sanitize

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Clean returns the text for a model: without every hidden character, and in
// normalization form NFKC, so that full-width and mathematical letters become
// the letters they stand for. It returns with it the hits of the text as it
// was, words that mix scripts included; those are told, not rewritten, because
// no rewriting is right for all of them [PM-12]. Cleaning twice is the same as
// once, and nothing hidden is left in the result.
func Clean(text string) (string, []Hit) {
	if isPlain(text) {
		return text, nil
	}
	hits := Scan(text)
	out := norm.NFKC.String(strip(text, false))
	// Normalization can bring hidden characters of its own, and taking those
	// out can undo normalization. Text made for it could go on for long, so
	// after a few rounds the exceptions for joiners and selectors are dropped.
	for round := 0; ; round++ {
		next := norm.NFKC.String(strip(out, round > 3))
		if next == out {
			return out, hits
		}
		out = next
	}
}

// strip removes the hidden characters and the CR of CR LF; strict takes no
// account of the neighbours.
func strip(text string, strict bool) string {
	var b strings.Builder
	b.Grow(len(text))
	keep := func(part string) {
		for _, r := range part {
			if r != '\r' && (!strict || category(r, 0) == "") {
				b.WriteRune(r)
			}
		}
	}
	done := 0
	walk(text, func(at, size int, _ rune, _ string) bool {
		keep(text[done:at])
		done = at + size
		return true
	})
	keep(text[done:])
	return b.String()
}
