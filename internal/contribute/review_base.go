package contribute

import (
	"context"
	"path/filepath"
	"slices"

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
	names  []quarantine.Existing // alike to the name where it is new, or to a new alias; and not the author's
	unread []string              // of the registry itself, one sentence each
	untold bool                  // whether the name, which is new, was ever published
}

// surroundingsOf reads it from the checkout of the base, and from the published
// tree, which knows names and versions that are gone from the sources.
func surroundingsOf(ctx context.Context, tree *registry.Tree, dir string, published registry.Source, o *review.Outline, author ledger.Owner) (*neighbourhood, error) {
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
	}
	if published == nil {
		published = registry.OpenDir(filepath.Join(dir, publishedDir, ledger.Root))
	}
	if err := a.past(ctx, tree, published, o.Name); err != nil {
		return nil, err
	}
	return a, a.beside(tree, o)
}

// neverTold is said of a new name where nothing knows the names of the past.
const neverTold = "nobody could tell whether the name was ever published, because there is no published tree to ask"

// past holds what there is under the name against what was ever published of
// it. That a registry whose sources have tools has published nothing may be a
// checkout without the branch, so it proves nothing about a new name.
func (a *neighbourhood) past(ctx context.Context, tree *registry.Tree, published registry.Source, n spec.Name) error {
	if _, err := registry.FetchHead(ctx, published); fault.ReasonOf(err) == "no_registry" {
		names, _, err := tree.Names()
		a.untold = !a.base.Known && len(names) > 0
		return err
	} else if err != nil {
		return err
	}
	c, err := tree.Diff(ctx, published, []spec.Name{n})
	if err != nil {
		return err
	}
	for _, v := range c.Published[n] {
		if !slices.Contains(a.base.Versions, v.Version) {
			a.base.Versions = append(a.base.Versions, v.Version)
		}
	}
	slices.SortFunc(a.base.Versions, spec.Version.Compare)
	if len(c.Published[n]) > 0 {
		a.base.Gone, a.base.Frozen = !a.base.Known, a.base.Known && c.Frozen[n]
	}
	a.base.Published = c.Owners[n]
	return nil
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

// beside finds the names that a reader takes for this one, or for an alias that
// the version before did not have, and the tools that have a new name as an alias.
// What was judged once is not judged again.
func (a *neighbourhood) beside(tree *registry.Tree, o *review.Outline) error {
	var fresh []spec.Name
	if tool := manifestOf(o.Files); tool != nil {
		for _, alias := range tool.Aliases {
			if a.base.Was == nil || !slices.Contains(a.base.Was.Aliases, alias) {
				fresh = append(fresh, alias)
			}
		}
	}
	names, _, err := tree.Names()
	if err != nil {
		return err
	}
	a.names = []quarantine.Existing{}
	for _, other := range names {
		if other == o.Name {
			continue
		}
		name, alias := quarantine.Alike(other, o.Name), quarantine.Alike(other, fresh...)
		var called []spec.Name
		if !a.base.Known {
			if called, err = calledSo(tree, other, o.Name); err != nil {
				return err
			}
		}
		if !name && !alias && called == nil {
			continue
		}
		meta, err := tree.Meta(other)
		if err != nil && !broken(err) {
			return err
		}
		near, mine := review.Near{Name: other}, false
		existing := quarantine.Existing{Name: other, Aliases: called}
		for i, o := range meta.Owners {
			mine = mine || o.ID > 0 && o.ID == a.author.ID
			if i == 0 {
				near.Owner, existing.Owner = o.Login, ownerID(o)
			}
		}
		if mine {
			continue
		}
		if alias || !a.base.Known {
			a.names = append(a.names, existing)
		}
		if name || called != nil {
			a.base.Near = append(a.base.Near, near)
		}
	}
	return nil
}
