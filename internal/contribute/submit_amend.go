package contribute

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// DraftAmendment makes the pull request that changes tool.yaml of a published
// tool. Of the new owners of a transfer only the logins have to be known.
func (w *Workshop) DraftAmendment(ctx context.Context, a Amendment, o DraftOptions) (*Draft, error) {
	d := o.draft()
	d.ref, d.amends = a.Ref, &a
	d.Branch = "patch-git/" + string(a.Ref.Name) + "-" + string(a.What)
	d.Title = string(a.What) + " " + string(a.Ref.Name)
	if a.ofVersion() {
		d.Branch += "-" + string(a.Ref.Version)
		d.Title += " " + string(a.Ref.Version)
	}
	known, err := w.recall(ctx, o, d)
	if err != nil {
		return nil, err
	}
	if err := known.knows(ctx, o, a); err != nil {
		return nil, err
	}
	g, err := w.survey(ctx, o, d)
	if err != nil {
		return nil, err
	}
	if err := g.takesAmendment(o, known, d); err != nil {
		return nil, err
	}
	if a.What == Transfer {
		if err := d.identify(ctx, o, &a); err != nil {
			return nil, err
		}
		d.Notes = append(d.Notes, "the new owners have to approve the pull request")
	}
	meta := g.meta
	if err := a.apply(&meta); err != nil {
		return nil, err
	}
	data, err := meta.Encode(a.Ref.Name)
	if err != nil {
		return nil, err
	}
	d.Files, d.Body = []DraftFile{newMeta(a.Ref.Name, data)}, a.body()
	// What is published does not say what the source tree says since.
	if !g.surveyed || bytes.Equal(data, g.yaml) {
		switch {
		case known.looked && a.holds(&known.record):
			d.Done = AlreadyPublished
		case g.surveyed:
			d.Done = AlreadyMerged
		}
	}
	return d, nil
}

// knows refuses to change what the registry has not published, and to point to
// a tool that it does not have.
func (r *recollection) knows(ctx context.Context, o DraftOptions, a Amendment) error {
	if !r.looked {
		return nil
	}
	if len(r.record.Versions) == 0 || a.ofVersion() && r.record.Find(a.Ref.Version) == nil {
		return fault.New(fault.NotFound, "no_version", "%s has not published %s", o.Target.Registry, a.of()).
			Hint("patch-git info %s", a.Ref.Name)
	}
	if a.Instead == "" {
		return nil
	}
	other, err := o.Reader.Record(ctx, o.Target.Registry, a.Instead)
	if err == nil && len(other.Versions) == 0 {
		err = fault.New(fault.NotFound, "no_tool", "%s has no %s to use instead", o.Target.Registry, a.Instead)
	}
	return err
}

// takesAmendment tells why the source tree does not take the change. Where it
// could not be read, what is published stands in for it: such a draft is shown
// and not sent.
func (g *ground) takesAmendment(o DraftOptions, known *recollection, d *Draft) error {
	if !g.surveyed {
		if !known.looked {
			return fault.New(fault.Unavailable, "nothing_known", "neither the source tree of %s nor what it has published can be read", d.Repository)
		}
		g.meta = metaOf(&known.record)
		return nil
	}
	switch {
	case !g.exists:
		return fault.New(fault.NotFound, "no_tool", "the source tree of %s has no %s", d.Repository, d.ref.Name)
	case d.ref.Version != "" && !slices.Contains(g.versions, d.ref.Version):
		return fault.New(fault.NotFound, "no_version", "the source tree of %s has no %s", d.Repository, d.ref.At())
	}
	return g.belongs(o, d)
}

// metaOf is tool.yaml as it must have been when the record was published.
func metaOf(r *ledger.Record) registry.Meta {
	m := registry.Meta{Owners: r.Owners, Deprecated: r.Deprecated, ReplacedBy: r.ReplacedBy, Yanked: map[spec.Version]string{}, Revoked: map[spec.Version]string{}}
	for _, v := range r.Versions {
		if v.Yanked != "" {
			m.Yanked[v.Version] = v.Yanked
		}
		if v.Revoked != "" {
			m.Revoked[v.Version] = v.Revoked
		}
	}
	return m
}

// identify asks GitHub for the numbers of the new owners: a login alone may be
// another person's tomorrow.
func (d *Draft) identify(ctx context.Context, o DraftOptions, a *Amendment) error {
	a.Owners = slices.Clone(a.Owners)
	for i := range a.Owners {
		login := a.Owners[i].Login
		u, err := d.hub.User(ctx, login)
		switch {
		case fault.KindOf(err) == fault.NotFound:
			return fault.New(fault.NotFound, "no_user", "GitHub has no user %s", spec.Quote(login))
		case err != nil:
			if err := d.unchecked(o, "the number of "+login, err); err != nil {
				return err
			}
			continue
		case !strings.EqualFold(u.Login, login) || u.ID <= 0:
			return fault.New(fault.Unavailable, "user", "GitHub answers %s when asked for %s", spec.Quote(u.Login), spec.Quote(login))
		}
		a.Owners[i] = ledger.Owner{Login: u.Login, ID: u.ID}
	}
	return nil
}

// holds tells whether a record says what the change wants it to say.
func (a Amendment) holds(r *ledger.Record) bool {
	v := r.Find(a.Ref.Version)
	switch a.What {
	case Yank:
		return v != nil && v.Yanked == a.Reason
	case Unyank:
		return v != nil && v.Yanked == ""
	case Revoke:
		return v != nil && v.Revoked == a.Reason
	case Deprecate:
		return r.Deprecated == a.Reason && r.ReplacedBy == a.Instead
	case Undeprecate:
		return r.Deprecated == "" && r.ReplacedBy == ""
	case Transfer:
		return slices.Equal(r.Owners, a.Owners)
	}
	return false
}

// body is the text of the pull request. The author's words stand in it as code,
// on lines of their own.
func (a Amendment) body() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s `%s`, proposed with patch-git.\n", a.What, a.of())
	if a.Reason != "" {
		fmt.Fprintf(&b, "\nReason:\n\n    %s\n", a.Reason)
	}
	if a.Instead != "" {
		fmt.Fprintf(&b, "\nUse `%s` instead.\n", a.Instead)
	}
	if len(a.Owners) > 0 {
		b.WriteString("\nNew owners, who have to agree by approving this:\n\n")
		for _, o := range a.Owners {
			fmt.Fprintf(&b, "    %s, number %d\n", o.Login, o.ID)
		}
	}
	return b.String()
}

// releaseBody is the text of the pull request of a release. What people are to
// know of the tool the registry's own check tells them, from the file itself.
func (d *Draft) releaseBody() string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`, proposed with patch-git.\n\n", d.ref.At())
	for _, f := range d.Files {
		fmt.Fprintf(&b, "    %s  %d bytes  %s\n", f.Path, f.Size, f.SHA256)
	}
	return b.String()
}
