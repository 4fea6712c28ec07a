package index

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/patch-cat/patch-git/ledger"
)

// tail is the part of the best score below which a tool is no hit.
const tail = 4

// scratch is what one search adds up in, by tool; all zero between searches.
type scratch struct {
	scores  []int32
	touched []int32
}

// found is a tool that a search found.
type found struct {
	tool  int32
	exact int32 // impact in field name of the whole query
	score int64
}

// Search ranks the tools; limit 0 is all.
func (x *Index) Search(ctx context.Context, q Query, limit int) (r *Result, err error) {
	defer damaged(&err)
	p, err := x.plan(q)
	if err != nil {
		return nil, err
	}
	var list []found
	if p.browse {
		list = p.all(x.tools)
	} else if list, err = x.rank(p); err != nil {
		return nil, err
	}
	if len(p.phrases) > 0 {
		if list, err = x.withPhrases(ctx, p, list); err != nil {
			return nil, err
		}
	}
	r = &Result{Hits: []Hit{}, Corrections: p.corrections}
	if q.Facets {
		if r.Facets, err = x.count(list); err != nil {
			return nil, err
		}
	}
	groups, total, err := x.group(p, list, limit)
	if err != nil {
		return nil, err
	}
	r.Total = total
	for _, g := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h, err := x.hit(p, g)
		if err != nil {
			return nil, err
		}
		r.Hits = append(r.Hits, h)
	}
	return r, nil
}

// rank scores the candidates, best first.
func (x *Index) rank(p *plan) ([]found, error) {
	s, _ := x.scratch.Get().(*scratch)
	defer func() {
		for _, t := range s.touched {
			s.scores[t] = 0
		}
		s.touched = s.touched[:0]
		x.scratch.Put(s)
	}()
	add := func(weight int32) func(tool, impact int32) {
		return func(tool, impact int32) {
			if !p.candidates.has(tool) {
				return
			}
			if s.scores[tool] == 0 {
				s.touched = append(s.touched, tool)
			}
			s.scores[tool] += weight * impact
		}
	}
	for _, t := range p.terms {
		if err := x.visit(fieldText, t, add(requestWeight(t))); err != nil {
			return nil, err
		}
	}
	for i, t := range p.prefixes {
		if err := x.visit(fieldPre, t, add(p.prefixWeights[i])); err != nil {
			return nil, err
		}
	}
	exact := map[int32]int32{}
	if p.key != "" {
		if err := x.visit(fieldName, p.key, func(tool, impact int32) {
			if p.candidates.has(tool) {
				exact[tool] = impact
				if s.scores[tool] == 0 {
					s.touched = append(s.touched, tool)
				}
			}
		}); err != nil {
			return nil, err
		}
	}
	return s.order(exact), nil
}

// order cuts the tail and sorts.
func (s *scratch) order(exact map[int32]int32) []found {
	best := int64(0)
	for _, t := range s.touched {
		best = max(best, int64(s.scores[t]))
	}
	var list []found
	for _, t := range s.touched {
		f := found{tool: t, score: int64(s.scores[t])}
		if len(exact) > 0 {
			f.exact = exact[t]
		}
		if tail*f.score >= best && f.score > 0 || f.exact > 0 {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b found) int {
		switch {
		case a.exact != b.exact:
			return cmp.Compare(b.exact, a.exact)
		case a.score != b.score:
			return cmp.Compare(b.score, a.score)
		}
		return cmp.Compare(a.tool, b.tool)
	})
	return list
}

// group puts near-duplicates under the best of them. It returns the first groups,
// as many as limit says or all for 0, and how many there are.
func (x *Index) group(p *plan, list []found, limit int) (out [][]found, total int, err error) {
	if limit <= 0 {
		limit = len(list)
	}
	if p.browse {
		for i := range list[:min(len(list), limit)] {
			out = append(out, list[i:i+1])
		}
		return out, len(list), nil
	}
	leader, err := x.leader()
	if err != nil {
		return nil, 0, err
	}
	s, _ := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	at := s.scores // of a leader, the number of its group from 1
	for i, f := range list {
		l := leader[f.tool]
		g := int(at[l])
		switch {
		case g == 0:
			total++
			at[l] = int32(total)
			if total <= limit {
				out = append(out, list[i:i+1])
			}
		case g <= limit:
			out[g-1] = append(slices.Clip(out[g-1]), f)
		}
	}
	for _, f := range list {
		at[leader[f.tool]] = 0
	}
	return out, total, nil
}

// hit is what is shown of a group.
func (x *Index) hit(p *plan, g []found) (Hit, error) {
	card, err := x.card(g[0].tool)
	if err != nil {
		return Hit{}, err
	}
	h := Hit{Tool: *card, Score: g[0].score, Why: p.why(card), Exact: exactWord(g[0].exact)}
	for _, f := range g[1:] {
		other, err := x.card(f.tool)
		if err != nil {
			return Hit{}, err
		}
		h.Also = append(h.Also, other.Name)
	}
	return h, nil
}

func exactWord(impact int32) string {
	switch impact {
	case impactName:
		return "name"
	case impactAlias:
		return "alias"
	}
	return ""
}

// card is the listing of a tool.
func (x *Index) card(tool int32) (*ledger.Listing, error) {
	data, err := x.stored(int(tool), storedCard)
	if err != nil {
		return nil, err
	}
	var l ledger.Listing
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, errIndex("%w", err)
	}
	return &l, nil
}
