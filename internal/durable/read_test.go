package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 5000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	follow, noFollow := durable.ReadFile, durable.ReadFileNoFollow
	for name, tt := range map[string]struct {
		read   func(string, int64) ([]byte, error)
		path   string
		max    int64
		reason string
	}{
		"exact":             {follow, path, 5000, ""},
		"one too many":      {follow, path, 4999, "too_large"},
		"nothing allowed":   {follow, path, 0, "too_large"},
		"link":              {follow, link, 5000, ""},
		"directory":         {follow, dir, 5000, "not_regular"},
		"device":            {follow, os.DevNull, 5000, "not_regular"},
		"own exact":         {noFollow, path, 5000, ""},
		"own one too many":  {noFollow, path, 4999, "too_large"},
		"own link":          {noFollow, link, 5000, "not_regular"},
		"own directory":     {noFollow, dir, 5000, "not_regular"},
		"own, no file name": {noFollow, dir + "/..", 5000, "not_regular"},
	} {
		b, err := tt.read(tt.path, tt.max)
		if fault.ReasonOf(err) != tt.reason || (err == nil) != (tt.reason == "") {
			t.Errorf("%s: %v, want reason %q", name, err, tt.reason)
		}
		if want := 5000; err == nil && len(b) != want {
			t.Errorf("%s: %d bytes, want %d", name, len(b), want)
		}
	}
	for _, read := range []func(string, int64) ([]byte, error){follow, noFollow} {
		_, err := read(filepath.Join(dir, "missing"), 1)
		if !errors.Is(err, fs.ErrNotExist) || fault.KindOf(err) != fault.Internal {
			t.Errorf("missing file: %v, want fs.ErrNotExist", err)
		}
	}
}
