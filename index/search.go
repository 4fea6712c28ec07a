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
	if r.Facets, err = x.count(list); err != nil {
		return nil, err
	}
	groups, err := x.group(p, list)
	if err != nil {
		return nil, err
	}
	r.Total = len(groups)
	if limit > 0 {
		groups = groups[:min(limit, len(groups))]
	}
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
		f := found{t, exact[t], int64(s.scores[t])}
		if tail*f.score >= best && f.score > 0 || f.exact > 0 {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.exact, a.exact), cmp.Compare(b.score, a.score), cmp.Compare(a.tool, b.tool))
	})
	return list
}

// group puts near-duplicates under the best of them.
func (x *Index) group(p *plan, list []found) ([][]found, error) {
	out := make([][]found, 0, len(list))
	if p.browse {
		for i := range list {
			out = append(out, list[i:i+1])
		}
		return out, nil
	}
	leader, err := x.leader()
	if err != nil {
		return nil, err
	}
	at := map[int32]int{}
	for i, f := range list {
		l := leader[f.tool]
		if g, ok := at[l]; ok {
			out[g] = append(slices.Clip(out[g]), f)
			continue
		}
		at[l] = len(out)
		out = append(out, list[i:i+1])
	}
	return out, nil
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
