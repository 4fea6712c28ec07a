package index

import (
	"cmp"
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
	now    []occurrence // of the document that is read
	all    []occurrence // of those before
	ends   []int32      // for each document, where its occurrences end in all
	length []int64      // for each document
	df     []int32      // for each term

	synonyms map[string][]string // nil: of this field none are taken
	meaning  map[int32][]int32   // the same by ids, as far as they were needed
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
	}
	return id
}

// add notes one occurrence in the document that is read.
func (f *field) add(term int32, weight int64) {
	f.now = append(f.now, occurrence{term: term, weight: int32(weight)})
}

// close ends a document: what stands more than once becomes one.
func (f *field) close() {
	slices.SortFunc(f.now, func(a, b occurrence) int { return cmp.Compare(a.term, b.term) })
	var length int64
	start := len(f.all)
	for _, o := range f.now {
		length += int64(o.weight)
		if n := len(f.all); n > start && f.all[n-1].term == o.term {
			f.all[n-1].weight += o.weight
			continue
		}
		f.all = append(f.all, o)
		f.df[o.term]++
	}
	f.now = f.now[:0]
	if f.synonyms != nil {
		f.mean(start)
	}
	f.ends = append(f.ends, int32(len(f.all)))
	f.length = append(f.length, length)
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
	ids := make([]int32, len(f.terms))
	for i := range ids {
		ids[i] = int32(i)
	}
	slices.SortFunc(ids, func(a, b int32) int { return strings.Compare(f.terms[a], f.terms[b]) })
	return ids
}
