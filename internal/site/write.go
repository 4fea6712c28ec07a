package site

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// own tells whether this program made a file, and nobody by hand.
func own(file string, data []byte) bool {
	switch path.Ext(file) {
	case ".css":
		return bytes.HasPrefix(data, []byte("/* patch-git: "))
	case ".js":
		return bytes.HasPrefix(data, []byte("// patch-git: "))
	case ".svg":
		return bytes.HasPrefix(data, []byte("<!-- patch-git: "))
	case ".xml":
		return bytes.Contains(data, []byte(`<generator uri="https://github.com/patch-cat/patch-git">`))
	default:
		return bytes.Contains(data, []byte(`of <a href="https://github.com/patch-cat/patch-git">`))
	}
}

// folders are those in which all pages are the program's that it did not make
// this time are of tools, tags and people that are gone.
func folders() []string { return []string{"t", "by", "browse", "assets", "list"} }

// writer writes what differs from what is there. Many goroutines may write.
type writer struct {
	dir  string
	root *durable.Root

	mu     sync.Mutex
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
	w.count(func(r *Result) { r.Pages++ })
	return w.file(path, data)
}

func (w *writer) count(add func(*Result)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	add(&w.result)
}

func (w *writer) file(path string, data []byte) error {
	w.mu.Lock()
	w.made[path] = true
	w.mu.Unlock()
	err := w.root.Revise(path, limits.Document, 0o644, func(old []byte, err error) ([]byte, error) {
		switch {
		case err == nil && bytes.Equal(old, data):
			return nil, nil
		case err == nil && !own(path, old):
			return nil, foreign(w.dir, path)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, fault.New(fault.Usage, "foreign", "%s in %s cannot be replaced: %w", path, spec.Quote(w.dir), err).Hint("%s", elsewhere)
		}
		w.count(func(r *Result) { r.Written++ })
		return data, nil
	})
	if fault.ReasonOf(err) == "unsafe_path" { // a link or a file where a folder must be
		return fault.New(fault.Usage, "foreign", "%s in %s cannot be written: %w", path, spec.Quote(w.dir), err).Hint("%s", elsewhere)
	}
	return err
}

// flag makes an empty file whose name no path of a page may have.
func (w *writer) flag(name string) error {
	file := filepath.Join(w.dir, name)
	switch info, err := os.Lstat(file); {
	case errors.Is(err, fs.ErrNotExist):
		w.count(func(r *Result) { r.Written++ })
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

// sweep removes the pages of what is gone. A folder in which there is anything
// else is somebody's, and all that lies in it stays.
func (w *writer) sweep() error {
	for _, top := range folders() {
		if info, err := os.Lstat(filepath.Join(w.dir, top)); err != nil || !info.IsDir() {
			continue
		}
		if _, err := w.sweepFolder(top); err != nil {
			return err
		}
	}
	// The style lay there before it had a folder.
	if data, err := w.root.ReadFile("style.css", limits.Document); err == nil && own("style.css", data) {
		return w.remove("style.css")
	}
	return nil
}

// sweepFolder sweeps a folder and those in it, and tells whether it is gone.
func (w *writer) sweepFolder(folder string) (gone bool, err error) {
	dir := filepath.Join(w.dir, filepath.FromSlash(folder))
	list, err := os.ReadDir(dir)
	if err != nil {
		return false, durable.Classify("read folder", dir, err)
	}
	var old []string
	left := 0 // entries that stay
	mine := true
	for _, e := range list {
		at := folder + "/" + e.Name()
		switch {
		case e.IsDir():
			gone, err := w.sweepFolder(at)
			if err != nil {
				return false, err
			}
			if !gone {
				left++
			}
		case w.made[at]:
			left++
		default:
			data, err := w.root.ReadFile(at, limits.Document)
			if mine = mine && err == nil && own(at, data); mine {
				old = append(old, at)
			}
		}
	}
	if !mine {
		return false, nil
	}
	for _, at := range old {
		if err := w.remove(at); err != nil {
			return false, err
		}
	}
	// A folder that was empty before is somebody's.
	if left > 0 || len(list) == 0 {
		return false, nil
	}
	return true, durable.Classify("remove", dir, os.Remove(dir))
}

func (w *writer) remove(path string) error {
	file := filepath.Join(w.dir, filepath.FromSlash(path))
	w.result.Removed++
	return durable.Classify("remove", file, os.Remove(file))
}
