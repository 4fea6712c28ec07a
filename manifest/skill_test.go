package manifest

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// workSkill has every field of the format, and is the twin of every case below.
const workSkill = `---
manifest_version: "1.0"
name: work-log
description: Write a log of the work of a day. Use when somebody asks for one.
version: "1.2.3"
license: MIT
compatibility: needs git
allowed-tools: Read Bash(git add:*)
metadata:
  team: "tools"
inputs:
  required:
    - name: day
      description: The day (YYYY-MM-DD)
      schema:
        type: string
        pattern: "^\\d{4}-\\d{2}-\\d{2}$"
  optional:
    - name: topic
      description: A word for the file name
      schema: {type: string, default: session, enum: [session, review]}
    - name: api_key
      description: A key
      sensitive: true
      schema: {type: string}
    - name: depth
      description: How many commits
      schema: {type: integer, minimum: 1, maximum: 99, default: 5}
env:
  required: []
  optional:
    - name: API_TOKEN
      description: A token
      sensitive: true
preconditions:
  commands:
    - cmd: git
      min_version: "2.40"
    - cmd: date
  files:
    - path: scripts/extract.sh
      base: skill_root
      description: The script
outputs:
  files:
    - pattern: "logs/{{day}}-{{topic}}.org"
      base: repo_root
  artifacts: [stdout]
execution:
  idempotent: true
  destructive: false
  network: true
  interactive: false
  timeout: 30
sensitive: false
---
# Work log

Write it.
`

// skillCase differs from workSkill in one place.
type skillCase struct {
	name, old, new string
	strict         rule
	lenient        spec.Severity // of that rule; "" where it is not reported then
}

var skillCases = []skillCase{
	{"no frontmatter", "---\nmanifest_version", "manifest_version", skillNoFrontmatter, bad},
	{"heading first", "---\nmanifest_version", "# Work\n---\nmanifest_version", skillNoFrontmatter, bad},
	{"comment first", "---\nmanifest_version", "<!-- x -->\n---\nmanifest_version", skillNoFrontmatter, bad},
	{"blank line first", "---\nmanifest_version", "\n---\nmanifest_version", skillNoFrontmatter, bad},
	{"unclosed", "---\n# Work log", "# Work log", skillUnclosed, bad},
	{"merge conflict", "license: MIT", "<<<<<<< HEAD\nlicense: MIT", skillUnreadable, bad},
	{"broken flow", "license: MIT", "license: {a: [}", skillUnreadable, bad},
	{"colon in description", "Write a log of", "Write a log: of", skillMended, warn},
	{"at sign first", "description: Write", "description: @write", skillMended, warn},
	{"backtick first", "description: Write", "description: `write`", skillMended, warn},
	{"colon and more lines", "description: Write a log of", "description: Write: a log\n  and so: of", skillMended, warn},
	{"anchor", "license: MIT", "license: &a MIT", skillBeyondJSON, warn},
	{"tag", "license: MIT", "license: !!str MIT", skillBeyondJSON, warn},
	{"merge key", "license: MIT", "license: MIT\n<<: {a: b}", skillBeyondJSON, warn},
	{"directive", "license: MIT", "%TAG ! x\nlicense: MIT", skillBeyondJSON, warn},
	{"duplicate", "license: MIT", "license: MIT\nlicense: ISC", skillDuplicate, warn},
	{"tab", "  team:", "\tteam:", skillTab, warn},
	{"NUL", "needs git", "needs\x00git", skillNotText, bad},
	{"not UTF-8", "needs git", "needs \xff git", skillNotText, bad},
	{"control character", "needs git", "needs \u0080 git", skillNotText, bad},
	{"NUL in the body", "Write it.", "Write\x00it.", skillBodyNotText, warn},
	{"not UTF-8 in the body", "Write it.", "Write \xff it.", skillBodyNotText, warn},
	{"bare CR", "license: MIT\n", "license: MIT\r", skillLineEnd, warn},
	{"line separator", "needs git", "needs\u2028git", skillLineEnd, warn},
	{"zero width no-break space", "needs git", "needs\uFEFFgit", skillLineEnd, warn},
	{"too large", "Write it.", "Write it. " + strings.Repeat("x", limits.ToolFile), skillTooLarge, bad},
	{"frontmatter too large", "needs git", strings.Repeat("x", limits.ManifestBytes), skillTooLarge, bad},
	{"too deep", "team: \"tools\"", "team: " + strings.Repeat("[", 40) + strings.Repeat("]", 40), skillTooDeep, bad},
	{"too many values", "team: \"tools\"", "team: [" + strings.Repeat("1,", limits.ManifestNodes) + "1]", skillTooDeep, bad},
	{"a document more", "license: MIT", "license: MIT\n...\nx: 1", skillManyDocuments, bad},
	{"huge number", "license: MIT", "license: MIT\nx: 1e999", skillNumber, warn},

	{"name a number", "name: work-log", "name: 12", skillFieldType, warn},
	{"name a list", "name: work-log", "name: [work-log]", skillFieldType, warn},
	{"compatibility a list", "needs git", "[git]", skillFieldType, warn},
	{"no name", "name: work-log\n", "", skillName, warn},
	{"upper case", "name: work-log", "name: Work-Log", skillName, warn},
	{"blank in the name", "name: work-log", "name: work log", skillName, warn},
	{"underscore", "name: work-log", "name: work_log", skillName, warn},
	{"double hyphen", "name: work-log", "name: work--log", skillName, warn},
	{"hyphen at the edge", "name: work-log", "name: work-log-", skillName, warn},
	{"long name", "name: work-log", "name: " + strings.Repeat("a", 65), skillName, warn},
	{"letters of another script", "name: work-log", "name: würk-log", skillName, warn},
	{"another directory", "name: work-log", "name: work-logs", skillDirectory, warn},
	{"digit first", "name: work-log", "name: 1work-log", skillNameHere, warn},
	{"two letters", "name: work-log", "name: wl", skillNameHere, warn},
	{"reserved", "name: work-log", "name: patch-log", skillNameHere, warn},
	{"no description", "description: Write a log of the work of a day. Use when somebody asks for one.\n", "", skillNoDescription, bad},
	{"empty description", "description: Write a log of the work of a day. Use when somebody asks for one.\n", "description: \" \"\n", skillNoDescription, bad},
	{"long description", "Write a log", strings.Repeat("a", 1025), skillLongDescription, warn},
	{"long compatibility", "needs git", strings.Repeat("a", 501), skillCompatibility, warn},
	{"metadata with a number", `team: "tools"`, "team: 1.0", skillMetadata, warn},
	{"nested metadata", `team: "tools"`, `team: {"a": {"b": 1}}`, skillMetadata, warn},
	{"metadata a text", "metadata:\n  team: \"tools\"", "metadata: x", skillMetadata, warn},
	{"list of tools", "allowed-tools: Read Bash(git add:*)", "allowed-tools: [Read]", skillAllowedTools, warn},
	{"a number", `version: "1.2.3"`, "version: 1.2", skillVersion, warn},
	{"two numbers", `version: "1.2.3"`, `version: "1.2"`, skillVersion, warn},
	{"leading zero", `version: "1.2.3"`, `version: "01.2.3"`, skillVersion, warn},
	{"version a list", `version: "1.2.3"`, "version: [1]", skillVersion, warn},

	{"edition a number", `manifest_version: "1.0"`, "manifest_version: 1.0", skillEditionNumber, bad},
	{"next edition", `manifest_version: "1.0"`, `manifest_version: "2.0"`, skillEdition, bad},
	{"edition of other formats", `manifest_version: "1.0"`, `manifest_version: "0.2"`, skillEdition, bad},
	{"edition without minor", `manifest_version: "1.0"`, `manifest_version: "1"`, skillEdition, bad},
	{"edition a word", `manifest_version: "1.0"`, `manifest_version: "one"`, skillEdition, bad},
	{"edition a list", `manifest_version: "1.0"`, `manifest_version: []`, skillEdition, bad},
	{"outputs a list", "outputs:\n  files:\n    - pattern: \"logs/{{day}}-{{topic}}.org\"\n      base: repo_root\n  artifacts: [stdout]", "outputs: [a]", skillShape, bad},
	{"destructive a word", "destructive: false", `destructive: "no"`, skillShape, bad},
	{"network yes", "network: true", "network: yes", skillShape, bad},
	{"sensitive a number", "sensitive: false", "sensitive: 0", skillShape, bad},
	{"artifacts a text", "artifacts: [stdout]", "artifacts: stdout", skillShape, bad},
	{"unknown key", "idempotent: true", "idempotant: true", skillUnknownKey, warn},
	{"unknown key of an input", "      description: A key\n", "      description: A key\n      secret: true\n", skillUnknownKey, warn},
	{"input without name", "- name: day\n      description", "- description", skillMissingKey, bad},
	{"input without description", "      description: A word for the file name\n", "", skillMissingKey, bad},
	{"input without schema", "      schema: {type: string}\n", "", skillMissingKey, bad},
	{"command without cmd", "- cmd: date", "- max_version: \"1\"", skillMissingKey, bad},
	{"file without path", "- path: scripts/extract.sh\n      base", "- base", skillMissingKey, bad},
	{"input's name", "- name: day", "- name: a day", skillInputName, bad},
	{"duplicate over both lists", "- name: api_key", "- name: day", skillDuplicateInput, bad},
	{"required as a keyword", "schema: {type: string}", "schema: {type: object, required: [a]}", skillKeyword, bad},
	{"minLength", "schema: {type: string}", "schema: {type: string, minLength: 2}", skillKeyword, bad},
	{"reference", "schema: {type: string}", `schema: {"$ref": "#"}`, skillKeyword, bad},
	{"keyword below", "schema: {type: string}", "schema: {type: array, items: {format: date}}", skillKeyword, bad},
	{"type null", "schema: {type: string}", "schema: {type: \"null\"}", skillSchema, bad},
	{"types", "schema: {type: string}", "schema: {type: [string]}", skillSchema, bad},
	{"schema a word", "schema: {type: string}", "schema: string", skillSchema, bad},
	{"minimum a word", "minimum: 1", "minimum: one", skillSchema, bad},
	{"empty enum", "schema: {type: string}", "schema: {type: string, enum: []}", skillSchema, bad},
	{"properties a list", "schema: {type: string}", "schema: {type: object, properties: []}", skillSchema, bad},
	{"default of another type", "default: 5", `default: "5"`, skillDefault, bad},
	{"default above the maximum", "default: 5", "default: 100", skillDefault, bad},
	{"default outside of the enum", "default: session", "default: sessions", skillDefault, bad},
	{"default below", "schema: {type: string}", "schema: {type: object, properties: {a: {type: integer, default: x}}}", skillDefault, bad},
	{"pattern", "schema: {type: string}", `schema: {type: string, pattern: "("}`, skillPattern, bad},
	{"env name", "- name: API_TOKEN", "- name: API-TOKEN", skillEnvName, bad},
	{"env twice", "  required: []\n", "  required: [{name: API_TOKEN}]\n", skillDuplicateEnv, bad},
	{"command with a path", "cmd: date", "cmd: ./date", skillCommand, bad},
	{"command with arguments", "cmd: date", "cmd: date -u", skillCommand, bad},
	{"command an option", "cmd: date", "cmd: -x", skillCommand, bad},
	{"command version a number", `min_version: "2.40"`, "min_version: 2.40", skillCommandVersion, bad},
	{"command version a word", `min_version: "2.40"`, `min_version: "v2"`, skillCommandVersion, bad},
	{"versions crossed", `min_version: "2.40"`, `min_version: "2.40"` + "\n      max_version: \"2.9\"", skillCommandVersion, bad},
	{"absolute path", "path: scripts/extract.sh", "path: /etc/passwd", skillPath, bad},
	{"home", "path: scripts/extract.sh", "path: ~/x", skillPath, bad},
	{"drive", "path: scripts/extract.sh", `path: 'C:\x'`, skillPath, bad},
	{"drive with slashes", "path: scripts/extract.sh", "path: 'C:/x'", skillPath, bad},
	{"share", "path: scripts/extract.sh", `path: '\\srv\x'`, skillPath, bad},
	{"dots", "path: scripts/extract.sh", "path: scripts/../../x", skillPath, bad},
	{"dots in a pattern", `"logs/{{day}}`, `"../{{day}}`, skillPath, bad},
	{"the base", "base: skill_root", "base: home", skillBase, bad},
	{"unknown token", "{{topic}}", "{{topics}}", skillToken, bad},
	{"open token", "{{topic}}", "{{topic}", skillToken, bad},
	{"no timeout", "timeout: 30", "timeout: 0", skillTimeout, bad},
	{"negative timeout", "timeout: 30", "timeout: -1", skillTimeout, bad},
	{"timeout a text", "timeout: 30", `timeout: "30"`, skillTimeout, bad},
	{"timeout with a unit", "timeout: 30", "timeout: 30s", skillTimeout, bad},
	{"timeout of a year", "timeout: 30", "timeout: 3e7", skillTimeout, bad},
	{"too many", "artifacts: [stdout]", "artifacts: [" + strings.Repeat("a,", 64) + "a]", skillTooMany, bad},
	{"frontmatter a list", workSkill, "---\n- a\n---\n", skillNotMapping, bad},
	{"frontmatter empty", workSkill, "---\n---\n", skillNotMapping, bad},
}

// skillNotes are reported, and are no errors.
var skillNotes = []skillCase{
	{"BOM", "---\nmanifest", "\uFEFF---\nmanifest", skillByteOrderMark, note},
	{"CR LF", "license: MIT\n", "license: MIT\r\n", skillCRLF, note},
	{"blanks behind a marker", "---\n# Work", "---  \t\n# Work", skillMarkerSpace, note},
	{"commas", "allowed-tools: Read Bash(git add:*)", "allowed-tools: Read, Bash(git add:*)", skillToolCommas, warn},
	{"unknown field", "license: MIT", "license: MIT\nhomepage: x", skillUnknownField, note},
	{"a date and a float", "license: MIT", "license: MIT\nupdated: 2026-02-06\nratio: 1.0", skillUnknownField, note},
	{"no version", "version: \"1.2.3\"\n", "", skillNoVersion, note},
	{"license in words", "license: MIT", "license: see LICENSE.txt", skillLicense, note},
	{"legacy", "manifest_version: \"1.0\"\n", "", skillLegacy, note},
	{"newer", `manifest_version: "1.0"`, `manifest_version: "1.1"`, skillNewer, note},
	{"required with a default", "        pattern:", "        default: \"2026-01-01\"\n        pattern:", skillUnusedDefault, warn},
}

func (c skillCase) data(tb testing.TB) []byte {
	tb.Helper()
	if strings.Count(workSkill, c.old) != 1 {
		tb.Fatalf("%s: %q stands %d times in the skill", c.name, c.old, strings.Count(workSkill, c.old))
	}
	return []byte(strings.Replace(workSkill, c.old, c.new, 1))
}

const skillFile = "work-log/SKILL.md"

// TestSkillRules: the skill is accepted, and refused with one thing changed, by the
// rule that is about it.
func TestSkillRules(t *testing.T) {
	doc, findings := Read(skillFile, []byte(workSkill), Strict)
	if doc == nil || len(findings) > 0 {
		t.Fatalf("the twin of all cases is refused:\n%s", listing(doc, findings))
	}
	severity := func(fs []spec.Finding, id rule) (worst spec.Severity) {
		for _, f := range fs {
			if f.ID == id.of().ID && (worst == "" || f.Severity == bad) {
				worst = f.Severity
			}
		}
		return worst
	}
	run := func(c skillCase, wantStrict spec.Severity) {
		t.Run(c.name, func(t *testing.T) {
			doc, findings := Read(skillFile, c.data(t), Strict)
			if severity(findings, c.strict) != wantStrict || spec.Blocking(findings) != (wantStrict == bad) {
				t.Errorf("strict:\n%s", listing(doc, findings))
			}
			doc, findings = Read(skillFile, c.data(t), Lenient)
			if severity(findings, c.strict) != c.lenient || spec.Blocking(findings) != (c.lenient == bad) || doc == nil && c.lenient != bad {
				t.Errorf("lenient, want %s %s:\n%s", c.strict.of().ID, c.lenient, listing(doc, findings))
			}
			for _, f := range findings {
				if f.ID == "" || f.Message == "" || f.Fix == "" || strings.ContainsFunc(f.Message, breaksLine) {
					t.Errorf("finding is incomplete or not printable: %+v", f)
				}
			}
		})
	}
	for _, c := range skillCases {
		run(c, bad)
	}
	for _, c := range skillNotes {
		run(c, c.strict.of().Strict)
	}
}

// TestSkillFields is what the accepted skill is read into.
func TestSkillFields(t *testing.T) {
	doc, _ := Read(skillFile, []byte(workSkill), Strict)
	s, tool := doc.Tool.Skill, doc.Tool
	if tool.Name != "work_log" || tool.Version != "1.2.3" || tool.License != "MIT" || tool.Format != spec.FormatSkill {
		t.Errorf("got %+v", tool)
	}
	if !tool.Capabilities.Network || tool.Capabilities.Filesystem != spec.FilesystemReadWrite {
		t.Errorf("capabilities are %+v", tool.Capabilities)
	}
	want := spec.Skill{
		Name: "work-log", ManifestVersion: "1.0", Compatibility: "needs git", AllowedTools: []string{"Read", "Bash(git add:*)"},
		Metadata:    map[string]string{"team": "tools"},
		EnvOptional: []spec.SkillEnv{{Name: "API_TOKEN", Description: "A token", Sensitive: true}},
		Commands:    []spec.SkillCommand{{Cmd: "git", Min: "2.40"}, {Cmd: "date"}},
		Files:       []spec.SkillFile{{Path: "scripts/extract.sh", Base: spec.SkillRoot, Description: "The script"}},
		Outputs:     []spec.SkillOutput{{Pattern: "logs/{{day}}-{{topic}}.org", Base: spec.RepoRoot}},
		Execution:   spec.SkillExecution{Idempotent: true, Network: true, Timeout: 30},
	}
	got := *s
	got.Required, got.Optional, got.Artifacts, got.Body = nil, nil, nil, 0
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if len(s.Required) != 1 || len(s.Optional) != 3 || string(s.Optional[0].Schema) != `{"type":"string","default":"session","enum":["session","review"]}` || !s.Optional[1].Sensitive {
		t.Errorf("inputs are %+v %+v", s.Required, s.Optional)
	}
	if !bytes.HasPrefix([]byte(workSkill)[doc.Body:], []byte("# Work log")) || doc.BodyLine != strings.Count(workSkill[:doc.Body], "\n")+1 {
		t.Errorf("the body begins at %d, line %d", doc.Body, doc.BodyLine)
	}
	if line, col := doc.Place("/inputs/required/0/name"); line != 13 || col != 13 {
		t.Errorf("the name of the first input stands at %d:%d", line, col)
	}
}

// TestSkillLegacy: without manifest_version nothing of ADR-002 is validated, and
// nothing of it is believed [SK-48, SK-49].
func TestSkillLegacy(t *testing.T) {
	doc, findings := Read("a/SKILL.md", []byte("---\nname: a\ndescription: b\noutputs: [x]\nenv: {A: b}\ninputs: 7\nsensitive: maybe\n---\n"), Lenient)
	if doc == nil || spec.Blocking(findings) || doc.Tool.Skill.Sensitive || doc.Tool.Skill.Outputs != nil || string(doc.Tool.Skill.Other["outputs"]) != `["x"]` {
		t.Fatalf("got %s", listing(doc, findings))
	}
}

// TestAgentskills: the profile takes six fields and no other, and lets pass what the
// rules' reference validator does not look at [C-36].
func TestAgentskills(t *testing.T) {
	six := "---\nname: work-log\ndescription: b\nlicense: see LICENSE\ncompatibility: c\nmetadata: {version: 1.0, a: {b: c}}\nallowed-tools: [Read]\n---\n"
	if doc, findings := Read(skillFile, []byte(six), StrictAgentskills); doc == nil || spec.Blocking(findings) {
		t.Errorf("refused: %s", listing(doc, findings))
	}
	for _, more := range []string{"version: \"1.0.0\"", "manifest_version: \"1.0\"", "inputs: {}", "homepage: x"} {
		data := []byte(strings.Replace(six, "name:", more+"\nname:", 1))
		if doc, findings := Read(skillFile, data, StrictAgentskills); !spec.Blocking(findings) || !strings.Contains(listing(doc, findings), "MAN-842") {
			t.Errorf("%s is accepted: %s", more, listing(doc, findings))
		}
	}
}

// TestSkillSurvives: what people really write, and what becomes of it.
func TestSkillSurvives(t *testing.T) {
	for name, c := range map[string]struct{ front, description string }{
		"CR LF":                {"---\r\nname: a-b\r\ndescription: one\r\n---\r\n", "one"},
		"BOM":                  {"\uFEFF---\nname: a-b\ndescription: one\n---\n", "one"},
		"blanks":               {"---  \nname: a-b\ndescription: one\n--- \t\n", "one"},
		"no body, no line end": {"---\nname: a-b\ndescription: one\n---", "one"},
		"dashes in a value":    {"---\nname: a-b\ndescription: one --- two\nx: \"a --- b\"\n---\n", "one --- two"},
		"dashes in a block":    {"---\nname: a-b\ndescription: |\n  one\n  ---\n  two\n---\n", "one --- two"},
		"folded":               {"---\nname: a-b\ndescription: >-\n  one\n\n  two\n---\n", "one two"},
		"date and yes":         {"---\nname: a-b\ndescription: yes\nd: 2026-02-06\n---\n", "yes"},
		"number":               {"---\nname: a-b\ndescription: 12.50\n---\n", "12.50"},
		"flow JSON":            {"---\nname: a-b\ndescription: one\nmetadata: {\"openclaw\":{\"requires\":{\"bins\":[\"jq\"]}}}\n---\n", "one"},
		"old Mac":              {"---\rname: a-b\rdescription: one\r---\rbody", "one"},
		"colon":                {"---\nname: a-b\ndescription: one: two\n  three: four\n---\n", "one: two three: four"},
		"no name":              {"---\ndescription: one\n---\n", "one"},
		"blanks in the name":   {"---\nname: My Skill\ndescription: one\n---\n", "one"},
	} {
		doc, findings := Read("a-b/skill.md", []byte(c.front), Lenient)
		if doc == nil || spec.Blocking(findings) || doc.Tool.Description != c.description {
			t.Errorf("%s: %s", name, listing(doc, findings))
		}
	}
}

// TestSkillDirectory: the version directory of a registry names the skill one up.
func TestSkillDirectory(t *testing.T) {
	data := []byte("---\nname: work-log\ndescription: one\n---\n")
	for file, want := range map[string]bool{
		"SKILL.md": true, "./SKILL.md": true, "work-log/SKILL.md": true, `C:\work-log\SKILL.md`: false, "tools/wo/work_log/1.0.0/SKILL.md": true,
		"tools/wo/worklog/1.0.0/SKILL.md": false, "other/SKILL.md": false, "work_log/SKILL.md": false,
	} {
		if _, findings := Read(file, data, Strict); spec.Blocking(findings) == want {
			t.Errorf("%s: %v", file, findings)
		}
	}
}

// TestCompareNumbers is no comparison of text.
func TestCompareNumbers(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"2.40", "2.9", 1}, {"2.9", "2.40", -1}, {"2", "2.0.0", 0}, {"2.04", "2.4", 0}, {"10", "9.9.9", 1}, {"2.43.0", "2.43", 0}, {"2.43.1", "2.43", 1}} {
		if got := CompareNumbers(c.a, c.b); got > 0 != (c.want > 0) || got < 0 != (c.want < 0) {
			t.Errorf("%s and %s: %d", c.a, c.b, got)
		}
	}
}

// TestSkillHostile reads files made to exhaust a reader, each in a tenth of a
// second and 64 MiB; the bound of time here is for slow machines.
func TestSkillHostile(t *testing.T) {
	const n = limits.ManifestBytes - 2000
	fill := func(s string) string { return strings.Repeat(s, n/len(s)) }
	front := func(s string) string { return "---\nname: a\ndescription: b\n" + s + "\n---\n" }
	var inputs strings.Builder
	inputs.WriteString("manifest_version: \"1.0\"\ninputs:\n  optional:\n")
	for i := range 64 {
		fmt.Fprintf(&inputs, "  - {name: a%d, description: b, schema: {type: string, pattern: \"^(a+)+$\", default: \"%s!\"}}\n", i, strings.Repeat("a", 40))
	}
	var keys, words strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&keys, "key-%d: 1\n", i)
		fmt.Fprintf(&words, "1e%d,", i%400)
	}
	declared := func(schema string) string {
		return front("manifest_version: \"1.0\"\ninputs: {required: [{name: a, description: b, schema: {}}], optional: [{name: b, description: c, schema: " + schema + "}]}")
	}
	for name, data := range map[string]string{
		"different keys": front(keys.String()), "enum": declared("{items: {enum: [" + words.String() + "]}, default: [" + words.String() + "]}"),
		"minimum":  declared("{items: {minimum: 1e399}, default: [" + words.String() + "]}"),
		"tokens":   declared("{}")[:len(declared("{}"))-5] + "\noutputs: {files: [{pattern: \"" + fill("{{a}}") + "\"}]}\n---\n",
		"brackets": front("x: " + fill("[")), "braces": front("x: " + fill("{a: ")), "dashes": front("x:\n" + fill("- ")),
		"keys": front(fill("a: 1\n")), "colons": front(fill("a: b: c\n")), "quotes": front(fill("a: \"\n")), "anchors": front("x:\n" + fill("- &a b\n")),
		"aliases": front("x: &a [b]\ny:\n" + fill("- *a\n")), "comments": front(fill("# x\n")), "blanks": front(fill(" ")), "lines": front(fill("\n")),
		"unclosed": "---\n" + strings.Repeat("a: b\n", 1<<20), "no line end": "---\n" + strings.Repeat("a", limits.SourceScan-10),
		"question marks": front(fill("? ")), "tags": front(fill("a: !!x b\n")), "text": front("x: " + fill("x")), "folded": front("x: >\n" + fill("  x\n")),
		"brackets in tools": front("allowed-tools: \"" + fill("(") + "\""), "name": front("name: \"" + fill("-") + "\""),
		"body": front("") + strings.Repeat("\r\n\x00", 80_000), "patterns": front(inputs.String()),
		"continued": front("x: y:" + fill("\n z")), "CR": front(fill("\r")), "nested quotes": front("x: " + fill("'\"")),
	} {
		raw := []byte(data)
		// Other tests run at the same time, and the counter is everybody's: the least of three.
		took, memory := time.Hour, uint64(math.MaxUint64)
		var findings []spec.Finding
		for range 3 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, findings = Read("a/SKILL.md", raw, Lenient)
			took = min(took, time.Since(start))
			runtime.ReadMemStats(&after)
			// All that was ever allocated, which is more than was held at once.
			memory = min(memory, after.TotalAlloc-before.TotalAlloc)
			if took < time.Second/2 && memory < 32<<20 {
				break
			}
		}
		// Under the race detector pools keep nothing, so that all is allocated anew.
		if took > time.Second || memory > 64<<20 && !raced {
			t.Errorf("%s took %v and %d bytes", name, took, memory)
		} else {
			t.Logf("%s: %v, %d KiB, %d findings", name, took, memory>>10, len(findings))
		}
	}
}

func FuzzSkill(f *testing.F) {
	f.Add([]byte(workSkill))
	for _, c := range append(skillCases, skillNotes...) {
		if data := c.data(f); len(data) < 10_000 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		strict, problems := Read(skillFile, data, Strict)
		lenient, warnings := Read(skillFile, data, Lenient)
		for _, x := range append(problems, warnings...) {
			if x.ID == "" || x.Message == "" || x.Fix == "" || strings.ContainsFunc(x.Message, breaksLine) {
				t.Fatalf("finding is incomplete or not printable: %+v", x)
			}
		}
		if strict == nil && !spec.Blocking(problems) || lenient == nil && !spec.Blocking(warnings) {
			t.Fatal("neither a document nor an error")
		}
		if spec.Blocking(problems) {
			return
		}
		if spec.Blocking(warnings) || !reflect.DeepEqual(strict.Tool, lenient.Tool) {
			t.Fatalf("strict accepts what lenient refuses or reads differently:\n%s", listing(lenient, warnings))
		}
		if strict.Tool.Description == "" || strict.Body > len(data) || strict.Tool.Name == "" {
			t.Fatalf("accepted without name, description or body: %+v", strict.Tool)
		}
	})
}

func BenchmarkReadSkill(b *testing.B) {
	body := strings.Repeat("Look at the file, and say in one sentence what it does – without its comments.\n", 95)
	for name, data := range map[string]string{
		"published": "---\nname: work-log\ndescription: Write a log of the work of a day. Use when somebody asks for one.\nlicense: MIT\nmetadata:\n  version: \"1.0.0\"\n---\n" + body,
		"manifest":  workSkill + body,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if doc, _ := Read(skillFile, []byte(data), Strict); doc == nil {
					b.Fatal("refused")
				}
			}
		})
	}
}

// TestSkillFits holds the subset against the schema library.
func TestSkillFits(t *testing.T) {
	values := []string{`"a"`, `"ab"`, `1`, `1.0`, `1.5`, `-3`, `true`, `null`, `[]`, `[1,2]`, `["a",1]`, `{}`, `{"a":1}`, `{"a":"x","b":[1]}`, `"1"`, `[1.0]`, `{"b":[1],"a":"x"}`}
	schemas := []string{
		`{}`, `{"type":"string"}`, `{"type":"integer"}`, `{"type":"number"}`, `{"type":"boolean"}`, `{"type":"array"}`, `{"type":"object"}`,
		`{"pattern":"^a"}`, `{"pattern":"(?=ab)"}`, `{"minimum":1}`, `{"maximum":1}`, `{"minimum":1.5,"maximum":1.5}`, `{"enum":[1,"1",[1]]}`, `{"enum":[{"a":"x","b":[1.0]}]}`,
		`{"type":"array","items":{"type":"integer"}}`, `{"items":{"items":{}}}`, `{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"enum":[true,null]}`,
	}
	r := &report{}
	parse := func(text string) *node { return parseYAML([]string{"v: " + text}, 1, r).get("v") }
	s := &skillReader{report: r}
	for _, schema := range schemas {
		for _, value := range values {
			want := len(newSchema([]byte(schema)).Check([]byte(value))) == 0
			if got := s.fits(parse(schema), parse(value)); (got == "") != want {
				t.Errorf("%s by %s: got %q, the library says %v", value, schema, got, want)
			}
		}
	}
}

// TestSkillForm: the schema that is published says no to nothing that the reader takes,
// and takes nothing whose shape the reader refuses.
func TestSkillForm(t *testing.T) {
	valid := func(data []byte) bool {
		r := &report{file: skillFile, mode: Lenient, as: skillYAML}
		f := splitSkill(data, r)
		if f == nil {
			return false
		}
		root := f.parse(r)
		if root == nil {
			return false
		}
		v, err := decodeJSON(root.json())
		return err == nil && skillForm.annotate().Validate(v) == nil
	}
	if !valid([]byte(workSkill)) {
		t.Fatal("the schema refuses the skill that the reader takes")
	}
	for _, c := range skillNotes {
		if !valid(c.data(t)) {
			t.Errorf("%s: the schema refuses it, the reader takes it", c.name)
		}
	}
	for _, c := range skillCases {
		switch c.strict {
		case skillShape, skillUnknownKey, skillMissingKey, skillEditionNumber, skillEdition, skillKeyword, skillBase, skillEnvName, skillTimeout:
			if valid(c.data(t)) && !strings.HasPrefix(c.name, "timeout of a year") {
				t.Errorf("%s: the schema takes it, the reader refuses it", c.name)
			}
		}
	}
}
