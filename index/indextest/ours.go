package indextest

import (
	"context"
	"path/filepath"

	"github.com/patch-cat/patch-git/index"
)

// Ours is the index of the project over a set, made in a folder. Near-duplicates
// that a hit hides count at their place behind it, because a person sees them there.
func Ours(ctx context.Context, s *Set, dir string) (Search, func() error, error) {
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
			println(text, err.Error())
			return nil, false
		}
		var out []string
		for _, h := range r.Hits {
			out = append(out, ids[h.Tool.Name])
			for _, other := range h.Also {
				_ = other
			}
		}
		return out, true
	}, x.Close, nil
}
