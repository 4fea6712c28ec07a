package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/mmap-go"
	"github.com/blevesearch/vellum"
	"github.com/golang/snappy"
)

// segmentReader reads a segment. zapx's own reader takes every number in a file
// for true: one byte that is another can make it ask for all memory there is,
// which ends the program. This one believes nothing beyond the end of the file.
type segmentReader struct {
	data   []byte
	unmap  func() error
	docs   int
	places []byte // 8 bytes for each document
	names  []string
	fields map[string]*vellum.FST
}

var errLayout = errors.New("a place or a length is beyond its bounds")

const footer = 4 + 8 + 8 + 8 + 4 + 4 + 4

// mapSegment reads a file by mapping it into memory: many processes share one copy.
func mapSegment(path string) (*segmentReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // the mapping stays
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < footer {
		return nil, errLayout
	}
	m, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, err
	}
	s, err := readSegment(m)
	if err != nil {
		return nil, errors.Join(err, m.Unmap())
	}
	s.unmap = m.Unmap
	return s, nil
}

// cursor reads numbers; what it cannot read is 0, and bad is set.
type cursor struct {
	data []byte
	at   uint64
	bad  bool
}

func (c *cursor) bytes(n uint64) []byte {
	if c.bad || c.at > uint64(len(c.data)) || n > uint64(len(c.data))-c.at {
		c.bad = true
		return nil
	}
	c.at += n
	return c.data[c.at-n : c.at]
}

func (c *cursor) number() uint64 {
	if c.bad || c.at > uint64(len(c.data)) {
		c.bad = true
		return 0
	}
	v, n := binary.Uvarint(c.data[c.at:])
	if n <= 0 {
		c.bad = true
		return 0
	}
	c.at += uint64(n)
	return v
}

// short reads a number that mostly has one byte or two.
func (c *cursor) short() uint64 {
	if c.at+1 < uint64(len(c.data)) {
		a, b := c.data[c.at], c.data[c.at+1]
		if a < 0x80 {
			c.at++
			return uint64(a)
		}
		if b < 0x80 {
			c.at += 2
			return uint64(a&0x7f) | uint64(b)<<7
		}
	}
	return c.number()
}

func (c *cursor) fixed(size uint64) uint64 {
	var v uint64
	for _, b := range c.bytes(size) {
		v = v<<8 | uint64(b)
	}
	return v
}

// readSegment finds the documents and the dictionaries in a segment.
func readSegment(data []byte) (s *segmentReader, err error) {
	defer damaged(&err)
	c := &cursor{data: data, at: uint64(len(data)) - footer, bad: len(data) < footer}
	cipher, docs, stored, table := c.fixed(4), c.fixed(8), c.fixed(8), c.fixed(8)
	if mode, version := c.fixed(4), c.fixed(4); c.bad || cipher != 0 || mode != formatChunkMode || version != formatVersion {
		return nil, fmt.Errorf("it is of format %d", version)
	}
	s = &segmentReader{data: data, unmap: func() error { return nil }, fields: map[string]*vellum.FST{}}
	c.at = stored
	s.places = c.bytes(min(docs, math.MaxInt32) * 8)
	s.docs = len(s.places) / 8
	c.at = table
	count := c.number()
	for range count {
		place := c.fixed(8)
		if c.bad || len(s.names) > 64 {
			return nil, errLayout
		}
		if err := s.field(place); err != nil {
			return nil, err
		}
	}
	if c.bad || s.docs == 0 {
		return nil, errLayout
	}
	return s, nil
}

// field reads where the dictionary of one field is.
func (s *segmentReader) field(place uint64) error {
	c := &cursor{data: s.data, at: place}
	name := string(c.bytes(c.number()))
	c.number() // options
	for range c.number() {
		kind, at := c.fixed(2), c.fixed(8)
		if c.bad {
			return errLayout
		}
		if kind != sectionDictionary {
			continue
		}
		d := &cursor{data: s.data, at: at}
		d.number() // values by document, which an index has not
		d.number()
		d.at = d.number()
		fst := d.bytes(d.number())
		if d.bad {
			return errLayout
		}
		loaded, err := vellum.Load(fst)
		if err != nil {
			return err
		}
		s.fields[name] = loaded
	}
	s.names = append(s.names, name)
	return nil
}

// list returns what stands for the postings of a term in a dictionary.
func (s *segmentReader) list(field, term string) (value uint64, ok bool, err error) {
	f := s.fields[field]
	if f == nil {
		return 0, false, fmt.Errorf("it has no field %s", field)
	}
	return f.Get([]byte(term))
}

// batches are of documents that are read at once.
var batches = sync.Pool{New: func() any { return new([256]uint32) }}

// each calls visit with the documents of a list and with their impacts, in
// order, and ends after the first error.
func (s *segmentReader) each(value uint64, visit func(doc uint32, impact uint64) error) error {
	if value&onlyMask == onlyOne {
		doc := value & onlyDocs
		if doc >= uint64(s.docs) {
			return errLayout
		}
		return visit(uint32(doc), 1)
	}
	c := &cursor{data: s.data, at: value}
	impacts := &cursor{data: s.data, at: c.number()}
	c.number() // positions
	packed := c.bytes(c.number())
	for range impacts.number() { // ends of chunks, which follow each other
		if impacts.number(); impacts.bad {
			return errLayout
		}
	}
	var docs roaring.Bitmap
	if c.bad || impacts.bad {
		return errLayout
	}
	if _, err := docs.FromBuffer(packed); err != nil {
		return err
	}
	last := int64(-1)
	some, _ := batches.Get().(*[256]uint32)
	defer batches.Put(some)
	for it := docs.ManyIterator(); ; {
		n := it.NextMany(some[:])
		if n == 0 {
			return nil
		}
		for _, doc := range some[:n] {
			if int64(doc) <= last || doc >= uint32(s.docs) {
				return errLayout
			}
			last = int64(doc)
			impact := impacts.short()
			impacts.short() // length of the field
			if impacts.bad || impact&1 != 0 {
				return errLayout
			}
			if err := visit(doc, impact>>1); err != nil {
				return err
			}
		}
	}
}

// id is the name of a document.
func (s *segmentReader) id(doc int) (string, error) {
	meta, data := s.document(doc)
	name := data.bytes(meta.number())
	if meta.bad || data.bad {
		return "", errLayout
	}
	return string(name), nil
}

// document returns what describes the stored values of a document, and these.
func (s *segmentReader) document(doc int) (meta, data *cursor) {
	c := &cursor{data: s.data, at: binary.BigEndian.Uint64(s.places[8*doc:])}
	described, length := c.number(), c.number()
	return &cursor{data: c.bytes(described), bad: c.bad}, &cursor{data: c.bytes(length), bad: c.bad}
}

// stored returns a stored value of a document.
func (s *segmentReader) stored(doc int, name string) ([]byte, error) {
	meta, data := s.document(doc)
	data.bytes(meta.number())
	if meta.bad || data.bad {
		return nil, errLayout
	}
	packed := data.data[data.at:]
	// Three bytes of snappy stand for at most 64.
	if n, err := snappy.DecodedLen(packed); err != nil || n > 32*len(packed)+64 {
		return nil, errLayout
	}
	for meta.at < uint64(len(meta.data)) {
		field := meta.number()
		meta.number() // kind
		start, length, within := meta.number(), meta.number(), meta.number()
		if meta.bad || within != 0 {
			return nil, errLayout
		}
		if field < uint64(len(s.names)) && s.names[field] == name {
			if values, ok := literal(packed); ok && start == 0 && length <= uint64(len(values)) {
				return values[:length:length], nil
			}
			values, err := snappy.Decode(nil, packed)
			if err != nil {
				return nil, err
			}
			c := &cursor{data: values, at: start}
			value := c.bytes(length)
			if c.bad {
				return nil, errLayout
			}
			return value, nil
		}
	}
	return nil, fmt.Errorf("document %d has no %s", doc, name)
}

// literal is the beginning of what snappy packed as far as it stands there as it
// is: an edition is read without all words of the catalogue behind it.
func literal(packed []byte) (begin []byte, ok bool) {
	c := &cursor{data: packed}
	total := c.number()
	tag := c.fixed(1)
	if c.bad || tag&3 != 0 || tag>>2 >= 60 { // no literal, or its length follows
		return nil, false
	}
	begin = c.bytes(tag>>2 + 1)
	return begin, !c.bad && uint64(len(begin)) <= total
}
