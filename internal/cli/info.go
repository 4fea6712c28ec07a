package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) infoCommand() *cobra.Command {
	var in string
	c := &cobra.Command{
		Use:   "info name[@version]",
		Short: "Show what a registry says of a tool, verified",
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
			if a.json {
				return a.out.document(struct {
					Schema int `json:"schema"`
					*consume.Info
				}{1, info})
			}
			a.printInfo(info)
			return nil
		},
	}
	a.registryFlagOf(c, &in)
	a.maxAgeFlag(c)
	return c
}

func (a *app) printInfo(info *consume.Info) {
	t, p := info.Tool, a.out
	p.printf("%s %s\n%s\n\n", p.bold(string(t.Name)), t.Version, safe(t.Description))
	rows := [][]string{
		{"registry", string(info.Registry)},
		{"published", fmt.Sprintf("%s by %s (log entry %d)", info.Published, contributor(info), info.LogIndex)},
		{"release", info.Release.String()},
		{"may use", strings.Join(permissionWords(t.Permissions()), ", ")},
		{"python", safe(t.Runtime.PythonVersion) + packagesText(t.Runtime.Packages)},
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
	}
	if info.Record.Deprecated != "" {
		rows = append(rows, []string{"deprecated", safe(info.Record.Deprecated)})
	}
	if info.Record.ReplacedBy != "" {
		rows = append(rows, []string{"use instead", string(info.Record.ReplacedBy)})
	}
	p.table(rows)
	p.printf("\n%s\n", p.bold("inputs"))
	rows = rows[:0]
	for _, i := range t.Inputs {
		what := string(i.Type)
		if !i.Required {
			what += ", optional"
		}
		if i.Default != nil {
			what += ", default " + safe(string(i.Default))
		}
		rows = append(rows, []string{"  " + a.howToGive(i.Name), what, safe(i.Description)})
	}
	p.table(rows)
	p.printf("\n%s %s  %s\n\n%s\n", p.bold("result"), t.Output.Type, safe(t.Output.Description), p.bold("versions"))
	rows = rows[:0]
	for _, v := range slices.Backward(info.Record.Versions) {
		note := ""
		switch {
		case v.Revoked != "":
			note = p.red("revoked: " + safe(v.Revoked))
		case v.Yanked != "":
			note = p.red("yanked: " + safe(v.Yanked))
		}
		rows = append(rows, []string{"  " + string(v.Version), v.Published, note})
	}
	p.table(rows)
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
	default:
		out = append(out, "no files")
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

// contributor names who proposed a version; a registry may know of nobody.
func contributor(info *consume.Info) string {
	if info.Contributor.Login == "" {
		return "nobody that the registry names"
	}
	return safe(info.Contributor.Login)
}
