package convert

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// whole is a document of each format that says everything its format can say at
// once, as JSON; whole documents of frontmatter are written as YAML of one line for
// each member.
var whole = map[spec.Format]string{
	spec.FormatPatch: `{
  "name": "count_words", "version": "1.0.0", "description": "Count the words of a text.",
  "inputs": [
    {"name": "text", "type": "string", "description": "The text.", "required": true, "tainted_ok": true},
    {"name": "skip", "type": "array", "description": "What not to count.", "required": false, "default": ["a"], "items": {"type": "string"}, "tainted_ok": false}
  ],
  "outputs": {"type": "array", "description": "How many.", "items": {"type": "integer"}},
  "capabilities": {"network": true, "filesystem": "read-only", "human_confirm": true},
  "runtime": {"language": "python", "python_version": "3.12", "packages": ["requests==2.31.0"]},
  "external_auth": ["gmail.read"], "generated_by": "somebody", "generated_at": "2026-05-04T12:34:56Z",
  "x-license": "MIT", "x-tags": ["text"], "x-aliases": ["word_counter"], "x-examples": ["How long is this?"], "x-needs": ["process"],
  "x-own": {"a": 1}
}`,
	spec.FormatInstall: `{
  "manifest_version": "0.2",
  "tool": {"id": "count-words", "version": "1.0.0", "name": "Counter", "summary": "Count words.", "description": "All about it.", "homepage": "https://x.example",
    "author": {"name": "Ann", "email": "ann@x.example", "url": "https://ann.example"}, "license": "MIT", "tags": ["text"]},
  "runtime": {"kind": "shell-binary", "install": {"method": "git", "url": "https://git.example/w", "ref": "0123456789012345678901234567890123456789", "subpath": "w"},
    "entrypoint": {"command": ["sh", "count.sh"], "cwd": "w"}},
  "env": [{"name": "STYLE", "prompt": "How to count.", "secret": false, "required": false, "validation_regex": "^a", "default": "a", "obtain_url": "https://o.example"},
    {"name": "API_KEY", "prompt": "The key.", "secret": true, "required": true}],
  "scopes": [{"resource": "fs.local", "actions": ["read"], "rationale": "To read the text.", "provider_scope": "files"}],
  "actions": [{"name": "count", "summary": "Count the words.", "description": "Each of them.", "side_effects": "read", "idempotent": true,
    "invocation": {"kind": "subcommand", "argv_template": ["${input.text}"]}, "scopes_used": ["fs.local"], "error_envelope": "standard",
    "input": {"type": "object", "properties": {"text": {"type": "string", "description": "The text.", "pattern": "^.", "minLength": 1, "default": "a"}}, "required": ["text"], "additionalProperties": false},
    "output": {"format": "json", "schema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
    "examples": [{"description": "A short text.", "input": {"text": "a"}, "output": {"n": 1}}]}],
  "smoke": {"kind": "shell", "command": ["true"], "timeout_seconds": 10, "success": {"exit_code": 0}},
  "kill_switch": {"kind": "manual", "instructions_url": "https://x.example/off"},
  "cost": {"install_fee_cents": 1, "monthly_fee_cents": 2, "usage_model": "per-call", "estimate_url": "https://c.example"},
  "support": {"issues_url": "https://i.example", "security_email": "s@x.example", "docs_url": "https://d.example"}
}`,
	spec.FormatSkill: `{
  "manifest_version": "1.0", "name": "count-words", "description": "Count words.", "version": "1.0.0", "license": "MIT",
  "compatibility": "Needs sh.", "metadata": {"team": "words"}, "allowed-tools": "Bash Read", "argument-hint": "text",
  "inputs": {
    "required": [{"name": "text", "description": "The text.", "schema": {"type": "string", "pattern": "^a"}, "sensitive": true}],
    "optional": [{"name": "most", "description": "How many at most.", "schema": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3, "enum": [3, 4]}},
      {"name": "parts", "description": "Parts.", "schema": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}}}]},
  "env": {"required": [{"name": "API_KEY", "description": "The key.", "sensitive": true}], "optional": [{"name": "STYLE", "description": "How."}]},
  "preconditions": {"commands": [{"cmd": "git", "min_version": "2.40", "max_version": "3.0"}], "files": [{"path": "scripts/count.py", "base": "skill_root", "description": "The script."}]},
  "outputs": {"files": [{"pattern": "out/x.txt", "base": "cwd", "description": "The answer."}], "artifacts": [{"name": "stdout", "description": "A number."}]},
  "execution": {"idempotent": true, "destructive": true, "network": true, "interactive": true, "timeout": 30},
  "sensitive": true
}`,
	spec.FormatArcade: `{
  "$schema": "https://x.example/worker-http/1.0", "name": "CountWords", "fully_qualified_name": "Words.CountWords", "description": "Count words.",
  "toolkit": {"name": "Words", "description": "About words.", "version": "1.0.0"},
  "input": {"parameters": [
    {"name": "text", "required": true, "description": "The text.", "value_schema": {"val_type": "string", "enum": ["a", "b"]}, "inferrable": false},
    {"name": "more", "required": false, "description": "Another text.", "value_schema": {"val_type": "array", "inner_val_type": "json"}}]},
  "output": {"available_modes": ["value", "error"], "description": "How many.", "value_schema": {"val_type": "array", "inner_val_type": "integer"}},
  "requirements": {"secrets": [{"key_id": "API_KEY"}], "authorization": {"provider_type": "oauth2", "provider_id": "mail", "id": "m", "oauth2": {"scopes": ["read"]}}}
}`,
}

// written is a document in its own format.
func written(f spec.Format, v any) []byte {
	raw, err := encode(v)
	if err != nil {
		panic(err)
	}
	if f == spec.FormatInstall || f == spec.FormatArcade {
		return raw
	}
	var b bytes.Buffer
	begin, end := "---\n", "---\n# Words\n"
	prefix := ""
	if f == spec.FormatPatch {
		begin, prefix = "# ---\n", "# "
		end = "# ---\ndef main(text, skip=None):\n    return []\n"
	}
	b.WriteString(begin)
	for _, m := range v.(*object).members {
		value, err := encode(m.value)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "%s%s: %s\n", prefix, m.name, value)
	}
	return append(b.Bytes(), end...)
}

// change is a document that differs in one place from the whole one.
type change struct {
	path string // of the member or element
	what string
	doc  *manifest.Document
}

// alike are changes that change nothing of what a document means.
var alike = map[spec.Format][]string{
	spec.FormatInstall: {
		"/actions/0/input/type removed",                 // arguments are an object
		"/actions/0/input/additionalProperties removed", // and are closed [C-29]
	},
	spec.FormatSkill: {"/manifest_version"},
	// Three members say one thing, and what disagrees is reported.
	spec.FormatArcade: {"/name", "/toolkit/name", "/fully_qualified_name", "/input/parameters/1/required as null"},
}

// said is what a document means, without where its parts stand.
func said(doc *manifest.Document) []byte {
	raw, err := encode(doc.Tool)
	if err != nil {
		panic(err)
	}
	return raw
}

// instead are values of which some fit at some place.
var instead = []any{
	"other", "b", "none", "read", "write", "destructive", "text", "json", "array", "string", "integer", "object", "error", "raw", "scripts/other.py",
	"per-token", "stdin-json", "1.0.1", "2.50", "https://y.example", "b@y.example", "other-words", "otherwords", "other_words", "gmail.send", "rich==1.0.0", "3.11",
	"2026-05-04T12:34:57Z", "Apache-2.0", "network", "native", "repo_root", "mit", "Words.Other", "OTHER", "token",
	"1111111111111111111111111111111111111111", "^b", "^.*", "node-module", "python-module", "container",
	true, false, json.Number("2"), json.Number("4"), json.Number("7"), nil,
	[]any{},
	&object{},
	[]any{"b"},
}

// changes are the documents without each member and element, and with other values
// in the place of each scalar.
func changes(t *testing.T, f spec.Format) []change {
	t.Helper()
	root, err := parse(json.RawMessage(whole[f]))
	if err != nil {
		t.Fatal(err)
	}
	var out []change
	base := readWhole(t, f)
	kept := map[string]int{}
	keep := func(path, what string) {
		if kept[path] == 2 || slices.Contains(alike[f], path+" "+what) || slices.Contains(alike[f], path) {
			return
		}
		doc, findings := manifest.Read(f.MainFile(), written(f, root), manifest.Lenient)
		if doc == nil || spec.Blocking(findings) || (what == "removed" || what == "as null") && bytes.Equal(said(doc), said(base)) {
			return // or what is not said is what was said
		}
		kept[path]++
		out = append(out, change{path, what, doc})
	}
	var walk func(v any, at string)
	put := func(at string, old any, set func(any)) {
		for _, v := range instead {
			if v != old {
				if _, scalar := old.(string); !scalar || v != nil {
					set(v)
					text, _ := encode(v)
					keep(at, "as "+string(text))
				}
			}
		}
		if s, ok := old.(string); ok {
			set(s + "x")
			keep(at, "and an x")
		}
		set(old)
	}
	walk = func(v any, at string) {
		switch v := v.(type) {
		case *object:
			for i := range v.members {
				m := v.members[i]
				here := at + "/" + pointerPart(m.name)
				v.members = slices.Delete(slices.Clone(v.members), i, i+1)
				keep(here, "removed")
				v.members = slices.Insert(v.members, i, m)
				walk(m.value, here)
				if !isTree(m.value) {
					put(here, m.value, func(x any) { v.members[i].value = x })
				}
			}
		case []any:
			for i := range v {
				here := at + "/" + strconv.Itoa(i)
				walk(v[i], here)
				if !isTree(v[i]) {
					put(here, v[i], func(x any) { v[i] = x })
				}
			}
		}
	}
	walk(root, "")
	return out
}

func isTree(v any) bool {
	switch v.(type) {
	case *object, []any:
		return true
	}
	return false
}

// TestSilent is the promise of losses: whatever a document says either shows in what
// it becomes or stands in the list of losses. Each document here differs from the
// whole one in one place; where both become the same, a loss names the place, a part
// of it or what it is part of.
func TestSilent(t *testing.T) {
	for f := range whole {
		base := readWhole(t, f)
		all := changes(t, f)
		for _, to := range Targets() {
			if string(to) == string(f) {
				continue
			}
			first, err := To(base, nil, to, silentOptions)
			if err != nil {
				if f == spec.FormatPatch || to != Install && to != PEP723 {
					t.Errorf("%s to %s: %v", f, to, err)
				}
				continue
			}
			tried := map[string]bool{}
			for _, c := range all {
				r, err := To(c.doc, nil, to, silentOptions)
				if err != nil {
					continue
				}
				tried[c.path] = true
				if !sameMain(first, r) || lostAt(first, c.path) || lostAt(r, c.path) {
					continue
				}
				t.Errorf("%s to %s: %s %s changes nothing, and no loss names it", f, to, c.path, c.what)
			}
			if len(tried) < 15 {
				t.Errorf("%s to %s: only %d places were tried", f, to, len(tried))
			}
		}
	}
}

// TestLossesPoint: a loss names a place that the document has.
func TestLossesPoint(t *testing.T) {
	for f := range whole {
		root, err := parse(json.RawMessage(whole[f]))
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range Targets() {
			r, err := To(readWhole(t, f), nil, to, silentOptions)
			if err != nil {
				continue
			}
			for _, l := range r.Losses {
				if l.Kind != manifest.Synthesised && l.Path != "/body" && !has(root, l.Path) {
					t.Errorf("%s to %s: nothing stands at %s (%s)", f, to, l.Path, l.Reason)
				}
			}
		}
	}
}

var silentOptions = Options{Repository: "https://git.example/tools", Commit: "0123456789012345678901234567890123456789", AllowLoss: true}

func readWhole(t *testing.T, f spec.Format) *manifest.Document {
	t.Helper()
	root, err := parse(json.RawMessage(whole[f]))
	if err != nil {
		t.Fatal(err)
	}
	doc, findings := manifest.Read(f.MainFile(), written(f, root), manifest.Lenient)
	if doc == nil || spec.Blocking(findings) {
		t.Fatalf("the %s is refused: %v", f, findings)
	}
	return doc
}

// sameMain compares the main files; what a skill carries beside it is the document
// itself.
func sameMain(a, b *Result) bool {
	return len(a.Files) > 0 && len(b.Files) > 0 && bytes.Equal(a.Files[0].Data, b.Files[0].Data)
}

// lostAt tells whether a loss names the place, a part of it or what it is part of.
func lostAt(r *Result, path string) bool {
	return slices.ContainsFunc(r.Losses, func(l manifest.Loss) bool {
		return l.Kind != manifest.Synthesised && l.Path != "" && (l.Path == path || strings.HasPrefix(l.Path, path+"/") || strings.HasPrefix(path, l.Path+"/"))
	})
}

func has(v any, path string) bool {
	if path == "" {
		return true
	}
	for part := range strings.SplitSeq(path[1:], "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch x := v.(type) {
		case *object:
			got, ok := x.get(part)
			if !ok {
				return false
			}
			v = got
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(x) {
				return false
			}
			v = x[i]
		default:
			return false
		}
	}
	return true
}
