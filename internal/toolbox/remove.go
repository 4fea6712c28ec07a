package toolbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Remove takes a version out of the toolbox, or all versions where the
// reference has none, and returns what it removed. Files in the store stay
// where another release or a recorded run may need them [C-11].
func (t *Toolbox) Remove(ctx context.Context, ref spec.Ref) ([]spec.Ref, error) {
	unlock, err := t.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	versions, err := t.Versions(ref.Name)
	if err != nil {
		return nil, err
	}
	gone := versions
	if ref.Version != "" {
		gone = slices.DeleteFunc(slices.Clone(versions), func(v spec.Version) bool { return v != ref.Version })
	}
	if len(gone) == 0 {
		// A removal that was killed may have come no further than the receipt.
		if err := t.fallBack(ref.Name, versions); err != nil {
			return nil, err
		}
		return nil, fault.New(fault.NotFound, "not_installed", "%s is not installed", ref.At()).Hint("patch-git list")
	}
	var out []spec.Ref
	for _, v := range gone {
		dir := t.receiptDir(ref.Name, v)
		// The receipt goes first: from here on the version is not installed,
		// whatever else a crash leaves behind.
		if err := os.Remove(filepath.Join(dir, receiptFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return out, fault.New(fault.Unavailable, "toolbox", "removing %s@%s: %w", ref.Name, v, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			return out, fault.New(fault.Unavailable, "toolbox", "removing %s@%s: %w", ref.Name, v, err)
		}
		out = append(out, spec.Ref{Name: ref.Name, Version: v})
	}
	kept := slices.DeleteFunc(versions, func(v spec.Version) bool { return slices.Contains(gone, v) })
	return out, t.fallBack(ref.Name, kept)
}

// fallBack makes the highest version that is left the current one, or forgets
// the tool where none is.
func (t *Toolbox) fallBack(n spec.Name, kept []spec.Version) error {
	ix, err := t.readIndex()
	if err != nil {
		return err
	}
	e, listed := ix.Tools[n]
	if listed && slices.Contains(kept, e.Version) {
		return nil
	}
	if len(kept) == 0 {
		if delete(ix.Tools, n); listed {
			if err := t.writeIndex(ix, true); err != nil {
				return err
			}
		}
		if err := t.unsee(n, ""); err != nil {
			return err
		}
		_ = os.Remove(filepath.Join(t.paths.Receipts(), string(n))) // stays when it is not empty
		return nil
	}
	top := kept[len(kept)-1]
	// It is verified when it is loaded, not here.
	ref := spec.Ref{Name: n, Version: top}
	doc, err := t.releaseDocument(ref)
	if err != nil {
		return err
	}
	main, err := t.storedFile(doc.MainFile().SHA256)
	if err != nil {
		return err
	}
	return t.makeCurrent(ref, doc.Format, main)
}
