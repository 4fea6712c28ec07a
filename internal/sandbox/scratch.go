//go:build unix

package sandbox

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"

	"github.com/patch-cat/patch-git/internal/fault"
)

// scratch is the private directory of one run on the host's own file system,
// for drivers that have no memory of their own to put it in.
type scratch struct {
	dir string
	uid int // whose it is
}

// newScratch makes the directory below temp, for uid.
func newScratch(temp string, uid int) (*scratch, error) {
	dir, err := os.MkdirTemp(cmp.Or(temp, "/tmp"), "patch-git-run-")
	if err != nil {
		return nil, fault.New(fault.Unavailable, "scratch", "make scratch directory: %w", err)
	}
	s := &scratch{dir, uid}
	if uid != os.Getuid() {
		if err := os.Lchown(dir, uid, uid); err != nil {
			s.remove()
			return nil, fault.New(fault.Unavailable, "scratch", "give scratch directory away: %w", err)
		}
	}
	return s, nil
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
	rel, err := filepath.Rel(s.dir, f.Target)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.Target), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(f.Target, f.Data, mode); err != nil {
		return err
	}
	for p := rel; p != "." && s.uid != os.Getuid(); p = filepath.Dir(p) {
		if err := os.Lchown(filepath.Join(s.dir, p), s.uid, s.uid); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes the directory whatever the run left in it. A hostile tool
// can nest directories deeper than there are descriptors, or take away its
// own right to enter them; so each directory is opened up, emptied of files,
// and its subdirectories are moved up beside it, until none is left.
func (s *scratch) remove() {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return
	}
	next := 0
	queue := []string{"."}
	for len(queue) > 0 {
		dir := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		_ = root.Chmod(dir, 0o700)
		f, err := root.Open(dir)
		if err != nil {
			continue
		}
		for {
			entries, err := f.ReadDir(256)
			for _, e := range entries {
				at := filepath.Join(dir, e.Name())
				if !e.IsDir() {
					_ = root.Remove(at)
					continue
				}
				_ = root.Chmod(at, 0o700)
				up := at
				if dir != "." {
					for {
						up = "moved-" + strconv.Itoa(next)
						next++
						if _, err := root.Lstat(up); err != nil {
							break
						}
					}
					if root.Rename(at, up) != nil {
						continue
					}
				}
				queue = append(queue, up)
			}
			if err != nil {
				break
			}
		}
		f.Close()
		if dir != "." {
			_ = root.Remove(dir)
		}
	}
	root.Close()
	_ = os.Remove(s.dir)
}
