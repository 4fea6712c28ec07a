package taint

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"sort"
	"sync"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
)

// History is what one conversation has read. It is safe for concurrent use.
//
// It keeps the squeezed texts and two sets of hashes over them, in segments. When
// there are too many segments the oldest is forgotten, and the history remembers
// that it forgot.
type History struct {
	mu     sync.RWMutex
	seed   maphash.Seed
	read   []*segment // untrusted, the newest last
	vouch  []*segment // trusted
	latest Source     // of what was read
	any    bool       // anything was read
	forgot bool
}

// NewHistory returns a history of nothing.
func NewHistory() *History { return &History{seed: maphash.MakeSeed()} }

// Untrusted adds an output that nobody vouches for: every text in it, at any
// depth, and names in objects that are no identifiers. What is no JSON is
// taken as one text. Its Path is found, src.Path is ignored.
func (h *History) Untrusted(src Source, output json.RawMessage) { h.add(true, src, output) }

// UntrustedText adds a text that nobody vouches for, such as what another server
// answered.
func (h *History) UntrustedText(src Source, text string) {
	h.addLeaves(true, src, func(add func(leaf)) { add(leaf{text: text}) })
}

// Trusted adds an output that the person's configuration vouches for, and whose
// run was given nothing tainted: what is in it too is held no more.
func (h *History) Trusted(output json.RawMessage) { h.add(false, Source{}, output) }

// TrustedText adds a text of the person's own, such as what was typed.
func (h *History) TrustedText(text string) {
	h.addLeaves(false, Source{}, func(add func(leaf)) { add(leaf{text: text}) })
}

// Latest is what was read last and nobody vouches for; false is nothing.
func (h *History) Latest() (Source, bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.latest, h.any
}

// Lost tells the history of something that was read and that it could not be given.
func (h *History) Lost(src Source) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.latest, h.any, h.forgot = src, true, true
}

func (h *History) add(untrusted bool, src Source, output json.RawMessage) {
	h.addLeaves(untrusted, src, func(add func(leaf)) {
		if !leaves(output, add) {
			add(leaf{text: string(output)})
		}
	})
}

// addLeaves squeezes outside of the lock, which calls that are checked wait for.
func (h *History) addLeaves(untrusted bool, src Source, walk func(add func(leaf))) {
	src.Path = ""
	list, most := &h.vouch, limits.TaintTrusted
	if untrusted {
		list, most = &h.read, limits.TaintSegments
	}
	docs := gather(src, untrusted, walk)
	h.mu.Lock()
	defer h.mu.Unlock()
	if untrusted {
		h.latest, h.any = src, true
	}
	for _, d := range docs {
		last := len(*list) - 1
		if last < 0 || !(*list)[last].fits(d) {
			*list = append(*list, &segment{words: map[uint64]uint16{}})
			last++
		}
		(*list)[last].add(h.seed, d)
		if len(*list) > most {
			*list = append((*list)[:0:0], (*list)[1:]...)
			h.forgot = h.forgot || untrusted
		}
	}
}

// document is a part of one source, ready to be looked for.
type document struct {
	src   Source
	text  []byte // squeezed leaves, one after the other
	marks []mark
	words []string // squeezed
}

// mark is where a leaf, or a reading of one, begins in the text.
type mark struct {
	from int
	path string
	how  string // by which it was read, "" is as it stands
}

// gather squeezes what a walk calls for. What follows from decoding stands after
// the leaf that it was found in. Leaves stand without anything between them, so
// that a value which is cut into several is whole again.
func gather(src Source, views bool, walk func(add func(leaf))) []*document {
	d := &document{src: src}
	docs := []*document{d}
	put := func(at *place, how, text string) {
		for len(text) > 0 {
			part := cut(text, limits.TaintPart)
			if len(d.text)+len(part) > limits.TaintSegment-limits.TaintPart || len(d.words) >= limits.TaintWords {
				tail := d.text[max(0, len(d.text)-4*gramWeight):]
				d = &document{src: src, text: bytes.Clone(tail)}
				docs = append(docs, d)
			}
			m := mark{from: len(d.text), how: how}
			if len(d.marks) < limits.TaintPaths {
				m.path = at.pointer()
			}
			d.marks = append(d.marks, m)
			d.text = appendSqueezed(d.text, part)
			words(part, func(w string) { d.word(squeeze(w)) })
			if n := len(d.text) - m.from; n <= utf8.UTFMax*wholeWeight {
				d.word(string(d.text[m.from:]))
			}
			text = text[len(part):]
		}
	}
	walk(func(l leaf) {
		if l.name && identifier(l.text) {
			return // a programmer's word, which others use as well
		}
		put(l.at, "", l.text)
		if views {
			decoded(l.text, func(how, text string) { put(l.at, how, text) })
		}
	})
	return docs
}

// cut is the beginning of a text, up to so many bytes and whole characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for n := most; n > most-utf8.UTFMax; n-- {
		if utf8.RuneStart(text[n]) {
			return text[:n]
		}
	}
	return text[:most] // no text at all
}

// word keeps what is too short to be looked for inside a text.
func (d *document) word(squeezed string) {
	if len(squeezed) <= utf8.UTFMax*wholeWeight {
		if w := weight(squeezed); w >= wordWeight && w < wholeWeight {
			d.words = append(d.words, squeezed)
		}
	}
}

// segment is so much of a history as is forgotten at once.
type segment struct {
	docs  []entry
	text  []byte // of the documents, with a zero after each
	grams *set   // windows of gramWeight
	small *set   // windows of wholeWeight
	words map[uint64]uint16
}

type entry struct {
	src      Source
	from, to int
	marks    []mark
}

func (s *segment) fits(d *document) bool {
	return len(s.docs) == 0 || len(s.text)+len(d.text) < limits.TaintSegment &&
		len(s.docs) < limits.TaintOutputs && len(s.words)+len(d.words) <= limits.TaintWords
}

func (s *segment) add(seed maphash.Seed, d *document) {
	e := entry{src: d.src, from: len(s.text), to: len(s.text) + len(d.text), marks: d.marks}
	s.text = append(append(s.text, d.text...), 0)
	doc := uint16(len(s.docs))
	s.docs = append(s.docs, e)
	for _, w := range d.words {
		s.words[maphash.String(seed, w)] = doc
	}
	first := int(doc)
	if s.grams == nil || !s.grams.room(len(d.text)) || !s.small.room(len(d.text)) {
		n := max(len(s.text), min(2*len(s.text), limits.TaintSegment))
		s.grams, s.small, first = newSet(n), newSet(n), 0
	}
	s.index(seed, s.grams, gramWeight, first)
	s.index(seed, s.small, wholeWeight, first)
}

// index adds the windows of the documents from one on.
func (s *segment) index(seed maphash.Seed, into *set, least, from int) {
	for i := from; i < len(s.docs); i++ {
		text := string(s.text[s.docs[i].from:s.docs[i].to])
		windows(text, least, func(a, b int) bool {
			into.add(maphash.String(seed, text[a:b]), uint16(i))
			return true
		})
	}
}

// at tells in which leaf a place in the text of a document lies, and whether a
// piece from there on is the whole of it.
func (s *segment) at(doc, offset, size int) (src Source, how string, whole bool) {
	e := s.docs[doc]
	src = e.src
	offset -= e.from
	i := sort.Search(len(e.marks), func(i int) bool { return e.marks[i].from > offset }) - 1
	if i < 0 { // the end of what was cut off
		return src, "", false
	}
	end := e.to - e.from
	if i+1 < len(e.marks) {
		end = e.marks[i+1].from
	}
	src.Path = e.marks[i].path
	return src, e.marks[i].how, e.marks[i].from == offset && end == offset+size
}
