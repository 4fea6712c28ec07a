package contribute

import (
	"context"

	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Rescan is what the rules of today say of everything that a source tree has.
type Rescan struct {
	Rules    int         `json:"rules"` // their edition
	Versions int         `json:"versions"`
	Bad      []Rescanned `json:"bad"`
	// Tree are findings about the tree itself, outside of any version.
	Tree []spec.Finding `json:"tree"`
}

// Rescanned is a version that would not be accepted any more.
type Rescanned struct {
	Name     spec.Name      `json:"name"`
	Version  spec.Version   `json:"version"`
	Findings []spec.Finding `json:"findings"`
}

// Rescan checks every version of the tree at dir that is neither yanked nor
// revoked, each as if it were proposed today after those below it. It changes
// and withdraws nothing.
func (w *Workshop) Rescan(ctx context.Context, dir string) (*Rescan, error) {
	tree, err := registry.OpenTree(dir)
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir, tree: tree, doc: tree.Registry()}
	names, misplaced, err := tree.Names()
	if err != nil {
		return nil, err
	}
	b.names = names
	out := &Rescan{Rules: quarantine.RulesVersion, Bad: []Rescanned{}, Tree: append([]spec.Finding{}, misplaced...)}
	for i, n := range names {
		w.progress("checking "+string(n), int64(i), int64(len(names)))
		if err := w.rescan(ctx, b, n, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// rescan checks the versions of one name, lowest first.
func (w *Workshop) rescan(ctx context.Context, b *bench, n spec.Name, out *Rescan) error {
	meta, err := b.tree.Meta(n)
	if err != nil {
		return err
	}
	versions, misplaced, err := b.tree.Versions(n)
	if err != nil {
		return err
	}
	out.Tree = append(out.Tree, misplaced...)
	var around surroundings
	if len(meta.Owners) > 0 {
		around.owner = ownerID(meta.Owners[0])
	}
	if around.names, err = b.alike(n); err != nil {
		return err
	}
	around.previous = []quarantine.Published{}
	for _, v := range versions {
		files, found, err := b.tree.Files(n, v)
		if err != nil {
			return err
		}
		if meta.Yanked[v] == "" && meta.Revoked[v] == "" {
			out.Versions++
			if len(found) == 0 {
				checked, err := w.check(ctx, spec.Ref{Name: n, Version: v}.At(), files, around)
				if err != nil {
					return err
				}
				found = checked.Findings
			}
			if spec.Blocking(found) {
				out.Bad = append(out.Bad, Rescanned{n, v, found})
			}
		}
		around.previous = append(around.previous, quarantine.Published{Version: v, Files: files})
	}
	return nil
}
