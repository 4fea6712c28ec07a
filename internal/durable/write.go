package durable

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/patch-cat/patch-git/internal/fault"
)

// dirPerm is the mode of directories that a write has to make on its way.
const dirPerm = 0o700

// WriteFile makes data the whole content of the file at path, durably: when it
// returns nil, the content survives a power cut; when it does not, the old
// content is untouched. Missing directories are made with mode 0700. perm is
// subject to the umask. A symbolic link at path is replaced, not followed.
//
// Errors are *fault.Error of kind Unavailable with reason "disk_full",
// "read_only" or "no_permission" where one of these is the cause.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	return withDir(path, func(d *os.Root, name string) error {
		return replace(d, name, data, perm, true)
	})
}

// Replace is [WriteFile] without any fsync: as atomic for every reader and
// against kill -9, but after a power cut the file can be empty or missing. It
// is for what can be rebuilt or is checked against a digest when it is read.
func Replace(path string, data []byte, perm fs.FileMode) error {
	return withDir(path, func(d *os.Root, name string) error {
		return replace(d, name, data, perm, false)
	})
}

// WriteImmutable writes an object that never changes. The same bytes already
// there are success without a write; other bytes, or something that is not a
// regular file, are an error of kind NotVerified and reason "immutable", and
// stay as they are. Of two writers with different bytes exactly one wins.
func WriteImmutable(path string, data []byte, perm fs.FileMode) error {
	return withDir(path, func(d *os.Root, name string) error {
		return create(d, name, data, perm)
	})
}

// withDir opens the directory of path, making it only when it is missing so
// that the usual write costs no look at its parents.
func withDir(path string, do func(d *os.Root, name string) error) error {
	dir, name := filepath.Split(path)
	if name == "" || name == "." || name == ".." {
		return fault.New(fault.Internal, "bad_path", "write %s: not the name of a file", strconv.Quote(path))
	}
	if dir == "" {
		dir = "."
	}
	d, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = MkdirAll(dir); err == nil {
			d, err = os.OpenRoot(dir)
		}
	}
	if err != nil {
		return Classify("write", path, err)
	}
	defer func() { _ = d.Close() }()
	return Classify("write", path, do(d, name))
}

// replace writes a temporary file and renames it over name.
func replace(d *os.Root, name string, data []byte, perm fs.FileMode, sync bool) error {
	tmp, err := writeTemp(d, data, perm, sync)
	if err != nil {
		return err
	}
	if err := rename(d, tmp, name); err != nil {
		_ = d.Remove(tmp)
		return err
	}
	if !sync {
		return nil
	}
	return syncRoot(d)
}

// create makes name with data unless it exists. A hard link, unlike a rename,
// fails when the name is taken, which is what lets one of two writers win.
func create(d *os.Root, name string, data []byte, perm fs.FileMode) error {
	if err := compare(d, name, data); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	tmp, err := writeTemp(d, data, perm, true)
	if err != nil {
		return err
	}
	err = d.Link(tmp, name)
	switch {
	case err == nil:
		// A crash here leaves a second name for the same file, for Sweep.
		_ = d.Remove(tmp)
		return syncRoot(d)
	case errors.Is(err, fs.ErrExist):
		_ = d.Remove(tmp)
		return compare(d, name, data)
	}
	// The file system has no hard links (FAT, some network mounts). A rename
	// could replace what another process made since the look below; with
	// content-addressed names that is the same content.
	if _, err := d.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		_ = d.Remove(tmp)
		return errors.Join(err, compare(d, name, data))
	}
	if err := rename(d, tmp, name); err != nil {
		_ = d.Remove(tmp)
		return err
	}
	return syncRoot(d)
}

// compare returns nil when name holds exactly data, fs.ErrNotExist when there
// is nothing, and an "immutable" fault otherwise.
func compare(d *os.Root, name string, data []byte) error {
	old, err := readIn(d, name, int64(len(data)))
	switch {
	case err == nil && bytes.Equal(old, data):
		return nil
	case err == nil, fault.ReasonOf(err) == reasonTooLarge, fault.ReasonOf(err) == reasonNotRegular:
		file := strconv.Quote(filepath.Join(d.Name(), name))
		return fault.New(fault.NotVerified, "immutable", "%s exists with other content and must never change", file).
			Hint("look at %s: something else wrote or damaged it", file)
	}
	return err
}

// MkdirAll makes a directory and its missing parents, mode 0700, durably.
func MkdirAll(dir string) error {
	dir = filepath.Clean(dir)
	var missing []string
	for p := dir; ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); !errors.Is(err, fs.ErrNotExist) || p == filepath.Dir(p) {
			break
		}
		missing = append(missing, p)
	}
	if err := os.MkdirAll(dir, dirPerm); err != nil {
		return Classify("make directory", dir, err)
	}
	for _, p := range missing {
		if err := SyncDir(filepath.Dir(p)); err != nil {
			return err
		}
	}
	return nil
}

// SyncDir makes the names in a directory durable. Where the system has no such
// call (Windows journals names by itself) it does nothing.
func SyncDir(dir string) error {
	d, err := os.OpenRoot(dir)
	if err != nil {
		return Classify("sync", dir, err)
	}
	defer func() { _ = d.Close() }()
	return Classify("sync", dir, syncRoot(d))
}
