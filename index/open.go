package index

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	segments "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v17"

	"github.com/patch-cat/patch-git/internal/fault"
)

// Index is an opened index. Many goroutines may search at once, and many
// processes open one.
type Index struct {
	parts   []part
	tools   int
	words   func() ([]dictionaryWord, error)
	leader  func() ([]int32, error)
	columns func() (*columns, error)
	scratch sync.Pool
}

// part is a segment: bleve may cut an index into several. tool gives the number
// of each of its documents in the order of names, -1 for the one of the whole
// catalogue; nil if the documents stand in that order.
type part struct {
	segment segments.Segment
	tool    []int32
}

// Open opens an installed index for reading. A fault with reason "index" means
// that it is damaged or of another edition, and is to be made anew.
func Open(dir string) (x *Index, err error) {
	defer damaged(&err)
	s, err := (&zap.ZapPlugin{}).Open(filepath.Join(dir, filepath.FromSlash(segmentFile)))
	if err != nil {
		return nil, errIndex("%w", err)
	}
	x, err = newIndex(s)
	if err != nil {
		_ = s.Close()
	}
	return x, err
}

// Close ends the use of an index.
func (x *Index) Close() error {
	var first error
	for _, p := range x.parts {
		if err := p.segment.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func errIndex(format string, args ...any) *fault.Error {
	err := fmt.Errorf(format, args...)
	return fault.New(fault.NotVerified, "index", "the search index is damaged: %w", err).
		Hint("it is made anew from the catalogue")
}

// damaged turns a panic into a fault: zapx takes what it reads for its own.
func damaged(err *error) {
	if r := recover(); r != nil {
		*err = errIndex("%v", r)
	}
}

// newIndex is an index of some segments that hold each document once.
func newIndex(list ...segments.Segment) (*Index, error) {
	x := &Index{}
	names := map[string]int{}
	var sorted []string
	for _, s := range list {
		n := int(s.Count())
		p := part{segment: s}
		if len(list) > 1 {
			p.tool = make([]int32, n)
			for d := range n {
				id, err := s.DocID(uint64(d))
				if err != nil {
					return nil, errIndex("%w", err)
				}
				sorted = append(sorted, string(id))
			}
		}
		x.parts = append(x.parts, p)
		x.tools += n
	}
	x.tools--
	if len(list) > 1 {
		given := slices.Clone(sorted)
		slices.Sort(sorted)
		for i, name := range sorted {
			names[name] = i
		}
		for _, p := range x.parts {
			for d := range p.tool {
				p.tool[d] = int32(names[given[0]])
				given = given[1:]
			}
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
	x.scratch.New = func() any { return &scratch{text: make([]int32, x.tools), meaning: make([]int32, x.tools)} }
	return x, nil
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
		var out []byte
		found := false
		err := p.segment.VisitStoredFields(uint64(local), func(field string, _ byte, value []byte, _ []uint64) bool {
			if field == name {
				out, found = slices.Clone(value), true
			}
			return !found
		})
		if err != nil {
			return nil, errIndex("%w", err)
		}
		if !found {
			return nil, errIndex("a document has no %s", name)
		}
		return out, nil
	}
	return nil, errIndex("document %d is missing", tool)
}

// visit calls f with each tool that has a term and with its impact there, and tells whether there is any.
func (x *Index) visit(field, term string, f func(tool, impact int32)) (found bool, err error) {
	for i := range x.parts {
		p := &x.parts[i]
		dictionary, err := p.segment.Dictionary(field)
		if err != nil {
			return found, errIndex("%w", err)
		}
		list, err := dictionary.PostingsList([]byte(term), nil, nil)
		if err != nil {
			return found, errIndex("%w", err)
		}
		if list == nil {
			continue
		}
		for it := list.Iterator(true, false, false, nil); ; {
			posting, err := it.Next()
			if err != nil {
				return found, errIndex("%w", err)
			}
			if posting == nil {
				break
			}
			tool, impact := int64(posting.Number()), posting.Frequency()
			if p.tool != nil {
				tool = int64(p.tool[tool])
			}
			if tool >= int64(x.tools) || impact > mostImpact {
				return found, errIndex("%s has an impossible posting", field)
			}
			found = true
			f(int32(tool), int32(impact))
		}
	}
	return found, nil
}

// holders calls f with each tool that has a term, without reading impacts.
func (x *Index) holders(field, term string, f func(tool int32)) error {
	for i := range x.parts {
		p := &x.parts[i]
		one := func(doc uint32) error {
			tool := int64(doc)
			if p.tool != nil {
				tool = int64(p.tool[tool])
			}
			if tool >= int64(x.tools) {
				return errIndex("%s has an impossible posting", field)
			}
			f(int32(tool))
			return nil
		}
		dictionary, err := p.segment.Dictionary(field)
		if err != nil {
			return errIndex("%w", err)
		}
		list, err := dictionary.PostingsList([]byte(term), nil, nil)
		if err != nil {
			return errIndex("%w", err)
		}
		quick, ok := list.Iterator(false, false, false, nil).(segments.OptimizablePostingsIterator)
		if !ok {
			continue // an empty list
		}
		if doc, only := quick.DocNum1Hit(); only {
			if err := one(uint32(doc)); err != nil {
				return err
			}
		} else if all := quick.ActualBitmap(); all != nil {
			for it := all.Iterator(); it.HasNext(); {
				if err := one(it.Next()); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// terms calls visit with the terms of a field that have a beginning, those of one segment
// after those of another.
func (x *Index) terms(field, beginning string, visit func(string)) error {
	for i := range x.parts {
		dictionary, err := x.parts[i].segment.Dictionary(field)
		if err != nil {
			return errIndex("%w", err)
		}
		for it := dictionary.AutomatonIterator(nil, []byte(beginning), nil); ; {
			entry, err := it.Next()
			if err != nil {
				return errIndex("%w", err)
			}
			if entry == nil || !strings.HasPrefix(entry.Term, beginning) {
				break
			}
			visit(entry.Term)
		}
	}
	return nil
}
