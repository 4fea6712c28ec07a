package aihost

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// The reasons for leaving a file alone.
const (
	reasonDamaged = "host_file_damaged" // it is not what the host reads
	reasonForeign = "host_file_foreign" // it is somebody else's, or elsewhere
	reasonBusy    = "host_file_busy"    // it changes all the time
)

// file is a configuration file as it was when it was read.
type file struct {
	named string // as the host calls it
	real  string // where it lies, past symbolic links
	text  string
	there bool
	mode  fs.FileMode
}

// open reads a file, which may be missing. within is the folder that it must be in,
// past symbolic links: a project can come from anybody, and so can a link in it.
func open(named, within string) (file, error) {
	f := file{named: named, real: named, mode: 0o600}
	if within != "" {
		f.mode = 0o644
	}
	var err error
	if f.real, err = resolve(named); err != nil {
		return f, err
	}
	if within != "" {
		root, err := filepath.EvalSymlinks(within)
		if err != nil {
			return f, durable.Classify("open", within, err)
		}
		if rel, err := filepath.Rel(root, f.real); err != nil || !filepath.IsLocal(rel) {
			return f, fault.New(fault.Denied, reasonForeign, "%s is a link to %s, outside of the project", spec.Quote(named), spec.Quote(f.real)).
				Hint("look who made that link, and remove it")
		}
	}
	info, err := os.Lstat(f.real)
	if errors.Is(err, fs.ErrNotExist) {
		if within == "" && foreignFolder(f.real) {
			return f, f.foreign()
		}
		return f, nil
	}
	if err != nil {
		return f, durable.Classify("read", f.real, err)
	}
	if !info.Mode().IsRegular() {
		return f, damaged(f.named, errors.New("it is not a regular file"))
	}
	if foreign(info) {
		return f, f.foreign()
	}
	data, err := durable.ReadFileNoFollow(f.real, limits.HostFile)
	if fault.KindOf(err) == fault.Findings {
		return f, damaged(f.named, err)
	}
	if err != nil {
		return f, err
	}
	if !utf8.Valid(data) {
		return f, damaged(f.named, errors.New("it is not UTF-8"))
	}
	f.text, f.there, f.mode = string(data), true, info.Mode().Perm()
	return f, nil
}

func (f file) foreign() error {
	return fault.New(fault.Denied, reasonForeign, "%s belongs to another user", spec.Quote(f.real)).
		Hint("run this as the user who starts the host")
}

// foreignFolder tells whether what a new file would be made in is another user's.
func foreignFolder(path string) bool {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			return err == nil && foreign(info)
		}
	}
}

// resolve follows symbolic links. Of a file that is missing the folder is resolved,
// as far as it is there; a link to nothing is refused, because what would be made
// at its end was meant by nobody.
func resolve(named string) (string, error) {
	real, err := filepath.EvalSymlinks(named)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", durable.Classify("open", named, err)
	}
	if info, err := os.Lstat(named); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", damaged(named, errors.New("it is a link to nothing"))
	}
	dir, name := filepath.Split(named)
	dir = filepath.Clean(dir)
	if dir == named || name == "" {
		return named, nil
	}
	if dir, err = resolve(dir); err != nil {
		return "", err
	}
	return filepath.Join(dir, name), nil
}

func damaged(named string, err error) error {
	return fault.New(fault.Findings, reasonDamaged, "%s cannot be changed: %w", spec.Quote(named), err).
		Hint("mend it by hand; nothing was changed")
}

// errChanged says that a file is another one than was read.
var errChanged = errors.New("it changed")

// replace writes the file anew, or takes it away where the new content is nil, if it
// is still what was read. Between the look and the write there is a moment in which
// a host can write too; nothing that hosts know would close it.
func (f file) replace(text *string) error {
	now, err := open(f.named, "")
	if err != nil {
		return err
	}
	if now.real != f.real || now.there != f.there || now.text != f.text {
		return errChanged
	}
	if text == nil {
		return durable.Classify("remove", f.real, os.Remove(f.real))
	}
	if err := durable.WriteFile(f.real, []byte(*text), f.mode); err != nil {
		return err
	}
	if f.there { // what the umask took away
		return durable.Classify("change the mode of", f.real, os.Chmod(f.real, f.mode))
	}
	return nil
}

// folder tells whether the folder of a file is there, which a host makes at its
// first start.
func folder(named string) bool {
	info, err := os.Stat(filepath.Dir(named))
	return err == nil && info.IsDir()
}

// short is text as it is told of a change: without the line breaks around it.
func short(text string) string { return strings.Trim(text, "\r\n") }
