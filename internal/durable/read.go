package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/patch-cat/patch-git/internal/fault"
)

const (
	reasonTooLarge   = "too_large"
	reasonNotRegular = "not_regular"
)

// ReadFile returns the content of the regular file at path, following symbolic
// links. More than max bytes, even if they arrive while reading, is an error
// of kind Findings and reason "too_large"; a directory, pipe, socket or device
// one of reason "not_regular". A missing file is fs.ErrNotExist for errors.Is.
func ReadFile(path string, max int64) ([]byte, error) {
	// Non-blocking, because opening a pipe would wait for a writer for ever.
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, Classify("read", path, err)
	}
	defer func() { _ = f.Close() }()
	b, err := readCapped(f, path, max)
	return b, Classify("read", path, err)
}

// ReadFileNoFollow is [ReadFile] for files that we wrote ourselves: a symbolic
// link at the last part of path is "not_regular".
func ReadFileNoFollow(path string, max int64) ([]byte, error) {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	if name == "" || name == "." || name == ".." {
		return nil, notRegular(path)
	}
	d, err := os.OpenRoot(dir)
	if err != nil {
		return nil, Classify("read", path, err)
	}
	defer func() { _ = d.Close() }()
	b, err := readIn(d, name, max)
	return b, Classify("read", path, err)
}

// swapTries bounds how often readIn starts again because the file was replaced
// between looking and opening; only a writer in a tight loop needs a second.
const swapTries = 100

// readIn reads name below d and refuses a symbolic link there. What was opened
// must be what was looked at: a link slipped in between is another file.
func readIn(d *os.Root, name string, max int64) ([]byte, error) {
	path := filepath.Join(d.Name(), name)
	for range swapTries {
		looked, err := d.Lstat(name)
		if err != nil {
			return nil, err
		}
		if !looked.Mode().IsRegular() {
			return nil, notRegular(path)
		}
		f, err := d.OpenFile(name, os.O_RDONLY|openNonblock, 0)
		if err != nil {
			return nil, err
		}
		opened, err := f.Stat()
		if err == nil && !os.SameFile(looked, opened) {
			_ = f.Close()
			continue
		}
		var b []byte
		if err == nil {
			b, err = readCapped(f, path, max)
		}
		_ = f.Close()
		return b, err
	}
	return nil, fault.New(fault.Unavailable, "busy", "%s is replaced faster than it can be read", strconv.Quote(path))
}

// readCapped reads an open file to its end, or to max and no further.
func readCapped(f *os.File, path string, max int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular(path)
	}
	if info.Size() > max {
		return nil, tooLarge(path, max)
	}
	// The size is a guess: /proc says 0, a growing file too little. One byte
	// more than the guess finds the end without a second allocation.
	b := make([]byte, 0, info.Size()+1)
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > max:
			return nil, tooLarge(path, max)
		case err == io.EOF:
			return b, nil
		case err != nil:
			return nil, err
		}
	}
}

func notRegular(path string) error {
	return fault.New(fault.Findings, reasonNotRegular, "%s is not a regular file", strconv.Quote(path))
}

func tooLarge(path string, max int64) error {
	return fault.New(fault.Findings, reasonTooLarge, "%s is larger than %d bytes", strconv.Quote(path), max)
}

// exists reports whether err says that there is something at the name.
func exists(err error) bool { return err == nil || !errors.Is(err, fs.ErrNotExist) }
