package durable

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// tempPrefix begins the name of every temporary file. The rest is random, not
// the final name, so that a long final name does not overflow the system's
// limit; the dot keeps it out of listings and of spec.CheckPath.
const (
	tempPrefix = ".patch-tmp-"
	tempRandom = 26 // characters of crypto/rand.Text
)

// IsTemp tells whether a file name is one of this package's temporary files.
// Code that lists a directory ignores them.
func IsTemp(name string) bool {
	random, ok := strings.CutPrefix(name, tempPrefix)
	return ok && len(random) == tempRandom && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// writeTemp makes a new temporary file with data and returns its name. On an
// error nothing of it remains.
func writeTemp(d *os.Root, data []byte, perm fs.FileMode, sync bool) (name string, err error) {
	name = tempPrefix + rand.Text()
	f, err := d.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm.Perm())
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil && sync {
		err = f.Sync()
	}
	// A disk that fills, or a network mount, can report the failure at close.
	if err = errors.Join(err, f.Close()); err != nil {
		_ = d.Remove(name)
		return "", err
	}
	return name, nil
}

// Sweep deletes temporary files in dir, not below it, whose last change is
// more than olderThan before now, and returns how many. A killed writer leaves
// such files. olderThan must exceed the longest write: a writer whose file is
// swept from under it fails, though it damages nothing. A missing dir is fine.
func Sweep(dir string, olderThan time.Duration, now time.Time) (int, error) {
	d, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, Classify("sweep", dir, err)
	}
	defer func() { _ = d.Close() }()
	list, err := fs.ReadDir(d.FS(), ".")
	if err != nil {
		return 0, Classify("sweep", dir, err)
	}
	var n int
	var errs []error
	for _, e := range list {
		if !IsTemp(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || now.Sub(info.ModTime()) <= olderThan {
			continue // gone in the meantime, not ours, or in use
		}
		if err := d.Remove(e.Name()); err == nil {
			n++
		} else if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, Classify("sweep", filepath.Join(dir, e.Name()), err))
		}
	}
	return n, errors.Join(errs...)
}
