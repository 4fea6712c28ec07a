package sitetest

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	patchgit "github.com/patch-cat/patch-git"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/registry/registrytest"
	"github.com/patch-cat/patch-git/spec"
)

// acceptance is a version as a registry accepts it, with a report.
func acceptance(tool spec.Tool, source []byte, owner ledger.Owner) registry.Acceptance {
	report := fmt.Appendf(nil, "{\"report\":\"of %s %s\"}\n", tool.Name, tool.Version)
	files := []spec.File{{Path: ledger.ReportFileName, Data: report}, {Path: tool.Format.MainFile(), Data: source}}
	slices.SortFunc(files, func(a, b spec.File) int { return strings.Compare(a.Path, b.Path) })
	return registry.Acceptance{
		Release: &spec.Release{
			Ref: spec.Ref{Name: tool.Name, Version: tool.Version}, Tool: tool, Files: files,
		},
		Contributor: owner, Report: spec.DigestOf(report),
		PullRequest: fmt.Sprintf("https://github.com/acme/tools/pull/%d", 1+len(tool.Name)), Commit: strings.Repeat("5e", 20),
	}
}

// printed is a version whose manifest stands above a source.
func printed(tool spec.Tool, body string, owner ledger.Owner) registry.Acceptance {
	return acceptance(tool, append(manifest.Print(&tool), body...), owner)
}

func tool(name, version, description string) spec.Tool {
	return spec.Tool{
		Format: spec.FormatPatch, Name: spec.Name(name), Version: spec.Version(version), Description: description,
		Inputs:       []spec.Input{{Name: "text", Type: spec.TypeString, Required: true, Description: "What to work on."}},
		Output:       spec.Output{Type: spec.TypeObject},
		Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone},
		Runtime:      spec.Runtime{Language: "python", PythonVersion: "3.9"},
	}
}

const body = "import json\nimport sys\n\n\ndef run(text: str) -> dict:\n    \"\"\"What the manifest says.\"\"\"\n    return {\"text\": text.strip(), \"n\": 42}\n\n\nprint(json.dumps(run(**json.load(sys.stdin))))\n"

var people = []ledger.Owner{{Login: "ada", ID: 7}, {Login: "grace-h", ID: 8}, {Login: "katherine", ID: 9}}

// liked is a registry as people may have it: the tools of this repository, some
// with a second version, one deprecated, one with a version yanked, one revoked.
func liked(t *testing.T) *registrytest.Registry {
	r := registrytest.New(t)
	var first, second registry.Batch
	err := fs.WalkDir(patchgit.Tools, "tools", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || spec.FormatOf(path.Base(p)) == "" {
			return err
		}
		data, err := patchgit.Tools.ReadFile(p)
		if err != nil {
			return err
		}
		doc, _ := manifest.Read(path.Base(p), data, manifest.Strict)
		if doc == nil {
			return fmt.Errorf("%s is not readable", p)
		}
		owner := people[len(doc.Tool.Name)%len(people)]
		first.Accept = append(first.Accept, acceptance(doc.Tool, data, owner))
		if doc.Tool.Name == "http_get" || doc.Tool.Name == "text_diff" {
			next := doc.Tool
			next.Version = "9.0.0"
			next.Capabilities.Filesystem = spec.FilesystemReadOnly
			second.Accept = append(second.Accept, acceptance(next, []byte(strings.Replace(strings.Replace(string(data),
				`version: "`+string(doc.Tool.Version)+`"`, `version: "9.0.0"`, 1), "import ", "import os\nimport ", 1)), owner))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range [][3]string{
		{"weather_now", "Tell the weather at a place, now and for the next hours.", "weather"},
		{"currency_convert", "Convert an amount of money between currencies at the rate of a day.", "money"},
		{"send_mail", "Send an email through a mail server of your own.", "mail"},
		{"calendar_free", "Find the times at which all people of a meeting are free.", "calendar"},
		{"pdf_merge", "Put several PDF files together into one.", "pdf"},
		{"pdf_split", "Cut a PDF file into files of some pages each.", "pdf"},
		{"old_hash", "Work out a digest the way it was done before hash_file.", "files"},
	} {
		x := tool(one[0], "1.0.0", one[1])
		x.Tags, x.License, x.Examples = []string{one[2]}, "MIT", []string{one[1] + " Please."}
		if i < 3 {
			x.Capabilities.Network = true
		}
		source := body
		if x.Name == "send_mail" { // whose source has a page of its own
			source += strings.Repeat("\n\ndef again(text):\n    return text.strip()\n", 300)
		}
		first.Accept = append(first.Accept, printed(x, source, people[i%len(people)]))
	}
	r.Seal(t, first)
	bad := tool("pdf_merge", "1.1.0", "Put several PDF files together into one, faster.")
	gone := tool("shadow_copy", "1.0.0", "Copies what nobody asked it to copy.")
	second.Accept = append(second.Accept, printed(bad, body, people[1]), printed(gone, body, people[2]))
	second.Meta = []registry.ToolMeta{{Name: "old_hash", Owners: people[:1], Deprecated: "hash_file does the same and more", ReplacedBy: "hash_file"}}
	r.Seal(t, second)
	r.Withdraw(t, ledger.EventYank, spec.Ref{Name: "pdf_merge", Version: "1.1.0"}, "loses the last page")
	r.Withdraw(t, ledger.EventRevoke, spec.Ref{Name: "shadow_copy", Version: "1.0.0"}, "sends what it copies away")
	return r
}

// attacks are texts that become something else where they are not escaped. Each
// calls or loads what the tests look for.
var attacks = []string{
	`<script>pwned()</script>`,
	`"><img src=x onerror=pwned()>`,
	`'><svg/onload=pwned()>`,
	`</title></style></script></template></pre></code><script>pwned()</script>`,
	`<a href="javascript:pwned()">click</a>`,
	`javascript:pwned()`,
	`{{.}} ${pwned()} <%= 1 %> {{constructor.constructor('pwned()')()}}`,
	`<style>@import url(https://evil.example/x.css)</style><link rel=stylesheet href=https://evil.example/y.css>`,
	`<iframe srcdoc="<script>parent.pwned()</script>"></iframe><base href=https://evil.example/>`,
	`<meta http-equiv=refresh content="0;url=https://evil.example/">`,
	`--><!--[if IE]><script>pwned()</script>`,
	`&lt;script&gt;pwned()&lt;/script&gt; &#60;img src=x onerror=pwned()&#62;`,
	`" onfocus="pwned()" autofocus="`,
	"`-pwned()-`",
	`__proto__ constructor toString <form id=search><input name=attributes>`,
}

// hostile is a registry whose tools say what stands above, wherever a person
// can write.
func hostile(t *testing.T) *registrytest.Registry {
	r := registrytest.New(t)
	var b registry.Batch
	for i, a := range attacks {
		x := tool(fmt.Sprintf("attack_%d", i), "1.0.0", "Attack. "+a)
		x.Inputs[0].Description = a
		x.Output.Description = a
		x.Examples = []string{a + " example"}
		x.Tags = []string{"evil"}
		x.License = "MIT"
		x.GeneratedBy = a
		source := body + "# " + a + "\nTEXT = '''" + a + "'''\n# ]]>\n"
		b.Accept = append(b.Accept, printed(x, source, people[0]))
	}
	for i, name := range []string{"constructor", "prototype", "search", "results", "card", "q_q"} {
		b.Accept = append(b.Accept, printed(tool(name, "1.0.0", fmt.Sprint("A name that scripts know. Attack. ", i)), body, people[0]))
	}
	r.Seal(t, b)
	return r
}

// many is a registry of n tools with a vocabulary that has a long tail.
func many(t *testing.T, n int) *registrytest.Registry {
	r := registrytest.New(t)
	var b registry.Batch
	for _, x := range catalogue(t, n) {
		b.Accept = append(b.Accept, printed(x, body, people[len(x.Description)%len(people)]))
	}
	r.Seal(t, b)
	return r
}

// catalogue returns n tools by name, the same each time: what they do comes
// from few words, what they do it to from many, as it is in real ones.
func catalogue(t *testing.T, n int) []spec.Tool {
	random := rand.New(rand.NewPCG(7, 7))
	verbs := strings.Fields("convert extract fetch send merge split count sort filter parse render compress resize translate summarize validate compare search list rename encrypt sign schedule monitor plot clean")
	things := strings.Fields("csv json xml yaml pdf image video audio text table page mail message calendar event invoice weather map route stock price user file folder archive link feed certificate key token log metric query schema row column date currency unit color font chart")
	ways := strings.Fields("quickly safely offline recursively daily exactly lazily twice quietly")
	seen, out := map[string]bool{}, make([]spec.Tool, 0, n)
	tail := tailWords(t)
	rare := func() string { // a Zipf-like tail
		f := random.Float64()
		return tail[int(f*f*f*float64(len(tail)))]
	}
	pick := func(from []string) string { return from[random.IntN(len(from))] }
	for len(out) < n {
		verb, thing, other, special := pick(verbs), pick(things), pick(things), rare()
		name := verb + "_" + thing + "_" + special
		if random.IntN(3) == 0 {
			name = special + "_" + verb
		}
		if seen[name] || len(name) > 48 {
			continue
		}
		seen[name] = true
		x := tool(name, "1.0.0", fmt.Sprintf("%s the %s of a %s into %s for %s, %s and with %s %s.",
			strings.ToUpper(verb[:1])+verb[1:], thing, special, other, rare(), pick(ways), rare(), rare()))
		x.Inputs = append(x.Inputs, spec.Input{Name: other, Type: spec.TypeString, Description: "The " + other + " of the " + rare() + "."})
		x.Tags, x.License = []string{thing, verb}, pick([]string{"MIT", "Apache-2.0", "BSD-3-Clause"})
		for range random.IntN(3) {
			x.Examples = append(x.Examples, fmt.Sprintf("please %s my %s to %s with %s", verb, thing, other, rare()))
		}
		x.Capabilities.Network = random.IntN(3) == 0
		x.Capabilities.Filesystem = []spec.Filesystem{spec.FilesystemNone, spec.FilesystemReadOnly, spec.FilesystemReadWrite}[random.IntN(3)]
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b spec.Tool) int { return strings.Compare(string(a.Name), string(b.Name)) })
	return out
}

// tailWords are the words of the list of known packages.
func tailWords(t *testing.T) []string {
	data, err := os.ReadFile("../../../quarantine/packages.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var out []string
	for _, w := range strings.FieldsFunc(string(data), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if len(w) > 3 && len(w) < 14 && !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}
