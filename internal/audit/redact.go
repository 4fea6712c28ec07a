package audit

import (
	"cmp"
	"slices"
	"strings"
)

// Secret is one that a [Detector] found: which bytes of the text it takes, and by
// which rule, in lower-case letters, digits and dashes.
type Secret struct {
	Rule     string
	From, To int
}

// Detector finds what reads like a secret in a text. It must find all of them:
// what it leaves is written to disk.
type Detector func(text string) []Secret

// given is the rule of a secret that was given to the run and so is known.
const given = "given"

// minSecret keeps a careless one-letter "secret" from striking everything.
const minSecret = 4

// redactor strikes secrets: first those that were given to the run, by their
// values, then what a detector finds. Where one was there is a code under the
// user's key, so that the same value can be told again and none can be guessed.
//
// A tool that was given a secret can always leak it in a form of its own making;
// this keeps honest echoes, and the usual encodings, out of the files [C-7].
type redactor struct {
	keys   *keys
	detect Detector
	known  []form
}

// form is one spelling of a known secret.
type form struct {
	text string
	mark string
}

func newRedactor(k *keys, detect Detector, secrets []string) *redactor {
	r := &redactor{keys: k, detect: detect}
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		m := r.mark(given, s)
		for _, f := range forms(s) {
			r.known = append(r.known, form{f, m})
		}
	}
	// The longest first, so that a secret which contains another goes whole.
	slices.SortStableFunc(r.known, func(a, b form) int { return len(b.text) - len(a.text) })
	return r
}

// mark is what stands where a secret was.
func (r *redactor) mark(rule, value string) string {
	return "‹secret:" + word(rule) + ":" + r.keys.code(value) + "›"
}

// word keeps the name of a rule from being anything but one word.
func word(rule string) string {
	const longest = 32
	rule = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' {
			return c
		}
		return -1
	}, rule)
	return cmp.Or(rule[:min(len(rule), longest)], "other")
}

// span is what is to be replaced.
type span struct {
	from, to int
	mark     string
	known    bool
}

// spans are those of all secrets in a text, in order; where two overlap, what
// both take goes as one.
func (r *redactor) spans(text string) []span {
	var all []span
	for _, f := range r.known {
		for at := 0; ; {
			i := strings.Index(text[at:], f.text)
			if i < 0 {
				break
			}
			all = append(all, span{at + i, at + i + len(f.text), f.mark, true})
			at += i + len(f.text)
		}
	}
	for _, s := range r.detect(text) {
		if s.From >= 0 && s.From < s.To && s.To <= len(text) {
			all = append(all, span{s.From, s.To, r.mark(s.Rule, text[s.From:s.To]), false})
		}
	}
	return join(all)
}

// join makes one span of those that overlap. It has the mark of the first, but of
// a known secret sooner than of one that was found.
func join(all []span) []span {
	if len(all) < 2 {
		return all
	}
	slices.SortStableFunc(all, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	out := all[:1]
	for _, s := range all[1:] {
		last := &out[len(out)-1]
		if s.from >= last.to {
			out = append(out, s)
			continue
		}
		last.to = max(last.to, s.to)
		if s.known && !last.known {
			last.mark, last.known = s.mark, true
		}
	}
	return out
}

// text strikes what is secret and tells whether there was any.
func (r *redactor) text(s string) (string, bool) {
	spans := r.spans(s)
	return replace(s, spans), len(spans) > 0
}

// replace puts the marks in the place of the spans.
func replace(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, p := range spans {
		b.WriteString(s[at:p.from])
		b.WriteString(p.mark)
		at = p.to
	}
	b.WriteString(s[at:])
	return b.String()
}
