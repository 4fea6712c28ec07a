package consume

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/sanitize"
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
}

// Found is what a search found, best first.
type Found struct {
	Hits        []Hit              `json:"hits"`
	Total       int                `json:"total"` // of hits, before the limit
	Facets      []index.Facet      `json:"facets,omitempty"`
	Corrections []index.Correction `json:"corrections,omitempty"`
	Notes       []string           `json:"notes,omitempty"` // of the query: what of it means nothing
	Registries  []Searched         `json:"registries"`
}

// Hit is one tool that a search found.
type Hit struct {
	Registry spec.RegistryName `json:"registry"`
	Version  spec.Version      `json:"version"` // the latest
	ledger.Listing
	Installed spec.Version  `json:"installed,omitempty"`
	Score     int64         `json:"score"`
	Why       []index.Match `json:"why,omitempty"`
	Also      []spec.Name   `json:"also,omitempty"` // near-duplicates that rank below it
}

// Searched is a registry that was searched, and how new what is known of it is.
type Searched struct {
	Registry spec.RegistryName `json:"registry"`
	Seq      int64             `json:"seq"`  // of the head
	Time     string            `json:"time"` // of the head, RFC 3339
	Age      time.Duration     `json:"-"`
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
	have  map[spec.Name]spec.Version
	lists []searchList
}

type searchList struct {
	about Searched
	tools []ledger.Listing
}

// OpenSearch brings what is known of the registries up to date and opens it;
// Query and Limit of the options mean nothing here. The caller closes it.
func (c *Client) OpenSearch(ctx context.Context, o SearchOptions) (*Search, error) {
	pins, err := c.pins(o.Registry)
	if err != nil {
		return nil, err
	}
	installed, err := c.Box.List()
	if err != nil {
		return nil, err
	}
	s := &Search{have: map[spec.Name]spec.Version{}}
	for _, i := range installed {
		s.have[i.Name] = i.Current
	}
	for _, pin := range pins {
		list, err := c.catalogueOf(ctx, pin)
		if err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(slices.Clone(list), func(l ledger.Listing) bool {
			h, ok := sanitize.Hidden(l.Description) // [AR-35]
			if ok {
				c.warn(fmt.Sprintf("%s of %s is left out: its description hides the character %U", l.Name, pin.Name, h.Rune))
			}
			return ok
		})
		s.lists = append(s.lists, searchList{Searched{Registry: pin.Name, Tools: len(list)}, list})
	}
	return s, nil
}

// Close ends the use of a search.
func (s *Search) Close() error { return nil }

// Find ranks the tools for a query; limit 0 is all.
func (s *Search) Find(ctx context.Context, query string, limit int) (*Found, error) {
	out := &Found{Hits: []Hit{}, Registries: []Searched{}}
	words := wordsOf(query)
	for _, list := range s.lists {
		out.Registries = append(out.Registries, list.about)
		for _, l := range list.tools {
			if n := score(l, words); n > 0 {
				out.Hits = append(out.Hits, Hit{Registry: list.about.Registry, Version: l.Latest, Listing: l, Installed: s.have[l.Name], Score: int64(n)})
			}
		}
	}
	slices.SortStableFunc(out.Hits, func(a, b Hit) int {
		if a.Score != b.Score {
			return int(b.Score - a.Score)
		}
		return strings.Compare(string(a.Name), string(b.Name))
	})
	if out.Total = len(out.Hits); limit > 0 && len(out.Hits) > limit {
		out.Hits = out.Hits[:limit]
	}
	return out, ctx.Err()
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// score is 0 where a word is missing; a word in the name counts more than one
// in the description, the whole name most.
func score(l ledger.Listing, words []string) int {
	total := 1
	name := strings.Split(string(l.Name), "_")
	text := wordsOf(l.Description)
	if strings.Join(words, "_") == string(l.Name) {
		total += 100
	}
	for _, w := range words {
		switch {
		case slices.Contains(name, w):
			total += 10
		case strings.Contains(string(l.Name), w):
			total += 5
		case slices.Contains(text, w):
			total += 3
		case slices.ContainsFunc(text, func(t string) bool { return strings.HasPrefix(t, w) }):
			total++
		default:
			return 0
		}
	}
	return total
}
