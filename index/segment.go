package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"

	"github.com/blevesearch/vellum"
	"github.com/golang/snappy"
)

// What a segment stores. The last document is no tool: it holds what belongs to
// the whole catalogue. Its name is not one that a tool can have.
const (
	storedCard    = "card"
	storedEdition = "edition"
	storedFacets  = "facets"
	storedGroups  = "groups"
	storedWords   = "words"
	catalogueID   = "~"
	fieldID       = "_id"
)

// fieldNames are all fields of a segment, in the order of the format: _id, then by name.
func fieldNames() []string {
	return []string{fieldID, storedCard, storedEdition, fieldFacet, storedFacets, storedGroups, fieldName, fieldPre, fieldText, storedWords}
}

// segmentWriter writes the file format of zapx 17, which bleve reads. zapx's own
// writer takes documents as maps and so needs five times as long; it orders
// fields' sections by chance; and bleve's statistics are those of a segment and
// not of the catalogue, so that the impact of a term stands here as its
// frequency. TestSegment compares the two writers.
type segmentWriter struct {
	out    []byte
	docs   int
	ends   []uint64 // of the chunks of the list that is written
	chunk  []byte
	bitmap []byte
}

// write makes the segment.
func (b *Built) write() ([]byte, error) {
	w := &segmentWriter{docs: len(b.tools) + 1, out: make([]byte, 0, b.size())}
	stored := w.documents(b)
	var ends []uint64
	for _, name := range fieldNames() {
		end, err := w.field(b, name)
		if err != nil {
			return nil, fmt.Errorf("make an index: field %s: %w", name, err)
		}
		ends = append(ends, end)
	}
	w.finish(stored, w.fields(ends))
	return w.out, nil
}

// size is about that of the segment, and rather more.
func (b *Built) size() int {
	n := 1 << 16
	for _, c := range b.cards {
		n += len(c)*2/3 + 16
	}
	for _, f := range b.fields {
		n += 5*len(f.all) + 12*len(f.terms)
	}
	return n
}

func (w *segmentWriter) number(n uint64) { w.out = binary.AppendUvarint(w.out, n) }

// documents writes what is stored of each, and returns where the table of their places begins.
func (w *segmentWriter) documents(b *Built) uint64 {
	places := make([]uint64, 0, w.docs)
	var packed []byte
	one := func(id string, values ...storedValue) {
		places = append(places, uint64(len(w.out)))
		meta := binary.AppendUvarint(nil, uint64(len(id)))
		var data []byte
		for _, v := range values {
			for _, n := range []int{slices.Index(fieldNames(), v.field), 't', len(data), len(v.value), 0} {
				meta = binary.AppendUvarint(meta, uint64(n))
			}
			data = append(data, v.value...)
		}
		packed = snappy.Encode(packed[:cap(packed)], data)
		w.number(uint64(len(meta)))
		w.number(uint64(len(id) + len(packed)))
		w.out = append(w.out, meta...)
		w.out = append(w.out, id...)
		w.out = append(w.out, packed...)
	}
	for d := range b.tools {
		one(string(b.tools[d].Name), storedValue{storedCard, b.cards[d]})
	}
	one(catalogueID, storedValue{storedEdition, []byte(strconv.Itoa(Edition))},
		storedValue{storedFacets, encodeFacets(b.fields[fieldFacet])}, storedValue{storedGroups, encodeGroups(b.leader)}, storedValue{storedWords, encodeWords(b.words)})
	table := uint64(len(w.out))
	for _, p := range places {
		w.out = binary.BigEndian.AppendUint64(w.out, p)
	}
	w.number(0) // documents within documents
	return table
}

type storedValue struct {
	field string
	value []byte
}

// field writes the lists of a field and its dictionary, and returns where it is described.
func (w *segmentWriter) field(b *Built, name string) (uint64, error) {
	var fst bytes.Buffer
	dictionary, err := vellum.New(&fst, nil)
	if err != nil {
		return 0, err
	}
	switch f := b.fields[name]; {
	case name == fieldID:
		for d := range b.tools {
			if err := dictionary.Insert([]byte(b.tools[d].Name), only(d)); err != nil {
				return 0, err
			}
		}
		if err := dictionary.Insert([]byte(catalogueID), only(len(b.tools))); err != nil {
			return 0, err
		}
	case f != nil:
		lists := f.lists()
		for _, id := range f.sorted() {
			if err := dictionary.Insert([]byte(f.terms[id]), w.list(lists[id])); err != nil {
				return 0, err
			}
		}
	}
	if err := dictionary.Close(); err != nil {
		return 0, err
	}
	start := uint64(len(w.out))
	w.number(uint64(fst.Len()))
	w.out = append(w.out, fst.Bytes()...)
	const none = ^uint64(0) // values by document: neither begin nor end
	described := uint64(len(w.out))
	w.number(none)
	w.number(none)
	w.number(start)
	return described, nil
}

// list writes the postings of a term and returns what stands for them in the dictionary.
func (w *segmentWriter) list(list []posting) uint64 {
	if len(list) == 1 && list[0].impact == 1 {
		return only(int(list[0].doc))
	}
	// formatChunkMode: a chunk is of an equal range of documents.
	size := w.docs / (len(list)/1024 + 1)
	w.ends = slices.Grow(w.ends[:0], (w.docs-1)/size+1)[:(w.docs-1)/size+1]
	clear(w.ends)
	w.chunk = w.chunk[:0]
	for _, p := range list {
		w.chunk = binary.AppendUvarint(w.chunk, uint64(p.impact)<<1) // the low bit: positions follow
		w.chunk = append(w.chunk, fieldSize)
		w.ends[int(p.doc)/size] = uint64(len(w.chunk))
	}
	impacts := uint64(len(w.out))
	w.number(uint64(len(w.ends)))
	end := uint64(0)
	for _, e := range w.ends {
		end = max(end, e) // an empty chunk ends where the one before does
		w.number(end)
	}
	w.out = append(w.out, w.chunk...)
	place := uint64(len(w.out))
	w.number(impacts)
	w.number(0) // positions
	w.bitmap = appendBitmap(w.bitmap[:0], list)
	w.number(uint64(len(w.bitmap)))
	w.out = append(w.out, w.bitmap...)
	return place
}

// fields writes the names of the fields with where each is described, and
// returns where the table of them begins.
func (w *segmentWriter) fields(described []uint64) uint64 {
	sections := []uint16{sectionDictionary, sectionSynonyms, sectionShapes}
	var places []uint64
	for i, name := range fieldNames() {
		places = append(places, uint64(len(w.out)))
		w.number(uint64(len(name)))
		w.out = append(w.out, name...)
		w.number(fieldOptions(name))
		w.number(uint64(len(sections)))
		for _, s := range sections {
			place := uint64(0)
			if s == sectionDictionary {
				place = described[i]
			}
			w.out = binary.BigEndian.AppendUint16(w.out, s)
			w.out = binary.BigEndian.AppendUint64(w.out, place)
		}
	}
	table := uint64(len(w.out))
	w.number(uint64(len(places)))
	for _, p := range places {
		w.out = binary.BigEndian.AppendUint64(w.out, p)
	}
	return table
}

func fieldOptions(name string) uint64 {
	switch name {
	case fieldID:
		return optionIndexed | optionStored
	case storedCard, storedEdition, storedFacets, storedGroups, storedWords:
		return optionStored
	}
	return optionIndexed
}

// finish writes the footer.
func (w *segmentWriter) finish(stored, fields uint64) {
	w.out = binary.BigEndian.AppendUint32(w.out, 0) // length of the name of a cipher
	w.out = binary.BigEndian.AppendUint64(w.out, uint64(w.docs))
	w.out = binary.BigEndian.AppendUint64(w.out, stored)
	w.out = binary.BigEndian.AppendUint64(w.out, fields)
	w.out = binary.BigEndian.AppendUint32(w.out, formatChunkMode)
	w.out = binary.BigEndian.AppendUint32(w.out, formatVersion)
	w.out = binary.BigEndian.AppendUint32(w.out, crc32.ChecksumIEEE(w.out))
}
