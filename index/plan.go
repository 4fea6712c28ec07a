package index

import (
	"slices"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
)

// plan is a query in terms of the index.
type plan struct {
	browse        bool       // no words: all candidates, by name
	key           string     // that a name can be, or ""
	terms         []string   // for text
	prefixes      []string   // for pre
	prefixWeights []int32    // of the word whose beginning each is, the largest of several
	phrases       [][]string // terms
	candidates    *set       // nil: all
	corrections   []Correction
	typed         map[string]string // of a term, the word as it was typed
	known         map[string]string // of a word of a tool, the term of the query that it matches, or ""
	first, second [256]bool         // bytes with which such a word begins
}

// set is a set of tools. The nil set has all.
type set struct{ bits []uint64 }

func newSet(tools int) *set { return &set{make([]uint64, (tools+63)/64)} }

func (s *set) add(tool int32) { s.bits[tool/64] |= 1 << (tool % 64) }

func (s *set) has(tool int32) bool { return s == nil || s.bits[tool/64]&(1<<(tool%64)) != 0 }

// queryWord is a word of a query that is no stop word.
type queryWord struct {
	text, term string
	phrase     bool
}

func (x *Index) plan(q Query) (*plan, error) {
	p := &plan{typed: map[string]string{}, known: map[string]string{}}
	words, any := queryWords(q, p)
	for _, f := range q.Filters {
		f.normalise()
		for _, one := range f.split() {
			if err := x.narrow(p, fieldFacet, one.Field+":"+one.Value, one.Not); err != nil {
				return nil, err
			}
		}
	}
	for _, phrase := range p.phrases {
		for _, t := range phrase {
			if err := x.narrow(p, fieldText, t, false); err != nil {
				return nil, err
			}
		}
	}
	p.browse = len(words) == 0 && (len(q.Filters) > 0 || !any)
	if len(q.Phrases) == 0 {
		p.key = key(cut(q.Text))
	}
	return p, x.expand(p, words)
}

// cut holds the text of a caller that did not go through [ParseQuery].
func cut(text string) string {
	if len(text) <= limits.Query {
		return text
	}
	n := limits.Query
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// queryWords are the words to look for, of each term the first; any tells
// whether there was any word, be it a stop word.
func queryWords(q Query, p *plan) (words []queryWord, any bool) {
	take := func(w word, phrase bool) (term string, ok bool) {
		any = true
		if isStop(w.text) {
			return "", false
		}
		term = stem(w.text)
		known := slices.ContainsFunc(words, func(k queryWord) bool { return k.term == term })
		if !known && len(words) < limits.QueryTerms {
			words = append(words, queryWord{w.text, term, phrase})
		}
		return term, true
	}
	eachWord(cut(q.Text), func(w word) {
		if w.term {
			take(w, false)
		}
	})
	for _, phrase := range q.Phrases[:min(len(q.Phrases), limits.QueryTerms)] {
		var terms []string
		eachWord(cut(phrase), func(w word) {
			if !w.leaf || len(terms) == limits.QueryTerms {
				return
			}
			if t, ok := take(w, true); ok {
				terms = append(terms, t)
			}
		})
		if len(terms) > 0 {
			p.phrases = append(p.phrases, terms)
		}
	}
	return words, any
}

// narrow leaves the candidates that have a term, or that have it not.
func (x *Index) narrow(p *plan, field, term string, not bool) error {
	s := newSet(x.tools)
	list, err := x.list(field, term)
	if err != nil {
		return err
	}
	for _, e := range list {
		s.add(e.tool())
	}
	for i := range s.bits {
		if not {
			s.bits[i] = ^s.bits[i]
		}
		if p.candidates != nil {
			s.bits[i] &= p.candidates.bits[i]
		}
	}
	p.candidates = s
	return nil
}

// all are all candidates, by name.
func (p *plan) all(tools int) []found {
	var list []found
	for t := range int32(tools) {
		if p.candidates.has(t) {
			list = append(list, newFound(t, 0, 0))
		}
	}
	return list
}
