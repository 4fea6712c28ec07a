package registry_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/registry"
)

func TestStores(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) registry.Store{
		"memory": func(*testing.T) registry.Store { return registry.NewMemory() },
		"dir":    func(t *testing.T) registry.Store { return registry.OpenDir(filepath.Join(t.TempDir(), "new", "v1")) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, s := t.Context(), open(t)
			if got, err := s.List(ctx, "objects"); err != nil || len(got) != 0 {
				t.Fatalf("List of nothing = %v, %v", got, err)
			}
			if err := s.Remove(ctx, "objects/aa/one"); err != nil {
				t.Fatalf("Remove of nothing: %v", err)
			}
			for i, body := range []string{"first", "second", ""} {
				if err := s.Write(ctx, "objects/aa/one", []byte(body), i%2 == 0); err != nil {
					t.Fatal(err)
				}
				if got, err := s.Read(ctx, "objects/aa/one", 100); err != nil || string(got) != body {
					t.Fatalf("Read = %q, %v, want %q", got, err, body)
				}
			}
			for _, p := range []string{"objects/bb/two", "objects/three", "objectsx/four", "head.json"} {
				if err := s.Write(ctx, p, []byte(p), false); err != nil {
					t.Fatal(err)
				}
			}
			got, err := s.List(ctx, "objects")
			if want := []string{"objects/aa/one", "objects/bb/two", "objects/three"}; err != nil || !slices.Equal(got, want) {
				t.Errorf("List = %v, %v, want %v", got, err, want)
			}
			if err := s.Remove(ctx, "objects/aa/one"); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Read(ctx, "objects/aa/one", 100); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Read after Remove: %v, want fs.ErrNotExist", err)
			}
			for _, p := range []string{"", "/etc/x", "../x", "a/../x", "a//b", ".hidden", "a/.tmp", "a\\b", "a\x00b", "con/x"} {
				if err := s.Write(ctx, p, nil, false); fault.ReasonOf(err) != "unsafe_path" {
					t.Errorf("Write(%q): %v, want unsafe_path", p, err)
				}
				if err := s.Remove(ctx, p); fault.ReasonOf(err) != "unsafe_path" {
					t.Errorf("Remove(%q): %v, want unsafe_path", p, err)
				}
				if _, err := s.List(ctx, p); fault.ReasonOf(err) != "unsafe_path" {
					t.Errorf("List(%q): %v, want unsafe_path", p, err)
				}
			}
		})
	}
}

// A checked-out tree is a stranger's: links in it must lead nowhere.
func TestDirRefusesLinks(t *testing.T) {
	base := t.TempDir()
	outside, dir := filepath.Join(base, "outside"), filepath.Join(base, "v1")
	for _, d := range []string{outside, dir, filepath.Join(dir, "real")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{filepath.Join(outside, "secret"), filepath.Join(dir, "real", "secret")} {
		if err := os.WriteFile(f, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"out": outside, "in": "real", "file": filepath.Join(outside, "secret"), "twin": "real/secret",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	ctx, s := t.Context(), registry.OpenDir(dir)
	if got, err := s.Read(ctx, "real/secret", 10); err != nil || string(got) != "secret" {
		t.Fatalf("the file itself: %q, %v", got, err)
	}
	for _, p := range []string{"out/secret", "in/secret", "file", "twin", "real"} {
		if b, err := s.Read(ctx, p, 10); fault.ReasonOf(err) != "not_regular" {
			t.Errorf("Read(%q) = %q, %v, want not_regular", p, b, err)
		}
	}
	for _, p := range []string{"out/secret", "in/secret", "out/new"} {
		if err := s.Write(ctx, p, []byte("x"), true); fault.ReasonOf(err) != "not_regular" {
			t.Errorf("Write(%q): %v, want not_regular", p, err)
		}
		if err := s.Remove(ctx, p); fault.ReasonOf(err) != "not_regular" {
			t.Errorf("Remove(%q): %v, want not_regular", p, err)
		}
	}
	for _, p := range []string{"out", "in"} {
		if got, err := s.List(ctx, p); err == nil && len(got) > 0 {
			t.Errorf("List(%q) = %v", p, got)
		}
	}
	if got, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(got) != "secret" {
		t.Errorf("the outside file became %q, %v", got, err)
	}
	if _, err := os.Lstat(filepath.Join(outside, "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made outside: %v", err)
	}
}

func TestDirCaps(t *testing.T) {
	s := registry.OpenDir(t.TempDir())
	if err := s.Write(t.Context(), "f", bytes.Repeat([]byte{1}, 100), false); err != nil {
		t.Fatal(err)
	}
	if b, err := s.Read(t.Context(), "f", 100); err != nil || len(b) != 100 {
		t.Errorf("exactly max: %d bytes, %v", len(b), err)
	}
	if _, err := s.Read(t.Context(), "f", 99); fault.ReasonOf(err) != "too_large" {
		t.Errorf("one byte too many: %v, want too_large", err)
	}
}

func TestMemoryHooks(t *testing.T) {
	m := registry.NewMemory()
	ctx := t.Context()
	if err := m.Write(ctx, "a", []byte("truth"), true); err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	m.Hook(registry.Hooks{
		Read:  func(path string, data []byte, err error) ([]byte, error) { return []byte("lie"), nil },
		Write: func(path string, data []byte) error { return full },
	})
	if got, err := m.Read(ctx, "a", 10); err != nil || string(got) != "lie" {
		t.Errorf("Read = %q, %v", got, err)
	}
	if err := m.Write(ctx, "a", nil, true); !errors.Is(err, full) {
		t.Errorf("Write: %v", err)
	}
	if err := m.Remove(ctx, "a"); !errors.Is(err, full) {
		t.Errorf("Remove: %v", err)
	}
	if got := m.Files(); string(got["a"]) != "truth" {
		t.Errorf("Files = %q", got)
	}
}
