package manifest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// preconditions reads what must be there before anything runs [SK-21…25].
func (s *skillReader) preconditions(n *node) {
	for _, item := range s.entries(n, "commands", "preconditions.commands", "cmd", "min_version", "max_version") {
		cmd, at := s.word(item, "cmd", "preconditions.commands", true)
		if at == nil {
			continue
		}
		if !plainCommand(cmd) {
			s.add(skillCommand, at.at, "the command %s is not a plain name", spec.Quote(cmd))
			continue
		}
		c := spec.SkillCommand{Cmd: cmd, Min: s.commandVersion(item, "min_version"), Max: s.commandVersion(item, "max_version")}
		if c.Min != "" && c.Max != "" && CompareNumbers(c.Min, c.Max) > 0 {
			s.add(skillCommandVersion, at.at, "min_version %s is above max_version %s", c.Min, c.Max)
		}
		s.skill.Commands = append(s.skill.Commands, c)
	}
	for _, item := range s.entries(n, "files", "preconditions.files", "path", "base", "description") {
		name, at := s.word(item, "path", "preconditions.files", true)
		f := spec.SkillFile{Path: name, Base: s.base(item, spec.SkillRoot)}
		f.Description, _ = s.word(item, "description", "preconditions.files", false)
		if at == nil {
			continue
		}
		if _, err := SkillPath(name); err != nil {
			s.add(skillPath, at.at, "%s", err)
			continue
		}
		s.skill.Files = append(s.skill.Files, f)
	}
}

// plainCommand tells whether a command is looked for in PATH by its name alone:
// no path, no argument, no option, nothing that a shell would expand.
func plainCommand(s string) bool {
	if s == "" || len(s) > 64 || s[0] == '-' || s == "." || s == ".." {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("._+-", c) >= 0:
		default:
			return false
		}
	}
	return true
}

// commandVersion reads numbers joined by dots. An unquoted 2.40 is the number 2.4.
func (s *skillReader) commandVersion(n *node, name string) string {
	v := n.get(name)
	switch {
	case v == nil || v.kind == kindNull || v.kind == kindBroken:
		return ""
	case v.kind == kindNumber:
		s.addFix(skillCommandVersion, v.at, "put it in quotes: "+string(appendJSONString(nil, v.text)), "%s is a number, in which 2.40 and 2.4 are the same", name)
		return ""
	case !s.isKind(v, kindString, name):
		return ""
	}
	parts := strings.Split(v.text, ".")
	if len(parts) > 6 || slices.ContainsFunc(parts, func(p string) bool { return p == "" || len(p) > 18 || strings.Trim(p, "0123456789") != "" }) {
		s.add(skillCommandVersion, v.at, "%s %s is not numbers joined by dots", name, spec.Quote(v.text))
		return ""
	}
	return v.text
}

// CompareNumbers compares versions of numbers joined by dots, number by number:
// 2.9 is below 2.40, and 2 is 2.0 [SK-22]. Both must be of digits and dots alone.
func CompareNumbers(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		p, q := "", ""
		if i < len(x) {
			p = strings.TrimLeft(x[i], "0")
		}
		if i < len(y) {
			q = strings.TrimLeft(y[i], "0")
		}
		if len(p) != len(q) {
			return len(p) - len(q)
		}
		if c := strings.Compare(p, q); c != 0 {
			return c
		}
	}
	return 0
}

func (s *skillReader) base(n *node, otherwise spec.SkillBase) spec.SkillBase {
	v := n.get("base")
	if v == nil || v.kind == kindNull {
		return otherwise
	}
	switch b := spec.SkillBase(v.text); {
	case v.kind == kindString && (b == spec.SkillRoot || b == spec.RepoRoot || b == spec.WorkDir):
		return b
	case v.kind != kindBroken:
		s.add(skillBase, v.at, "the base %s is none of skill_root, repo_root, cwd", spec.Quote(v.text))
	}
	return otherwise
}

// outputs reads what the skill makes [SK-30…32].
func (s *skillReader) outputs(n *node) {
	for _, item := range s.entries(n, "files", "outputs.files", "pattern", "base", "description") {
		pattern, at := s.word(item, "pattern", "outputs.files", true)
		o := spec.SkillOutput{Pattern: pattern, Base: s.base(item, spec.RepoRoot)}
		o.Description, _ = s.word(item, "description", "outputs.files", false)
		if at == nil {
			continue
		}
		if len(pattern) > maxSkillPath {
			s.add(skillPath, at.at, "the pattern %s is too long", spec.Quote(pattern))
			continue
		}
		plain, err := SkillTokens(pattern, func(name string) (string, error) {
			if !s.declares(name) {
				return "", fmt.Errorf("{{%s}} is no input of the manifest", name)
			}
			return "x", nil
		})
		if err != nil {
			s.add(skillToken, at.at, "the pattern %s: %s", spec.Quote(pattern), err)
			continue
		}
		if _, err := SkillPath(plain); err != nil {
			s.add(skillPath, at.at, "the pattern %s: %s", spec.Quote(pattern), err)
			continue
		}
		s.skill.Outputs = append(s.skill.Outputs, o)
	}
	if v := n.get("artifacts"); v != nil && v.kind != kindNull && s.isKind(v, kindArray, "outputs.artifacts") {
		if len(v.items) > maxSkillEntries {
			s.add(skillTooMany, v.at, "outputs.artifacts has %d entries, allowed are %d", len(v.items), maxSkillEntries)
			return
		}
		for _, item := range v.items {
			s.skill.Artifacts = append(s.skill.Artifacts, json.RawMessage(item.json()))
		}
	}
}

func (s *skillReader) declares(name string) bool {
	is := func(in spec.SkillInput) bool { return in.Name == name }
	return slices.ContainsFunc(s.skill.Required, is) || slices.ContainsFunc(s.skill.Optional, is)
}

// SkillTokens puts values into a pattern of outputs: {{name}}, with blanks inside
// or not, is what value says of that name [SK-30].
func SkillTokens(pattern string, value func(name string) (string, error)) (string, error) {
	var b strings.Builder
	for rest := pattern; ; {
		before, after, found := strings.Cut(rest, "{{")
		b.WriteString(before)
		if !found {
			if strings.Contains(before, "}}") {
				return "", fmt.Errorf("}} closes nothing")
			}
			return b.String(), nil
		}
		name, behind, closed := strings.Cut(after, "}}")
		if !closed {
			return "", fmt.Errorf("{{ is not closed")
		}
		name = strings.TrimSpace(name)
		if !isSkillInput(name) {
			return "", fmt.Errorf("{{%s}} names no input", strings.Trim(spec.Quote(name), `"`))
		}
		text, err := value(name)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
		rest = behind
	}
}

// maxSkillPath is the longest path, in bytes.
const maxSkillPath = 4096

// SkillPath reads a path of a manifest: relative, of parts joined by slashes, that
// never leaves its base on any system [SK-29, C-40]. It returns the path without
// "." and doubled slashes. Links are for whoever opens it.
func SkillPath(s string) (string, error) {
	refuse := func(why string) (string, error) { return "", fmt.Errorf("the path %s %s", spec.Quote(s), why) }
	switch {
	case strings.TrimSpace(s) == "":
		return refuse("is empty")
	case len(s) > maxSkillPath:
		return refuse("is too long")
	case strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7F || c == 0xFFFD }):
		return refuse("has control characters")
	case strings.HasPrefix(s, "/"), strings.HasPrefix(s, "~"):
		return refuse("is absolute")
	case strings.Contains(s, `\`):
		return refuse(`has a \, which parts folders on Windows`)
	case len(s) > 1 && s[1] == ':':
		return refuse("begins with a drive")
	}
	var parts []string
	for part := range strings.SplitSeq(s, "/") {
		switch part {
		case "", ".":
		case "..":
			return refuse("has .. in it")
		default:
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return refuse("is its base itself")
	}
	return strings.Join(parts, "/"), nil
}
