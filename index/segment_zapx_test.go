package index

import (
	"strconv"

	bleve "github.com/blevesearch/bleve_index_api"
)

// zapxDocuments are the documents of an index as zapx's own writer takes them.
func zapxDocuments(b *Built) []bleve.Document {
	share := newShared(b)
	var docs []bleve.Document
	for d := range b.tools {
		docs = append(docs, &document{shared: share, doc: d, id: string(b.tools[d].Name)})
	}
	return append(docs, &document{shared: share, doc: len(b.tools), id: catalogueID})
}

// shared is what the documents of one segment have in common. zapx reads one
// document after the other, so that one map for each field is enough.
type shared struct {
	built       *Built
	maps        map[string]bleve.TokenFrequencies
	frequencies []*bleve.TokenFreq
}

func newShared(b *Built) *shared {
	s := &shared{built: b, maps: map[string]bleve.TokenFrequencies{}, frequencies: make([]*bleve.TokenFreq, mostImpact+1)}
	for f := range b.fields {
		s.maps[f] = bleve.TokenFrequencies{}
	}
	for i := range s.frequencies {
		s.frequencies[i] = &bleve.TokenFreq{}
		s.frequencies[i].SetFrequency(i)
	}
	return s
}

// document is one listing as zapx takes it.
type document struct {
	*shared
	doc int
	id  string
}

func (d *document) ID() string                                 { return d.id }
func (d *document) Size() int                                  { return 0 }
func (d *document) VisitComposite(bleve.CompositeFieldVisitor) {}
func (d *document) HasComposite() bool                         { return false }
func (d *document) NumPlainTextBytes() uint64                  { return 0 }
func (d *document) AddIDField()                                {}
func (d *document) StoredFieldsBytes() uint64                  { return 0 }
func (d *document) Indexed() bool                              { return true }

func (d *document) VisitFields(visit bleve.FieldVisitor) {
	b := d.built
	visit(&documentField{name: "_id", value: []byte(d.id), options: bleve.IndexField | bleve.StoreField, frequencies: func() bleve.TokenFrequencies {
		return bleve.TokenFrequencies{d.id: d.frequencies[1]}
	}})
	stored := func(name string, value []byte) {
		visit(&documentField{name: name, value: value, options: bleve.StoreField})
	}
	if d.doc == len(b.tools) {
		stored(storedEdition, []byte(strconv.Itoa(Edition)))
		stored(storedFacets, encodeFacets(b.fields[fieldFacet]))
		stored(storedGroups, encodeGroups(b.leader))
		stored(storedWords, encodeWords(b.words))
		return
	}
	stored(storedCard, b.cards[d.doc])
	for _, f := range []string{fieldFacet, fieldName, fieldPre, fieldSem, fieldText} {
		visit(&documentField{name: f, options: bleve.IndexField, frequencies: func() bleve.TokenFrequencies {
			m := d.maps[f]
			clear(m)
			field := b.fields[f]
			for _, o := range field.of(d.doc) {
				m[field.terms[o.term]] = d.frequencies[o.weight]
			}
			return m
		}})
	}
}

// documentField is a field of a document with the impacts of its terms.
type documentField struct {
	name        string
	value       []byte
	options     bleve.FieldIndexingOptions
	frequencies func() bleve.TokenFrequencies
}

func (f *documentField) Name() string                        { return f.name }
func (f *documentField) Value() []byte                       { return f.value }
func (f *documentField) ArrayPositions() []uint64            { return nil }
func (f *documentField) EncodedFieldType() byte              { return 't' }
func (f *documentField) Analyze()                            {}
func (f *documentField) Options() bleve.FieldIndexingOptions { return f.options }
func (f *documentField) NumPlainTextBytes() uint64           { return 0 }

// AnalyzedLength is 1 for all: nothing is computed from it, and one byte holds it.
func (f *documentField) AnalyzedLength() int { return 1 }

func (f *documentField) AnalyzedTokenFrequencies() bleve.TokenFrequencies {
	if f.frequencies == nil {
		return nil
	}
	return f.frequencies()
}
