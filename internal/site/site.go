package site

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Result counts what was done.
type Result struct {
	Pages   int `json:"pages"`
	Written int `json:"written"` // of the pages and what is beside them
	Removed int `json:"removed"`
}

// Render writes the pages of the tree that src has into dir. src was verified
// before: a page repeats what it says. It reads the records and, of each tool,
// the manifest of its latest version.
func Render(ctx context.Context, src registry.Source, dir string) (Result, error) {
	w := &writer{dir: dir, made: map[string]bool{}}
	doc, err := read(ctx, src, ledger.RegistryPath, ledger.ParseRegistry)
	if err != nil {
		return Result{}, err
	}
	head, err := read(ctx, src, ledger.HeadPath, ledger.ParseHead)
	if err != nil {
		return Result{}, err
	}
	names, err := registry.Names(ctx, src)
	if err != nil {
		return Result{}, err
	}
	s := &shelf{doc: doc, head: head}
	for _, n := range names {
		t, err := open(ctx, src, n)
		if err != nil {
			return Result{}, err
		}
		s.add(t)
		if err := w.page("t/"+string(n)+"/index.html", t.page(doc)); err != nil {
			return Result{}, err
		}
	}
	for path, data := range s.pages() {
		if err := w.page(path, data); err != nil {
			return Result{}, err
		}
	}
	for _, f := range []struct {
		path string
		data []byte
	}{{"404.html", missing(string(doc.Name))}, {"style.css", []byte(style)}, {".nojekyll", nil}} {
		if err := w.file(f.path, f.data); err != nil {
			return Result{}, err
		}
	}
	return w.result, w.sweep()
}

// read is for the two documents that every tree has at a fixed path.
func read[T any](ctx context.Context, src registry.Source, path string, parse func([]byte) (*T, error)) (*T, error) {
	data, err := src.Read(ctx, path, limits.Document)
	if err != nil {
		return nil, err
	}
	doc, err := parse(data)
	if err != nil {
		return nil, fault.New(fault.NotVerified, "document", "%s: %w", path, err)
	}
	return doc, nil
}

// writer writes what differs from what is there.
type writer struct {
	dir    string
	made   map[string]bool
	result Result
}

func (w *writer) page(path string, data []byte) error {
	w.result.Pages++
	return w.file(path, data)
}

func (w *writer) file(path string, data []byte) error {
	w.made[path] = true
	file := filepath.Join(w.dir, filepath.FromSlash(path))
	if old, err := durable.ReadFileNoFollow(file, int64(len(data))); err == nil && bytes.Equal(old, data) {
		return nil
	}
	w.result.Written++
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return durable.Classify("make folder", filepath.Dir(file), err)
	}
	return durable.Replace(file, data, 0o644)
}

// sweep removes the pages of tools and letters that are gone.
func (w *writer) sweep() error {
	for _, top := range []string{"t", "list"} {
		root := filepath.Join(w.dir, top)
		entries, err := os.ReadDir(root)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return durable.Classify("read folder", root, err)
		}
		for _, e := range entries {
			if w.made[top+"/"+e.Name()+"/index.html"] {
				continue
			}
			w.result.Removed++
			if err := os.RemoveAll(filepath.Join(root, e.Name())); err != nil {
				return durable.Classify("remove", filepath.Join(root, e.Name()), err)
			}
		}
	}
	return nil
}

// permissions says in a few words what a version may do.
func permissions(p spec.Permissions) string {
	out := []string{"no network"}
	if p.Network {
		out[0] = "network"
	}
	switch p.Filesystem {
	case spec.FilesystemReadOnly:
		out = append(out, "reads files that you name")
	case spec.FilesystemReadWrite:
		out = append(out, "reads and writes files that you name")
	default:
		out = append(out, "no files")
	}
	if p.HumanConfirm {
		out = append(out, "asks before each run")
	}
	for _, s := range p.ExternalAuth {
		out = append(out, "your account: "+s)
	}
	return strings.Join(out, ", ")
}
