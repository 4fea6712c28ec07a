package standalone

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Top is the folder that everything in an archive lies below.
const Top = "python"

const (
	maxPathBytes = 512
	maxPathDepth = 32
	maxPartBytes = 255
)

// Options says how to unpack.
type Options struct {
	// Bytecode keeps what the archive has of it. Only of an archive that this
	// program was built with is it wanted; else it is made anew.
	Bytecode bool
}

// Unpack puts a build out of its archive (tar in gzip, everything below
// "python/") into dest, an existing empty directory, without that first
// folder and without what [Kept] leaves out.
//
// Out come plain files, mode 0755 or 0644, directories, and symbolic links
// that are relative and lead to something in dest. A hard link becomes a
// second name of an earlier file. An archive with anything else is
// fault.NotVerified "python_unsafe"; what the file system refuses keeps its
// *fs.PathError. After an error dest holds a part and is the caller's to
// remove.
func Unpack(archive io.Reader, dest string, o Options) error {
	return unpack(archive, dest, o, limits.PythonContent)
}

func unpack(archive io.Reader, dest string, o Options, most int64) error {
	root, err := os.OpenRoot(dest)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	packed, err := gzip.NewReader(archive)
	if err != nil {
		return unsafeArchive(err)
	}
	u := unpacker{root: root, options: o, content: &io.LimitedReader{R: packed, N: most}, nodes: map[string]node{}, buffer: make([]byte, 64*limits.KiB)}
	u.archive = tar.NewReader(u.content)
	if err := u.all(); err != nil {
		return u.classify(err)
	}
	// What follows the end of the tar: its padding, and the checksum of gzip,
	// which is compared when the end is reached.
	if _, err := io.Copy(io.Discard, u.content); err != nil {
		return u.classify(err)
	}
	if u.content.N <= 0 {
		return u.classify(io.ErrUnexpectedEOF)
	}
	return nil
}

// node is what a path has become.
type node int

const (
	nothing node = iota // left out
	directory
	file
	link
)

type unpacker struct {
	root    *os.Root
	options Options
	content *io.LimitedReader
	archive *tar.Reader
	nodes   map[string]node
	links   []symlink
	buffer  []byte
}

// symlink waits until all files are there, so that none is written through it.
type symlink struct{ name, target string }

// classify calls whatever is not the file system's doing unsafe.
func (u *unpacker) classify(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path), errors.As(err, &link):
		return err
	case u.content.N <= 0:
		return unsafeArchive(errors.New("it unpacks to more than is allowed"))
	}
	return unsafeArchive(err)
}

func unsafeArchive(err error) error {
	return fault.New(fault.NotVerified, "python_unsafe", "the archive of the interpreter is not safe to unpack: %w", err)
}

func (u *unpacker) all() error {
	for n := 0; ; n++ {
		h, err := u.archive.Next()
		if errors.Is(err, io.EOF) {
			return u.link()
		}
		if err != nil {
			return err
		}
		if n >= limits.PythonMembers {
			return fmt.Errorf("it has more than %d members", limits.PythonMembers)
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			continue // a remark about the whole archive
		}
		if err := u.member(h); err != nil {
			return err
		}
	}
}

func (u *unpacker) member(h *tar.Header) error {
	whole := strings.TrimSuffix(h.Name, "/")
	if err := checkName(whole); err != nil {
		return err
	}
	quoted := spec.Quote(h.Name)
	if whole == Top && h.Typeflag == tar.TypeDir {
		return nil
	}
	name, inside := strings.CutPrefix(whole, Top+"/")
	if !inside {
		return fmt.Errorf("member %s lies outside of the folder %s", quoted, Top)
	}
	if _, twice := u.nodes[name]; twice && h.Typeflag != tar.TypeDir {
		return fmt.Errorf("member %s occurs twice", quoted)
	}
	keep := Kept(name) && (u.options.Bytecode || !bytecode(name))
	switch h.Typeflag {
	case tar.TypeDir:
		if !keep {
			return nil
		}
		return u.directories(name)
	case tar.TypeReg, tar.TypeSymlink, tar.TypeLink:
	default:
		return fmt.Errorf("member %s is a device or another special file", quoted)
	}
	if !keep {
		u.nodes[name] = nothing
		return nil
	}
	if err := u.directories(path.Dir(name)); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeSymlink:
		u.nodes[name] = link
		u.links = append(u.links, symlink{name, h.Linkname})
		return nil
	case tar.TypeLink:
		return u.second(name, h.Linkname)
	}
	u.nodes[name] = file
	return u.write(name, h)
}

// directories makes a directory and those above it. Something else in its
// place is refused: no file is written through a link.
func (u *unpacker) directories(name string) error {
	made := u.nodes[name] == directory
	for part := name; part != "."; part = path.Dir(part) {
		if kind, taken := u.nodes[part]; taken && kind != directory {
			return fmt.Errorf("member %s is a folder and something else", spec.Quote(part))
		}
		u.nodes[part] = directory
	}
	if made || name == "." {
		return nil
	}
	return u.root.MkdirAll(filepath.FromSlash(name), 0o755)
}

func (u *unpacker) write(name string, h *tar.Header) error {
	mode := fs.FileMode(0o644)
	if h.Mode&0o111 != 0 {
		mode = 0o755
	}
	f, err := u.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("member %s has a twin on this file system", spec.Quote(name))
	}
	if err != nil {
		return err
	}
	// More than the archive may have in all ends the copy, whatever the header
	// says.
	_, err = io.CopyBuffer(struct{ io.Writer }{f}, u.archive, u.buffer)
	return errors.Join(err, f.Close())
}

// second gives a file that is there another name.
func (u *unpacker) second(name, target string) error {
	old, inside := strings.CutPrefix(target, Top+"/")
	if !inside || u.nodes[old] != file {
		return fmt.Errorf("member %s is a hard link to %s, which is no file before it", spec.Quote(name), spec.Quote(target))
	}
	u.nodes[name] = file
	return u.root.Link(filepath.FromSlash(old), filepath.FromSlash(name))
}

// link makes the symbolic links. One to what was left out is left out too.
func (u *unpacker) link() error {
	for _, l := range u.links {
		to := path.Join(path.Dir(l.name), l.target)
		if l.target == "" || path.IsAbs(l.target) || strings.ContainsAny(l.target, "\\:") || !filepath.IsLocal(filepath.FromSlash(to)) {
			return fmt.Errorf("member %s is a link to %s, which is not inside", spec.Quote(l.name), spec.Quote(l.target))
		}
		kind, known := u.nodes[to]
		switch {
		case known && kind == nothing, !known && !Kept(to):
			continue
		case !known:
			return fmt.Errorf("member %s is a link to %s, which is not there", spec.Quote(l.name), spec.Quote(l.target))
		}
		if err := u.root.Symlink(filepath.FromSlash(l.target), filepath.FromSlash(l.name)); err != nil {
			return err
		}
	}
	// Each link alone stays inside; a circle of them leads nowhere, and so does
	// a way through a link whose folder the text of the next one does not know.
	for _, l := range u.links {
		if _, err := u.root.Lstat(filepath.FromSlash(l.name)); err != nil {
			continue // left out
		}
		if _, err := u.root.Stat(filepath.FromSlash(l.name)); err != nil {
			return fmt.Errorf("member %s is a link that leads nowhere", spec.Quote(l.name))
		}
	}
	return nil
}

// checkName refuses every name that is not a plain relative path.
func checkName(name string) error {
	quoted := spec.Quote(name)
	parts := strings.Split(name, "/")
	if len(name) > maxPathBytes || len(parts) > maxPathDepth || !utf8.ValidString(name) {
		return fmt.Errorf("member %s has too long a path, or one that is not text", quoted)
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == ':' }) {
		return fmt.Errorf("member %s has a character in its path that is not allowed", quoted)
	}
	for _, part := range parts {
		if part == "" || part == "." || part == ".." || len(part) > maxPartBytes {
			return fmt.Errorf("member %s has a path that is not plain", quoted)
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("member %s lies outside of the archive", quoted)
	}
	return nil
}
