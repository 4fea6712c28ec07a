package index

import (
	"context"
	"encoding/json"

	"github.com/patch-cat/patch-git/ledger"
)

// tail is the part of the best score below which a tool is no hit.
const tail = 4

// scratch is what one search adds up in, by tool; all zero between searches.
type scratch struct {
	scores  []int32
	touched []int32
	found   []found
}

// Search ranks the tools; limit 0 is all.
func (x *Index) Search(ctx context.Context, q Query, limit int) (r *Result, err error) {
	defer damaged(&err)
	p, err := x.plan(q)
	if err != nil {
		return nil, err
	}
	s, _ := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	var list []found
	if p.browse {
		list = p.all(x.tools)
	} else if list, err = x.rank(p, s); err != nil {
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

// rank scores the candidates; they come in any order, until the next search.
func (x *Index) rank(p *plan, s *scratch) ([]found, error) {
	defer func() {
		for _, t := range s.touched {
			s.scores[t] = 0
		}
		s.touched = s.touched[:0]
	}()
	for _, t := range p.terms {
		list, err := x.list(fieldText, t)
		if err != nil {
			return nil, err
		}
		s.add(list, requestWeight(t), p.candidates)
	}
	for i, t := range p.prefixes {
		list, err := x.list(fieldPre, t)
		if err != nil {
			return nil, err
		}
		s.add(list, p.prefixWeights[i], p.candidates)
	}
	var exact []entry
	if p.key != "" {
		list, err := x.list(fieldName, p.key)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if p.candidates.has(e.tool()) && e.impact() > 0 {
				exact = append(exact, e)
			}
		}
	}
	return s.cut(exact), nil
}

// add adds up a list.
func (s *scratch) add(list []entry, weight int32, candidates *set) {
	scores := s.scores
	if len(s.touched) == 0 && cap(s.touched) < len(list) {
		s.touched = make([]int32, 0, 2*len(list))
	}
	for _, e := range list {
		t := e.tool()
		if candidates != nil && !candidates.has(t) {
			continue
		}
		if scores[t] == 0 {
			s.touched = append(s.touched, t)
		}
		scores[t] += weight * e.impact()
	}
}

// cut leaves out the tail, but for those that the query names.
func (s *scratch) cut(exact []entry) []found {
	out, best := s.found[:0], int32(0)
	for _, t := range s.touched {
		best = max(best, s.scores[t])
	}
	for _, e := range exact {
		out = append(out, newFound(e.tool(), e.impact(), s.scores[e.tool()]))
	}
	for _, e := range exact {
		s.scores[e.tool()] = 0
	}
	least := max(1, (best+tail-1)/tail)
	for _, t := range s.touched {
		if score := s.scores[t]; score >= least {
			out = append(out, newFound(t, 0, score))
		}
	}
	s.found = out
	return out
}

// hit is what is shown of a group.
func (x *Index) hit(p *plan, g group) (Hit, error) {
	card, err := x.card(g[0].tool())
	if err != nil {
		return Hit{}, err
	}
	h := Hit{Tool: *card, Score: g[0].score(), Why: p.why(card), Exact: exactWord(g[0].exact())}
	for _, f := range g[1:] {
		other, err := x.card(f.tool())
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
