package taint

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
)

// Check tells which values of a call were seen before. It answers for what the
// arguments hold at any depth; what is no JSON object is all one value of an
// input without a name.
func (h *History) Check(c Call) Verdict {
	h.mu.RLock()
	defer h.mu.RUnlock()
	var v Verdict
	if !h.any {
		return v
	}
	if c.Irreversible || h.forgot && c.Reaches {
		latest := h.latest
		v.Session = &latest
	}
	j := judge{c: c, v: &v, rest: limits.TaintGiven, search: search{h: h, left: limits.TaintScan}}
	if !leaves(c.Arguments, j.leaf) {
		j.leaf(leaf{text: string(c.Arguments)})
	}
	j.flush()
	return v
}

// judge sorts the leaves of one call.
type judge struct {
	c Call
	v *Verdict
	search
	rest int // of the arguments that is still looked for; what is beyond is taken for foreign

	// Leaves of one input that are too short to be looked for alone.
	short strings.Builder
	at    *place
}

func (j *judge) leaf(l leaf) {
	switch {
	case l.name && l.at.up.up == nil && (j.c.Chosen == nil || !j.c.Chosen(l.text)):
		return // the name of an input, which the tool gave
	case l.name && identifier(l.text) && weight(squeeze(l.text)) < gramWeight:
		return // a word that also stands in what was read, and mostly means nothing
	}
	j.look(l)
	if weight(squeeze(l.text)) < wholeWeight {
		if j.at != nil && j.at.top() != l.at.top() {
			j.flush()
		}
		j.at = l.at
		j.short.WriteString(l.text)
	}
}

// flush looks for what the short leaves of an input are together: a list of the
// letters of a name is that name.
func (j *judge) flush() {
	if s := j.short.String(); j.at != nil && j.at.up != nil && s != "" && weight(squeeze(s)) >= gramWeight {
		j.look(leaf{at: j.at.up, text: s})
	}
	j.short.Reset()
	j.at = nil
}

func (j *judge) look(l leaf) {
	if len(j.v.Matches) == limits.TaintMatches {
		return // it is held
	}
	f, ok := found{src: j.h.latest, how: "too long"}, true
	if j.rest -= len(l.text); j.rest >= 0 {
		f, ok = j.find(l.text)
	}
	if !ok {
		return
	}
	input := l.at.top()
	m := Match{Input: input, Path: l.at.pointer(), Value: shown(l.text), How: f.how, Source: f.src}
	list := &j.v.Matches
	switch {
	case f.vouched, j.c.Constant != nil && j.c.Constant(input, l.text):
		list = &j.v.Vouched
	case j.c.TaintedOK != nil && j.c.TaintedOK(input), j.c.Approved != nil && j.c.Approved(input, l.text):
		list = &j.v.Carried
	}
	// What passes is listed so far; what comes after it is looked at all the same.
	if len(*list) < limits.TaintMatches {
		*list = append(*list, m)
	}
}

// shown cuts a value for a person.
func shown(s string) string {
	if utf8.RuneCountInString(s) <= limits.TaintShown {
		return s
	}
	n := 0
	for i := range s {
		if n == limits.TaintShown {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// found is where a value was seen.
type found struct {
	src     Source
	how     string
	vouched bool // also in something trusted
}

// search looks for the values of one call. What it costs is bounded: when it has
// compared enough, a value whose pieces are all there is taken for found.
type search struct {
	h    *History
	left int
}

// find looks for a value as it stands, backwards, in rot13, and for what it stands
// for itself in an encoding. One that is not vouched for goes before one that is.
func (q *search) find(value string) (found, bool) {
	var best found
	any := false
	try := func(how, text string) bool {
		s := squeeze(text)
		short := number(strings.TrimSpace(text))
		for _, v := range [...]struct{ name, text string }{
			{"", s}, {"reversed", reversed(s)}, {"rot13", rot13(s)}, {"reversed+rot13", reversed(rot13(s))},
		} {
			if v.name != "" && weight(v.text) < wholeWeight {
				continue
			}
			if v.name == "" {
				if w := squeeze(short); weight(w) < wholeWeight {
					v.text = w
				}
			}
			f, ok := q.seen(v.text)
			if !ok {
				continue
			}
			f.how = join(join(how, v.name), f.how)
			if !any || best.vouched && !f.vouched {
				best, any = f, true
			}
			if !best.vouched {
				return true
			}
		}
		return false
	}
	if try("", value) {
		return best, true
	}
	if weight(squeeze(value)) >= gramWeight {
		for _, part := range places(value) {
			if w := weight(squeeze(part)); w >= wholeWeight && w < gramWeight && try("", part) {
				return best, true
			}
		}
	}
	decoded(value, func(how, text string) {
		if !any || best.vouched {
			try(how, text)
		}
	})
	return best, any
}

func join(a, b string) string {
	switch {
	case a == "" || (b == "exact" || b == "squeezed" || b == "part") && a != "":
		if a == "" {
			return b
		}
		return a
	case b == "":
		return a
	}
	return a + "+" + b
}

// seen looks for one squeezed text.
func (q *search) seen(s string) (found, bool) {
	switch w := weight(s); {
	case w >= gramWeight:
		return q.h.seenPart(s)
	case w >= wholeWeight:
		return q.seenWhole(s)
	case w >= wordWeight:
		return q.h.seenWord(s)
	}
	return found{}, false
}

// seenPart looks for a part that is long enough.
func (h *History) seenPart(s string) (f found, ok bool) {
	windows(s, gramWeight, func(a, b int) bool {
		hash := maphash.String(h.seed, s[a:b])
		for _, r := range slices.Backward(h.read) {
			doc, hit := r.grams.find(hash)
			if !hit {
				continue
			}
			if vouched := h.vouchedGram(hash); !ok || f.vouched && !vouched {
				f, ok = r.where(int(doc), s, s[a:b]), true
				f.vouched = vouched
			}
			break
		}
		return !ok || f.vouched
	})
	return f, ok
}

func (h *History) vouchedGram(hash uint64) bool {
	for _, t := range h.vouch {
		if _, hit := t.grams.find(hash); hit {
			return true
		}
	}
	return false
}

// where tells of the document with a part how much of the text it has.
func (s *segment) where(doc int, text, part string) found {
	e := s.docs[doc]
	body := s.text[e.from:e.to]
	whole := true
	i := bytes.Index(body, []byte(text))
	if i < 0 {
		whole = false
		i = bytes.Index(body, []byte(part))
		text = part
	}
	if i < 0 { // two windows with one hash
		return found{src: e.src, how: "part"}
	}
	src, how, all := s.at(doc, e.from+i, len(text))
	switch {
	case how != "":
	case whole && all:
		how = "exact"
	case whole:
		how = "squeezed"
	default:
		how = "part"
	}
	return found{src: src, how: how}
}

// seenWhole looks for all of a value inside the texts.
func (q *search) seenWhole(s string) (found, bool) {
	h := q.h
	for _, r := range slices.Backward(h.read) {
		if doc := r.contains(h.seed, s, &q.left); doc >= 0 {
			f := r.where(doc, s, s)
			for _, t := range h.vouch {
				f.vouched = f.vouched || q.left > 0 && t.contains(h.seed, s, &q.left) >= 0 && q.left > 0
			}
			return f, true
		}
	}
	return found{}, false
}

// contains tells the latest document that has a text, or -1. The set answers for
// most texts that none has, and after which document none has it.
func (s *segment) contains(seed maphash.Seed, text string, left *int) int {
	last := len(s.docs) - 1
	windows(text, wholeWeight, func(a, b int) bool {
		doc, ok := s.small.find(maphash.String(seed, text[a:b]))
		if last = min(last, int(doc)); !ok {
			last = -1
		}
		return ok
	})
	for i := last; i >= 0; i-- {
		body := s.text[s.docs[i].from:s.docs[i].to]
		if *left -= len(body); *left < 0 || bytes.Contains(body, []byte(text)) {
			return i
		}
	}
	return -1
}

// seenWord looks for a word.
func (h *History) seenWord(s string) (found, bool) {
	hash := maphash.String(h.seed, s)
	for _, r := range slices.Backward(h.read) {
		doc, ok := r.words[hash]
		if !ok {
			continue
		}
		f := r.where(int(doc), s, s)
		for _, t := range h.vouch {
			if _, ok := t.words[hash]; ok {
				f.vouched = true
			}
		}
		return f, true
	}
	return found{}, false
}
