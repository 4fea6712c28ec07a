package convert

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

const tame = `# ---
# name: count_words
# version: 1.0.0
# description: Count the words of a text.
# inputs:
#   - name: text
#     type: string
#     description: The text.
#   - name: words
#     type: array
#     description: Words to count, all unless given.
#     required: false
#     default: null
#     items: {type: string}
# outputs: {type: integer, description: How many there are.}
# capabilities: {network: false, filesystem: none, human_confirm: false}
# runtime: {language: python, python_version: "3.12", packages: []}
# ---
def main(text, words=None):
    return len(text.split())
`

// with changes one point of the tame tool.
func with(t *testing.T, old, new string) *manifest.Document {
	t.Helper()
	if !strings.Contains(tame, old) {
		t.Fatalf("%q is not in the tool", old)
	}
	doc, findings := manifest.Read("tool.py", []byte(strings.Replace(tame, old, new, 1)), manifest.Strict)
	if doc == nil || spec.Blocking(findings) {
		t.Fatalf("the tool is refused: %v", findings)
	}
	return doc
}

// origin says where the code of a tool lies.
var origin = Options{Repository: "https://git.example/tools", Commit: strings.Repeat("a1", 20), Subpath: "tools/co/count_words/1.0.0"}

func TestSameFormat(t *testing.T) {
	doc := with(t, "Count the words", "Count all the words")
	more := spec.File{Path: "NOTES.md", Data: []byte("notes")}
	r, err := To(doc, []spec.File{more, {Path: "tool.py", Data: doc.Raw}}, Patch, Options{})
	if err != nil || len(r.Losses) > 0 || len(r.Files) != 2 || !bytes.Equal(r.Files[0].Data, doc.Raw) || r.Files[1].Path != "NOTES.md" {
		t.Fatalf("%v, %+v", err, r)
	}
}

// TestPatchSecurity changes one point of a tool that loses nothing that protects,
// and what is lost is refused by its path.
func TestPatchSecurity(t *testing.T) {
	for _, c := range []struct {
		old, new string
		to       []Target
		path     string
	}{
		{"network: false", "network: true", []Target{OpenAI, Anthropic, Arcade}, "/capabilities/network"},
		{"human_confirm: false", "human_confirm: true", []Target{OpenAI, Anthropic, Arcade}, "/capabilities/human_confirm"},
		{"#     description: The text.", "#     description: The text.\n#     tainted_ok: true", []Target{OpenAI, Anthropic, Skill, Arcade}, "/inputs/0/tainted_ok"},
		{"packages: []}", "packages: []}\n# external_auth: [gmail.read]", []Target{OpenAI, Anthropic}, "/external_auth"},
	} {
		for _, to := range c.to {
			if _, err := To(with(t, "# ---", "# ---"), nil, to, origin); err != nil {
				t.Errorf("the twin to %s: %v", to, err)
			}
			r, err := To(with(t, c.old, c.new), nil, to, origin)
			if fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != manifest.ReasonLoss {
				t.Errorf("%s to %s: %v", c.path, to, err)
				continue
			}
			if !slices.ContainsFunc(r.Losses, func(l manifest.Loss) bool { return l.Path == c.path && l.Security && l.Kind == manifest.Dropped }) {
				t.Errorf("%s to %s is not among %v", c.path, to, r.Losses)
			}
			o := origin
			o.AllowLoss = true
			if _, err := To(with(t, c.old, c.new), nil, to, o); err != nil {
				t.Errorf("%s to %s, allowed: %v", c.path, to, err)
			}
		}
	}
}

func TestPatchToHosts(t *testing.T) {
	doc := with(t, "# ---", "# ---")
	var server struct {
		Tools []struct {
			Name         string
			InputSchema  struct{ Properties map[string]any }
			OutputSchema struct {
				Type       string
				Properties map[string]struct{ Type string }
			}
			Annotations map[string]any
		}
	}
	decode(t, doc, MCP, &server)
	tool := server.Tools[0]
	if tool.Name != "count_words" || len(tool.InputSchema.Properties) != 2 || tool.OutputSchema.Type != "object" ||
		tool.OutputSchema.Properties["result"].Type != "integer" || tool.Annotations["readOnlyHint"] != true || tool.Annotations["openWorldHint"] != false {
		t.Errorf("%+v", tool)
	}
	var functions []struct {
		Type     string
		Function struct {
			Name       string
			Parameters struct{ Required []string }
		}
	}
	decode(t, doc, OpenAI, &functions)
	if f := functions[0]; f.Type != "function" || f.Function.Name != "count_words" || !slices.Equal(f.Function.Parameters.Required, []string{"text"}) {
		t.Errorf("%+v", f)
	}
	var named []map[string]any
	decode(t, doc, Anthropic, &named)
	if named[0]["name"] != "count_words" || named[0]["input_schema"] == nil || named[0]["inputSchema"] != nil {
		t.Errorf("%+v", named)
	}
}

// decode converts and reads the result.
func decode(t *testing.T, doc *manifest.Document, to Target, into any) {
	t.Helper()
	r, err := To(doc, nil, to, origin)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(r.Files[0].Data, into); err != nil {
		t.Fatal(err)
	}
	again, err := To(doc, nil, to, origin)
	if err != nil || !bytes.Equal(again.Files[0].Data, r.Files[0].Data) {
		t.Errorf("%s is not the same twice", to)
	}
}

func TestPEP723(t *testing.T) {
	doc := with(t, "packages: []", "packages: [a-b==1.0]")
	r, err := To(doc, nil, PEP723, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := "# /// script\n# requires-python = \"==3.12.*\"\n# dependencies = [\"a-b==1.0\"]\n# ///\n\n"
	if got := string(r.Files[0].Data); got != want+string(doc.Raw) {
		t.Errorf("got\n%s", got)
	}
	back, findings := manifest.Read("tool.py", r.Files[0].Data, manifest.Strict)
	if back == nil || spec.Blocking(findings) || string(manifest.Print(&back.Tool)) != string(manifest.Print(&doc.Tool)) {
		t.Errorf("the tool is another: %v", findings)
	}
	twice, err := To(back, nil, PEP723, Options{})
	if err != nil || !bytes.Equal(twice.Files[0].Data, r.Files[0].Data) {
		t.Errorf("a script becomes another: %v", err)
	}
	hash := with(t, "# ---\n# name", "#!/usr/bin/env python3\n# ---\n# name")
	r, err = To(hash, nil, PEP723, Options{})
	if err != nil || !strings.HasPrefix(string(r.Files[0].Data), "#!/usr/bin/env python3\n# /// script\n") {
		t.Errorf("%v\n%s", err, r.Files[0].Data)
	}
}

func TestInstallOrigin(t *testing.T) {
	doc := with(t, "# ---", "# ---")
	for _, o := range []Options{
		{},
		{Repository: "https://git.example/tools"},
		{Repository: "https://git.example/tools", Commit: "main"},
		{Repository: "https://git.example/tools", Commit: strings.Repeat("A1", 20)},
		{Repository: "https://git.example/tools", Commit: origin.Commit, Subpath: "../x"},
	} {
		if _, err := To(doc, nil, Install, o); fault.ReasonOf(err) != ReasonOrigin {
			t.Errorf("%+v: %v", o, err)
		}
	}
	r, err := To(doc, nil, Install, origin)
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Runtime struct{ Install map[string]string }
		Actions []struct{ Name string }
	}
	if err := json.Unmarshal(r.Files[0].Data, &m); err != nil || m.Runtime.Install["ref"] != origin.Commit || m.Actions[0].Name != "count_words" {
		t.Errorf("%v: %s", err, r.Files[0].Data)
	}
	byURL, err := To(doc, nil, Install, Options{URL: "https://pages.example/tool.py"})
	if err != nil || !strings.Contains(string(byURL.Files[0].Data), spec.DigestOf(doc.Raw).Hex()) {
		t.Errorf("%v", err)
	}
}

func TestUnknownTarget(t *testing.T) {
	_, err := To(with(t, "# ---", "# ---"), nil, "yaml", Options{})
	var f *fault.Error
	if !errors.As(err, &f) || fault.ReasonOf(err) != ReasonTarget {
		t.Fatal(err)
	}
}
