package audit

import (
	"cmp"
	"slices"
	"strings"
)

// Struck is what stands where a value was that nobody may read.
const Struck = "‹secret:given›"

// Eraser strikes values, and their usual encodings, out of texts that are shown or
// written outside of the records of runs: there is no code under a key, so that
// nothing can be told of the value. The zero value strikes nothing.
type Eraser struct{ known []form }

// NewEraser strikes these values. Shorter ones than the journal's least are struck
// as they are: who marked a value as sensitive asked for that.
func NewEraser(secrets []string) *Eraser {
	s := &Eraser{}
	for _, secret := range secrets {
		switch {
		case secret == "":
		case len(secret) < minSecret:
			s.known = append(s.known, form{secret, Struck})
		default:
			for _, f := range forms(secret) {
				s.known = append(s.known, form{f, Struck})
			}
		}
	}
	slices.SortStableFunc(s.known, func(a, b form) int {
		return cmp.Or(len(b.text)-len(a.text), strings.Compare(a.text, b.text))
	})
	s.known = slices.Compact(s.known)
	return s
}

// Text returns the text with marks in the place of what is secret.
func (s *Eraser) Text(text string) string {
	r := redactor{detect: func(string) []Secret { return nil }, known: s.known}
	return replace(text, r.spans(text))
}
