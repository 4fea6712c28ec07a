package registry_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/registry/registrytest"
)

// noWait is a sleep for tests: pauses between attempts are not what they test.
func noWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// options are those of a client with a cache of its own.
func options(t *testing.T, s *registrytest.Server) registry.Options {
	t.Helper()
	o := registry.Options{CacheDir: t.TempDir(), Now: func() time.Time { return registrytest.Start }, Sleep: noWait}
	if s != nil {
		o.HTTP = s.Client()
	}
	return o
}

// write puts a tree into a folder.
func write(t *testing.T, dir string, tree map[string][]byte) {
	t.Helper()
	for p, b := range tree {
		file := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func mustOpen(t *testing.T, location string, o registry.Options) registry.Source {
	t.Helper()
	s, err := registry.Open(t.Context(), location, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		registrytest.Run(t, func(t *testing.T, tree map[string][]byte) registry.Source {
			m := registry.NewMemory()
			for p, b := range tree {
				if err := m.Write(t.Context(), p, b, false); err != nil {
					t.Fatal(err)
				}
			}
			return m
		})
	})
	t.Run("dir", func(t *testing.T) {
		registrytest.Run(t, func(t *testing.T, tree map[string][]byte) registry.Source {
			dir := t.TempDir()
			write(t, dir, tree)
			return registry.Derived(registry.OpenDir(dir))
		})
	})
	t.Run("http", func(t *testing.T) {
		registrytest.Run(t, func(t *testing.T, tree map[string][]byte) registry.Source {
			s := registrytest.NewServer(t, tree)
			return mustOpen(t, s.URL, options(t, s))
		})
	})
	t.Run("git", func(t *testing.T) {
		r := newRepository(t)
		registrytest.Run(t, func(t *testing.T, tree map[string][]byte) registry.Source {
			r.commit(tree, true)
			return mustOpen(t, "git+file://"+r.dir, options(t, nil))
		})
	})
}
