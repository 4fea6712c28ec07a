package manifest

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// skillOdd are files as people write them: the text, the description that is read
// ("" none), and whether a lenient and a strict reading take the file.
var skillOdd = []struct {
	name, text      string
	description     string
	lenient, strict bool
}{
	{"plain", "---\nname: a-b\ndescription: one\n---\nbody\n", "one", true, true},
	{"quoted twice", "---\nname: \"a-b\"\ndescription: 'it''s \"one\"'\n---\n", `it's "one"`, true, true},
	{"escapes", "---\nname: a-b\ndescription: \"one\\ttwo \\u00e9\"\n---\n", "one two é", true, true},
	{"colon without blank", "---\nname: a-b\ndescription: see http://x.example/a:b\n---\n", "see http://x.example/a:b", true, true},
	{"colon in the middle", "---\nname: a-b\ndescription: Use when: always\n---\n", "Use when: always", true, false},
	{"colon at the end", "---\nname: a-b\ndescription: Use when:\n---\n", "Use when:", true, false},
	{"colons in two fields", "---\nname: a-b\ndescription: Use: it\nlicense: Own: words\n---\n", "Use: it", true, false},
	{"colon and quotes", "---\nname: a-b\ndescription: Say \"a: b\" or 'c'\n---\n", `Say "a: b" or 'c'`, true, false},
	{"colon and backslash", "---\nname: a-b\ndescription: C:\\x is: here\n---\n", `C:\x is: here`, true, false},
	{"colon and hash", "---\nname: a-b\ndescription: one: two # three\n---\n", "one: two # three", true, false},
	{"hash is a comment", "---\nname: a-b\ndescription: one # two\n---\n", "one", true, true},
	{"hash without blank", "---\nname: a-b\ndescription: one#two\n---\n", "one#two", true, true},
	{"percent first", "---\nname: a-b\ndescription: \"%one\"\n---\n", "%one", true, true},
	{"at sign", "---\nname: a-b\ndescription: @one two\n---\n", "@one two", true, false},
	{"backtick", "---\nname: a-b\ndescription: `one` two\n---\n", "`one` two", true, false},
	{"star first", "---\nname: a-b\ndescription: *one* two\n---\n", "*one* two", true, false},
	{"bracket first", "---\nname: a-b\ndescription: [one] two\n---\n", "", false, false},
	{"bracket list", "---\nname: a-b\ndescription: [one]\n---\n", "", false, false},
	{"argument hint", "---\nname: a-b\ndescription: one\nargument-hint: [file] [mode]\n---\n", "", false, false},
	{"argument hint alone", "---\nname: a-b\ndescription: one\nargument-hint: [file]\n---\n", "one", true, true},
	{"angle brackets", "---\nname: a-b\ndescription: one <two>\n---\n", "one <two>", true, true},
	{"greater first", "---\nname: a-b\ndescription: \">one\"\n---\n", ">one", true, true},
	{"folded", "---\nname: a-b\ndescription: >\n  one\n  two\n---\n", "one two", true, true},
	{"folded, strip", "---\nname: a-b\ndescription: >-\n  one: two\n  - three\n---\n", "one: two - three", true, true},
	{"literal", "---\nname: a-b\ndescription: |\n  one\n  two\n---\n", "one two", true, true},
	{"literal with dashes", "---\nname: a-b\ndescription: |\n  one\n  ---\n  two\n---\n", "one --- two", true, true},
	{"dashes at the margin", "---\nname: a-b\ndescription: |\n  one\n---\n  two\n---\n", "one", true, true},
	{"plain over lines", "---\nname: a-b\ndescription: one\n  two\n  three\n---\n", "one two three", true, true},
	{"plain over lines and a colon", "---\nname: a-b\ndescription: one\n  two: three\n---\n", "one two: three", true, false},
	{"below the key", "---\nname: a-b\ndescription:\n  one two\n---\n", "one two", true, true},
	{"CR LF", "---\r\nname: a-b\r\ndescription: one\r\n---\r\nbody\r\n", "one", true, true},
	{"CR LF and folded", "---\r\nname: a-b\r\ndescription: >\r\n  one\r\n  two\r\n---\r\n", "one two", true, true},
	{"CR LF and a colon", "---\r\nname: a-b\r\ndescription: one: two\r\n---\r\n", "one: two", true, false},
	{"BOM and CR LF", "\uFEFF---\r\nname: a-b\r\ndescription: one\r\n---\r\n", "one", true, true},
	{"two BOMs", "\uFEFF\uFEFF---\nname: a-b\ndescription: one\n---\n", "", false, false},
	{"blanks behind both", "--- \nname: a-b\ndescription: one\n---\t\n", "one", true, true},
	{"four dashes", "----\nname: a-b\ndescription: one\n----\n", "", false, false},
	{"four dashes close", "---\nname: a-b\ndescription: one\n----\nbody\n", "", false, false},
	{"dots close", "---\nname: a-b\ndescription: one\n...\nbody\n", "", false, false},
	{"indented close", "---\nname: a-b\ndescription: one\n ---\nbody\n---\n", "", false, false},
	{"plus marks", "+++\nname = \"a-b\"\n+++\n", "", false, false},
	{"bare YAML", "name: a-b\ndescription: one\n", "", false, false},
	{"fence", "```yaml\n---\nname: a-b\ndescription: one\n---\n```\n", "", false, false},
	{"empty file", "", "", false, false},
	{"a byte order mark alone", "\uFEFF", "", false, false},
	{"one marker", "---", "", false, false},
	{"rules in the body", "---\nname: a-b\ndescription: one\n---\na\n---\nb\n---\n", "one", true, true},
	{"date", "---\nname: a-b\ndescription: one\nupdated: 2026-02-06\n---\n", "one", true, true},
	{"time", "---\nname: a-b\ndescription: one\nat: 12:30:45\n---\n", "one", true, true},
	{"octal and hex", "---\nname: a-b\ndescription: one\na: 010\nb: 0x1F\nc: 1_000\n---\n", "one", true, true},
	{"infinity", "---\nname: a-b\ndescription: one\na: .inf\nb: .nan\n---\n", "one", true, true},
	{"description yes", "---\nname: a-b\ndescription: yes\n---\n", "yes", true, true},
	{"description true", "---\nname: a-b\ndescription: true\n---\n", "true", true, false},
	{"description a number", "---\nname: a-b\ndescription: 1.50\n---\n", "1.50", true, false},
	{"description null", "---\nname: a-b\ndescription: null\n---\n", "", false, false},
	{"description tilde", "---\nname: a-b\ndescription: ~\n---\n", "~", true, true},
	{"description nothing", "---\nname: a-b\ndescription:\n---\n", "", false, false},
	{"description upper case", "---\nname: a-b\nDescription: one\n---\n", "", false, false},
	{"version float", "---\nname: a-b\ndescription: one\nversion: 1.10\n---\n", "one", true, false},
	{"version text", "---\nname: a-b\ndescription: one\nversion: 1.0.0\n---\n", "one", true, true},
	{"version with v", "---\nname: a-b\ndescription: one\nversion: v1.0.0\n---\n", "one", true, false},
	{"metadata JSON", "---\nname: a-b\ndescription: one\nmetadata: {\"openclaw\":{\"emoji\":\"🦞\",\"requires\":{\"bins\":[\"jq\"],\"env\":[]}}}\n---\n", "one", true, false},
	{"metadata JSON over lines", "---\nname: a-b\ndescription: one\nmetadata:\n  {\n    \"openclaw\":\n      {\n        \"a\": [1, 2],\n      },\n  }\n---\n", "one", true, false},
	{"metadata text", "---\nname: a-b\ndescription: one\nmetadata:\n  author: me\n  version: \"1.0\"\n---\n", "one", true, true},
	{"metadata number", "---\nname: a-b\ndescription: one\nmetadata:\n  version: 1.0\n---\n", "one", true, false},
	{"metadata null", "---\nname: a-b\ndescription: one\nmetadata:\n---\n", "one", true, false},
	{"tools with commas", "---\nname: a-b\ndescription: one\nallowed-tools: Read, Write\n---\n", "one", true, true},
	{"tools a list", "---\nname: a-b\ndescription: one\nallowed-tools:\n  - Read\n  - Bash(git *)\n---\n", "one", true, false},
	{"tools with colons", "---\nname: a-b\ndescription: one\nallowed-tools: Bash(git add:*) Bash(npm run: test)\n---\n", "one", true, false},
	{"env a mapping", "---\nname: a-b\ndescription: one\nenv:\n  KEY: value\n---\n", "one", true, true},
	{"outputs a list", "---\nname: a-b\ndescription: one\noutputs:\n  - a\n---\n", "one", true, true},
	{"tags and triggers", "---\nname: a-b\ndescription: one\ntags: [a, b]\ntriggers:\n- x\n- y\n---\n", "one", true, true},
	{"no name", "---\ndescription: one\n---\n", "one", true, false},
	{"name upper case", "---\nname: A B\ndescription: one\n---\n", "one", true, false},
	{"name quoted with blanks", "---\nname: ' a-b '\ndescription: one\n---\n", "one", true, true},
	{"emoji", "---\nname: a-b\ndescription: one 🦀 e\u0301\n---\n", "one 🦀 e\u0301", true, true},
	{"no-break space", "---\nname: a-b\ndescription: one\u00a0two\n---\n", "one two", true, true},
	{"zero width", "---\nname: a-b\ndescription: one\u200btwo\n---\n", "one\u200btwo", true, true},
	{"no-break space before the value", "---\nname: a-b\ndescription:\u00a0one\n---\n", "", false, false},
	{"next line", "---\nname: a-b\ndescription: one\u0085two\n---\n", "one two", true, false},
	{"conflict", "---\nname: a-b\n<<<<<<< HEAD\ndescription: one\n=======\ndescription: two\n>>>>>>> b\n---\n", "", false, false},
	{"trailing comma", "---\nname: a-b\ndescription: one\ntags: [a, b,]\n---\n", "one", true, true},
	{"comment lines", "---\n# first\nname: a-b\n\n# second\ndescription: one\n\n---\n", "one", true, true},
	{"all indented", "---\n  name: a-b\n  description: one\n---\n", "one", true, true},
	{"list dash at the margin", "---\nname: a-b\ndescription: one\nsteps:\n- a: 1\n  b: 2\n---\n", "one", true, true},
	{"tab behind the colon", "---\nname:\ta-b\ndescription:\tone\n---\n", "one", true, true},
	{"tab at the end", "---\nname: a-b\t\ndescription: one\t\n---\n", "one", true, true},
	{"1,024 characters", "---\nname: a-b\ndescription: " + strings.Repeat("🦀", 1024) + "\n---\n", strings.Repeat("🦀", 1024), true, true},
	{"1,025 characters", "---\nname: a-b\ndescription: " + strings.Repeat("é", 1025) + "\n---\n", strings.Repeat("é", 1025), true, false},
	{"64 characters of name", "---\nname: " + strings.Repeat("a", 64) + "\ndescription: one\n---\n", "one", true, false},
	{"190 KB", "---\nname: a-b\ndescription: one\n---\n" + strings.Repeat("x\n", 95_000), "one", true, true},
}

func TestSkillOdd(t *testing.T) {
	for _, c := range skillOdd {
		t.Run(c.name, func(t *testing.T) {
			doc, findings := Read("SKILL.md", []byte(c.text), Lenient)
			if got := doc != nil && !spec.Blocking(findings); got != c.lenient {
				t.Errorf("lenient %v: %v", got, findings)
			}
			if doc != nil && doc.Tool.Description != c.description {
				t.Errorf("the description is %q", doc.Tool.Description)
			}
			if doc != nil && string(doc.Raw) != c.text {
				t.Error("the bytes are others")
			}
			doc, findings = Read("SKILL.md", []byte(c.text), Strict)
			if got := doc != nil && !spec.Blocking(findings); got != c.strict {
				t.Errorf("strict %v: %v", got, findings)
			}
		})
	}
}
