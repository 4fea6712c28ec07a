package index

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// posting is a document with its impact.
type posting struct {
	doc    int32
	impact int32
}

// field collects the words of one field of all documents, one document after
// the other, and then makes their impacts.
type field struct {
	ids    map[string]int32
	terms  []string
	all    []occurrence // of the documents up to the one that is read
	ends   []int32      // for each document, where its occurrences end in all
	length []int64      // for each document
	df     []int32      // for each term
	at     []int32      // for each term, where its last occurrence ends in all
	now    int64        // length of the document that is read
	start  int          // where its occurrences begin

	synonyms map[string][]string // nil: of this field none are taken
	meaning  [][]int32           // the same by ids, nil where they were not needed yet
}

type occurrence struct {
	term   int32
	weight int32 // and later the impact
	meant  int32 // the weight of the weightiest synonym in the same document
}

func newField() *field { return &field{ids: map[string]int32{}} }

// id of a term, which is a new one if need be.
func (f *field) id(term string) int32 {
	id, ok := f.ids[term]
	if !ok {
		id = int32(len(f.terms))
		f.ids[term] = id
		f.terms = append(f.terms, term)
		f.df = append(f.df, 0)
		f.at = append(f.at, 0)
	}
	return id
}

// add notes one occurrence in the document that is read. What stands there more
// than once becomes one.
func (f *field) add(term int32, weight int64) {
	f.now += weight
	f.occurrence(term).weight += int32(weight)
}

// occurrence is that of a term in the document that is read, a new one if need be.
func (f *field) occurrence(term int32) *occurrence {
	if int(f.at[term]) <= f.start {
		f.all = append(f.all, occurrence{term: term})
		f.at[term] = int32(len(f.all))
		f.df[term]++
	}
	return &f.all[f.at[term]-1]
}

// close ends a document.
func (f *field) close() {
	if f.synonyms != nil {
		f.mean()
	}
	f.ends = append(f.ends, int32(len(f.all)))
	f.length = append(f.length, f.now)
	f.now, f.start = 0, len(f.all)
}

// expect makes room for the documents that are still to come, of so many in all:
// lists of this size are dear to move.
func (f *field) expect(docs int) {
	if n := len(f.ends); n > 0 && n < docs {
		f.all = slices.Grow(f.all, len(f.all)*(docs-n)/n*9/8)
	}
}

// of are the occurrences in a document.
func (f *field) of(doc int) []occurrence {
	start := int32(0)
	if doc > 0 {
		start = f.ends[doc-1]
	}
	return f.all[start:f.ends[doc]]
}

// weigh turns weights into impacts, divided by a number.
func (f *field) weigh(divisor int64) {
	var sum int64
	for _, l := range f.length {
		sum += l
	}
	s := newStatistics(len(f.ends), sum)
	idf := make([]int64, len(f.terms))
	for t, n := range f.df {
		idf[t] = s.idf(int(n))
	}
	for d := range f.ends {
		for i, o := range f.of(d) {
			impact := int64(0)
			if o.weight > 0 {
				impact = s.impact(int64(o.weight), f.length[d], idf[o.term])
			}
			if o.meant > o.weight {
				impact = max(impact, s.impact(int64(o.meant), f.length[d], idf[o.term])*synonymPart/synonymWhole)
			}
			f.of(d)[i].weight = int32(max(1, (impact+divisor/2)/divisor))
		}
	}
}

// lists are the postings of each term, by its id.
func (f *field) lists() [][]posting {
	backing := make([]posting, len(f.all))
	out := make([][]posting, len(f.terms))
	n := int32(0)
	for t, df := range f.df {
		out[t] = backing[n : n : n+df]
		n += df
	}
	for d := range f.ends {
		for _, o := range f.of(d) {
			out[o.term] = append(out[o.term], posting{int32(d), o.weight})
		}
	}
	return out
}

// sorted are the ids of the terms in the order of their bytes.
func (f *field) sorted() []int32 {
	return byBytes(len(f.terms), func(i int) string { return f.terms[i] })
}

// byBytes are the numbers of n different texts in the order of their bytes. Most
// differ in the first eight.
func byBytes(n int, text func(int) string) []int32 {
	type key struct {
		first uint64
		id    int32
	}
	keys := make([]key, n)
	for i := range keys {
		var first [8]byte
		copy(first[:], text(i))
		keys[i] = key{binary.BigEndian.Uint64(first[:]), int32(i)}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.first != b.first {
			return cmp.Compare(a.first, b.first)
		}
		return strings.Compare(text(int(a.id)), text(int(b.id)))
	})
	ids := make([]int32, n)
	for i, k := range keys {
		ids[i] = k.id
	}
	return ids
}
