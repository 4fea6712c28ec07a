package index

import (
	"cmp"
	"slices"
	"strings"
)

// counted are the fields of which a result tells how many tools have a value, in order.
func counted() []string {
	return []string{"kind", "tag", "by", "license", "network", "fs", "verified", "deprecated"}
}

// mostValues of one field are told.
const mostValues = 32

// columns hold for each tool the values that it has, as numbers.
type columns struct {
	values []Facet
	start  []int32 // for each tool, where its values begin in of
	of     []int32
}

// readColumns turns the lists of field facet around.
func (x *Index) readColumns() (c *columns, err error) {
	defer damaged(&err)
	c = &columns{start: make([]int32, x.tools+1)}
	type pair struct{ tool, value int32 }
	var pairs []pair
	for _, field := range counted() {
		var terms []string
		if err := x.terms(fieldFacet, field+":", func(t string) { terms = append(terms, t) }); err != nil {
			return nil, err
		}
		slices.Sort(terms) // each segment has its own
		for _, term := range slices.Compact(terms) {
			value := int32(len(c.values))
			c.values = append(c.values, Facet{Field: field, Value: strings.TrimPrefix(term, field+":")})
			if err := x.holders(fieldFacet, term, func(tool int32) {
				pairs = append(pairs, pair{tool, value})
				c.start[tool+1]++
			}); err != nil {
				return nil, err
			}
		}
	}
	for t := range x.tools {
		c.start[t+1] += c.start[t]
	}
	c.of = make([]int32, len(pairs))
	next := slices.Clone(c.start)
	for _, p := range pairs {
		c.of[next[p.tool]] = p.value
		next[p.tool]++
	}
	return c, nil
}

// count tells how many of the tools found have each value.
func (x *Index) count(list []found) ([]Facet, error) {
	c, err := x.columns()
	if err != nil {
		return nil, err
	}
	counts := make([]int, len(c.values))
	for _, f := range list {
		for _, v := range c.of[c.start[f.tool]:c.start[f.tool+1]] {
			counts[v]++
		}
	}
	var out, some []Facet
	for v, n := range counts { // the values of a field stand together
		if n > 0 {
			some = append(some, Facet{c.values[v].Field, c.values[v].Value, n})
		}
		if v+1 < len(counts) && c.values[v+1].Field == c.values[v].Field {
			continue
		}
		slices.SortFunc(some, func(a, b Facet) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
		})
		out = append(out, some[:min(len(some), mostValues)]...)
		some = some[:0]
	}
	return out, nil
}
