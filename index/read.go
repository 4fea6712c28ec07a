package index

import (
	"unicode/utf8"

	"github.com/patch-cat/patch-git/ledger"
)

// reader takes the words out of listings.
type reader struct {
	text, pre *field
	lexicon   *lexicon
	pairs     sets    // of neighbouring terms, for near-duplicates
	described []lexed // of all descriptions
	ends      []int32 // for each document, where those of its description end
	now       []lexed // of the text that is read
	doc       int
}

// lexed is a word of a text: its number in the lexicon, and what it is in the two
// lowest bits.
type lexed int32

const (
	isTerm lexed = 1 << iota
	isLeaf
	lexedBits = iota
)

func (r *reader) word(t lexed) *lexeme { return &r.lexicon.words[t>>lexedBits] }

func (r *reader) use(t lexed) *use { return &r.lexicon.uses[t>>lexedBits] }

// lex appends the words of a text.
func (r *reader) lex(out []lexed, text string) []lexed {
	eachSpan(text, func(start, end int, term, leaf bool) {
		id := r.lexicon.id(text[start:end])
		if id < 0 {
			return
		}
		t := lexed(id << lexedBits)
		if term {
			t |= isTerm
		}
		if leaf {
			t |= isLeaf
		}
		out = append(out, t)
	})
	return out
}

// describe reads the description of the next document: which words of names stand
// together is known only after all of them.
func (r *reader) describe(l *ledger.Listing) {
	start := len(r.described)
	r.described = r.lex(r.described, l.Description)
	for _, t := range r.described[start:] {
		if w := r.word(t); t&isLeaf != 0 && len(w.text) >= shortestPart {
			w.described = true
		}
	}
	r.ends = append(r.ends, int32(len(r.described)))
}

// document reads the next document, after all descriptions.
func (r *reader) document(l *ledger.Listing) {
	start := int32(0)
	if r.doc > 0 {
		start = r.ends[r.doc-1]
	}
	described := r.described[start:r.ends[r.doc]]
	r.doc++
	for _, p := range pieces(l) {
		tokens := described
		if p.in != "description" {
			r.now = r.lex(r.now[:0], p.text)
			tokens = r.now
		}
		named := p.in == "name" || p.in == "alias" || p.in == "owner"
		for _, t := range tokens {
			if t&isTerm == 0 {
				continue
			}
			if u := r.use(t); u.pair != 0 {
				if u.term < 0 {
					u.term = r.text.id(r.word(t).stem)
				}
				r.text.add(u.term, p.weight)
				if int(u.last) != r.doc {
					u.last = int32(r.doc)
					u.docs++
				}
			}
			if named {
				r.name(r.word(t), p)
			}
		}
	}
	r.pair(described)
	for _, in := range l.Summary.Inputs {
		r.now = r.lex(r.now[:0], "input "+in.Name)
		r.pair(r.now)
	}
	r.pairs.close()
}

// name notes what a word has in names beyond itself.
func (r *reader) name(w *lexeme, p piece) {
	if p.in != "owner" && w.stem != "" {
		if w.parts == nil {
			w.parts = []int32{}
			for _, part := range parts(w.text, r.lexicon.described) {
				if !isStop(part) {
					w.parts = append(w.parts, r.text.id(stem(part)))
				}
			}
		}
		for _, id := range w.parts {
			r.text.add(id, p.weight)
		}
	}
	if w.prefixes == nil {
		w.prefixes = []int32{}
		eachPrefix(w.text, func(s string) { w.prefixes = append(w.prefixes, r.pre.id(s)) })
	}
	for _, id := range w.prefixes {
		r.pre.add(id, prefixWeight)
	}
}

// pair notes the pairs of neighbouring terms of a text.
func (r *reader) pair(tokens []lexed) {
	var before uint64
	for _, t := range tokens {
		h := r.use(t).pair
		if t&isLeaf == 0 || h == 0 {
			continue
		}
		if before != 0 {
			r.pairs.all = append(r.pairs.all, mix(before*31+h))
		}
		before = h
	}
}

// eachPrefix calls visit for the beginnings of a word that field pre has.
func eachPrefix(w string, visit func(string)) {
	for i, n := 0, 1; i < len(w) && n <= longestPrefix; n++ {
		_, size := utf8.DecodeRuneInString(w[i:])
		i += size
		if n >= shortestPrefix {
			visit(w[:i])
		}
	}
}
