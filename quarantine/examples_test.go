package quarantine

import (
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// The standard tool, to which an example makes its changes.
const (
	exampleManifest = `name: count_words
version: 1.2.0
description: Count the words of a text.
inputs:
  - name: text
    type: string
    description: The text.
  - name: limit
    type: integer
    description: How many words to list.
    required: false
    default: 10
outputs:
  type: object
capabilities:
  network: false
  filesystem: none
  human_confirm: false
runtime:
  language: python
  python_version: "3.9"
  packages: []
x-examples:
  - How long is this essay?
  - Count the words of my letter
  - Is my abstract below 250 words?
`
	exampleImports = `import json
import sys
`
	exampleBody = `    words = text.split()
    return {"count": len(words), "first": words[:limit]}
`
	exampleGuard = `if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
`
	exampleSignature = "def main(text: str, limit: int = 10) -> dict:\n"
	examplePython    = "3.9.18"
)

// What is around the standard tool: its version before, and a tool of somebody
// else.
var (
	exampleNames    = []Existing{{Name: "count_lines", Owner: "2"}, {Name: "count_words", Owner: "1"}}
	examplePrevious = []Published{{Version: "1.1.0", Files: map[string]spec.Digest{"tool.py": {}}}}
)

// unshown are the rules that no tool can show, each with the reason.
var unshown = map[string]string{
	"DEP-003": "the manifest's own grammar refuses it first",
	"GOV-000": "a check that is stopped",
	"GOV-999": "it takes more findings than fit here",
	"DYN-001": "the code has to run for it: package contribute plays its cases",
	"DYN-002": "the code has to run for it: package contribute plays its cases",
	"DYN-003": "it is about the machine, and not about a tool",
	"LLM-001": "a model has to be asked: package judge plays it",
	"LLM-002": "a model has to be asked: package judge plays it",
	"LLM-003": "a model has to be asked: package judge plays it",
	"LLM-004": "a model has to be asked: package judge plays it",
	"PY-000":  "a machine without the interpreter",
}

// exampleFiles makes the files of a case.
func exampleFiles(c Case) ([]spec.File, error) {
	if files, other, err := otherFiles(c); other {
		return files, err
	}
	head, code, body, source := blocks(exampleManifest), "", "", ""
	var files []spec.File
	for _, change := range c.Changes {
		text, err := Unhidden(change.Text)
		if err != nil {
			return nil, err
		}
		switch change.Kind {
		case "code":
			code += text
		case "body":
			for line := range strings.Lines(text) {
				if line != "\n" {
					line = "    " + line
				}
				body += line
			}
		case "source":
			source += text
		case "description":
			head = replaceBlock(head, "description: "+quoteYAML(strings.TrimSuffix(text, "\n"))+"\n")
		case "manifest":
			for _, b := range blocks(text) {
				head = replaceBlock(head, b)
			}
		case "packages":
			for i, b := range head {
				if strings.HasPrefix(b, "runtime:") {
					list := "  packages:\n"
					for line := range strings.Lines(text) {
						list += "    - " + line
					}
					head[i] = strings.Replace(b, "  packages: []\n", list, 1)
				}
			}
		case "file":
			files = append(files, spec.File{Path: change.Path, Data: []byte(text)})
		}
	}
	if source == "" {
		if code != "" {
			code = "\n" + code
		}
		source = exampleImports + code + "\n\n" + exampleSignature + body + exampleBody + "\n\n" + exampleGuard
	}
	main := "# ---\n"
	for line := range strings.Lines(strings.Join(head, "")) {
		main += strings.TrimSuffix("# "+strings.TrimSuffix(line, "\n"), " ") + "\n"
	}
	main += "# ---\n" + source
	return append([]spec.File{{Path: "tool.py", Data: []byte(main)}}, files...), nil
}

// blocks splits a manifest into its members of the top level.
func blocks(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if len(out) == 0 || !strings.HasPrefix(line, " ") {
			out = append(out, "")
		}
		out[len(out)-1] += line
	}
	return out
}

func replaceBlock(head []string, with string) []string {
	key, _, _ := strings.Cut(with, ":")
	for i, b := range head {
		if strings.HasPrefix(b, key+":") {
			head[i] = with
			return head
		}
	}
	return append(head, with)
}

// quoteYAML writes a text in double quotes; what YAML does not take as it is
// becomes an escape.
func quoteYAML(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < 0x20 || r >= 0x7F && r < 0xA0 || r == 0xFEFF || r&0xFFFE == 0xFFFE || r == 0x2028 || r == 0x2029:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// played is what came of one case.
type played struct {
	files    []spec.File
	findings []spec.Finding
}

// play checks all cases of all examples; the interpreter is asked once.
func play(t *testing.T, all []Example) [][]played {
	t.Helper()
	var sources []string
	out := make([][]played, len(all))
	for i, e := range all {
		for _, c := range e.Cases {
			files, err := exampleFiles(c)
			if err != nil {
				t.Fatalf("%s: %v", e.ID, err)
			}
			for _, f := range files {
				if f.Path == "tool.py" || files[0].Path == "SKILL.md" && fileKindOf(f) == pythonScript {
					sources = append(sources, string(f.Data))
				}
			}
			out[i] = append(out[i], played{files: files})
		}
	}
	facts := ask(t, sources...)
	for i := range out {
		for j := range out[i] {
			p := &out[i][j]
			doc, findings := manifest.Read(p.files[0].Path, p.files[0].Data, manifest.Strict)
			p.findings = findings
			var main *Facts
			var scripts []ScriptFacts
			for _, file := range p.files {
				if file.Path != "tool.py" && (p.files[0].Path != "SKILL.md" || fileKindOf(file) != pythonScript) {
					continue
				}
				f := facts[0]
				facts = facts[1:]
				f.Python = examplePython // the same words whatever this machine has
				if main = &f; file.Path != "tool.py" {
					main, scripts = nil, append(scripts, ScriptFacts{Path: file.Path, Facts: &f})
				}
			}
			if doc == nil {
				continue
			}
			s := Subject{
				Release: &spec.Release{Ref: spec.Ref{Name: doc.Tool.Name, Version: doc.Tool.Version}, Tool: doc.Tool, Files: p.files},
				Facts:   main, Scripts: scripts, Owner: "1", Names: exampleNames, Previous: examplePrevious,
			}
			report := Check(t.Context(), s)
			p.findings = append(p.findings, report.Findings...)
			spec.SortFindings(p.findings)
		}
	}
	return out
}

// allExamples reads the example of every rule.
func allExamples(t *testing.T) []Example {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3 to ask about the examples")
	}
	var out []Example
	for _, r := range Rules() {
		e, err := ExampleOf(r.ID)
		if err != nil {
			t.Error(err)
			continue
		}
		out = append(out, e)
	}
	return out
}

// TestExamples plays the example of every rule.
func TestExamples(t *testing.T) {
	all := allExamples(t)
	for i, cases := range play(t, all) {
		e := all[i]
		if why := unshown[e.ID]; (why != "") != (e.Cases == nil) {
			t.Errorf("%s: %d cases, and the reason to have none is %q", e.ID, len(e.Cases), why)
		}
		for j, p := range cases {
			if e.Cases[j].Hit {
				if !slices.ContainsFunc(p.findings, func(f spec.Finding) bool { return f.ID == e.ID }) {
					t.Errorf("%s: hit %d is not found:\n%s\n%v", e.ID, j+1, p.files[0].Data, p.findings)
				}
				continue
			}
			for _, f := range p.findings {
				if f.ID == e.ID || f.Severity == bad {
					t.Errorf("%s: the near miss %d is found: %v\n%s", e.ID, j+1, f, p.files[0].Data)
				}
			}
		}
	}
}

// TestStandardTool: without a change there is nothing to find, so that what an
// example shows comes of its change.
func TestStandardTool(t *testing.T) {
	p := play(t, []Example{{Cases: []Case{{}}}})[0][0]
	if len(p.findings) > 0 {
		t.Errorf("got %v, want nothing", p.findings)
	}
}

// TestNoStrayExample: each file belongs to a rule.
func TestNoStrayExample(t *testing.T) {
	entries, err := fs.ReadDir(examples, "examples")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		id, isText := strings.CutSuffix(entry.Name(), ".txt")
		if !isText || !slices.ContainsFunc(Rules(), func(r Rule) bool { return r.ID == id }) {
			t.Errorf("%s belongs to no rule", entry.Name())
		}
	}
	if _, err := ExampleOf("../doc"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a rule that there is not: got %v, want not found", err)
	}
}

func TestParseExample(t *testing.T) {
	const good = "Note.\n\n-- hit body --\nx = 1\n-- and file A.md --\n-- a\n\n-- miss code --\ny = 1\n"
	e, err := parseExample(good)
	if err != nil {
		t.Fatal(err)
	}
	want := Example{Notes: "Note.", Cases: []Case{
		{true, []Change{{"body", "", "x = 1\n"}, {"file", "A.md", "-- a\n"}}},
		{false, []Change{{"code", "", "y = 1\n"}}},
	}}
	if fmt.Sprint(e) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", e, want)
	}
	for name, text := range map[string]string{
		"empty":                "",
		"blank":                "\n",
		"no last line feed":    "Note.",
		"unknown role":         strings.Replace(good, "hit", "hint", 1),
		"unknown kind":         strings.Replace(good, "body", "head", 1),
		"no kind":              strings.Replace(good, "-- hit body --", "-- hit --", 1),
		"addition to nothing":  strings.Replace(good, "hit", "and", 1),
		"path of no file":      strings.Replace(good, "body", "body x", 1),
		"file without path":    strings.Replace(good, "file A.md", "file", 1),
		"nothing in a section": strings.Replace(good, "y = 1\n", "\n", 1),
		"no hit":               strings.Replace(good, "hit", "miss", 1),
		"no miss":              strings.Replace(good, "miss", "hit", 1),
		"not UTF-8":            "\xff\n",
	} {
		if e, err := parseExample(text); err == nil {
			t.Errorf("%s: got %v, want an error", name, e)
		}
	}
	if _, err := parseExample("Only a note.\n"); err != nil {
		t.Errorf("a note alone: %v", err)
	}
}

func TestUnhidden(t *testing.T) {
	if got, err := Unhidden(`a\u{202E}b\u{1F600}\u0041`); err != nil || got != "a\u202Eb\U0001F600"+`\u0041` {
		t.Errorf("got %q, %v", got, err)
	}
	for _, text := range []string{`\u{`, `\u{}`, `\u{110000}`, `\u{D800}`, `\u{x}`, `\u{-1}`} {
		if got, err := Unhidden(text); err == nil {
			t.Errorf("%s: got %q, want an error", text, got)
		}
	}
}
