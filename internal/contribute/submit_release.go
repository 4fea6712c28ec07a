package contribute

import (
	"context"
	"fmt"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Reader reads what registries have published, verified as any client does it:
// without GitHub's interface and without a token.
type Reader interface {
	// Record returns what a registry says of a name: a record without versions
	// where it proves that it never had the name.
	Record(ctx context.Context, in spec.RegistryName, name spec.Name) (ledger.Record, error)
	// Files returns the digests of the files of a published version.
	Files(ctx context.Context, in spec.RegistryName, ref spec.Ref) (map[string]spec.Digest, error)
	// Names lists the tools of a registry that can be resolved.
	Names(ctx context.Context, in spec.RegistryName) ([]spec.Name, error)
}

// DraftOptions say where a draft goes and who is asked for it.
type DraftOptions struct {
	Target Target
	// GitHub is called when it is to be asked, which is after the file was found
	// fit: nobody needs a token to hear that it is not. anonymous says that there
	// is no token, so that nobody knows who the author is.
	GitHub func(ctx context.Context) (gh GitHub, anonymous bool, err error)
	// Reader reads what the registry has published; nil where it is not pinned.
	Reader Reader
	// AskOwner proposes also what the owner of the name has to approve.
	AskOwner bool
	// Lenient makes a draft also where something cannot be reached, and says in
	// it what was left unchecked. Such a draft is to be shown, not to be sent.
	Lenient bool
}

// DraftRelease checks a tool, alone, against what the registry has published
// and against its source tree, and makes the pull request that proposes it.
// Where the answer is no, the draft has the findings and the error is
// [fault.Findings]; where nobody here could tell, it is [fault.Unavailable].
func (w *Workshop) DraftRelease(ctx context.Context, file string, o DraftOptions) (*Draft, error) {
	files, err := readRelease(file, w.Format)
	if err != nil {
		return nil, err
	}
	d := o.draft()
	if d.Checked, err = w.check(ctx, file, files, surroundings{}); err != nil {
		return nil, err
	}
	if !d.Checked.OK() {
		return d, d.Checked.refused(notSent())
	}
	d.ref, d.Tool = d.Checked.Release.Ref, d.Checked.Tool
	d.Branch = branchPrefix + string(d.ref.Name) + "-" + string(d.ref.Version)
	d.Title = string(d.ref.Name) + " " + string(d.ref.Version)
	for _, f := range files {
		d.Files = append(d.Files, newFile(registry.VersionPath(d.ref, f.Path), f.Data))
	}
	known, err := w.recall(ctx, o, d)
	if err != nil {
		return nil, err
	}
	g, err := w.survey(ctx, o, d)
	if err != nil {
		return nil, err
	}
	if err := g.takesRelease(o, d); err != nil {
		return nil, err
	}
	d.Body = d.releaseBody()
	around := known.around(d, g)
	if d.Checked, err = w.check(ctx, file, files, around); err != nil {
		return nil, err
	}
	if !d.Checked.OK() {
		return d, d.Checked.refused(notSent())
	}
	if v := known.record.Find(d.ref.Version); v != nil {
		if err := d.withdrawn(v); err != nil {
			return nil, err
		}
		d.Done = AlreadyPublished // the check has compared the files
	}
	return d, nil
}

func notSent() error {
	return fault.New(fault.Findings, "findings", "the registry would refuse this; nothing was sent")
}

// draft begins a draft.
func (o DraftOptions) draft() *Draft {
	return &Draft{Registry: o.Target.Registry, Repository: o.Target.Repo.String(), Base: o.Target.Branch, Files: []DraftFile{}, target: o.Target}
}

// unchecked notes what could not be looked at. It is an error unless the draft
// is only to be shown.
func (d *Draft) unchecked(o DraftOptions, what string, err error) error {
	if kind := fault.KindOf(err); !o.Lenient || kind != fault.Unavailable && fault.ReasonOf(err) != "token" {
		return err
	}
	d.Unchecked = append(d.Unchecked, what+": "+err.Error())
	return nil
}

// recollection is what the registry has published that a draft must agree with.
type recollection struct {
	record ledger.Record
	files  map[string]spec.Digest // of the very version, where it is published
	near   []nearName
	looked bool
}

type nearName struct {
	name   spec.Name
	owners []ledger.Owner
}

// recall reads what is published under the name of a draft and under names
// close to it.
func (w *Workshop) recall(ctx context.Context, o DraftOptions, d *Draft) (*recollection, error) {
	r := &recollection{}
	if o.Reader == nil {
		d.Unchecked = append(d.Unchecked, "what "+string(d.Registry)+" has published: it is not added here")
		return r, nil
	}
	w.progress("reading what "+string(d.Registry)+" has published", 0, 0)
	err := r.read(ctx, o.Reader, d)
	if err != nil {
		return r, d.unchecked(o, "what "+string(d.Registry)+" has published", err)
	}
	r.looked = true
	return r, nil
}

func (r *recollection) read(ctx context.Context, from Reader, d *Draft) error {
	var err error
	if r.record, err = from.Record(ctx, d.Registry, d.ref.Name); err != nil {
		return err
	}
	if len(r.record.Versions) > 0 {
		r.near = append(r.near, nearName{d.ref.Name, r.record.Owners})
	}
	if r.record.Find(d.ref.Version) != nil {
		if r.files, err = from.Files(ctx, d.Registry, d.ref); err != nil {
			return err
		}
	}
	names, err := from.Names(ctx, d.Registry)
	if err != nil {
		return err
	}
	called := []spec.Name{d.ref.Name}
	if d.Tool != nil { // nil where nothing but tool.yaml is proposed
		called = quarantine.Called(d.Tool)
	}
	for _, n := range names {
		if n == d.ref.Name || !quarantine.Alike(n, called...) {
			continue
		}
		other, err := from.Record(ctx, d.Registry, n)
		if err != nil {
			return err
		}
		r.near = append(r.near, nearName{n, other.Owners})
	}
	return nil
}

// around is what the check compares the release with: what is published, and
// what the source tree has beyond that.
func (r *recollection) around(d *Draft, g *ground) surroundings {
	s := surroundings{}
	if r.looked {
		s.previous = []quarantine.Published{}
		for _, v := range r.record.Versions {
			p := quarantine.Published{Version: v.Version}
			if v.Version == d.ref.Version {
				p.Files = r.files
			}
			s.previous = append(s.previous, p)
		}
	}
	for _, v := range g.versions {
		if v != d.ref.Version && r.record.Find(v) == nil {
			s.previous = append(s.previous, quarantine.Published{Version: v})
		}
	}
	switch {
	case !r.looked:
		return s
	case d.Author == nil:
		for _, n := range r.near {
			d.Unchecked = append(d.Unchecked, fmt.Sprintf("whether the name %s is yours, which is too close for two owners: nobody said who you are", n.name))
		}
		return s
	}
	// A maintainer proposes in the name of the owner.
	s.owner, s.names = ownerID(*d.Author), []quarantine.Existing{}
	if len(g.meta.Owners) > 0 && !owns(g.meta.Owners, *d.Author) {
		s.owner = ownerID(g.meta.Owners[0])
	}
	for _, n := range r.near {
		e := quarantine.Existing{Name: n.name}
		if owned := slices.ContainsFunc(n.owners, func(o ledger.Owner) bool { return ownerID(o) == s.owner }); owned {
			e.Owner = s.owner
		} else if len(n.owners) > 0 {
			e.Owner = ownerID(n.owners[0])
		}
		s.names = append(s.names, e)
	}
	return s
}

func owns(owners []ledger.Owner, who ledger.Owner) bool {
	return slices.ContainsFunc(owners, func(o ledger.Owner) bool { return o.ID != 0 && o.ID == who.ID })
}
