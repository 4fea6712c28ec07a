package registry

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// linker is a store in which one file can have two paths.
type linker interface {
	// Link replaces the file at path, in one step, by the one at from. It does
	// not last: a power cut may take it.
	Link(ctx context.Context, from, path string) error
}

// Link makes a hard link under a name of its own and renames it. Writes never
// change a file in place, so that two paths of one file stay independent.
func (d *Dir) Link(ctx context.Context, from, path string) error {
	if err := errors.Join(checkRead(ctx, from), checkRead(ctx, path)); err != nil {
		return err
	}
	if err := d.prepare(path, false); err != nil {
		return d.fail("write", path, err)
	}
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return d.fail("write", path, err)
	}
	defer func() { _ = root.Close() }()
	if _, err := lookUp(root, from); err != nil {
		return d.fail("read", from, err)
	}
	temp := filepath.Join(filepath.Dir(filepath.FromSlash(path)), ".patch-tmp-"+rand.Text())
	if err := root.Link(filepath.FromSlash(from), temp); err != nil {
		return d.fail("write", path, err)
	}
	err = root.Rename(temp, filepath.FromSlash(path))
	_ = root.Remove(temp) // where both were one file already, a rename does nothing
	if err != nil {
		return d.fail("write", path, err)
	}
	return nil
}

// placeCatalogue lets search/tools.json follow from its object. It is the one
// large document; where the store can, its bytes are not written twice.
func (w *writer) placeCatalogue(ctx context.Context, digest spec.Digest, data []byte) error {
	defer w.count()
	if l, ok := w.store.(linker); ok && l.Link(ctx, ledger.ObjectPath(digest), ledger.CataloguePath) == nil {
		return nil // else: no hard links here (FAT, some network mounts), or no object
	}
	return w.store.Write(ctx, ledger.CataloguePath, data, false)
}
