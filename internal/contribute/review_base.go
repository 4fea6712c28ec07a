package contribute

import (
	"context"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// neighbourhood is what a registry has under and beside the name of a pull
// request.
type neighbourhood struct {
	author ledger.Owner
	base   review.Base
	names  []quarantine.Existing // alike, and not the author's
	unread []string              // of the registry itself, one sentence each
}

// surroundingsOf reads it from the checkout of the base. Where that has the
// published tree beside it, names are known that are gone from the sources.
func surroundingsOf(ctx context.Context, tree *registry.Tree, dir string, o *review.Outline, author ledger.Owner) (*neighbourhood, error) {
	a := &neighbourhood{author: author}
	if o.Name == "" {
		return a, nil
	}
	var err error
	if a.base.Known, err = tree.Has(o.Name); err != nil {
		return nil, err
	}
	if a.base.Known {
		if err := a.same(tree, o); err != nil {
			return nil, err
		}
	} else if a.base.Gone, err = everPublished(ctx, dir, o.Name); err != nil {
		return nil, err
	}
	return a, a.beside(tree, o.Name)
}

// everPublished tells whether the registry has ever published a name.
func everPublished(ctx context.Context, dir string, n spec.Name) (bool, error) {
	chain, err := registry.FetchRecord(ctx, registry.OpenDir(filepath.Join(dir, publishedDir, ledger.Root)), n)
	if fault.ReasonOf(err) == "no_registry" {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return chain.Record != nil, nil
}

// same reads what there is under the name itself.
func (a *neighbourhood) same(tree *registry.Tree, o *review.Outline) error {
	versions, _, err := tree.Versions(o.Name)
	if err != nil {
		return err
	}
	meta, err := tree.Meta(o.Name)
	if broken(err) {
		// Nobody owns it then, so nobody but a maintainer mends it.
		a.unread, err = append(a.unread, "the registry's own tool.yaml of "+string(o.Name)+" is not readable"), nil
	}
	if err != nil {
		return err
	}
	a.base.Versions, a.base.Meta = versions, review.Meta(meta)
	if o.Version == "" {
		return nil
	}
	previous := previousOf(versions, o.Version, &meta)
	if previous != "" {
		if a.base.Files, a.base.Was, err = a.version(tree, o.Name, previous); err != nil {
			return err
		}
		if a.base.Was != nil {
			a.base.Previous = previous
		}
	}
	if n := len(versions); n > 0 && versions[n-1] != previous {
		_, a.base.Highest, err = a.version(tree, o.Name, versions[n-1])
	}
	return err
}

// version reads a version of the base; what cannot be read is told.
func (a *neighbourhood) version(tree *registry.Tree, n spec.Name, v spec.Version) ([]spec.File, *spec.Tool, error) {
	files, _, err := tree.Files(n, v)
	if err != nil && !broken(err) {
		return nil, nil, err
	}
	tool := manifestOf(files)
	if tool == nil {
		a.unread = append(a.unread, "version "+string(v)+" of "+string(n)+" in the registry is not readable, so nothing was compared with it")
	}
	return files, tool, nil
}

// beside finds the names that a reader takes for this one.
func (a *neighbourhood) beside(tree *registry.Tree, n spec.Name) error {
	names, _, err := tree.Names()
	if err != nil {
		return err
	}
	a.names = []quarantine.Existing{}
	for _, other := range names {
		if other == n || !quarantine.Alike(other, n) {
			continue
		}
		meta, err := tree.Meta(other)
		if err != nil && !broken(err) {
			return err
		}
		near, mine := review.Near{Name: other}, false
		existing := quarantine.Existing{Name: other}
		for i, o := range meta.Owners {
			mine = mine || o.ID > 0 && o.ID == a.author.ID
			if i == 0 {
				near.Owner, existing.Owner = o.Login, ownerID(o)
			}
		}
		if mine {
			continue
		}
		a.names = append(a.names, existing)
		a.base.Near = append(a.base.Near, near)
	}
	return nil
}
