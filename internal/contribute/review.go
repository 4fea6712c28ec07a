package contribute

import (
	"context"
	"path"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Review judges a pull request against a checkout of the branch that it is to
// be merged into. dir is only read, and nothing of the pull request but what
// the submission holds is looked at: its sources are parsed in the sandbox, its
// registry.yaml is one to check and none to follow. The error is about the
// checkout or this machine; what is wrong with the pull request is in the
// review.
//
// published is the registry's published tree: it alone knows every name and
// version that was ever published, whatever is gone from the checkout. Nothing
// of it is verified, so it has to come from where only the registry writes: the
// branch `published` of the very repository, by [registry.Open] of its address,
// or checked out. nil is the folder published/ of dir, and that is how the verb
// quarantine asks: its job checks the branch out there, for each review of the
// run, the nightly ones too. Where nothing is published, nobody can tell whether
// a new name is new, and a person has to look, but for the very first tool of a
// registry. A tree that cannot be read, or that is damaged, is an error and no
// review.
func (w *Workshop) Review(ctx context.Context, dir string, published registry.Source, s review.Submission) (*review.Review, error) {
	tree, err := registry.OpenTree(dir)
	if err != nil {
		return nil, err
	}
	o := review.Read(&s)
	around, err := surroundingsOf(ctx, tree, dir, published, o, s.Author)
	if err != nil {
		return nil, err
	}
	if around.untold {
		around.unread = append(around.unread, neverTold)
	}
	content, err := w.content(ctx, tree, o, around)
	if err != nil {
		return nil, err
	}
	return o.Judge(&s, around.base, content, review.Policy(tree.Policy()), w.host.Now()), nil
}

// content reads what a submission brings.
func (w *Workshop) content(ctx context.Context, tree *registry.Tree, o *review.Outline, around *neighbourhood) (review.Content, error) {
	c := review.Content{Unchecked: around.unread}
	if o.Config != nil && o.Config.Data != nil {
		c.ConfigErr = registry.CheckConfig(o.Config.Data)
	}
	var err error
	if c.Waivers, err = w.proposedWaivers(tree, o); err != nil {
		return c, err
	}
	if o.Meta != nil && o.Meta.Data != nil {
		meta, err := registry.ParseMeta(path.Base(o.Meta.Path), o.Meta.Data)
		if err != nil {
			c.MetaErr = err
		} else {
			m := review.Meta(meta)
			c.Meta = &m
		}
		if err == nil && meta.ReplacedBy != "" {
			has, err := tree.Has(meta.ReplacedBy)
			if err != nil {
				return c, err
			}
			c.Replaces = has
		}
	}
	if o.Files == nil {
		return c, nil
	}
	// Ownership, and the order of versions, are the review's own to judge.
	beside := surroundings{owner: ownerID(around.author), names: around.names, previous: []quarantine.Published{}}
	var unread []spec.Finding
	if beside.waivers, unread, err = w.waivers(tree, o.Name); err != nil {
		return c, err
	}
	for _, f := range unread { // it is not the author's to mend
		c.Unchecked = append(c.Unchecked, "the registry's own "+f.File+" is not readable")
	}
	checked, err := w.check(ctx, "", o.Files, beside)
	if err != nil {
		return c, err
	}
	c.Findings = checked.Findings
	if t := checked.Tool; t != nil && t.Name != "" && t.Version != "" {
		c.Tool = t
	}
	if checked.Report == nil {
		return c, nil
	}
	other := quarantine.OtherPython(checked.Report.Python, checked.Tool.Runtime.PythonVersion)
	for _, u := range checked.Report.Unchecked {
		if u == other {
			c.Remarks = append(c.Remarks, u)
		} else {
			c.Unchecked = append(c.Unchecked, u)
		}
	}
	return c, nil
}

// previousOf is the version that most users of a new one have: the highest that
// is not withdrawn, and no pre-release unless the new one is. Permissions are
// compared with that, so that a version which was withdrawn for what it asked
// for is no reason to let the next one ask for the same.
func previousOf(versions []spec.Version, next spec.Version, meta *registry.Meta) spec.Version {
	for _, pre := range []bool{false, true} {
		for _, v := range slices.Backward(versions) {
			if meta.Yanked[v] == "" && meta.Revoked[v] == "" && (pre || !v.IsPrerelease() || next.IsPrerelease()) {
				return v
			}
		}
	}
	return ""
}

// broken tells that what the registry itself has is wrong, which does not
// stop a review: it makes it worse.
func broken(err error) bool { return fault.KindOf(err) == fault.Findings }
