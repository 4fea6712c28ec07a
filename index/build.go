package index

import (
	"bytes"
	"context"
	"fmt"
	"slices"

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

// sample is after how many tools the memory for all of them is taken.
const sample = 512

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
	b.fields[fieldText].synonyms = synonymTerms()
	read := reader{text: b.fields[fieldText], pre: b.fields[fieldPre], lexicon: newLexicon()}
	for i := range tools {
		read.describe(&tools[i])
	}
	var term []byte
	for i := range tools {
		l := &tools[i]
		if i > 0 && tools[i-1].Name >= l.Name {
			return nil, fmt.Errorf("make an index: the catalogue is out of order at %s", spec.Quote(string(l.Name)))
		}
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		b.cards[i] = bytes.TrimSuffix(ledger.Encode(l), []byte("\n"))
		read.document(l)
		name, facet := b.fields[fieldName], b.fields[fieldFacet]
		name.add(name.id(string(l.Name)), impactName)
		for i, a := range l.Summary.Aliases {
			if a != l.Name && !slices.Contains(l.Summary.Aliases[:i], a) {
				name.add(name.id(string(a)), impactAlias)
			}
		}
		facets(l, func(field, value string) {
			if term = append(append(append(term[:0], field...), ':'), value...); len(term) <= mostTermBytes {
				id, ok := facet.ids[string(term)]
				if !ok {
					id = facet.id(string(term))
				}
				facet.add(id, 1)
			}
		})
		for _, f := range b.fields {
			f.close()
			if i+1 == sample {
				f.expect(len(tools))
			}
		}
	}
	b.fields[fieldText].weigh(1)
	b.fields[fieldPre].weigh(prefixDivisor)
	for i := range b.fields[fieldFacet].all {
		b.fields[fieldFacet].all[i].weight = 1
	}
	b.words = read.lexicon.dictionary()
	b.leader = duplicates(tools, &read.pairs)
	var err error
	b.segment, err = b.write()
	return b, err
}

// Segment is the one file that a bleve index consists of beside its root, which
// is the same for all; its digest is what a head states.
func (b *Built) Segment() []byte { return b.segment }
