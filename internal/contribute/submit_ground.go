package contribute

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// ground is what the source tree of a registry on GitHub has under a name, as
// of one commit of the base.
type ground struct {
	surveyed bool
	exists   bool // the name does
	versions []spec.Version
	meta     registry.Meta
	yaml     []byte         // tool.yaml as it stands
	same     []github.Entry // what is in the folder of the draft's version
}

// survey finds out at GitHub who the author is, whether the repository is the
// one that was pinned, and what its source tree has under the draft's name.
func (w *Workshop) survey(ctx context.Context, o DraftOptions, d *Draft) (*ground, error) {
	g := &ground{}
	gh, anonymous, err := o.GitHub(ctx)
	if err != nil {
		return g, err
	}
	d.hub = gh
	w.progress("asking GitHub about "+d.Repository, 0, 0)
	if err := d.meet(ctx, anonymous); err != nil {
		return g, d.unchecked(o, "the repository "+d.Repository, err)
	}
	if err := g.read(ctx, d); err != nil {
		return g, d.unchecked(o, "the source tree of "+d.Repository, err)
	}
	g.surveyed = true
	return g, nil
}

// meet learns who the author is and where the draft goes.
func (d *Draft) meet(ctx context.Context, anonymous bool) error {
	repo, err := d.hub.Repository(ctx, d.target.Repo)
	if err != nil {
		return reachable(err, d)
	}
	t := d.target
	if t.ID != "" && strconv.FormatInt(repo.ID, 10) != t.ID || t.OwnerID != "" && strconv.FormatInt(repo.Owner.ID, 10) != t.OwnerID {
		return fault.New(fault.NotVerified, "repository_id", "%s is the repository %d of owner %d now, and the registry that you added is signed by %s of owner %s",
			d.Repository, repo.ID, repo.Owner.ID, t.ID, t.OwnerID).
			Hint("a repository that was made anew under its name is another one; ask the maintainers whom to trust")
	}
	// A renamed repository is the same one, and changes go to its new name only.
	d.push, d.target.Repo = repo.Push, repo.Repo
	if d.Base == "" {
		d.Base = repo.Default
	}
	if anonymous {
		return nil
	}
	me, err := d.hub.Viewer(ctx)
	if err != nil {
		return err
	}
	d.Author = &ledger.Owner{Login: me.Login, ID: me.ID}
	return nil
}

// reachable says of a repository that GitHub does not show what that may mean.
func reachable(err error, d *Draft) error {
	if fault.KindOf(err) != fault.NotFound {
		return err
	}
	return fault.New(fault.NotFound, "no_repository", "GitHub shows no repository %s: %w", d.Repository, err).
		Hint("it may be private, and the token not allowed to see it")
}

// read reads the folder of the name in the newest commit of the base.
func (g *ground) read(ctx context.Context, d *Draft) error {
	gh := d.hub
	commit, err := gh.Branch(ctx, d.target.Repo, d.Base)
	if err != nil {
		return err
	}
	d.BaseCommit = commit
	folder := strings.TrimSuffix(registry.MetaPath(d.ref.Name), "/tool.yaml")
	entries, err := gh.Folder(ctx, d.target.Repo, commit, folder)
	if fault.KindOf(err) == fault.NotFound {
		return nil // the name is new
	}
	if err != nil {
		return err
	}
	g.exists = true
	for _, e := range entries {
		if e.Name == "tool.yaml" {
			if e.Mode != github.ModeFile {
				return fault.New(fault.Findings, "yaml", "%s of %s is no regular file", registry.MetaPath(d.ref.Name), d.Repository)
			}
			if g.yaml, err = gh.Blob(ctx, d.target.Repo, e.SHA, limits.ManifestBytes); err != nil {
				return err
			}
			if g.meta, err = registry.ParseMeta(registry.MetaPath(d.ref.Name), g.yaml); err != nil {
				return err
			}
		}
		if v, err := spec.ParseVersion(e.Name); err == nil && e.Mode == github.ModeFolder {
			g.versions = append(g.versions, v)
		}
	}
	slices.SortFunc(g.versions, spec.Version.Compare)
	if len(g.meta.Owners) == 0 {
		return fault.New(fault.Findings, "yaml", "%s of %s names no owner", registry.MetaPath(d.ref.Name), d.Repository).
			Hint("a maintainer has to restore it from the history of the registry")
	}
	if d.ref.Version == "" || !slices.Contains(g.versions, d.ref.Version) {
		return nil
	}
	g.same, err = gh.Folder(ctx, d.target.Repo, commit, folder+"/"+string(d.ref.Version))
	return err
}

// takesRelease tells why the source tree does not take a release, or completes
// the draft with what it needs.
func (g *ground) takesRelease(o DraftOptions, d *Draft) error {
	if !g.surveyed {
		return nil
	}
	if !g.exists {
		return d.claim()
	}
	if err := g.belongs(o, d); err != nil {
		return err
	}
	switch {
	case g.same == nil:
		return nil
	case g.holds(d):
		d.Done = AlreadyMerged
		return nil
	}
	return fault.New(fault.Findings, "immutable", "%s is in the source tree of %s already with other content", d.ref.At(), d.Registry).
		Hint("new content is a new version: raise the version in the manifest")
}

// claim adds tool.yaml, by which a new name is its author's.
func (d *Draft) claim() error {
	d.NewName = true
	if d.Author == nil {
		d.Unchecked = append(d.Unchecked, registry.MetaPath(d.ref.Name)+" is sent too and names you; nobody said who you are")
		return nil
	}
	meta := registry.Meta{Owners: []ledger.Owner{*d.Author}}
	data, err := meta.Encode(d.ref.Name)
	if err != nil {
		return fault.New(fault.Unavailable, "viewer", "GitHub's answer who you are cannot stand in tool.yaml: %w", err)
	}
	d.Files = append(d.Files, newMeta(d.ref.Name, data))
	return nil
}

// belongs refuses an author who neither owns the name nor may write to the
// registry, unless they want to ask the owner. An unknown author is refused
// nothing: such a draft is not sent.
func (g *ground) belongs(o DraftOptions, d *Draft) error {
	switch {
	case d.Author == nil || owns(g.meta.Owners, *d.Author) || d.push && d.amends != nil:
		return nil
	case d.push || o.AskOwner:
		d.Notes = append(d.Notes, "the name belongs to "+people(g.meta.Owners)+", who has to approve this, too")
		return nil
	}
	return fault.New(fault.Denied, "not_owner", "the name %s belongs to %s, and you are %s (number %d)",
		d.ref.Name, people(g.meta.Owners), spec.Quote(d.Author.Login), d.Author.ID).
		Hint("--ask-owner proposes it all the same; the owner has to approve it").
		Hint("or ask for the name itself: patch-git transfer %s --to %s", d.ref.Name, spec.Quote(d.Author.Login))
}

// people are owners as a message names them.
func people(owners []ledger.Owner) string {
	var who []string
	for _, o := range owners {
		who = append(who, fmt.Sprintf("%s (number %d)", spec.Quote(o.Login), o.ID))
	}
	return strings.Join(who, ", ")
}

// holds tells whether the folder of the version has the draft's files and no
// other.
func (g *ground) holds(d *Draft) bool {
	if len(g.same) != len(d.Files) {
		return false
	}
	for _, f := range d.Files {
		if !slices.ContainsFunc(g.same, func(e github.Entry) bool {
			return registry.VersionPath(d.ref, e.Name) == f.Path && github.SameBlob(f.data, e.SHA)
		}) {
			return false
		}
	}
	return true
}
