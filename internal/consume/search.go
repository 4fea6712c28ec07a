package consume

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// SearchOptions say what is looked for, and where. The zero value lists all
// tools of all trusted registries.
type SearchOptions struct {
	Query    string            // as a person typed it, operators and all
	Registry spec.RegistryName // "" is every trusted one
	Limit    int               // of hits; 0 is all
	Offline  bool              // asks nobody: what is on this machine answers
	Facets   bool              // counts the values of what is found
}

// Found is what a search found, best first.
type Found struct {
	Hits        []Hit              `json:"hits"`
	Total       int                `json:"total"` // of hits, before the limit
	Facets      []index.Facet      `json:"facets,omitempty"`
	Corrections []index.Correction `json:"corrections,omitempty"`
	Notes       []string           `json:"notes,omitempty"` // of the query: what of it means nothing
	Registries  []Searched         `json:"registries"`
	Unanswered  []Unanswered       `json:"unanswered,omitempty"` // whose tools are missing here
}

// Unanswered is a registry of several that nothing can be told of.
type Unanswered struct {
	Registry spec.RegistryName `json:"registry"`
	Kind     string            `json:"kind"`
	Reason   string            `json:"reason,omitempty"`
	Message  string            `json:"message"`
	err      error
}

// Incomplete is the error of an answer that lacks a registry; nil where all answered. What
// others found is true, and that it is all there is nobody can tell.
func (f *Found) Incomplete() error {
	if len(f.Unanswered) == 0 {
		return nil
	}
	worst := f.Unanswered[0]
	for _, u := range f.Unanswered[1:] {
		if fault.KindOf(worst.err) == fault.Unavailable { // a refusal is the graver one
			worst = u
		}
	}
	return fault.New(fault.KindOf(worst.err), worst.Reason, "the tools of %s are missing in this answer: %w", worst.Registry, worst.err).
		Hint("patch-git search --registry %s", f.Registries[0].Registry)
}

// Hit is one tool that a search found.
type Hit struct {
	Registry spec.RegistryName `json:"registry"`
	Version  spec.Version      `json:"version"` // the latest
	ledger.Listing
	Installed spec.Version  `json:"installed,omitempty"`
	Score     int64         `json:"score"`
	Why       []index.Match `json:"why,omitempty"`
	Exact     string        `json:"exact,omitempty"` // "name" or "alias": the query is it
	Also      []spec.Name   `json:"also,omitempty"`  // near-duplicates that rank below it
}

// Searched is a registry that was searched, and how new what is known of it is.
type Searched struct {
	Registry spec.RegistryName `json:"registry"`
	Seq      int64             `json:"seq"`  // of the head
	Time     string            `json:"time"` // of the head, RFC 3339
	Tools    int               `json:"tools"`
	Kept     bool              `json:"kept,omitempty"` // nobody was asked, or nobody answered: this is from earlier
}

// Search looks for tools in the newest lists of the trusted registries.
func (c *Client) Search(ctx context.Context, o SearchOptions) (*Found, error) {
	s, err := c.OpenSearch(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }()
	return s.Find(ctx, o.Query, o.Limit)
}

// Search is opened once for many queries. Many goroutines may use it at once.
type Search struct {
	c      *Client
	facets bool
	have   map[spec.Name]spec.Version
	lists  []*searched
	silent []Unanswered
}

// OpenSearch brings what is known of the registries up to date and opens it;
// Query and Limit of the options mean nothing here. The caller closes it.
//
// Where nothing is new this costs one request for each registry, which is
// answered by 304. The faults are those of reading a head and a catalogue; an
// index that is damaged or hostile is none, but a remark and an index made here.
// Of several registries that nobody named, one that cannot be reached or that is
// refused leaves the others to answer; if none is left, its fault is that of the search.
func (c *Client) OpenSearch(ctx context.Context, o SearchOptions) (*Search, error) {
	pins, err := c.pins(o.Registry)
	if err != nil {
		return nil, err
	}
	installed, err := c.Box.List()
	if err != nil {
		return nil, err
	}
	s := &Search{c: c, facets: o.Facets, have: map[spec.Name]spec.Version{}}
	for _, i := range installed {
		s.have[i.Name] = i.Current
	}
	for _, pin := range pins {
		l, err := c.searched(ctx, pin, o.Offline)
		if k := fault.KindOf(err); err != nil && o.Registry == "" && ctx.Err() == nil && (k == fault.Unavailable || k == fault.NotVerified) {
			s.silent = append(s.silent, Unanswered{pin.Name, k.String(), fault.ReasonOf(err), err.Error(), err})
			continue
		}
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.lists = append(s.lists, l)
	}
	if len(s.lists) == 0 {
		return nil, s.silent[0].err
	}
	return s, nil
}

// Close ends the use of a search.
func (s *Search) Close() error {
	var all []error
	for _, l := range s.lists {
		all = append(all, l.close())
	}
	return errors.Join(all...)
}

// Find ranks the tools for a query; limit 0 is all. Hits of several registries
// stand in one order: the scores of two are of the same measure.
func (s *Search) Find(ctx context.Context, query string, limit int) (*Found, error) {
	q, notes := index.ParseQuery(query)
	q.Facets = s.facets
	out := &Found{Hits: []Hit{}, Notes: notes, Registries: []Searched{}, Unanswered: s.silent}
	for _, l := range s.lists {
		r, err := l.find(ctx, q, limit)
		if err != nil {
			return nil, err
		}
		about := l.about
		out.Registries = append(out.Registries, about)
		out.Total += r.Total
		out.addFacets(r.Facets)
		for _, c := range r.Corrections {
			if !slices.Contains(out.Corrections, c) {
				out.Corrections = append(out.Corrections, c)
			}
		}
		for _, h := range r.Hits {
			out.Hits = append(out.Hits, Hit{
				Registry: about.Registry, Version: h.Tool.Latest, Listing: h.Tool, Installed: s.have[h.Tool.Name],
				Score: h.Score, Why: h.Why, Exact: h.Exact, Also: h.Also,
			})
		}
	}
	if len(s.lists) > 1 {
		slices.SortStableFunc(out.Hits, func(a, b Hit) int {
			return cmp.Or(cmp.Compare(exactness(a), exactness(b)), cmp.Compare(b.Score, a.Score), cmp.Compare(a.Name, b.Name))
		})
	}
	if limit > 0 && len(out.Hits) > limit {
		out.Hits = out.Hits[:limit]
	}
	return out, nil
}

// exactness ranks a hit whose name the query is before one with such an alias,
// and both before all others.
func exactness(h Hit) int {
	switch h.Exact {
	case "name":
		return 0
	case "alias":
		return 1
	}
	return 2
}

func (f *Found) addFacets(more []index.Facet) {
	for _, m := range more {
		i := slices.IndexFunc(f.Facets, func(x index.Facet) bool { return x.Field == m.Field && x.Value == m.Value })
		if i < 0 {
			f.Facets = append(f.Facets, m)
		} else {
			f.Facets[i].Count += m.Count
		}
	}
}
