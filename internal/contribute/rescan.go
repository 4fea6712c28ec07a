package contribute

import (
	"context"
	"slices"

	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Rescan is what the rules of today say of everything that a source tree has.
type Rescan struct {
	Rules    int         `json:"rules"` // their edition
	Versions int         `json:"versions"`
	Bad      []Rescanned `json:"bad"`
	// Unknown are versions that could not be judged, such as for want of an
	// interpreter: that is no reason to withdraw anything.
	Unknown []string `json:"unknown"`
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
	out := &Rescan{Rules: quarantine.RulesVersion, Bad: []Rescanned{}, Unknown: []string{}, Tree: append([]spec.Finding{}, misplaced...)}
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
	if around.waivers, around.unread, err = w.waivers(b.tree, n); err != nil {
		return err
	}
	// Names are not compared again: which of two has to go is for people to say,
	// and they said it when the second was accepted.
	around.previous = []quarantine.Published{}
	for _, v := range versions {
		files, found, err := b.tree.Files(n, v)
		if err != nil {
			return err
		}
		if meta.Yanked[v] == "" && meta.Revoked[v] == "" {
			out.Versions++
			ref := spec.Ref{Name: n, Version: v}.At()
			if len(found) == 0 {
				checked, err := w.check(ctx, ref, files, around)
				if err != nil {
					return err
				}
				found = checked.Findings
			}
			switch {
			case spec.Blocking(slices.DeleteFunc(slices.Clone(found), unjudged)):
				out.Bad = append(out.Bad, Rescanned{n, v, found})
			case spec.Blocking(found):
				out.Unknown = append(out.Unknown, ref)
			}
		}
		digests := map[string]spec.Digest{}
		for _, f := range files {
			digests[f.Path] = spec.DigestOf(f.Data)
		}
		around.previous = append(around.previous, quarantine.Published{Version: v, Files: digests})
	}
	return nil
}

// unjudged tells whether a finding is that nobody could tell.
func unjudged(f spec.Finding) bool { return f.ID == "PY-000" || f.ID == "GOV-000" }
