package registry

import (
	"context"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Changes are what of a source tree is not published yet.
type Changes struct {
	New      []Proposal
	Withdraw []Withdrawal
	Meta     []ToolMeta
	// Findings are what a publication must not pass over in silence: published
	// versions that changed or are gone, things that are no tools.
	Findings []spec.Finding
	// Published are the published versions of the names that were compared.
	Published map[spec.Name][]PublishedVersion
	// Owners are those that these names have where they are published, as far as
	// they are.
	Owners map[spec.Name][]ledger.Owner
	// Frozen are the names of which something that was published is not in the
	// tree as it was: a version is gone, changed or unreadable, or tool.yaml names
	// no owner. Who put another tool in the place of one whose folder was removed
	// would else become its owner for everybody who has it. So nothing new comes
	// of such a name and nobody else gets it until it is restored; only what
	// tool.yaml withdraws is withdrawn.
	Frozen map[spec.Name]bool
}

// Proposal is one version directory that is not published.
type Proposal struct {
	Ref    spec.Ref
	Files  []spec.File
	Owners []ledger.Owner
}

// PublishedVersion is a published version with the digests of its files.
type PublishedVersion struct {
	Version spec.Version
	Files   map[string]spec.Digest
}

// Diff compares the tree with what is published. names limits it to some
// tools; nil is all of them. src is the registry's own tree: what it says is
// used to find out what to do, and verified again when the change is sealed.
func (t *Tree) Diff(ctx context.Context, src Source, names []spec.Name) (*Changes, error) {
	c := &Changes{Published: map[spec.Name][]PublishedVersion{}, Owners: map[spec.Name][]ledger.Owner{}, Frozen: map[spec.Name]bool{}}
	if names == nil {
		all, findings, err := t.Names()
		if err != nil {
			return nil, err
		}
		published, err := Names(ctx, src)
		if err != nil {
			return nil, err
		}
		c.Findings = findings
		names = slices.Compact(slices.Sorted(slices.Values(append(all, published...))))
	}
	for _, n := range names {
		err := t.diffTool(ctx, src, n, c)
		if fault.KindOf(err) == fault.Findings {
			// One bad tool is no reason to leave the others.
			c.Findings, c.Frozen[n] = append(c.Findings, unreadable(n, err)), true
			err = nil
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (t *Tree) diffTool(ctx context.Context, src Source, n spec.Name, c *Changes) error {
	record, err := publishedRecord(ctx, src, n)
	if err != nil {
		return err
	}
	// What is published is known to those who check a proposal, even where the
	// proposed folder cannot be read.
	var previous []PublishedVersion
	for _, v := range record.Versions {
		p, err := publishedFiles(ctx, src, n, v)
		if err != nil {
			return err
		}
		previous = append(previous, p)
	}
	c.Published[n], c.Owners[n] = previous, record.Owners
	versions, findings, err := t.Versions(n)
	if err != nil {
		return err
	}
	c.Findings = append(c.Findings, findings...)
	meta, err := t.Meta(n)
	if err != nil {
		return err
	}
	fresh, whole, err := t.diffVersions(n, versions, c)
	if err != nil {
		return err
	}
	if record.Name != "" && len(meta.Owners) == 0 {
		c.Findings = append(c.Findings, badMeta(n, "it is missing or names no owner", "restore it from the history of the registry"))
		whole = false
	}
	c.Frozen[n] = !whole
	c.withdrawals(n, meta, record, fresh)
	if !whole {
		return nil
	}
	for _, p := range fresh {
		p.Owners = meta.Owners
		c.New = append(c.New, p)
	}
	if record.Name != "" && (!slices.Equal(meta.Owners, record.Owners) || meta.Deprecated != record.Deprecated || meta.ReplacedBy != record.ReplacedBy) {
		c.Meta = append(c.Meta, ToolMeta{Name: n, Owners: meta.Owners, Deprecated: meta.Deprecated, ReplacedBy: meta.ReplacedBy})
	}
	return nil
}

// diffVersions compares the version directories of a name with what is
// published of it. fresh are those that are not. whole is whether each
// published version is still there as it was published.
func (t *Tree) diffVersions(n spec.Name, versions []spec.Version, c *Changes) (fresh []Proposal, whole bool, err error) {
	whole = true
	for _, p := range c.Published[n] {
		if !slices.Contains(versions, p.Version) {
			c.Findings = append(c.Findings, changed(n, p.Version, "is gone from the source tree"))
			whole = false
		}
	}
	for _, v := range versions {
		i := slices.IndexFunc(c.Published[n], func(p PublishedVersion) bool { return p.Version == v })
		files, findings, err := t.Files(n, v)
		switch {
		case fault.KindOf(err) == fault.Findings:
			findings = []spec.Finding{unreadable(n, err)}
		case err != nil:
			return nil, false, err
		default:
			for j := range findings {
				findings[j].File = toolPath(n, string(v)) + "/" + findings[j].File
			}
		}
		switch {
		case findings != nil:
			whole = whole && i < 0
		case i < 0:
			fresh = append(fresh, Proposal{Ref: spec.Ref{Name: n, Version: v}, Files: files})
		case !c.Published[n][i].holds(files):
			findings = []spec.Finding{changed(n, v, "was published with other content")}
			whole = false
		}
		c.Findings = append(c.Findings, findings...)
	}
	return fresh, whole, nil
}

func unreadable(n spec.Name, err error) spec.Finding {
	return spec.Finding{ID: "GOV-003", Severity: spec.SeverityError, File: toolPath(n), Message: err.Error(), Fix: "mend it, or restore it from the history of the registry"}
}

func badMeta(n spec.Name, what, fix string) spec.Finding {
	return spec.Finding{ID: "MAN-003", Severity: spec.SeverityError, File: toolPath(n, treeMeta), Message: what, Fix: fix}
}

func changed(n spec.Name, v spec.Version, how string) spec.Finding {
	return spec.Finding{
		ID: "MAN-003", Severity: spec.SeverityError, File: toolPath(n, string(v)),
		Message: string(n) + "@" + string(v) + " " + how, Fix: "put it back as it was; new content is a new version",
	}
}

// withdrawals compares tool.yaml with the record. What a version that is not
// published yet says is left for the publication after the one that accepts it.
// A name that is frozen may be made less, and no yank of it is undone.
func (c *Changes) withdrawals(n spec.Name, meta Meta, record *ledger.Record, fresh []Proposal) {
	for _, v := range record.Versions {
		yanked, revoked := meta.Yanked[v.Version], meta.Revoked[v.Version]
		add := func(e ledger.Event, reason string) {
			c.Withdraw = append(c.Withdraw, Withdrawal{Event: e, Name: n, Version: v.Version, Reason: reason})
		}
		switch {
		case revoked == "" && v.Revoked != "":
			c.Findings = append(c.Findings, badMeta(n, "version "+string(v.Version)+" was revoked, which nothing takes back", "put its line back"))
		case revoked != v.Revoked:
			add(ledger.EventRevoke, revoked)
		}
		switch yanked {
		case v.Yanked:
		case "":
			if !c.Frozen[n] {
				add(ledger.EventUnyank, "")
			}
		default:
			add(ledger.EventYank, yanked)
		}
	}
	for _, m := range []map[spec.Version]string{meta.Yanked, meta.Revoked} {
		for _, v := range sortedVersions(m) {
			if record.Find(v) == nil && !slices.ContainsFunc(fresh, func(p Proposal) bool { return p.Ref.Version == v }) {
				c.Findings = append(c.Findings, badMeta(n, "it withdraws the version "+string(v)+", which there is not", "name a published version"))
			}
		}
	}
}
