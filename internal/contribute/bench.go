package contribute

import (
	"context"
	"path/filepath"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// publishedDir is where a registry on one machine keeps its published tree.
const publishedDir = "published"

// bench is a registry's folder, opened for work.
type bench struct {
	dir    string
	tree   *registry.Tree
	doc    *ledger.Registry // as it is published: its trust is whole
	signer *signer
	names  []spec.Name  // of the source tree, read once
	branch *branchBench // nil: the published tree is a folder beside the source tree
}

// open opens a registry for who can sign for it. It changes nothing.
func (w *Workshop) open(ctx context.Context, dir string, with Signing) (*bench, error) {
	return w.openWith(ctx, dir, nil, with)
}

// openWith opens a registry whose published tree is a branch.
func (w *Workshop) openWith(ctx context.Context, dir string, on *branchBench, with Signing) (*bench, error) {
	tree, err := registry.OpenTree(dir)
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir, tree: tree, doc: tree.Registry(), branch: on}
	if b.signer, err = w.signer(ctx, b, with); err != nil {
		return nil, err
	}
	b.doc.Trust = b.signer.stated
	return b, nil
}

func (b *bench) store() registry.Store {
	if b.branch != nil {
		return b.branch.Branch
	}
	return registry.OpenDir(filepath.Join(b.dir, publishedDir, ledger.Root))
}

// alike returns the names of the source tree that are close to what a tool is
// called, with their owners. In a registry of ten thousand tools it reads the owners of the
// few that matter.
func (b *bench) alike(called ...spec.Name) ([]quarantine.Existing, error) {
	if b.names == nil {
		names, _, err := b.tree.Names()
		if err != nil {
			return nil, err
		}
		b.names = names
	}
	out := []quarantine.Existing{}
	for _, n := range b.names {
		if !quarantine.Alike(n, called...) {
			continue
		}
		m, err := b.tree.Meta(n)
		if err != nil {
			return nil, err
		}
		e := quarantine.Existing{Name: n}
		if len(m.Owners) > 0 {
			e.Owner = ownerID(m.Owners[0])
		}
		out = append(out, e)
	}
	return out, nil
}
