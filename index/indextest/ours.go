package indextest

import (
	"context"
	"path/filepath"

	"github.com/patch-cat/patch-git/index"
)

// Ours is the index of the project over a set, made in a folder. What a hit hides
// because it is nearly the same does not count as found.
func Ours(ctx context.Context, s *Set, dir string) (search Search, done func() error, err error) {
	listings, ids := s.Listings()
	b, err := index.Build(ctx, listings)
	if err != nil {
		return nil, nil, err
	}
	dir = filepath.Join(dir, s.Name)
	if err := index.Install(ctx, dir, b.Segment()); err != nil {
		return nil, nil, err
	}
	x, err := index.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	return func(text string) ([]string, bool) {
		r, err := x.Search(ctx, index.Query{Text: text}, 10)
		if err != nil {
			return nil, false
		}
		var out []string
		for _, h := range r.Hits {
			out = append(out, ids[h.Tool.Name])
		}
		return out, true
	}, x.Close, nil
}
