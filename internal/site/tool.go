package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/aihost"
	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// room bounds what one page shows of each kind of thing. A tool's page stays
// below limits.SitePage, whatever is in the tool: where the first room is too
// much for that, a smaller one is taken, and the page leads to what it leaves out.
type room struct {
	rows  int // versions, inputs, files, examples
	width int // columns of a text in a table
}

func rooms() []room { return []room{{20, 240}, {10, 120}, {5, 60}, {2, 30}} }

const (
	maxRows    = 20  // what lists show elsewhere
	cellWidth  = 240 // columns
	previewing = 40  // lines of the source on the page of a tool
)

// toolPage is the page of a tool, which is that of its latest version, and of
// one version.
type toolPage struct {
	shell
	Name, Version, Date, Description, Main string
	One                                    bool   // of one version, by its own address
	Home                                   string // the tool's page
	Own                                    string // address of the version's page
	Whole                                  string // address of the whole source
	Notes                                  []note
	Kind, License                          string
	Owners                                 []person
	Verified, Offered, Revoked             bool
	Network, Files                         badge
	Confirm                                bool
	Tags                                   []link
	Examples                               []string
	Uses                                   []use
	Grants                                 []grant
	Known                                  bool // the manifest is read, and has a section of inputs: that of a Patch tool also says that there are none
	Inputs                                 []input
	MoreInputs                             int
	Output                                 input
	Runtime                                string
	Actions                                []action
	MoreActions                            int
	Facts                                  []fact // of the manifest, where the format has more to say
	Versions                               []row
	MoreVersions                           int
	Provenance                             []fact
	Contents                               []content
	MoreContents                           int
	Waived                                 []string
	Source                                 sourceView
	Changes                                []change
	Before                                 string // the version before, which Changes are about
}

// note is what a reader has to know first.
type note struct{ Bad, Word, Text, Href, Link string }

// link leads to a page of the site.
type link struct{ Text, Href string }

// use is one way to use the tool: a command to copy.
type use struct {
	ID, Title, Text, Command, Say string
	First                         bool
}

// input is an argument, or the result.
type input struct{ Name, Type, Description, Default string }

// row is one version in the table of them.
type row struct {
	Version, Href, Date, May string
	Changes                  string // address of the differences to the version before
	Asks                     []change
	Latest                   bool
	Yanked, Revoked          bool
	Reason                   string
}

// fact is one line of provenance.
type fact struct {
	What, Text, Href string
	Code             bool
}

// content is one file of the release.
type content struct {
	Path, Href, Digest string
	Size               int64
}

// page is the page of a tool.
func (t *tool) page(e *edition, in room) *toolPage {
	path := "t/" + string(t.record.Name) + "/index.html"
	p := t.basics(e, t.shown, path, in)
	p.Own = string(t.shown.Version) + "/index.html"
	p.Whole = p.Own + "#source"
	p.Home = "index.html"
	p.Versions, p.MoreVersions = t.rows(in, "")
	return p
}

// versionPage is the page of one version of it.
func (t *tool) versionPage(e *edition, i int, in room) *toolPage {
	v := t.versions[i]
	p := t.basics(e, v, "t/"+string(t.record.Name)+"/"+string(v.Version)+"/index.html", in)
	p.One, p.Home, p.Whole = true, "../index.html", "source.html"
	if i > 0 {
		p.Before = string(t.versions[i-1].Version)
		p.Changes = changed(t.versions[i-1].Permissions, v.Permissions)
		p.Changes = p.Changes[:min(len(p.Changes), in.rows)]
	}
	for _, f := range v.files[:min(len(v.files), in.rows)] {
		p.Contents = append(p.Contents, content{
			Path: f.Path, Size: f.Size, Digest: f.SHA256.String(), Href: p.Up + fileAt(t.record.Name, v, f.Path),
		})
	}
	p.MoreContents = len(v.files) - len(p.Contents)
	return p
}

// basics are what both have.
func (t *tool) basics(e *edition, v *version, path string, in room) *toolPage {
	r := t.record
	p := &toolPage{
		shell: e.at(path, string(r.Name)), Name: string(r.Name), Version: string(v.Version), Date: minute(v.Published),
		Main: v.main, Kind: kindWord(string(r.Summary.Format)),
		Revoked: v.Revoked != "", Offered: v.Yanked == "" && v.Revoked == "",
		Network: networkBadge(v.Permissions), Files: filesBadge(v.Permissions), Confirm: v.Permissions.HumanConfirm,
		Grants: told(r.Summary.Format, grants(v.Permissions, in)),
	}
	var tags, examples []string
	switch {
	case v.card != nil:
		p.Description, p.License, tags, examples = ledger.NewDescription(v.card), v.card.License, v.card.Tags, v.card.Examples
		p.contract(v.card, in)
	case v == t.shown:
		p.Description, p.License, tags, examples = r.Description, r.Summary.License, r.Summary.Tags, r.Summary.Examples
	}
	for _, o := range r.Owners {
		p.Owners = append(p.Owners, e.person(o, p.Up))
		p.Verified = p.Verified || v.PullRequest != "" && o.ID != 0 && o.ID == v.Contributor.ID
	}
	p.Owners = p.Owners[:min(len(p.Owners), in.rows)]
	for _, tag := range tags[:min(len(tags), in.rows)] {
		p.Tags = append(p.Tags, link{tag, e.tagPage(tag, p.Up)})
	}
	for _, x := range examples[:min(len(examples), in.rows)] {
		p.Examples = append(p.Examples, sanitize.Fit(x, in.width))
	}
	p.Notes = t.notes(v, p.Up)
	if p.Offered {
		p.Uses = t.uses(v)
	}
	p.Provenance = provenance(e, r, v, p.Up)
	for _, f := range v.findings[:min(len(v.findings), in.rows)] {
		p.Waived = append(p.Waived, sanitize.Fit(f.String(), 2*in.width))
	}
	return p
}

// contract is what the manifest says of inputs and the result.
func (p *toolPage) contract(c *spec.Tool, in room) {
	p.Known = true
	for _, i := range c.Inputs[:min(len(c.Inputs), in.rows)] {
		one := input{sanitize.Fit(i.Name, in.width), string(i.Type), sanitize.Fit(i.Description, in.width), ""}
		if !i.Required {
			one.Type += ", optional"
		}
		if i.Default != nil {
			one.Default = sanitize.Fit(string(i.Default), in.width/4)
		}
		p.Inputs = append(p.Inputs, one)
	}
	p.MoreInputs = len(c.Inputs) - len(p.Inputs)
	if c.Format != spec.FormatPatch {
		p.Known = len(p.Inputs) > 0
		p.otherContract(c, in)
		return
	}
	p.Output = input{Type: string(c.Output.Type), Description: sanitize.Fit(c.Output.Description, 2*in.width)}
	p.Runtime = "Python " + c.Runtime.PythonVersion + " or newer, no packages"
	if len(c.Runtime.Packages) > 0 { // a closure is for one Python
		p.Runtime = "Python " + c.Runtime.PythonVersion + ", with " + sanitize.Fit(strings.Join(c.Runtime.Packages, ", "), 2*in.width)
	}
}

// notes say what a reader has to know before anything else.
func (t *tool) notes(v *version, up string) []note {
	var out []note
	home := up + "t/" + string(t.record.Name) + "/index.html"
	switch {
	case v.Revoked != "":
		out = append(out, note{Bad: "bad", Word: "Revoked", Text: v.Revoked})
	case v.Yanked != "":
		out = append(out, note{Bad: "bad", Word: "Yanked", Text: v.Yanked})
	}
	switch {
	case !t.latest && len(t.versions) > 1 && !slices.ContainsFunc(t.versions, func(v *version) bool { return v.Yanked == "" && v.Revoked == "" }):
		out = append(out, note{Bad: "bad", Word: "Gone", Text: "No version of it is offered any more."})
	case t.latest && v != t.shown:
		out = append(out, note{Word: "Not the latest", Text: "The latest version is", Href: home, Link: string(t.shown.Version)})
	}
	if t.record.Deprecated != "" {
		out = append(out, note{Word: "Deprecated", Text: t.record.Deprecated})
	}
	if by := string(t.record.ReplacedBy); by != "" {
		out = append(out, note{Word: "Replaced", Text: "Use instead", Href: up + "t/" + by + "/index.html", Link: by})
	}
	return out
}

// rows lists the newest versions; base leads from the page to the tool's folder.
func (t *tool) rows(in room, base string) (rows []row, more int) {
	for i := range slices.Backward(t.versions) {
		if len(rows) == in.rows {
			return rows, i + 1
		}
		v := t.versions[i]
		r := row{
			Version: string(v.Version), Href: base + string(v.Version) + "/index.html", Date: day(v.Published), May: sanitize.Fit(briefly(v.Permissions), in.width),
			Latest: t.latest && v == t.shown, Yanked: v.Yanked != "" && v.Revoked == "", Revoked: v.Revoked != "",
			Reason: sanitize.Fit(cmp.Or(v.Revoked, v.Yanked), in.width),
		}
		if i > 0 {
			r.Changes = base + string(v.Version) + "/changes.html"
			r.Asks = changed(t.versions[i-1].Permissions, v.Permissions)
			r.Asks = r.Asks[:min(len(r.Asks), 4)]
		}
		rows = append(rows, r)
	}
	return rows, 0
}

// versionsPage lists all versions, where the tool's page does not.
type versionsPage struct {
	shell
	Name     string
	Versions []row
}

// uses are commands that work as they stand. Nothing that a stranger wrote is
// in them but names, which have an alphabet: what a person copies into a shell,
// or into what a model reads as its orders, must not be a stranger's words.
func (t *tool) uses(v *version) []use {
	name, ref := string(t.record.Name), spec.Ref{Name: t.record.Name, Version: v.Version}.At()
	if format := spec.FormatOf(v.main); format != spec.FormatPatch {
		return otherUses(format, name, ref, v.card)
	}
	run := "patch-git run " + name + arguments(v.card)
	uses := []use{{"shell", "Shell", "Fetch it, verify who accepted it, and run it in the sandbox. It asks before it gives the tool anything of yours.", "patch-git pull " + ref + "\n" + run, "", true}}
	return append(uses, hostUses("Fetch it, and have the host start patch-git, which serves it with your other tools by MCP. The second line is needed once.", "patch-git pull "+ref, "patch-git setup ", aihost.IDs())...)
}

// arguments are example arguments, one for each input that must be given.
func arguments(c *spec.Tool) string {
	if c == nil {
		return " --help"
	}
	var parts []string
	for _, i := range c.Inputs {
		if !i.Required {
			continue
		}
		value := map[spec.Type]string{
			spec.TypeString: `"…"`, spec.TypeNumber: "1.5", spec.TypeInteger: "1", spec.TypeBoolean: "true", spec.TypeArray: "[]", spec.TypeObject: "{}",
		}[i.Type]
		if value == "" || strings.Trim(i.Name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
			return " --help"
		}
		parts = append(parts, `"`+i.Name+`": `+value)
	}
	if len(parts) == 0 {
		return ""
	}
	if len(parts) > 6 {
		return " --help"
	}
	return " --args '{" + strings.Join(parts, ", ") + "}'"
}

// provenance says where a version comes from, with what anybody can check it.
func provenance(e *edition, r *ledger.Record, v *version, up string) []fact {
	at := func(file string) string { return up + fileAt(r.Name, v, file) }
	who := v.Contributor
	commit, checker := "", ""
	if a := v.accepted; a != nil {
		who, commit, checker = a.Contributor, a.Commit, a.Checker
	}
	var out []fact
	add := func(what, text, href string, code bool) {
		if text != "" {
			out = append(out, fact{what, sanitize.Fit(text, cellWidth), href, code})
		}
	}
	href := e.person(who, up).Href
	if href == "" && e.onGitHub() && isLogin(who.Login) {
		href = ledger.GitHub + who.Login
	}
	add("Contributed by", who.Login, href, false)
	add("Pull request", strings.TrimPrefix(v.PullRequest, "https://"), outside(v.PullRequest), false)
	if e.doc.Source != "" && commit != "" && outside(e.doc.Source) != "" && strings.Trim(commit, "0123456789abcdef") == "" {
		add("Commit", commit, strings.TrimSuffix(e.doc.Source, "/")+"/commit/"+commit, true)
	} else {
		add("Commit", commit, "", true)
	}
	add("Checked by", checker, at(ledger.ReportFileName), false)
	add("Log entry", fmt.Sprint(v.LogIndex)+", with its proof", at(ledger.ProofFileName), false)
	add("Evidence", ledger.EvidenceFileName, at(ledger.EvidenceFileName), true)
	if e.doc.Trust.Kind == ledger.TrustKeyless && e.doc.Trust.Identity != nil {
		add("Signed by", e.doc.Trust.Identity.SAN, up+"registry/index.html", true)
	} else {
		add("Signed by", "the key "+e.doc.Trust.Digest().String(), up+"registry/index.html", true)
	}
	add("Release digest", v.Release.String(), at(ledger.ReleaseFileName), true)
	return out
}

// fileAt is where a file of a version lies, from the folder of the registry.
func fileAt(n spec.Name, v *version, file string) string {
	return ledger.Root + "/" + ledger.ReleasePath(n, v.Version, file)
}
