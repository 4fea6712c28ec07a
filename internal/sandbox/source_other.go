//go:build !linux

package sandbox

import (
	"errors"
	"io/fs"
	"os"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Source is a file or folder of the host that is to be given to a program. No
// driver of this system holds it against its Identity, because there is none.
type Source struct {
	path string
	dir  bool
}

// OpenSource looks at what a mount of path would show, and refuses a symbolic
// link and what is neither a file nor a folder.
func OpenSource(path string) (*Source, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Unavailable, "mount_source", "sandbox: %w", err)
	case err != nil:
		return nil, fault.New(fault.Denied, "mount_source", "sandbox: %w", err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, fault.New(fault.Denied, "mount_source", "sandbox: %s is neither a file nor a folder", spec.Quote(path))
	}
	return &Source{path, info.IsDir()}, nil
}

// Path is where the source was found.
func (s *Source) Path() string { return s.path }

// Is tells files from folders, and no more.
func (s *Source) Is() Identity {
	if s.dir {
		return Identity{Kind: 2}
	}
	return Identity{Kind: 1}
}

// Dir tells whether it is a folder.
func (s *Source) Dir() bool { return s.dir }

// Read opens the file that the source is.
func (s *Source) Read() (*os.File, error) { return os.Open(s.path) }

// Open opens a file or folder below the one that the source is, to be read.
func (s *Source) Open(rel string, _ bool) (*os.File, error) {
	return os.Open(s.path + string(os.PathSeparator) + rel)
}

// Make makes an empty file in the folder that the source is.
func (s *Source) Make(name string) (*Source, error) {
	path := s.path + string(os.PathSeparator) + name
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return &Source{path: path}, f.Close()
}

// Close does nothing here.
func (*Source) Close() error { return nil }

// Identify tells files from folders, and no more.
func Identify(path string) (Identity, error) {
	s, err := OpenSource(path)
	if err != nil {
		return Identity{}, err
	}
	return s.Is(), nil
}

// OfKernel is false: such a folder is given only by a driver of Linux.
func OfKernel(*os.File) bool { return false }
