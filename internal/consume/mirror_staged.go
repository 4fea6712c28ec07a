package consume

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/registry"
)

// maxFile is the largest file that a mirror has.
const maxFile = limits.Catalogue

// staged reads a tree for an audit and keeps what comes, so that the bytes that
// are found sound are the bytes that are mirrored, and none is read twice.
type staged struct {
	src     registry.Source
	here    *registry.Dir // the mirror
	waiting *registry.Dir
	reuse   bool // of the mirror, what never changes
}

// Location is the source's.
func (s *staged) Location() string { return s.src.Location() }

// Refresh reads past the mirror and past all caches.
func (s *staged) Refresh() registry.Source {
	fresh := s.src.Refresh()
	if fresh == s.src && !s.reuse {
		return s
	}
	return &staged{src: fresh, here: s.here, waiting: s.waiting}
}

func (s *staged) Read(ctx context.Context, path string, max int64) ([]byte, error) {
	if s.reuse && lasting(path) {
		data, err := s.here.Read(ctx, path, max)
		if err == nil {
			return data, nil
		}
	}
	data, err := s.src.Read(ctx, path, max)
	if err != nil {
		return nil, err
	}
	return data, s.waiting.Write(ctx, path, data, false)
}

// lasting tells whether a file never changes once it is published.
func lasting(path string) bool {
	return strings.HasPrefix(path, "releases/") || strings.HasPrefix(path, "withdrawals/") ||
		strings.HasPrefix(path, "log/tile/") && !strings.Contains(path, ".p/")
}

// settled is the mirror as it will be: what waits, else what is here.
type settled struct {
	here    *registry.Dir
	waiting *registry.Dir
}

// Location is the mirror's.
func (s settled) Location() string { return s.here.Location() }

// Refresh returns the source itself, which has no caches.
func (s settled) Refresh() registry.Source { return s }

func (s settled) Read(ctx context.Context, path string, max int64) ([]byte, error) {
	data, err := s.waiting.Read(ctx, path, max)
	if errors.Is(err, fs.ErrNotExist) {
		return s.here.Read(ctx, path, max)
	}
	return data, err
}
