package index

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Query is what somebody asks for, taken apart. The zero Query asks for all tools.
type Query struct {
	Text    string   // words in any order
	Phrases []string // of words that stand together
	Filters []Filter // all hold
	Facets  bool     // whether the values of what is found are counted
}

// Filter is one operator: name:, tag:, by:, kind:, license:, network:, fs:,
// verified:, deprecated:.
type Filter struct {
	Field string
	Value string
	Not   bool // -tag:x
}

// Operators are the fields of filters, as help shows them.
func Operators() []string {
	return []string{"name", "tag", "by", "kind", "license", "network", "fs", "verified", "deprecated"}
}

// ParseQuery takes apart what a person typed. It never fails: what is no
// operator is text; an operator with a value that nothing can have is told in notes.
func ParseQuery(typed string) (q Query, notes []string) {
	if len(typed) > limits.Query {
		n := limits.Query
		for n > 0 && !utf8.RuneStart(typed[n]) {
			n--
		}
		typed = typed[:n]
		notes = append(notes, fmt.Sprintf("only the first %d bytes are looked for", limits.Query))
	}
	var text []string
	for rest := strings.TrimLeftFunc(typed, unicode.IsSpace); rest != ""; rest = strings.TrimLeftFunc(rest, unicode.IsSpace) {
		if phrase, after, ok := quoted(rest); ok {
			q.Phrases = append(q.Phrases, phrase)
			rest = after
			continue
		}
		if f, after, ok := operator(rest); ok {
			note := f.normalise()
			if note != "" {
				notes = append(notes, note)
			}
			q.Filters = append(q.Filters, f.split()...)
			rest = after
			continue
		}
		var one string
		one, rest = token(rest)
		text = append(text, one)
	}
	q.Text = strings.Join(text, " ")
	return q, notes
}

// token is what stands before the next white space.
func token(s string) (one, rest string) {
	end := strings.IndexFunc(s, unicode.IsSpace)
	if end < 0 {
		return s, ""
	}
	return s[:end], s[end:]
}

func isQuote(r rune) bool { return r == '"' || r == '“' || r == '”' }

// quoted is the text between a quote at the beginning of s and the next one.
func quoted(s string) (text, rest string, ok bool) {
	r, n := utf8.DecodeRuneInString(s)
	if !isQuote(r) {
		return "", s, false
	}
	end := strings.IndexFunc(s[n:], isQuote)
	if end < 0 {
		return "", s, false
	}
	_, m := utf8.DecodeRuneInString(s[n+end:])
	return s[n : n+end], s[n+end+m:], true
}

// operator is a filter at the beginning of s.
func operator(s string) (f Filter, rest string, ok bool) {
	field, after, found := strings.Cut(s, ":")
	if !found {
		return f, s, false
	}
	field, f.Not = strings.CutPrefix(field, "-")
	f.Field = lower(field)
	if !slices.Contains(Operators(), f.Field) {
		return f, s, false
	}
	if f.Value, rest, ok = quoted(after); !ok {
		f.Value, rest = token(after)
	}
	return f, rest, strings.TrimSpace(f.Value) != ""
}

// normalise spells a value as the index does, and returns what to tell about it.
func (f *Filter) normalise() (note string) {
	typed := f.Value
	f.Value = lower(strings.TrimSpace(f.Value))
	known := []string{"yes", "no"}
	switch f.Field {
	case "by":
		f.Value = strings.TrimPrefix(f.Value, "@")
		return ""
	case "name":
		if len(f.split()) == 0 {
			return fmt.Sprintf("name:%s is no part of a name", spec.Quote(typed))
		}
		return ""
	case "network", "verified", "deprecated":
		switch f.Value {
		case "true", "on", "1":
			f.Value = "yes"
		case "false", "off", "0":
			f.Value = "no"
		}
	case "fs":
		known = []string{"none", "read-only", "read-write"}
		switch f.Value {
		case "ro", "read":
			f.Value = "read-only"
		case "rw", "write":
			f.Value = "read-write"
		}
	case "kind":
		known = []string{string(spec.FormatPatch), string(spec.FormatInstall), string(spec.FormatSkill), string(spec.FormatArcade)}
	default:
		return ""
	}
	if slices.Contains(known, f.Value) {
		return ""
	}
	return fmt.Sprintf("%s:%s matches nothing: it is %s", f.Field, spec.Quote(typed), strings.Join(known, ", "))
}

// split makes a filter of each word of a name; another filter is one.
func (f Filter) split() []Filter {
	if f.Field != "name" {
		return []Filter{f}
	}
	var out []Filter
	for w := range strings.SplitSeq(key(f.Value), "_") {
		if w != "" {
			out = append(out, Filter{f.Field, w, f.Not})
		}
	}
	return out
}

// key is a text in the spelling of names.
func key(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range lower(text) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteByte(byte(r))
			continue
		}
		gap = true
	}
	return b.String()
}
