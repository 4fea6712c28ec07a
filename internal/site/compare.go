package site

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// changes is the page of what version i changed beside the one before it.
func (t *tool) changes(e *edition, i int) *changePage {
	was, is := t.versions[i-1], t.versions[i]
	name := string(t.record.Name)
	p := &changePage{
		shell: e.at(versionPath(t.record.Name, is.Version)+"changes.html", name+" "+string(is.Version)+", changes"),
		Name:  name, Version: string(is.Version), Before: string(was.Version), Main: is.main,
		Here: "index.html", There: "../" + string(was.Version) + "/index.html",
		Permissions: changed(was.Permissions, is.Permissions),
	}
	p.Texts = said(was.card, is.card)
	p.Files = filesChanged(was, is)
	p.compare(was.source, is.source)
	return p
}

// said compares what two manifests say.
func said(was, is *spec.Tool) []textChange {
	if was == nil || is == nil {
		return nil
	}
	var out []textChange
	add := func(what, a, b string) {
		if a != b && len(out) < maxRows {
			out = append(out, textChange{what, sanitize.Fit(a, 2*cellWidth), sanitize.Fit(b, 2*cellWidth)})
		}
	}
	add("description", was.Description, is.Description)
	add("licence", was.License, is.License)
	add("Python", was.Runtime.PythonVersion, is.Runtime.PythonVersion)
	add("packages", strings.Join(was.Runtime.Packages, ", "), strings.Join(is.Runtime.Packages, ", "))
	add("result", outcome(was), outcome(is))
	for _, o := range is.Operations {
		before := ""
		if old, ok := was.Operation(o.Name); ok {
			before = operationOf(*old)
		}
		add("action "+o.Name, before, operationOf(o))
	}
	for _, o := range was.Operations {
		if _, ok := is.Operation(o.Name); !ok {
			add("action "+o.Name, operationOf(o), "")
		}
	}
	for _, i := range is.Inputs {
		at := slices.IndexFunc(was.Inputs, func(j spec.Input) bool { return i.Name == j.Name })
		before := ""
		if at >= 0 {
			before = contractOf(was.Inputs[at])
		}
		add("input "+i.Name, before, contractOf(i))
	}
	for _, i := range was.Inputs {
		if !slices.ContainsFunc(is.Inputs, func(j spec.Input) bool { return i.Name == j.Name }) {
			add("input "+i.Name, contractOf(i), "")
		}
	}
	return out
}

// operationOf is an action in one line.
func operationOf(o spec.Operation) string {
	return strings.TrimRight(string(o.Effects)+": "+o.Summary, ": ")
}

func outcome(t *spec.Tool) string {
	return strings.TrimRight(string(t.Output.Type)+": "+t.Output.Description, ": ")
}

func contractOf(i spec.Input) string {
	out := string(i.Type)
	if !i.Required {
		out += ", optional"
	}
	if i.Default != nil {
		out += ", default " + string(i.Default)
	}
	return strings.TrimRight(out+": "+i.Description, ": ")
}

// filesChanged compares what else is in two versions. The report is of the
// registry's making and differs each time.
func filesChanged(was, is *version) []fileChange {
	var out []fileChange
	add := func(path, how string) {
		if path != is.main && path != ledger.ReportFileName && len(out) < maxRows {
			out = append(out, fileChange{path, how})
		}
	}
	find := func(in *version, path string) *ledger.ReleaseFile {
		return (&ledger.Release{Files: in.files}).Find(path)
	}
	for _, f := range is.files {
		switch before := find(was, f.Path); {
		case before == nil:
			add(f.Path, "new")
		case before.SHA256 != f.SHA256:
			add(f.Path, "changed")
		}
	}
	for _, f := range was.files {
		if find(is, f.Path) == nil {
			add(f.Path, "gone")
		}
	}
	return out
}
