//go:build unix

package sealed_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sealed"
)

// TestPlanted: what somebody else puts where an answer belongs is none. Each attack
// is beside its twin, the answer as it was kept.
func TestPlanted(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC) }
	a, b := sealed.Name("a"), sealed.Name("b")
	path := func(dir string) string { return filepath.Join(dir, a.Hex()[:2], a.Hex()[2:]) }
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, plant := range map[string]func(t *testing.T, dir string){
		"": func(*testing.T, string) {},
		"another's answer under this name": func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, b.Hex()[:2], b.Hex()[2:]), path(dir)))
		},
		"made under another key": func(t *testing.T, dir string) {
			other := t.TempDir()
			sealed.Open(other, now, time.Hour, 10).Save(a, []byte("yes"))
			must(t, os.Rename(path(other), path(dir)))
		},
		"a link to it": func(t *testing.T, dir string) {
			must(t, os.Rename(path(dir), filepath.Join(dir, "kept")))
			must(t, os.Symlink(filepath.Join(dir, "kept"), path(dir)))
		},
		"a bit": func(t *testing.T, dir string) {
			data, err := os.ReadFile(path(dir))
			must(t, err)
			data[len(data)-1] ^= 1
			must(t, os.WriteFile(path(dir), data, 0o600))
		},
		"nothing": func(t *testing.T, dir string) { must(t, os.Truncate(path(dir), 0)) },
		"a key that others read": func(t *testing.T, dir string) {
			must(t, os.Chmod(filepath.Join(dir, "key"), 0o644))
		},
		"a link to a key": func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, "key"), filepath.Join(dir, "mine")))
			must(t, os.Symlink(filepath.Join(dir, "mine"), filepath.Join(dir, "key")))
		},
		"half a key": func(t *testing.T, dir string) { must(t, os.Truncate(filepath.Join(dir, "key"), 32)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "x")
			f := sealed.Open(dir, now, time.Hour, 10)
			f.Save(a, []byte("no"))
			f.Save(b, []byte("yes"))
			plant(t, dir)
			got := string(sealed.Open(dir, now, time.Hour, 10).Load(a))
			if name == "" && got != "no" || name != "" && got != "" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestKeyIsRaced: of many that make the key at once all take the same.
func TestKeyIsRaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	now := func() time.Time { return time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC) }
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	var all sync.WaitGroup
	for _, n := range names {
		all.Go(func() { sealed.Open(dir, now, time.Hour, 10).Save(sealed.Name(n), []byte(n)) })
	}
	all.Wait()
	for _, n := range names {
		if got := sealed.Open(dir, now, time.Hour, 10).Load(sealed.Name(n)); string(got) != n {
			t.Errorf("%s: got %q", n, got)
		}
	}
}
