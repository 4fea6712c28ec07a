package index

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/patch-cat/patch-git/internal/fault"
)

// Index is an opened index. Many goroutines may search at once, and many
// processes open one.
type Index struct {
	parts   []part
	tools   int
	words   func() ([]dictionaryWord, error)
	leader  func() (leaders, error)
	columns func() (*columns, error)
	scratch sync.Pool
	kept    lists
}

// part is a segment: bleve may cut an index into several. tool gives the number
// of each of its documents in the order of names; nil if the documents stand in
// that order.
type part struct {
	*segmentReader
	tool []int32
}

// Open opens an installed index for reading. A fault with reason "index" means
// that it is damaged or of another edition, and is to be made anew.
func Open(dir string) (x *Index, err error) {
	defer damaged(&err)
	s, err := mapSegment(SegmentPath(dir))
	if err != nil {
		return nil, errIndex("%w", err)
	}
	x, err = newIndex(s)
	if err != nil {
		_ = s.unmap()
	}
	return x, err
}

// Close ends the use of an index.
func (x *Index) Close() error {
	var all []error
	for _, p := range x.parts {
		all = append(all, p.unmap())
	}
	return errors.Join(all...)
}

func errIndex(format string, args ...any) *fault.Error {
	err := fmt.Errorf(format, args...)
	return fault.New(fault.NotVerified, "index", "the search index is damaged: %w", err).
		Hint("it is made anew from the catalogue")
}

// damaged turns a panic into a fault: the libraries below were not written for
// the files of strangers.
func damaged(err *error) {
	if r := recover(); r != nil {
		*err = errIndex("%v", r)
	}
}

// newIndex is an index of some segments that hold each document once.
func newIndex(list ...*segmentReader) (*Index, error) {
	x := &Index{}
	for _, s := range list {
		x.parts = append(x.parts, part{segmentReader: s})
		x.tools += s.docs
	}
	x.tools-- // one is the catalogue
	if x.tools >= mostTools {
		return nil, errIndex("it has %d tools", x.tools)
	}
	if len(list) > 1 {
		if err := x.sort(); err != nil {
			return nil, errIndex("%w", err)
		}
	}
	edition, err := x.stored(x.tools, storedEdition)
	if err != nil {
		return nil, err
	}
	if string(edition) != strconv.Itoa(Edition) {
		return nil, errIndex("it is of edition %.10q, this program reads %d", edition, Edition)
	}
	x.words = once(x, storedWords, decodeWords)
	x.leader = once(x, storedGroups, decodeGroups)
	x.columns = sync.OnceValues(x.readColumns)
	x.scratch.New = func() any { return &scratch{scores: make([]int32, x.tools)} }
	return x, nil
}

// sort numbers the documents of all segments by their names.
func (x *Index) sort() error {
	var names []string
	for i := range x.parts {
		p := &x.parts[i]
		p.tool = make([]int32, p.docs)
		for d := range p.docs {
			name, err := p.id(d)
			if err != nil {
				return err
			}
			names = append(names, name)
		}
	}
	sorted := slices.Sorted(slices.Values(names))
	for _, p := range x.parts {
		for d := range p.tool {
			at, _ := slices.BinarySearch(sorted, names[d])
			p.tool[d] = int32(at)
		}
		names = names[p.docs:]
	}
	return nil
}

// once reads what is stored of the whole catalogue when it is first needed.
func once[T any](x *Index, name string, decode func([]byte, int) (T, error)) func() (T, error) {
	return sync.OnceValues(func() (out T, err error) {
		defer damaged(&err)
		data, err := x.stored(x.tools, name)
		if err != nil {
			return out, err
		}
		if out, err = decode(data, x.tools); err != nil {
			return out, errIndex("%s: %w", name, err)
		}
		return out, nil
	})
}

// stored returns a stored value of a tool, or of the catalogue.
func (x *Index) stored(tool int, name string) ([]byte, error) {
	for _, p := range x.parts {
		local := tool
		if p.tool != nil {
			local = slices.Index(p.tool, int32(tool))
		}
		if local < 0 {
			continue
		}
		value, err := p.stored(local, name)
		if err != nil {
			return nil, errIndex("%w", err)
		}
		return value, nil
	}
	return nil, errIndex("document %d is missing", tool)
}
