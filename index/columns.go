package index

import (
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
	data, err := x.stored(x.tools, storedFacets)
	if err != nil {
		return nil, err
	}
	for d, last := (&decoder{data: data}), ""; d.more(); {
		term := d.term(last)
		field, text, ok := strings.Cut(term, ":")
		if d.bad || !ok || term <= last {
			return nil, errIndex("%s: %w", storedFacets, errCut)
		}
		last = term
		value := int32(len(c.values))
		c.values = append(c.values, Facet{Field: field, Value: text})
		list, err := x.list(fieldFacet, term)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			pairs = append(pairs, pair{e.tool(), value})
			c.start[e.tool()+1]++
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
		for _, v := range c.of[c.start[f.tool()]:c.start[f.tool()+1]] {
			counts[v]++
		}
	}
	by := map[string][]Facet{}
	var out []Facet
	for start := 0; start < len(counts); {
		field := c.values[start].Field
		var some []Facet
		for ; start < len(counts) && c.values[start].Field == field; start++ {
			if n := counts[start]; n > 0 && (len(some) < mostValues || n > some[mostValues-1].Count) {
				some = most(some, Facet{field, c.values[start].Value, n})
			}
		}
		by[field] = some
	}
	for _, field := range counted() {
		out = append(out, by[field]...)
	}
	return out, nil
}

// most puts a value where it belongs among those that most tools have; values come
// in their order.
func most(list []Facet, f Facet) []Facet {
	at := len(list)
	for at > 0 && list[at-1].Count < f.Count {
		at--
	}
	return slices.Insert(list[:min(len(list), mostValues-1)], at, f)
}
