//go:build unix

package durable_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
)

// TestKeyIsOne: of many that make it at once, all get the same.
func TestKeyIsOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "key")
	keys := make([][]byte, 16)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() { keys[i], _ = durable.Key(path) })
	}
	all.Wait()
	for _, k := range keys {
		if len(k) != 32 || !bytes.Equal(k, keys[0]) {
			t.Fatalf("got %x and %x", keys[0], k)
		}
	}
	if i, err := os.Stat(path); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", i.Mode(), err)
	}
}

// TestKeyRefused: a key that others know is none. Each is beside its twin, the
// key as it was made, and stays as it is.
func TestKeyRefused(t *testing.T) {
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, spoil := range map[string]func(t *testing.T, path string){
		"":                   func(*testing.T, string) {},
		"others can read it": func(t *testing.T, path string) { must(t, os.Chmod(path, 0o640)) },
		"half of it":         func(t *testing.T, path string) { must(t, os.Truncate(path, 32)) },
		"nothing":            func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) },
		"too much":           func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte(strings.Repeat("a", 65)), 0o600)) },
		"no hexadecimal":     func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte(strings.Repeat("x", 64)), 0o600)) },
		"a link to it": func(t *testing.T, path string) {
			must(t, os.Rename(path, path+"2"))
			must(t, os.Symlink(path+"2", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "key")
			first, err := durable.Key(path)
			must(t, err)
			spoil(t, path)
			before, _ := os.ReadFile(path)
			got, err := durable.Key(path)
			after, _ := os.ReadFile(path)
			if !bytes.Equal(before, after) {
				t.Error("it was changed")
			}
			if name == "" {
				if err != nil || !bytes.Equal(got, first) {
					t.Errorf("%x, %v", got, err)
				}
				return
			}
			if fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != "key_damaged" || got != nil {
				t.Errorf("%x, %v", got, err)
			}
		})
	}
}
