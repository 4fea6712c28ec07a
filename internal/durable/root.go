package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// treePerm is the mode of directories made below a Root, which holds what is
// published or checked out; private state lies below a 0700 directory anyway.
const treePerm = 0o755

// Root is a directory below which files are named by paths out of releases,
// that is, by strangers. Every path passes spec.CheckPath; no symbolic link is
// followed, whoever made it; and nothing outside the directory is reached even
// if somebody exchanges a directory for a link while we walk.
type Root struct{ root *os.Root }

// OpenRoot opens dir, making it when it is missing. The caller closes it.
func OpenRoot(dir string) (*Root, error) {
	d, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = MkdirAll(dir); err == nil {
			d, err = os.OpenRoot(dir)
		}
	}
	if err != nil {
		return nil, Classify("open directory", dir, err)
	}
	return &Root{d}, nil
}

// Close releases the directory; the Root is useless afterwards.
func (r *Root) Close() error { return r.root.Close() }

// WriteFile is the function [WriteFile] for a slash-separated path below r.
func (r *Root) WriteFile(rel string, data []byte, perm fs.FileMode) error {
	return r.in("write", rel, makeNow, func(d *os.Root, name string) error {
		return replace(d, name, data, perm, true)
	})
}

// Revise is the function [Replace] for a path below r and for who has to see
// first what is there: revise gets the
// bytes, of which there are at most max, or the error of reading them, and
// returns what is to be there instead; nil leaves it as it is. The way to the
// file is walked once for both. Directories that it makes may be lost by a power
// cut, as the file may.
func (r *Root) Revise(rel string, max int64, perm fs.FileMode, revise func(old []byte, err error) ([]byte, error)) error {
	return r.in("write", rel, makeSoon, func(d *os.Root, name string) error {
		data, err := revise(readIn(d, name, max))
		if err != nil || data == nil {
			return err
		}
		return replace(d, name, data, perm, false)
	})
}

// WriteImmutable is the function [WriteImmutable] for a path below r.
func (r *Root) WriteImmutable(rel string, data []byte, perm fs.FileMode) error {
	return r.in("write", rel, makeNow, func(d *os.Root, name string) error {
		return create(d, name, data, perm)
	})
}

// ReadFile is the function [ReadFileNoFollow] for a path below r.
func (r *Root) ReadFile(rel string, max int64) (b []byte, err error) {
	err = r.in("read", rel, makeNone, func(d *os.Root, name string) error {
		b, err = readIn(d, name, max)
		return err
	})
	return b, err
}

// WriteFiles writes all files, each atomically and durably, or none when the
// spelling of one path is refused. It is the caller who makes the set atomic,
// by writing last the file that says the others are there.
func (r *Root) WriteFiles(files []spec.File, perm fs.FileMode) error {
	if err := checkSet(files); err != nil {
		return err
	}
	dirs := map[string]string{} // directory -> one file in it
	for _, f := range files {
		err := r.in("write", f.Path, makeNow, func(d *os.Root, name string) error {
			tmp, err := writeTemp(d, f.Data, perm, true)
			if err != nil {
				return err
			}
			if err := rename(d, tmp, name); err != nil {
				_ = d.Remove(tmp)
				return err
			}
			return nil
		})
		if err != nil {
			return err
		}
		dirs[path.Dir(f.Path)] = f.Path
	}
	// One sync per directory instead of one per file.
	for _, rel := range dirs {
		if err := r.in("sync", rel, makeNone, func(d *os.Root, _ string) error { return syncRoot(d) }); err != nil {
			return err
		}
	}
	return nil
}

// checkSet refuses paths that are unsafe, or that name one file twice on a
// file system that ignores case, or that use one path as file and directory.
func checkSet(files []spec.File) error {
	taken := make(map[string]bool, len(files))
	for _, f := range files {
		if err := spec.CheckPath(f.Path); err != nil {
			return refused(err)
		}
		key := strings.ToLower(f.Path)
		if taken[key] {
			return refused(fmt.Errorf("path %s is there twice, up to upper and lower case", spec.Quote(f.Path)))
		}
		taken[key] = true
	}
	for _, f := range files {
		for dir := path.Dir(strings.ToLower(f.Path)); dir != "."; dir = path.Dir(dir) {
			if taken[dir] {
				return refused(fmt.Errorf("path %s lies below a path that is a file", spec.Quote(f.Path)))
			}
		}
	}
	return nil
}

// making says what becomes of directories that are missing on the way.
type making int

const (
	makeNone making = iota // they are an error
	makeSoon               // made, and on the disk when the system comes to it
	makeNow                // made durably
)

// in calls do with the directory that holds rel, which it walks to part by
// part, and the last part.
func (r *Root) in(verb, rel string, create making, do func(d *os.Root, name string) error) error {
	if err := spec.CheckPath(rel); err != nil {
		return refused(err)
	}
	full := filepath.Join(r.root.Name(), filepath.FromSlash(rel))
	d := r.root
	parts := strings.Split(rel, "/")
	for _, part := range parts[:len(parts)-1] {
		next, err := step(d, part, create)
		if d != r.root {
			_ = d.Close()
		}
		if err != nil {
			return Classify(verb, full, err)
		}
		d = next
	}
	if d != r.root {
		defer func() { _ = d.Close() }()
	}
	return Classify(verb, full, do(d, parts[len(parts)-1]))
}

// step opens the directory name in d, unless it is a symbolic link.
func step(d *os.Root, name string, create making) (*os.Root, error) {
	looked, err := d.Lstat(name)
	if create != makeNone && errors.Is(err, fs.ErrNotExist) {
		if err := d.Mkdir(name, treePerm); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if create == makeNow {
			if err := syncRoot(d); err != nil {
				return nil, err
			}
		}
		looked, err = d.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	where := filepath.Join(d.Name(), name)
	if !looked.IsDir() {
		return nil, refused(fmt.Errorf("%s is a link or a file where a directory must be", spec.Quote(where)))
	}
	next, err := d.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := next.Stat(".")
	if err == nil && !os.SameFile(looked, opened) {
		err = refused(fmt.Errorf("%s was exchanged while it was opened", spec.Quote(where)))
	}
	if err != nil {
		_ = next.Close()
		return nil, err
	}
	return next, nil
}

// refused marks a path that must not be used.
func refused(err error) error { return fault.New(fault.Findings, "unsafe_path", "%w", err) }
