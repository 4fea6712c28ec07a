package site

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// tool is what a page shows of one.
type tool struct {
	record *ledger.Record
	shown  *ledger.RecordVersion // the latest, else the highest
	card   *spec.Tool            // its manifest; nil where this program does not read it
}

func open(ctx context.Context, src registry.Source, n spec.Name) (*tool, error) {
	r, err := read(ctx, src, ledger.RecordPath(n), func(data []byte) (*ledger.Record, error) {
		r, err := ledger.ParseRecord(data, n)
		if err == nil && len(r.Versions) == 0 {
			err = fmt.Errorf("record of %q has no version", n)
		}
		return r, err
	})
	if err != nil {
		return nil, err
	}
	t := &tool{record: r, shown: r.Latest()}
	if t.shown == nil {
		t.shown = &r.Versions[len(r.Versions)-1]
	}
	main := spec.FormatPatch.MainFile()
	data, err := src.Read(ctx, ledger.ReleasePath(n, t.shown.Version, main), limits.ToolFile)
	if err != nil {
		return nil, err
	}
	if m, findings := manifest.Read(main, data, manifest.Strict); m != nil && !spec.Blocking(findings) {
		t.card = &m.Tool
	}
	return t, nil
}

// listed tells whether somebody who looks for a tool is shown this one.
func (t *tool) listed() bool { return t.record.Latest() != nil }

func (t *tool) page(doc *ledger.Registry) []byte {
	name, latest := string(t.record.Name), t.record.Latest()
	p := begin(name+" – "+string(doc.Name), "../../")
	p.add("<p><a href=\"../../index.html\">%s</a></p>\n<h1>%s <span class=\"dim\">%s</span></h1>\n", string(doc.Name), name, string(t.shown.Version))
	p.add("<p>%s</p>\n", t.record.Description)
	if t.record.Deprecated != "" {
		p.add("<p class=\"note\">Deprecated: %s</p>\n", t.record.Deprecated)
	}
	if by := string(t.record.ReplacedBy); by != "" {
		p.add("<p class=\"note\">Use <a href=\"../%s/index.html\">%s</a> instead.</p>\n", by, by)
	}
	if latest == nil {
		p.add("<p class=\"note\">No version of it is offered any more.</p>\n")
	} else {
		p.add("<h2>Pull it</h2>\n<pre>patch-git pull %s@%s\npatch-git run %s --help</pre>\n", name, string(latest.Version), name)
	}
	p.add("<h2>What it may do</h2>\n<p>%s</p>\n", permissions(t.shown.Permissions))
	t.inputs(p)
	p.add("<h2>Versions</h2>\n<table>\n<tr><th>Version</th><th>Published</th><th class=\"wide\">May do</th><th>State</th></tr>\n")
	for _, v := range slices.Backward(t.record.Versions) {
		p.add("<tr><td><a href=\"../../v1/%s/tool.py\">%s</a></td><td>%s</td><td class=\"wide\">%s</td><td>", ledger.ReleaseDir(t.record.Name, v.Version),
			string(v.Version), strings.TrimSuffix(v.Published, "Z")+" UTC", permissions(v.Permissions))
		switch {
		case v.Revoked != "":
			p.add("<span class=\"bad\">revoked</span>: %s", v.Revoked)
		case v.Yanked != "":
			p.add("<span class=\"bad\">yanked</span>: %s", v.Yanked)
		case latest != nil && v.Version == latest.Version:
			p.add("<span class=\"ok\">latest</span>")
		}
		p.add("</td></tr>\n")
	}
	p.add("</table>\n<p class=\"dim\">Owned by %s. Evidence of the newest: <a href=\"../../v1/%s/%s\">%s</a>.</p>\n", owners(t.record.Owners),
		ledger.ReleaseDir(t.record.Name, t.shown.Version), ledger.EvidenceFileName, ledger.EvidenceFileName)
	return p.end()
}

// inputs shows what the manifest says, where it can be read.
func (t *tool) inputs(p *page) {
	if t.card == nil {
		return
	}
	p.add("<h2>Inputs</h2>\n")
	if len(t.card.Inputs) == 0 {
		p.add("<p>None.</p>\n")
	} else {
		p.add("<table>\n<tr><th>Name</th><th>Type</th><th>What it is</th></tr>\n")
		for _, i := range t.card.Inputs {
			kind := string(i.Type)
			if !i.Required {
				kind += ", optional"
			}
			p.add("<tr><td><code>%s</code></td><td>%s</td><td>%s</td></tr>\n", i.Name, kind, i.Description)
		}
		p.add("</table>\n")
	}
	p.add("<p>It answers with %s. ", string(t.card.Output.Type))
	p.add("%s</p>\n", t.card.Output.Description)
	packages := "no packages"
	if len(t.card.Runtime.Packages) > 0 {
		packages = strings.Join(t.card.Runtime.Packages, ", ")
	}
	p.add("<p class=\"dim\">Python %s, %s.</p>\n", t.card.Runtime.PythonVersion, packages)
}

func owners(list []ledger.Owner) string {
	var out []string
	for _, o := range list {
		out = append(out, o.Login)
	}
	return strings.Join(out, ", ")
}
