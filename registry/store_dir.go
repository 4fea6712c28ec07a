package registry

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Modes of what a Dir makes: a published tree is there to be read by others.
const (
	treeDirPerm  = 0o755
	treeFilePerm = 0o644
)

// Dir is a store in a folder, which is the v1/ folder of the tree. A tree that
// was copied or checked out may come from a stranger, so no symbolic link
// below the folder is followed and only regular files are read.
type Dir struct{ dir string }

// OpenDir returns the store in dir, which is made by the first write.
func OpenDir(dir string) *Dir { return &Dir{filepath.Clean(dir)} }

// Path is the folder of the store.
func (d *Dir) Path() string { return d.dir }

// Refresh returns the store itself, which has no caches.
func (d *Dir) Refresh() Source { return d }

// Location is the folder.
func (d *Dir) Location() string { return d.dir }

func (d *Dir) Read(ctx context.Context, path string, max int64) ([]byte, error) {
	if err := checkRead(ctx, path); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return nil, d.fail("read", path, err)
	}
	defer func() { _ = root.Close() }()
	looked, err := lookUp(root, path)
	if err != nil {
		return nil, d.fail("read", path, err)
	}
	f, err := root.Open(filepath.FromSlash(path))
	if err != nil {
		return nil, d.fail("read", path, err)
	}
	defer func() { _ = f.Close() }()
	// What was opened must be what was looked at, or a link slipped in between.
	if opened, err := f.Stat(); err != nil || !os.SameFile(looked, opened) {
		return nil, d.fail("read", path, errors.Join(err, fault.New(fault.Unavailable, "busy", "%s changed while it was opened", path)))
	}
	data := make([]byte, 0, min(looked.Size(), max)+1)
	data, err = readCapped(f, data, max)
	if errors.Is(err, errTooLarge) {
		return nil, tooLarge(path, max)
	}
	if err != nil {
		return nil, d.fail("read", path, err)
	}
	return data, nil
}

func (d *Dir) Write(ctx context.Context, path string, data []byte, lasting bool) error {
	if err := checkRead(ctx, path); err != nil {
		return err
	}
	if err := d.prepare(path, lasting); err != nil {
		return d.fail("write", path, err)
	}
	write := durable.Replace
	if lasting {
		write = durable.WriteFile
	}
	return write(d.file(path), data, treeFilePerm)
}

// prepare makes the folders above a file and refuses links among them. After
// it the file is written by its full name: whoever can exchange a folder for a
// link in that moment can write the tree anyway.
func (d *Dir) prepare(file string, lasting bool) error {
	root, err := os.OpenRoot(d.dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(d.dir, treeDirPerm); err != nil {
			return err
		}
		root, err = os.OpenRoot(d.dir)
	}
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	var made []string
	for dir := range parents(file) {
		info, err := root.Lstat(filepath.FromSlash(dir))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := root.Mkdir(filepath.FromSlash(dir), treeDirPerm); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			made = append(made, path.Dir(dir))
		case err != nil:
			return err
		case !info.IsDir():
			return notRegular(dir)
		}
	}
	if !lasting {
		return nil
	}
	for _, dir := range made {
		if err := durable.SyncDir(d.file(dir)); err != nil {
			return err
		}
	}
	return nil
}

// Remove deletes a file, but nothing behind a link and nothing that is no file.
// Folders stay, also empty ones.
func (d *Dir) Remove(ctx context.Context, path string) error {
	if err := checkRead(ctx, path); err != nil {
		return err
	}
	root, err := os.OpenRoot(d.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return d.fail("open", "", err)
	}
	defer func() { _ = root.Close() }()
	switch _, err := lookUp(root, path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return d.fail("remove", path, err)
	}
	if err := root.Remove(filepath.FromSlash(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return d.fail("remove", path, err)
	}
	return nil
}

// Prune removes the empty folders below dir. Nobody may write there meanwhile.
func (d *Dir) Prune(ctx context.Context, dir string) error {
	if err := checkRead(ctx, dir); err != nil {
		return err
	}
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return d.fail("open", "", err)
	}
	defer func() { _ = root.Close() }()
	var folders []string
	err = fs.WalkDir(root.FS(), dir, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && p != dir {
			folders = append(folders, p)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return d.fail("list", dir, err)
	}
	for _, p := range slices.Backward(folders) {
		_ = root.Remove(p) // one that is not empty stays
	}
	return nil
}

// List returns the paths of the regular files below dir, sorted, without those
// that a write left unfinished.
func (d *Dir) List(ctx context.Context, dir string) ([]string, error) {
	if err := checkRead(ctx, dir); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(d.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, d.fail("open", "", err)
	}
	defer func() { _ = root.Close() }()
	if _, err := lookUp(root, path.Join(dir, "x")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, d.fail("list", dir, err) // a link stands where a folder must be
	}
	var out []string
	err = fs.WalkDir(root.FS(), dir, func(p string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // never there, or just removed
			return nil
		case err != nil:
			return err
		case e.Type().IsRegular() && !durable.IsTemp(e.Name()):
			out = append(out, p)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, d.fail("list", dir, err)
	}
	slices.Sort(out)
	return out, nil
}

func (d *Dir) file(path string) string { return filepath.Join(d.dir, filepath.FromSlash(path)) }

// fail adds what was tried to an error. Absence keeps its meaning, and what is
// not classified is Unavailable: the folder could not tell.
func (d *Dir) fail(verb, path string, err error) error {
	var known *fault.Error
	switch {
	case errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return absent(path)
	}
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		err = inner.Err
	}
	return fault.New(fault.Unavailable, "directory", "%s %s: %w", verb, spec.Quote(d.file(path)), err)
}

// lookUp returns the file at path and refuses links on the way and whatever is
// not a regular file at its end.
func lookUp(root *os.Root, path string) (fs.FileInfo, error) {
	for dir := range parents(path) {
		switch info, err := root.Lstat(filepath.FromSlash(dir)); {
		case err != nil:
			return nil, err
		case !info.IsDir():
			return nil, notRegular(dir)
		}
	}
	info, err := root.Lstat(filepath.FromSlash(path))
	if err == nil && !info.Mode().IsRegular() {
		err = notRegular(path)
	}
	return info, err
}

// parents yields a, a/b and a/b/c for a/b/c/file.
func parents(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range len(path) {
			if path[i] == '/' && !yield(path[:i]) {
				return
			}
		}
	}
}

var errTooLarge = errors.New("more bytes than allowed")

// readCapped appends all of r to data, or fails with errTooLarge as soon as
// there are more than max bytes, whatever size was announced.
func readCapped(r io.Reader, data []byte, max int64) ([]byte, error) {
	for {
		if len(data) == cap(data) {
			data = slices.Grow(data, 1)
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > max:
			return nil, errTooLarge
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		}
	}
}
