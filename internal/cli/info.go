package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) infoCommand() *cobra.Command {
	var in string
	c := &cobra.Command{
		Use:   "info name[@version]",
		Short: "Show what a registry says of a tool, verified",
		Long: `Show all that a registry says of a tool: what it takes and gives, what it may do,
its versions with what was withdrawn, who contributed the version that is shown,
who accepted and signed it, what was waived, and how to run it. That version is
verified first; of the others it is told what the signed head states. Nothing is
stored.`,
		Example: `  patch-git info extract_pdf_table
  patch-git info csv_to_json@1.0.0 --json`,
		Args: exactly("name[@version]"), ValidArgsFunction: a.completeListed,
		RunE: func(c *cobra.Command, args []string) error {
			ref, err := parseRef(args[0])
			if err != nil {
				return err
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			name, err := registryFlag(in)
			if err != nil {
				return err
			}
			info, err := client.Info(c.Context(), ref, name)
			if err != nil {
				return err
			}
			qualified := spec.Ref{Name: info.Tool.Name, Version: info.Tool.Version}.At()
			if in != "" {
				qualified += " --registry " + string(name)
			}
			if a.json {
				return a.out.document(infoDocument{1, info, provenanceOf(info), uses(info.Tool, qualified)})
			}
			a.printInfo(info, qualified)
			return nil
		},
	}
	a.registryFlagOf(c, &in)
	a.maxAgeFlag(c)
	return c
}

// infoDocument is the answer with --json.
type infoDocument struct {
	Schema int `json:"schema"`
	*consume.Info
	Provenance provenance `json:"provenance"`
	Use        []use      `json:"use"`
}

// provenance is where a release comes from, as its registry signed it, and who
// had to sign that.
type provenance struct {
	Contributor ledger.Owner `json:"contributor"`
	Verified    bool         `json:"verified"` // it came by a pull request of an owner
	PullRequest string       `json:"pull_request,omitempty"`
	Commit      string       `json:"commit,omitempty"`
	Checker     string       `json:"checker"`
	LogIndex    int64        `json:"log_index"`
	SignedBy    signer       `json:"signed_by"`
}

func provenanceOf(i *consume.Info) provenance {
	v := i.Record.Find(i.Tool.Version)
	return provenance{
		i.Contributor, v != nil && i.Record.ByOwner(v), i.Acceptance.PullRequest, i.Acceptance.Commit, i.Acceptance.Checker, i.LogIndex,
		signerOf(i.Pin.Trust, i.Pin.TrustedRoot),
	}
}

func (a *app) printInfo(info *consume.Info, qualified string) {
	t, p := info.Tool, a.out
	p.printf("%s %s\n%s\n\n", p.bold(string(t.Name)), t.Version, safe(t.Description))
	p.table(a.aboutRows(info))
	if len(t.Examples) > 0 {
		p.printf("\n%s\n", p.bold("for example"))
		for _, e := range t.Examples {
			p.printf("  %s\n", oneLine(safe(e)))
		}
	}
	if t.Format == spec.FormatPatch {
		p.printf("\n%s\n", p.bold("inputs"))
		p.table(a.inputRows(t))
		p.printf("\n%s %s  %s\n", p.bold("result"), t.Output.Type, safe(t.Output.Description))
	} else {
		a.printFormat(t)
	}
	p.printf("\n%s\n", p.bold("versions"))
	p.table(versionRows(p, &info.Record))
	p.printf("\n%s\n", p.bold("provenance"))
	p.table(provenanceRows(info))
	title := "run it"
	if t.Format != spec.FormatPatch {
		title = "use it"
	}
	p.printf("\n%s\n", p.bold(title))
	var rows [][]string
	for _, u := range uses(t, qualified) {
		if u.Command == "" {
			rows = append(rows, []string{"  " + u.Where, u.How})
			continue
		}
		rows = append(rows, []string{"  " + u.Where, u.Command})
		if u.How != "" {
			rows = append(rows, []string{"", "(" + u.How + ")"})
		}
	}
	p.table(rows)
}

// aboutRows are what a card shows of a tool, and what its version needs.
func (a *app) aboutRows(info *consume.Info) [][]string {
	t, r := info.Tool, &info.Record
	var owners []string
	for _, o := range r.Owners {
		owners = append(owners, o.Login)
	}
	by := safe(publisher(owners))
	if v := r.Find(t.Version); v != nil && r.ByOwner(v) {
		by += a.out.green(" (verified)")
	}
	rows := [][]string{
		{"publisher", by},
		{"licence", safe(cmp.Or(t.License, "none stated"))},
		{"kind", string(t.Format)},
		{"release", info.Release.String()},
	}
	if len(t.Tags) > 0 {
		rows = append(rows, []string{"tags", safe(strings.Join(t.Tags, ", "))})
	}
	if len(t.Aliases) > 0 {
		rows = append(rows, []string{"also called", joined(t.Aliases)})
	}
	rows = append(
		rows,
		[]string{"may use", strings.Join(permissionWords(t.Permissions()), ", ")},
	)
	if t.Format == spec.FormatPatch {
		rows = append(rows, []string{"python", safe(t.Runtime.PythonVersion) + packagesText(t.Runtime.Packages)})
	}
	if t.Format == spec.FormatSkill {
		rows = append(rows, []string{"enforced", "by nobody here: the host that follows a skill runs its scripts with your rights"})
	}
	if p := info.Packages; p != nil {
		rows = append(rows, platformRows(p.Platforms, p.Unsupported)...)
		rows = append(rows, []string{"  from", safe(strings.Join(p.Hosts, ", "))})
		if p.UploadedBefore != "" {
			rows = append(rows, []string{"  as of", safe(p.UploadedBefore)})
		}
	}
	for _, f := range info.Waived {
		rows = append(rows, []string{"waived", oneLine(safe(f.String()))})
	}
	if len(info.Installed) > 0 {
		rows = append(rows, []string{"installed", joinVersions(info.Installed)})
		if state, ok := a.stateOf(t.Name); ok {
			rows = append(rows, []string{"works", smokeText(state.Smoke)})
		}
	}
	if r.Deprecated != "" {
		rows = append(rows, []string{"deprecated", a.out.red(safe(r.Deprecated))})
	}
	if r.ReplacedBy != "" {
		rows = append(rows, []string{"use instead", string(r.ReplacedBy)})
	}
	return rows
}

func (a *app) inputRows(t *spec.Tool) [][]string {
	var rows [][]string
	for _, i := range t.Inputs {
		what := typeWord(t, i)
		if !i.Required {
			what += ", optional"
		}
		if i.Default != nil {
			what += ", default " + safe(string(i.Default))
		}
		rows = append(rows, []string{"  " + a.howToGive(i.Name), what, safe(i.Description)})
	}
	if len(rows) == 0 {
		rows = [][]string{{"  none"}}
	}
	return rows
}

// versionRows list the newest first.
func versionRows(p *printer, r *ledger.Record) [][]string {
	var rows [][]string
	for _, v := range slices.Backward(r.Versions) {
		note := ""
		switch {
		case v.Revoked != "":
			note = p.red("revoked: " + safe(v.Revoked))
		case v.Yanked != "":
			note = p.red("yanked: " + safe(v.Yanked))
		}
		rows = append(rows, []string{"  " + string(v.Version), v.Published, "by " + owner(v.Contributor), fmt.Sprintf("log entry %d", v.LogIndex), note})
	}
	return rows
}

// provenanceRows say who contributed, accepted and signed.
func provenanceRows(info *consume.Info) [][]string {
	of := provenanceOf(info)
	rows := [][]string{
		{"  registry", fmt.Sprintf("%s, head %d of %s", info.Registry, info.Head.Seq, info.Head.Time)},
		{"  published", fmt.Sprintf("%s by %s (log entry %d)", info.Published, owner(info.Contributor), info.LogIndex)},
	}
	if of.PullRequest != "" {
		rows = append(rows, []string{"  pull request", safe(of.PullRequest)})
	}
	if of.Commit != "" {
		rows = append(rows, []string{"  commit", safe(of.Commit)})
	}
	if s := of.SignedBy; s.Identity == nil {
		rows = append(rows, []string{"  signed by", "the key " + s.Key})
	} else {
		rows = append(rows, []string{"  signed by", "the workflow of " + safe(ownerAndName(s.Identity)) + ", by Sigstore"})
	}
	return append(rows, []string{"  checked by", safe(of.Checker)})
}

// owner names an account; a registry may know of nobody.
func owner(o ledger.Owner) string {
	switch {
	case o.Login == "":
		return "nobody that the registry names"
	case o.ID == 0:
		return safe(o.Login)
	}
	return fmt.Sprintf("%s (account %d)", safe(o.Login), o.ID)
}

// permissionWords says in words what a tool may do.
func permissionWords(p spec.Permissions) []string {
	var out []string
	if p.Network {
		out = append(out, "the network (the internet; where it cannot be filtered, this machine's own services and its local network too)")
	} else {
		out = append(out, "no network")
	}
	switch p.Filesystem {
	case spec.FilesystemReadOnly:
		out = append(out, "files that you name (read only)")
	case spec.FilesystemReadWrite:
		out = append(out, "files that you name (read and write)")
	case spec.FilesystemNone:
		out = append(out, "no files")
	default:
		out = append(out, "files in a way that this program does not know")
	}
	if p.HumanConfirm {
		out = append(out, "only after you confirm each run")
	}
	for _, n := range p.Needs {
		out = append(out, "its code "+spec.NeedWords(n))
	}
	for _, s := range p.ExternalAuth {
		out = append(out, "your account: "+safe(s))
	}
	for _, s := range p.Scopes {
		out = append(out, "in your name: "+safe(s))
	}
	for _, s := range p.Secrets {
		out = append(out, "your secret: "+safe(s))
	}
	for _, s := range p.Servers {
		out = append(out, "sends to "+safe(s))
	}
	if p.Installs != "" {
		out = append(out, "installs "+safe(p.Installs))
	}
	return out
}

func packagesText(packages []string) string {
	if len(packages) == 0 {
		return ", no packages"
	}
	return " with " + safe(strings.Join(packages, ", "))
}

func joinVersions(vs []spec.Version) string {
	var s []string
	for _, v := range vs {
		s = append(s, string(v))
	}
	return strings.Join(s, ", ")
}
