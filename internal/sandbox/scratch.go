//go:build unix

package sandbox

import (
	"cmp"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/patch-cat/patch-git/internal/fault"
)

// nobody is the host's user without rights, whose number every Linux agrees on.
const nobody = 65534

// scratchPrefix begins the names of scratch directories.
const scratchPrefix = "patch-git-run-"

// scratch is the private directory of one run on the host's own file system,
// for drivers that have no memory of their own to put it in. The open handle
// carries a lock for as long as the run's caller lives; a directory without
// one was left behind by a caller that was killed.
type scratch struct {
	dir    string
	uid    int         // whose it is
	handle *os.File    // the directory, locked
	info   os.FileInfo // which directory it is, whatever the name leads to later
}

// newScratch makes the directory below temp, for uid, and clears what others
// left behind.
func newScratch(temp string, uid int) (*scratch, error) {
	temp = path.Clean(cmp.Or(temp, "/tmp"))
	sweep(temp)
	var s *scratch
	var err error
	// Somebody else's sweep may come between the making and the locking.
	for range 10 {
		var dir string
		if dir, err = os.MkdirTemp(temp, scratchPrefix); err != nil {
			break
		}
		if s, err = claim(dir, uid); err == nil {
			break
		}
		_ = os.Remove(dir)
	}
	if err == nil && uid != os.Getuid() {
		if err = s.handle.Chown(uid, uid); err != nil {
			s.remove()
		}
	}
	if err != nil {
		return nil, fault.New(fault.Unavailable, "scratch", "make scratch directory: %w", err)
	}
	return s, nil
}

// claim locks a directory and sees that its name still leads to it.
func claim(dir string, uid int) (*scratch, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	s := &scratch{dir: dir, uid: uid, handle: f}
	if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		s.info, err = f.Stat()
	}
	var named os.FileInfo
	if err == nil {
		named, err = os.Lstat(dir)
	}
	if err == nil && !os.SameFile(named, s.info) {
		err = os.ErrNotExist
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return s, nil
}

// sweep removes the directories of callers that are dead. It looks at those
// that this user, or root for its nobody, could have made.
func sweep(temp string) {
	entries, _ := os.ReadDir(temp)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), scratchPrefix) {
			continue
		}
		s, err := claim(path.Join(temp, e.Name()), os.Getuid())
		if err != nil {
			continue
		}
		st, ok := s.info.Sys().(*syscall.Stat_t)
		if owner := int(st.Uid); ok && (owner == os.Getuid() || (os.Getuid() == 0 && owner == nobody)) {
			s.remove()
			continue
		}
		_ = s.handle.Close()
	}
}

// fill writes the files, before anyone else can enter the directory.
func (s *scratch) fill(files []File) error {
	for _, f := range files {
		if err := s.put(f); err != nil {
			return fault.New(fault.Unavailable, "scratch", "write to scratch directory: %w", err)
		}
	}
	return nil
}

func (s *scratch) put(f File) error {
	mode := f.Mode.Perm()
	if mode == 0 {
		mode = 0o444
	}
	if err := os.MkdirAll(path.Dir(f.Target), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(f.Target, f.Data, mode); err != nil {
		return err
	}
	for p := f.Target; p != s.dir && below(p, s.dir) && s.uid != os.Getuid(); p = path.Dir(p) {
		if err := os.Lchown(p, s.uid, s.uid); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes the directory whatever the run left in it.
func (s *scratch) remove() {
	defer func() { _ = s.handle.Close() }() // last, for the lock
	_ = s.handle.Chmod(0o700)
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	// Who owns the directory could have put a link in its place, and another
	// directory would be emptied.
	if at, err := root.Stat("."); err != nil || !os.SameFile(at, s.info) {
		return
	}
	h := heap{root: root, dirs: []string{"."}}
	for len(h.dirs) > 0 {
		dir := h.dirs[len(h.dirs)-1]
		h.dirs = h.dirs[:len(h.dirs)-1]
		h.empty(dir)
	}
	_ = os.Remove(s.dir)
}

// heap takes a hostile tree apart. A tool can nest directories deeper than
// there are descriptors or path names, or take away the right to enter them;
// so each one is opened up, its files are deleted, and its subdirectories are
// moved to the top, where they wait for their turn.
type heap struct {
	root  *os.Root
	dirs  []string // at most two levels deep, still to be emptied
	moved int
}

func (h *heap) empty(dir string) {
	f, err := h.root.Open(dir)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	for err == nil {
		var entries []os.DirEntry
		entries, err = f.ReadDir(256)
		for _, e := range entries {
			at := path.Join(dir, e.Name())
			if e.IsDir() {
				h.lift(at, dir != ".")
			} else {
				_ = h.root.Remove(at)
			}
		}
	}
	if dir != "." {
		_ = h.root.Remove(dir)
	}
}

// lift queues a directory, at the top.
func (h *heap) lift(at string, move bool) {
	_ = h.root.Chmod(at, 0o700) // moving it changes its "..", and so needs the right to write
	for up := ""; move; {
		up = "moved-" + strconv.Itoa(h.moved)
		h.moved++
		if _, err := h.root.Lstat(up); err == nil {
			continue // the tool's own
		}
		if h.root.Rename(at, up) != nil {
			return
		}
		at, move = up, false
	}
	h.dirs = append(h.dirs, at)
}
