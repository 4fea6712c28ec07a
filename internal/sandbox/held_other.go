//go:build !linux

package sandbox

import (
	"errors"
	"io/fs"
	"os"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Held is a file or folder of the host that is to be given to a program. No
// driver of this system holds it against its Identity, because there is none.
type Held struct {
	path string
	dir  bool
}

// Hold looks at what a mount of path would show, and refuses a symbolic
// link and what is neither a file nor a folder.
func Hold(path string) (*Held, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Unavailable, "mount_source", "sandbox: %w", err)
	case err != nil:
		return nil, fault.New(fault.Denied, "mount_source", "sandbox: %w", err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, fault.New(fault.Denied, "mount_source", "sandbox: %s is neither a file nor a folder", spec.Quote(path))
	}
	return &Held{path, info.IsDir()}, nil
}

// Path is where the source was found.
func (h *Held) Path() string { return h.path }

// Is tells files from folders, and no more.
func (h *Held) Is() Identity {
	if h.dir {
		return Identity{Kind: 2}
	}
	return Identity{Kind: 1}
}

// Dir tells whether it is a folder.
func (h *Held) Dir() bool { return h.dir }

// Read opens the file that the source is.
func (h *Held) Read() (*os.File, error) { return os.Open(h.path) }

// Open opens a file or folder below the one that the source is, to be read.
func (h *Held) Open(rel string, _ bool) (*os.File, error) {
	return os.Open(h.path + string(os.PathSeparator) + rel)
}

// Make makes an empty file in the folder that the source is.
func (h *Held) Make(name string) (*Held, error) {
	path := h.path + string(os.PathSeparator) + name
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return &Held{path: path}, f.Close()
}

// Close does nothing here.
func (*Held) Close() error { return nil }

// Identify tells files from folders, and no more.
func Identify(path string) (Identity, error) {
	h, err := Hold(path)
	if err != nil {
		return Identity{}, err
	}
	return h.Is(), nil
}

// OfKernel is false: such a folder is given only by a driver of Linux.
func OfKernel(*os.File) bool { return false }
