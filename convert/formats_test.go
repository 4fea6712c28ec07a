package convert

import (
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// A manifest of each format that loses nothing which protects a person, whatever it
// becomes. Its cases change it in one point.
var harmless = map[spec.Format]string{
	spec.FormatInstall: `{
  "manifest_version": "0.2",
  "tool": {"id": "word-count", "version": "1.0.0", "name": "Word count", "summary": "Count words.", "homepage": "https://x.example"},
  "runtime": {"kind": "shell-binary", "install": {"method": "git", "url": "https://git.example/w", "ref": "` + "0123456789012345678901234567890123456789" + `"},
    "entrypoint": {"command": ["sh", "count.sh"]}},
  "env": [{"name": "STYLE", "prompt": "How to count.", "secret": false, "required": false}],
  "scopes": [{"resource": "fs.local", "actions": ["read"], "rationale": "To read the text."}],
  "actions": [{"name": "count", "summary": "Count the words.", "side_effects": "read", "invocation": {"kind": "stdin-json"},
    "input": {"type": "object", "properties": {"text": {"type": "string", "description": "The text."}}, "required": ["text"], "additionalProperties": false},
    "output": {"format": "json", "schema": {"type": "integer"}}}],
  "smoke": {"kind": "shell", "command": ["true"], "success": {"exit_code": 0}},
  "kill_switch": {"kind": "manual", "instructions_url": "https://x.example/off"}
}`,
	spec.FormatSkill: `---
manifest_version: "1.0"
name: word-count
description: Count words when a text has to fit a limit.
version: "1.0.0"
inputs:
  required:
    - name: text
      description: The text.
      schema: {"type":"string"}
execution:
  network: false
  destructive: false
---
# Word count

Count them.
`,
	spec.FormatArcade: `{
  "name": "CountWords", "fully_qualified_name": "Words.CountWords", "description": "Count words.",
  "toolkit": {"name": "Words", "version": "1.0.0"},
  "input": {"parameters": [{"name": "text", "required": true, "description": "The text.", "value_schema": {"val_type": "string"}}]},
  "output": {"available_modes": ["value"], "value_schema": {"val_type": "integer"}},
  "requirements": {"secrets": null, "authorization": null}
}`,
}

func read(t *testing.T, f spec.Format, old, new string) *manifest.Document {
	t.Helper()
	text := strings.Replace(harmless[f], old, new, 1)
	if text == harmless[f] && old != new {
		t.Fatalf("%q is not in the %s", old, f)
	}
	doc, findings := manifest.Read(f.MainFile(), []byte(text), manifest.Lenient)
	if doc == nil || spec.Blocking(findings) {
		t.Fatalf("the %s is refused: %v", f, findings)
	}
	return doc
}

func TestFormatsToHosts(t *testing.T) {
	for f := range harmless {
		for _, to := range []Target{MCP, OpenAI, Anthropic, Patch, Arcade, Skill} {
			doc := read(t, f, "", "")
			if string(to) == string(f) {
				r, err := To(doc, nil, to, Options{})
				if err != nil || len(r.Losses) > 0 || string(r.Files[0].Data) != harmless[f] {
					t.Errorf("%s to itself: %v", f, err)
				}
				continue
			}
			r, err := To(doc, nil, to, Options{})
			if err != nil {
				t.Errorf("%s to %s: %v", f, to, err)
				continue
			}
			if text := string(r.Files[0].Data); !strings.Contains(text, "text") || !strings.Contains(strings.ToLower(text), "count") {
				t.Errorf("%s to %s lost the input:\n%s", f, to, text)
			}
			if len(r.Losses) == 0 {
				t.Errorf("%s to %s loses nothing, which cannot be", f, to)
			}
		}
	}
}

// TestFormatsSecurity: each case is one point away from what is converted.
func TestFormatsSecurity(t *testing.T) {
	for _, c := range []struct {
		from     spec.Format
		old, new string
		to       []Target
		path     string
	}{
		{spec.FormatInstall, `"secret": false`, `"secret": true`, []Target{OpenAI, Anthropic, Arcade, Patch}, "/env/0"},
		{spec.FormatInstall, `"fs.local"`, `"mail.send"`, []Target{OpenAI, Anthropic}, "/scopes/0"},
		{spec.FormatInstall, `"side_effects": "read"`, `"side_effects": "destructive"`, []Target{OpenAI, Anthropic, Arcade}, "/actions/0/side_effects"},
		{spec.FormatSkill, "      schema: {\"type\":\"string\"}", "      schema: {\"type\":\"string\"}\n      sensitive: true", []Target{MCP, OpenAI, Anthropic, Arcade, Patch}, "/inputs/required/0/sensitive"},
		{spec.FormatSkill, "execution:", "sensitive: true\nexecution:", []Target{MCP, OpenAI, Arcade}, "/sensitive"},
		{spec.FormatSkill, "execution:", "env:\n  required:\n    - name: TOKEN\n      description: A token.\n      sensitive: true\nexecution:", []Target{MCP, OpenAI, Arcade}, "/env/required/0"},
		{spec.FormatSkill, "network: false", "network: true", []Target{OpenAI, Anthropic}, "/execution/network"},
		{spec.FormatSkill, "destructive: false", "destructive: true", []Target{OpenAI, Anthropic}, "/execution/destructive"},
		{spec.FormatArcade, `"secrets": null`, `"secrets": [{"key_id": "API_KEY"}]`, []Target{OpenAI, Anthropic, Skill, Patch}, "/requirements/secrets"},
		{spec.FormatArcade, `"authorization": null`, `"authorization": {"provider_type": "oauth2", "provider_id": "mail"}`, []Target{OpenAI, Skill}, "/requirements/authorization"},
	} {
		for _, to := range c.to {
			r, err := To(read(t, c.from, c.old, c.new), nil, to, Options{})
			if fault.ReasonOf(err) != manifest.ReasonLoss || fault.KindOf(err) != fault.Denied {
				t.Errorf("%s %s to %s: %v", c.from, c.path, to, err)
				continue
			}
			if !slices.ContainsFunc(r.Losses, func(l manifest.Loss) bool { return l.Path == c.path && l.Security }) {
				t.Errorf("%s %s to %s is not among %+v", c.from, c.path, to, r.Losses)
			}
			if _, err := To(read(t, c.from, c.old, c.new), nil, to, Options{AllowLoss: true}); err != nil {
				t.Errorf("%s %s to %s, allowed: %v", c.from, c.path, to, err)
			}
		}
	}
}

// TestImpossible: what the target has no way to say is refused with the reason.
func TestImpossible(t *testing.T) {
	two := `,{"name": "other", "summary": "Other.", "side_effects": "none", "invocation": {"kind": "stdin-json"}}],` + "\n" + `  "smoke"`
	for _, c := range []struct {
		from     spec.Format
		old, new string
		to       Target
		say      string
	}{
		{spec.FormatArcade, "", "", Install, "C-23"},
		{spec.FormatArcade, "", "", PEP723, "no code"},
		{spec.FormatSkill, "", "", Install, "instructions for a model"},
		{spec.FormatSkill, "manifest_version: \"1.0\"\n", "", OpenAI, "no manifest_version"},
		{spec.FormatInstall, "],\n  \"smoke\"", two, Patch, "2 actions"},
	} {
		_, err := To(read(t, c.from, c.old, c.new), nil, c.to, origin)
		if fault.ReasonOf(err) != ReasonImpossible || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s to %s: %v", c.from, c.to, err)
		}
	}
	r, err := To(read(t, spec.FormatInstall, "],\n  \"smoke\"", two), nil, Arcade, Options{})
	if err != nil || len(r.Files) != 2 || r.Files[0].Path != "count/arcade.json" {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestSkillScript: a skill that is one script can be installed and called.
func TestSkillScript(t *testing.T) {
	doc := read(t, spec.FormatSkill, "execution:", "preconditions:\n  files:\n    - path: scripts/count.py\nexecution:")
	r, err := To(doc, nil, Install, origin)
	if err != nil {
		t.Fatal(err)
	}
	back, findings := manifest.Read("install.json", r.Files[0].Data, manifest.Strict)
	if back == nil || spec.Blocking(findings) || !slices.Equal(back.Tool.Deployment.Command, []string{"python3", "scripts/count.py"}) {
		t.Errorf("%v\n%s", findings, r.Files[0].Data)
	}
}
