package contribute

import (
	"context"
	"slices"
	"strconv"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Published is what a publication did.
type Published struct {
	Registry  spec.RegistryName `json:"registry"`
	Trust     string            `json:"trust"`
	Key       string            `json:"key,omitempty"`      // digest of the key that signs
	Identity  string            `json:"identity,omitempty"` // digest of the identity of the workflow that signs
	Head      ledger.Head       `json:"head"`
	New       bool              `json:"new"`
	Accepted  []string          `json:"accepted"`
	Withdrawn []string          `json:"withdrawn"`
	Changed   []spec.Name       `json:"changed,omitempty"`  // whose owners or deprecation are others now
	Packages  []Packages        `json:"packages,omitempty"` // of the accepted releases that need any
	Reports   []*Checked        `json:"reports,omitempty"`
}

// PublishFile checks a tool, adds it to the source tree of a registry and
// publishes the tree. Nothing is added where the check says no, or where its
// packages cannot be resolved.
func (w *Workshop) PublishFile(ctx context.Context, file, dir string, with Signing, login string, id int64) (*Published, error) {
	b, err := w.open(ctx, dir, with)
	if err != nil {
		return nil, err
	}
	files, err := readRelease(file, w.Format)
	if err != nil {
		return nil, err
	}
	owner := ledger.Owner{Login: login, ID: id}
	checked, before, err := w.checkFor(ctx, b, file, files, owner)
	if err != nil {
		return nil, err
	}
	if !checked.OK() {
		out := newPublished(b)
		out.Reports = []*Checked{checked}
		return out, checked.refused(refused(1))
	}
	var ready []registry.Acceptance
	if ref := checked.Release.Ref; !has(before, ref.Version) {
		a, err := w.accept(ctx, checked, []ledger.Owner{owner})
		if err != nil {
			return nil, err
		}
		ready = append(ready, a)
	}
	if err := b.tree.Stage(checked.Release, owner); err != nil {
		return nil, err
	}
	return w.publish(ctx, b, ready, checked.Release.Ref.Name)
}

func has(published []registry.PublishedVersion, v spec.Version) bool {
	return slices.ContainsFunc(published, func(p registry.PublishedVersion) bool { return p.Version == v })
}

// PublishTree publishes whatever of a registry's source tree is not published
// yet. Releases that do not pass are left out and reported; the rest goes on.
func (w *Workshop) PublishTree(ctx context.Context, dir string, with Signing) (*Published, error) {
	b, err := w.open(ctx, dir, with)
	if err != nil {
		return nil, err
	}
	return w.publish(ctx, b, nil)
}

func newPublished(b *bench) *Published {
	out := &Published{Registry: b.doc.Name, Trust: b.doc.Trust.Kind, Accepted: []string{}, Withdrawn: []string{}}
	if digest := b.doc.Trust.Digest().String(); out.Trust == ledger.TrustKey {
		out.Key = digest
	} else {
		out.Identity = digest
	}
	return out
}

func refused(n int) error {
	return fault.New(fault.Findings, "findings", "%d release(s) would be refused; nothing of them was published", n)
}

// checkFor checks a proposed release against the registry that it is meant
// for, and returns what of its name is published.
func (w *Workshop) checkFor(ctx context.Context, b *bench, shown string, files []spec.File, owner ledger.Owner) (*Checked, []registry.PublishedVersion, error) {
	first := manifestOf(files)
	if first == nil || first.Name == "" {
		// Unreadable: the plain check says what is wrong.
		checked, err := w.check(ctx, shown, files, surroundings{})
		return checked, nil, err
	}
	changes, err := b.tree.Diff(ctx, b.store(), []spec.Name{first.Name})
	if err != nil {
		return nil, nil, err
	}
	before := changes.Published[first.Name]
	around := surroundings{owner: ownerID(owner), previous: previous(before)}
	if around.names, err = b.alike(quarantine.Called(first)...); err != nil {
		return nil, nil, err
	}
	if around.waivers, around.unread, err = w.waivers(b.tree, first.Name); err != nil {
		return nil, nil, err
	}
	checked, err := w.check(ctx, shown, files, around)
	if err == nil && changes.Frozen[first.Name] {
		// It would lie in the sources and not be published.
		checked.Findings = append(checked.Findings, changes.Findings...)
	}
	return checked, before, err
}

// publish accepts every proposal of the tree that passes and seals the tree.
// names limits it to some tools; none is all of them. What is ready was checked
// and resolved already.
func (w *Workshop) publish(ctx context.Context, b *bench, ready []registry.Acceptance, names ...spec.Name) (*Published, error) {
	changes, err := b.tree.Diff(ctx, b.store(), names)
	if err != nil {
		return nil, err
	}
	out := newPublished(b)
	batch := registry.Batch{Withdraw: changes.Withdraw, Meta: changes.Meta}
	bad := 0
	if spec.Blocking(changes.Findings) {
		out.Reports, bad = append(out.Reports, &Checked{File: b.dir, Findings: changes.Findings}), bad+1
	}
	all, err := w.checkAll(ctx, b, changes, ready)
	if err != nil {
		return nil, err
	}
	for i, p := range changes.New {
		checked := all[i]
		if checked == nil {
			k := slices.IndexFunc(ready, func(a registry.Acceptance) bool { return a.Release.Ref == p.Ref })
			batch.Accept = append(batch.Accept, ownedBy(ready[k], p.Owners))
			continue
		}
		if checked.OK() && checked.Release.Ref != p.Ref {
			checked.Findings = append(checked.Findings, spec.Finding{
				ID: "MAN-003", Severity: spec.SeverityError, File: p.Ref.At(),
				Message: "the manifest is about " + checked.Release.Ref.At(), Fix: "move the file to the folder of its name and version",
			})
		}
		if !checked.OK() {
			out.Reports, bad = append(out.Reports, checked), bad+1
			continue
		}
		a, err := w.accept(ctx, checked, p.Owners)
		if kind := fault.KindOf(err); kind == fault.Findings || kind == fault.NotVerified {
			// That its packages are not to be had is this release's own fault, and
			// must not keep back the others, least of all a revocation.
			checked.Findings = append(checked.Findings, spec.Finding{
				ID: "DEP-003", Severity: spec.SeverityError, File: p.Ref.At(), Message: err.Error(), Fix: "name packages that there are, for the platforms that it is meant for",
			})
			out.Reports, bad = append(out.Reports, checked), bad+1
			continue
		}
		if err != nil {
			return nil, err
		}
		batch.Accept = append(batch.Accept, a)
	}
	if bad > 0 && b.branch != nil {
		b.branch.partly()
	}
	if err := w.seal(ctx, b, batch, out); err != nil {
		return out, err
	}
	if bad > 0 {
		return out, refused(bad)
	}
	return out, nil
}

// ownerID is how an owner is compared: by the number that outlives a change of
// login, or by the login where a registry has no numbers.
func ownerID(o ledger.Owner) string {
	if o.ID != 0 {
		return strconv.FormatInt(o.ID, 10)
	}
	return o.Login
}

func previous(ps []registry.PublishedVersion) []quarantine.Published {
	out := []quarantine.Published{}
	for _, p := range ps {
		out = append(out, quarantine.Published{Version: p.Version, Files: p.Files})
	}
	return out
}

// manifestOf reads the tool of proposed files, nil where it is not readable.
func manifestOf(files []spec.File) *spec.Tool {
	main, data, wrong := mainOf(files)
	if wrong != nil {
		return nil
	}
	if doc, _ := manifest.Read(main, data, manifest.Strict); doc != nil {
		return &doc.Tool
	}
	return nil
}

// seal signs and publishes a batch and says in out what was new.
func (w *Workshop) seal(ctx context.Context, b *bench, batch registry.Batch, out *Published) error {
	o := registry.SealOptions{
		Registry: b.doc, Signer: b.signer, Now: w.host.Now, Checker: w.checker, SignFirst: b.signer.first,
		CheckHead: b.signer.checkHead,
		Progress:  func(done, total int) { w.progress("publishing", int64(done), int64(total)) },
	}
	if b.branch != nil {
		if err := b.branch.attribute(ctx, batch.Accept); err != nil {
			return err
		}
		o.Commit, o.RefreshAfter, o.Index = b.branch.commit, b.branch.refreshAfter, w.index
	}
	sealed, err := registry.Seal(ctx, b.store(), batch, o)
	if err != nil {
		return err
	}
	out.Head, out.New, out.Changed = sealed.Head, sealed.New, sealed.Changed
	for _, r := range sealed.Accepted {
		out.Accepted = append(out.Accepted, r.At())
		if i := slices.IndexFunc(batch.Accept, func(a registry.Acceptance) bool { return a.Release.Ref.At() == r.At() }); i >= 0 {
			if p, ok := packagesOf(batch.Accept[i]); ok {
				out.Packages = append(out.Packages, p)
			}
		}
	}
	for _, x := range sealed.Withdrawn {
		out.Withdrawn = append(out.Withdrawn, string(x.Event)+" "+spec.Ref{Name: x.Name, Version: x.Version}.At())
	}
	return nil
}
