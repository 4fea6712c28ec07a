package index

import (
	"cmp"
	"slices"
)

const (
	mostMeant   = 50 // documents of a term in field sem
	mostMeaning = 15 // impact there
)

// related is a term of the table with those that mean much the same.
type related struct {
	term  string
	terms []weighted
}

type weighted struct {
	term   string
	weight int64
}

// relatedTerms is the table that this program carries; it is empty when none
// is worth its weight.
func relatedTerms() []related { return nil }

// mean fills field sem: for a term of the table, the documents that its related
// terms weigh most in. No vector and no model is needed when somebody searches.
func (b *Built) mean(table []related) {
	sem, text := b.fields[fieldSem], b.fields[fieldText]
	byDoc := make([][]occurrence, len(b.tools))
	if len(table) > 0 {
		lists := text.lists()
		sums := make([]int64, len(b.tools))
		best := make([][]meant, len(table))
		var most int64
		for i, r := range table {
			best[i] = strongest(sums, lists, text.ids, r)
			if len(best[i]) > 0 {
				most = max(most, best[i][0].sum)
			}
		}
		for i, r := range table {
			for _, m := range best[i] {
				impact := (2*mostMeaning*m.sum + most) / (2 * most)
				if impact > 0 {
					byDoc[m.doc] = append(byDoc[m.doc], occurrence{term: sem.id(r.term), weight: int32(impact)})
				}
			}
		}
	}
	for _, occurrences := range byDoc {
		for _, o := range occurrences {
			sem.add(o.term, int64(o.weight))
		}
		sem.close()
	}
}

type meant struct {
	doc int32
	sum int64
}

// strongest are the documents of a term, the strongest first. sums is zero
// before and after.
func strongest(sums []int64, lists [][]posting, ids map[string]int32, r related) []meant {
	var docs []meant
	for _, w := range r.terms {
		id, ok := ids[w.term]
		if !ok {
			continue
		}
		for _, p := range lists[id] {
			if sums[p.doc] == 0 {
				docs = append(docs, meant{doc: p.doc})
			}
			sums[p.doc] += w.weight * int64(p.impact)
		}
	}
	for i := range docs {
		docs[i].sum = sums[docs[i].doc]
		sums[docs[i].doc] = 0
	}
	slices.SortFunc(docs, func(a, b meant) int { return cmp.Or(cmp.Compare(b.sum, a.sum), cmp.Compare(a.doc, b.doc)) })
	return docs[:min(len(docs), mostMeant)]
}
