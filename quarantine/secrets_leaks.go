package quarantine

import (
	"slices"
	"strings"
)

// Leak is a secret in a text: what it is, such as "a GitHub token", and which
// bytes of the text it takes.
type Leak struct {
	What     string
	From, To int
}

// Leaks finds every secret in a text that is no part of a release, such as what a
// tool answers, by the rule SEC-001. It stops at no number: what is told of a
// release may end, what is struck from a record may not.
func Leaks(text string) (leaks []Leak) {
	leaks = keyBlocks(text)
	blocks := leaks
	eachSecret(text, func(s secret, from, to int) bool {
		if slices.ContainsFunc(blocks, func(b Leak) bool { return b.From < to && from < b.To }) {
			return true
		}
		// Of a name and its value only the value is the secret; a key in PEM is
		// cut up by its line ends, and goes whole.
		if at := strings.Index(text[from:to], s.text); at >= 0 {
			from += at
			to = from + len(s.text)
		}
		leaks = append(leaks, Leak{What: s.what, From: from, To: to})
		return true
	})
	slices.SortFunc(leaks, func(a, b Leak) int { return a.From - b.From })
	return leaks
}
