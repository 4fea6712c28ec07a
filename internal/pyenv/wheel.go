package pyenv

import (
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

const (
	maxPathBytes = 512
	maxPathDepth = 32
	maxPartBytes = 255
)

// Unpack puts the modules of a wheel into dest, an existing empty directory.
// Files come out with mode 0444, whatever the wheel says. Scripts, headers and
// data files are left out, because nothing may run or lie outside the
// environment; so is bytecode, which nobody has reviewed and which this
// program makes itself. RECORD is unpacked but not believed: the digest of the
// whole wheel, checked by the caller, says more.
//
// A wheel that is not safe to unpack is fault.NotVerified "wheel_unsafe"; dest
// then holds a part of it and is the caller's to remove.
func Unpack(wheel io.ReaderAt, size int64, dest string) error {
	entries, err := readArchive(wheel, size)
	if err != nil {
		return unsafeWheel(err)
	}
	root, err := os.OpenRoot(dest)
	if err != nil {
		return fmt.Errorf("unpack wheel: %w", err)
	}
	defer func() { _ = root.Close() }()

	// Every name is checked before anything is written, also of what is left
	// out afterwards.
	files := entries[:0]
	taken := claims{}
	for _, e := range entries {
		if err := checkName(e.name, e.dir); err != nil {
			return unsafeWheel(err)
		}
		target, keep := place(e.name)
		if e.dir || !keep {
			continue
		}
		if err := taken.claim(target); err != nil {
			return unsafeWheel(err)
		}
		e.target = target
		files = append(files, e)
	}
	return writeAll(root, wheel, files)
}

// unpackers bounds how many members of a wheel are unpacked at once.
const unpackers = 4

// writeAll unpacks the members, those of one directory one after the other.
func writeAll(root *os.Root, wheel io.ReaderAt, files []entry) error {
	var dirs [][]entry
	at := map[string]int{}
	for _, e := range files {
		dir := path.Dir(e.target)
		i, ok := at[dir]
		if !ok {
			i = len(dirs)
			at[dir], dirs = i, append(dirs, nil)
		}
		dirs[i] = append(dirs[i], e)
	}
	queue := make(chan []entry)
	done := make(chan struct{})
	var group sync.WaitGroup
	var once sync.Once
	var failed error
	for range min(unpackers, runtime.GOMAXPROCS(0), len(dirs)) {
		group.Go(func() {
			u := unpacker{buffer: make([]byte, 128<<10), inflate: flate.NewReader(nil)}
			for dir := range queue {
				if err := u.directory(root, wheel, dir); err != nil {
					once.Do(func() { failed = err; close(done) })
				}
			}
		})
	}
	for _, dir := range dirs {
		select {
		case queue <- dir:
		case <-done:
		}
	}
	close(queue)
	group.Wait()
	return failed
}

func unsafeWheel(err error) error {
	return fault.New(fault.NotVerified, "wheel_unsafe", "wheel is not safe to unpack: %w", err).
		Hint("report it to the registry: a release must not list such a wheel")
}

// checkName refuses every name that is not a plain relative path on all three
// systems, so that an environment means the same on each of them.
func checkName(name string, dir bool) error {
	quoted := spec.Quote(name)
	if dir {
		name = strings.TrimSuffix(name, "/")
	}
	parts := strings.Split(name, "/")
	if len(name) > maxPathBytes || len(parts) > maxPathDepth {
		return fmt.Errorf("member %s has too long a path", quoted)
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune(`\:*?"<>|`, r) }) {
		return fmt.Errorf("member %s has a character in its path that is not allowed", quoted)
	}
	for _, part := range parts {
		// A system that drops a final dot or space would see another name.
		if part == "" || part == "." || part == ".." || len(part) > maxPartBytes || strings.TrimRight(part, ". ") != part {
			return fmt.Errorf("member %s has a path that is not plain", quoted)
		}
		if device(part) {
			return fmt.Errorf("member %s is called like a device of Windows", quoted)
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("member %s lies outside of the wheel", quoted)
	}
	return nil
}

// device tells whether Windows takes a file name for one of its devices, in
// whatever folder and with whatever ending.
func device(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	switch stem = strings.ToUpper(strings.TrimRight(stem, " ")); stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port, ok := strings.CutPrefix(stem, "COM")
	if !ok {
		port, ok = strings.CutPrefix(stem, "LPT")
	}
	return ok && slices.Contains([]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "\u00b9", "\u00b2", "\u00b3"}, port)
}

// place tells where a member belongs below the environment's root, and whether
// it belongs there at all (binary distribution format, "The .data directory").
func place(name string) (target string, keep bool) {
	if first, rest, ok := strings.Cut(name, "/"); ok && strings.HasSuffix(strings.ToLower(first), ".data") {
		scheme, inside, ok := strings.Cut(rest, "/")
		if !ok || scheme != "purelib" && scheme != "platlib" {
			return "", false
		}
		name = inside
	}
	lower := strings.ToLower(name)
	for part := range strings.SplitSeq(lower, "/") {
		if part == "__pycache__" {
			return "", false
		}
	}
	return name, !strings.HasSuffix(lower, ".pyc") && !strings.HasSuffix(lower, ".pyo")
}

// node is a path that the wheel has claimed.
type node struct {
	name string
	dir  bool
}

// claims are the paths that a wheel has claimed, by case-folded path.
type claims map[string]node

// claim takes a path and the directories above it. Two spellings of one path,
// a path twice, and a file that is also a directory are refused: what they
// give depends on the file system.
func (c claims) claim(target string) error {
	for dir := path.Dir(target); dir != "."; dir = path.Dir(dir) {
		if err := c.take(dir, true); err != nil {
			return err
		}
	}
	return c.take(target, false)
}

func (c claims) take(name string, dir bool) error {
	key := fold(name)
	old, taken := c[key]
	switch {
	case !taken:
		c[key] = node{name, dir}
		return nil
	case old.name != name:
		return fmt.Errorf("members %s and %s differ only in case", spec.Quote(old.name), spec.Quote(name))
	case !dir || !old.dir:
		return fmt.Errorf("member %s occurs twice", spec.Quote(name))
	}
	return nil
}

// fold brings the spellings together that a file system may take for one.
func fold(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// unpacker writes files. Its parts are used again for every member: a wheel has
// thousands, mostly small.
type unpacker struct {
	buffer  []byte
	inflate io.ReadCloser
}

// directory unpacks the members of one directory, which is opened once: the
// way down to it costs as much as a small file.
func (u *unpacker) directory(root *os.Root, wheel io.ReaderAt, files []entry) error {
	if dir := path.Dir(files[0].target); dir != "." {
		native := filepath.FromSlash(dir)
		if err := root.MkdirAll(native, 0o755); err != nil {
			return fmt.Errorf("unpack wheel: %w", err)
		}
		sub, err := root.OpenRoot(native)
		if err != nil {
			return fmt.Errorf("unpack wheel: %w", err)
		}
		defer func() { _ = sub.Close() }()
		root = sub
	}
	for _, e := range files {
		if err := u.write(root, wheel, e); err != nil {
			return err
		}
	}
	return nil
}

// write unpacks one member and holds it to its declared size and CRC.
func (u *unpacker) write(dir *os.Root, wheel io.ReaderAt, e entry) error {
	f, err := dir.OpenFile(path.Base(e.target), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if errors.Is(err, os.ErrExist) {
		// Our folding knows fewer twins than this file system does.
		return unsafeWheel(fmt.Errorf("member %s has a twin on this file system", spec.Quote(e.name)))
	}
	if err != nil {
		return fmt.Errorf("unpack wheel: %w", err)
	}
	n, sum, err := u.copy(f, wheel, e)
	if err := errors.Join(err, f.Close()); err != nil {
		var damaged flate.CorruptInputError
		if errors.As(err, &damaged) || errors.Is(err, io.ErrUnexpectedEOF) {
			return unsafeWheel(fmt.Errorf("member %s is damaged", spec.Quote(e.name)))
		}
		return fmt.Errorf("unpack wheel: %w", err)
	}
	if n != e.size || sum != e.crc {
		return unsafeWheel(fmt.Errorf("member %s is not what its header promises", spec.Quote(e.name)))
	}
	return nil
}

// copy unpacks at most one byte more than declared.
func (u *unpacker) copy(w io.Writer, wheel io.ReaderAt, e entry) (int64, uint32, error) {
	var r io.Reader = io.NewSectionReader(wheel, e.data, e.packed)
	if e.method == methodDeflate {
		if err := u.inflate.(flate.Resetter).Reset(r, nil); err != nil {
			return 0, 0, err
		}
		r = u.inflate
	}
	sum := crc32.NewIEEE()
	n, err := io.CopyBuffer(io.MultiWriter(w, sum), io.LimitReader(r, min(e.size, limits.WheelContent)+1), u.buffer)
	return n, sum.Sum32(), err
}
