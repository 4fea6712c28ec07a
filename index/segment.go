package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"

	bleve "github.com/blevesearch/bleve_index_api"
	zap "github.com/blevesearch/zapx/v17"
)

// What a segment stores. The last document is no tool: it holds what belongs to
// the whole catalogue. Its name is not one that a tool can have.
const (
	storedCard    = "card"
	storedEdition = "edition"
	storedGroups  = "groups"
	storedWords   = "words"
	catalogueID   = "~"
)

// write makes the segment: bleve's own format, in which the impact of a term
// stands as its frequency. bleve's statistics are those of a segment and not of
// the catalogue, and its batches order documents by chance.
func (b *Built) write() ([]byte, error) {
	docs := make([]bleve.Document, 0, len(b.tools)+1)
	share := newShared(b)
	for d := range b.tools {
		docs = append(docs, &document{shared: share, doc: d, id: string(b.tools[d].Name)})
	}
	docs = append(docs, &document{shared: share, doc: len(b.tools), id: catalogueID})
	made, _, err := (&zap.ZapPlugin{}).New(docs)
	if err != nil {
		return nil, fmt.Errorf("make an index: %w", err)
	}
	base, ok := made.(*zap.SegmentBase)
	if !ok {
		return nil, fmt.Errorf("make an index: a segment of type %T", made)
	}
	var out bytes.Buffer
	if _, err := base.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("make an index: %w", err)
	}
	return canonical(out.Bytes())
}

// canonical orders what zapx writes in the order of a map: for each field, the
// kinds of its sections with their places, ten bytes each. The last four bytes
// are the sum over all before them.
func canonical(segment []byte) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("make an index: a segment is not laid out as zapx %d does: %v", zap.Version, r)
		}
	}()
	const section, sum, footer = 2 + 8, 4, 8 + 4 + 4 + 4
	at := binary.BigEndian.Uint64(segment[len(segment)-footer:])
	fields, n := binary.Uvarint(segment[at:])
	for i := range fields {
		field := binary.BigEndian.Uint64(segment[at+uint64(n)+8*i:])
		skip := func() uint64 {
			v, n := binary.Uvarint(segment[field:])
			field += uint64(n)
			return v
		}
		length := skip()
		field += length
		skip() // options
		sections := segment[field:]
		count, n := binary.Uvarint(sections)
		sections = sections[n : uint64(n)+section*count]
		sorted := slices.SortedFunc(slices.Chunk(bytes.Clone(sections), section), bytes.Compare)
		copy(sections, bytes.Join(sorted, nil))
	}
	body := segment[:len(segment)-sum]
	binary.BigEndian.PutUint32(segment[len(body):], crc32.ChecksumIEEE(body))
	return segment, nil
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
		return bleve.TokenFrequencies{d.id: d.shared.frequencies[1]}
	}})
	stored := func(name string, value []byte) {
		visit(&documentField{name: name, value: value, options: bleve.StoreField})
	}
	if d.doc == len(b.tools) {
		stored(storedEdition, []byte(strconv.Itoa(Edition)))
		stored(storedGroups, encodeGroups(b.leader))
		stored(storedWords, encodeWords(b.words))
		return
	}
	stored(storedCard, b.cards[d.doc])
	for _, f := range []string{fieldFacet, fieldName, fieldPair, fieldPre, fieldSem, fieldText} {
		visit(&documentField{name: f, options: bleve.IndexField, frequencies: func() bleve.TokenFrequencies {
			m := d.maps[f]
			clear(m)
			field := b.fields[f]
			for _, o := range field.of(d.doc) {
				m[field.terms[o.term]] = d.shared.frequencies[o.weight]
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
