package site

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// What tells a file of ours from one that somebody wrote by hand.
const (
	pageMark  = `<footer>A registry of <a href="https://github.com/patch-cat/patch-git">`
	styleMark = "/* patch-git: "
)

// own tells whether this program made a file.
func own(file string, data []byte) bool {
	switch path.Ext(file) {
	case ".css":
		return bytes.HasPrefix(data, []byte(styleMark))
	default:
		return bytes.Contains(data, []byte(pageMark))
	}
}

// writer writes what differs from what is there.
type writer struct {
	dir    string
	root   *durable.Root
	made   map[string]bool
	result Result
}

func newWriter(dir string) (*writer, error) {
	root, err := durable.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &writer{dir: dir, root: root, made: map[string]bool{}}, nil
}

func (w *writer) close() { _ = w.root.Close() }

func (w *writer) page(path string, data []byte) error {
	w.result.Pages++
	return w.file(path, data)
}

func (w *writer) file(path string, data []byte) error {
	w.made[path] = true
	old, err := w.root.ReadFile(path, limits.Document)
	switch {
	case err == nil && bytes.Equal(old, data):
		return nil
	case err == nil && !own(path, old):
		return foreign(w.dir, path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.Usage, "foreign", "%s in %s cannot be replaced: %w", path, spec.Quote(w.dir), err).Hint("%s", elsewhere)
	}
	w.result.Written++
	return w.root.WriteFile(path, data, 0o644)
}

// flag makes an empty file whose name no path of a page may have.
func (w *writer) flag(name string) error {
	file := filepath.Join(w.dir, name)
	switch info, err := os.Lstat(file); {
	case errors.Is(err, fs.ErrNotExist):
		w.result.Written++
		return durable.Replace(file, nil, 0o644)
	case err != nil:
		return durable.Classify("look at", file, err)
	case !info.Mode().IsRegular() || info.Size() != 0:
		return foreign(w.dir, name)
	}
	return nil
}

func foreign(dir, name string) error {
	return fault.New(fault.Usage, "foreign", "%s in %s is not a file that patch-git wrote", name, spec.Quote(dir)).Hint("%s", elsewhere)
}

const elsewhere = "write the pages into a folder of their own, or move the file away"

// sweep removes the pages of tools and letters that are gone: folders in which
// there is nothing but such a page. All else in them is somebody's.
func (w *writer) sweep() error {
	for _, top := range []string{"t", "list"} {
		root := filepath.Join(w.dir, top)
		if info, err := os.Lstat(root); err != nil || !info.IsDir() {
			continue
		}
		entries, err := os.ReadDir(root)
		if err != nil {
			return durable.Classify("read folder", root, err)
		}
		for _, e := range entries {
			page := top + "/" + e.Name() + "/index.html"
			if w.made[page] || !e.IsDir() {
				continue
			}
			dir := filepath.Join(root, e.Name())
			inside, err := os.ReadDir(dir)
			if err != nil {
				return durable.Classify("read folder", dir, err)
			}
			if len(inside) != 1 || inside[0].Name() != "index.html" {
				continue
			}
			if data, err := w.root.ReadFile(page, limits.Document); err != nil || !own(page, data) {
				continue
			}
			w.result.Removed++
			if err := errors.Join(os.Remove(filepath.Join(dir, "index.html")), os.Remove(dir)); err != nil {
				return durable.Classify("remove", dir, err)
			}
		}
	}
	return nil
}
