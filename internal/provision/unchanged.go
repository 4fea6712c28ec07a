package provision

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sealed"
	"github.com/patch-cat/patch-git/spec"
)

// unchanged holds what is installed against the digest that was recorded when it was:
// nothing is run that somebody changed since. Packages of Python and images lie
// elsewhere, and are their keepers' to hold.
func (p *Provisioner) unchanged(done *Prefix) error {
	var err error
	switch done.Method {
	case "url":
		err = done.oneFile()
	case "git", "npm":
		err = p.wholeTree(done)
	}
	if err != nil && fault.KindOf(err) != fault.Unavailable {
		return fault.New(fault.NotVerified, "prefix_damaged", "what is installed in %s was changed: %w", spec.Quote(done.Dir), err).
			Hint("patch-git remove %s && patch-git pull %s", done.Tool, done.Tool)
	}
	return err
}

// oneFile is for an artifact that is one file.
func (p *Prefix) oneFile() error {
	list, err := os.ReadDir(p.Dir)
	if err == nil && (len(list) != 1 || !list[0].Type().IsRegular()) {
		err = fmt.Errorf("it has %d files, or one that is none", len(list))
	}
	if err != nil {
		return err
	}
	sum := sha256.New()
	if err := fileInto(sum, filepath.Join(p.Dir, list[0].Name()), limits.Artifact); err != nil {
		return err
	}
	if got := spec.Digest(sum.Sum(nil)); got != p.SHA256 {
		return fmt.Errorf("it has the digest %s, and not %s", got, p.SHA256)
	}
	return nil
}

// treesFor is how long it is believed of files that nobody touched.
const treesFor = 30 * 24 * time.Hour

// wholeTree is for an artifact of many files. A call cannot wait for all of them to be
// read, so that they were is remembered, under a code, with what the system says of each:
// whoever writes to one changes that.
func (p *Provisioner) wholeTree(done *Prefix) error {
	if done.Tree.IsZero() {
		return errors.New("nothing says what it was")
	}
	names, err := listed(done.Dir)
	if err != nil {
		return err
	}
	before, err := durable.Stamped(names...)
	if err != nil {
		return err
	}
	kept := sealed.Open(p.Host.Paths.Trees(), p.Host.Now, treesFor, 1)
	key, ok := before.Key()
	name := sealed.Name("patch-git/tree/v1", done.Tree.Hex(), key)
	if ok && kept.Load(name) != nil {
		return nil
	}
	got, err := treeDigest(done.Dir, names)
	if err != nil {
		return err
	}
	if got != done.Tree {
		return fmt.Errorf("its files have the digest %s, and not %s", got, done.Tree)
	}
	if ok && before.Settled(p.Host.Now()) && before.Same() {
		kept.Save(name, []byte{1})
	}
	return nil
}

// listed are the folder and all names below it, sorted.
func listed(dir string) (names []string, err error) {
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if names = append(names, path); err == nil && len(names) > 2*limits.PrefixFiles {
			err = fmt.Errorf("it has more than %d files", limits.PrefixFiles)
		}
		return err
	})
	return names, err
}

// treeDigest is over each name's path, kind and right to run, and what the file holds or
// the link says. Lengths stand before what follows, so that no two trees read the same.
func treeDigest(dir string, names []string) (spec.Digest, error) {
	sum := sha256.New()
	for _, name := range names {
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return spec.Digest{}, err
		}
		rel = filepath.ToSlash(rel)
		info, err := os.Lstat(name)
		if err != nil {
			return spec.Digest{}, err
		}
		switch mode := info.Mode(); {
		case mode.IsDir():
			_, _ = fmt.Fprintf(sum, "d %d %s\n", len(rel), rel)
		case mode.IsRegular():
			_, _ = fmt.Fprintf(sum, "f %d %s %v %d\n", len(rel), rel, mode&0o111 != 0, info.Size())
			if err := fileInto(sum, name, info.Size()); err != nil {
				return spec.Digest{}, err
			}
		case mode&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return spec.Digest{}, err
			}
			_, _ = fmt.Fprintf(sum, "l %d %s %d %s\n", len(rel), rel, len(target), target)
		default:
			return spec.Digest{}, fmt.Errorf("%s is neither a file, a folder nor a link", spec.Quote(rel))
		}
	}
	return spec.Digest(sum.Sum(nil)), nil
}

// fileInto writes a file of at most so many bytes to a sum.
func fileInto(sum io.Writer, path string, most int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = io.Copy(sum, io.LimitReader(f, most+1))
	return err
}
