package index

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// The fields of a segment.
const (
	fieldText  = "text"
	fieldPre   = "pre"
	fieldName  = "name"
	fieldFacet = "facet"
)

// shortestPrefix and longestPrefix are in code points.
const (
	shortestPrefix = 3
	longestPrefix  = 12
	prefixWeight   = 8
	prefixDivisor  = 10
)

// Impacts in the field name.
const (
	impactAlias = 1
	impactName  = 2
)

// Built is the index of one catalogue, in memory. The same listings make the
// same bytes on every machine.
type Built struct {
	tools   []ledger.Listing
	cards   [][]byte // the listings as they stand in the catalogue
	fields  map[string]*field
	words   []dictionaryWord
	leader  []int32 // of each document, the first of its group
	segment []byte
}

// Build makes the index of listings that are sorted by name.
func Build(ctx context.Context, tools []ledger.Listing) (*Built, error) {
	b := &Built{tools: tools, cards: make([][]byte, len(tools)), fields: map[string]*field{}}
	for _, f := range []string{fieldText, fieldPre, fieldName, fieldFacet} {
		b.fields[f] = newField()
	}
	b.fields[fieldText].synonyms, b.fields[fieldText].meaning = synonymTerms(), map[int32][]int32{}
	dictionary := newDictionary()
	read := reader{text: b.fields[fieldText], pre: b.fields[fieldPre], seen: map[string]seen{}, dictionary: dictionary, known: describing(tools)}
	for i := range tools {
		l := &tools[i]
		if i > 0 && tools[i-1].Name >= l.Name {
			return nil, fmt.Errorf("make an index: the catalogue is out of order at %s", spec.Quote(string(l.Name)))
		}
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		b.cards[i] = []byte(strings.TrimSuffix(string(ledger.Encode(l)), "\n"))
		read.document(l)
		name, facet := b.fields[fieldName], b.fields[fieldFacet]
		name.add(name.id(string(l.Name)), impactName)
		for i, a := range l.Summary.Aliases {
			if a != l.Name && !slices.Contains(l.Summary.Aliases[:i], a) {
				name.add(name.id(string(a)), impactAlias)
			}
		}
		facets(l, func(field, value string) {
			if term := field + ":" + value; len(term) <= mostTermBytes {
				facet.add(facet.id(term), 1)
			}
		})
		for _, f := range b.fields {
			f.close()
		}
	}
	b.fields[fieldText].weigh(1)
	b.fields[fieldPre].weigh(prefixDivisor)
	for i := range b.fields[fieldFacet].all {
		b.fields[fieldFacet].all[i].weight = 1
	}
	b.words = dictionary.sorted()
	b.leader = duplicates(tools)
	var err error
	b.segment, err = b.write()
	return b, err
}

// Segment is the one file that a bleve index consists of beside its root, which
// is the same for all; its digest is what a head states.
func (b *Built) Segment() []byte { return b.segment }

// reader takes the words out of listings.
type reader struct {
	text, pre  *field
	dictionary *dictionary
	seen       map[string]seen
	known      map[string]bool // words of descriptions
}

// seen is what became of a word before.
type seen struct {
	term     int32 // -1: a stop word
	prefixes []int32
	word     int32 // in the dictionary
}

func (r *reader) document(l *ledger.Listing) {
	for _, p := range pieces(l) {
		named := p.in == "name" || p.in == "alias" || p.in == "owner"
		eachWord(p.text, func(w word) {
			if !w.term {
				return
			}
			s, ok := r.seen[w.text]
			if !ok {
				s = seen{term: -1, word: -1}
				if !isStop(w.text) {
					s.term, s.word = r.text.id(stem(w.text)), r.dictionary.id(w.text)
				}
				r.seen[w.text] = s
			}
			if s.term >= 0 {
				r.text.add(s.term, p.weight)
				r.dictionary.add(s.word)
			}
			if named {
				if s.prefixes == nil {
					eachPrefix(w.text, func(p string) { s.prefixes = append(s.prefixes, r.pre.id(p)) })
					r.seen[w.text] = s
				}
				if p.in != "owner" && s.term >= 0 {
					for _, part := range parts(w.text, r.known) {
						if !isStop(part) {
							r.text.add(r.text.id(stem(part)), p.weight)
						}
					}
				}
				for _, id := range s.prefixes {
					r.pre.add(id, prefixWeight)
				}
			}
		})
	}
	r.dictionary.close()
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
