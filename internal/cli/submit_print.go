package cli

import (
	"fmt"
	"strings"

	"github.com/patch-cat/patch-git/internal/contribute"
)

// printDraft shows what is sent: what users will see of the tool, where it goes
// and every file.
func (a *app) printDraft(d *contribute.Draft, line func(format string, args ...any)) {
	line("%s\n", a.out.bold(d.Title))
	if t := d.Tool; t != nil {
		line("  %s\n", safe(oneLine(t.Description)))
		line("  may use   %s\n", strings.Join(permissionWords(t.Permissions()), ", "))
		line("  python    %s%s\n", safe(t.Runtime.PythonVersion), packagesText(t.Runtime.Packages))
	}
	to := fmt.Sprintf("%s, branch %s", safe(d.Repository), safe(orUnknown(d.Base)))
	if d.BaseCommit != "" {
		to += " at " + safe(d.BaseCommit)
	}
	line("  to        %s\n", to)
	line("  branch    %s\n", d.Branch)
	if d.Author == nil {
		line("  by        you; nobody said who that is\n")
	} else {
		line("  by        %s, number %d\n", safe(d.Author.Login), d.Author.ID)
	}
	for _, f := range d.Files {
		note := ""
		if d.NewName && strings.HasSuffix(f.Path, "/tool.yaml") {
			note = "  (the name becomes yours)"
		}
		line("  file      %s, %d bytes, %s%s\n", safe(f.Path), f.Size, f.SHA256, note)
		for l := range strings.Lines(f.Text) {
			line("            %s\n", safe(strings.TrimSuffix(l, "\n")))
		}
	}
	for _, n := range d.Notes {
		line("  note      %s\n", safe(oneLine(n)))
	}
	for _, u := range d.Unchecked {
		line("  unchecked %s\n", safe(oneLine(u)))
	}
	if d.Done != "" {
		line("  nothing to send: it is %s already\n", d.Done)
	}
}

func orUnknown(s string) string {
	if s == "" {
		return "of the repository's choice"
	}
	return s
}
