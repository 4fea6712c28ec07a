package manifest

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Caps of the published rules [SK-A1].
const (
	maxSkillName     = 64
	maxCompatibility = 500
)

// text returns a field that is text. A scalar of another type is reported and,
// unless that is an error, taken as it is spelled.
func (s *skillReader) text(n *node, what string) (string, bool) {
	switch n.kind {
	case kindString:
		return n.text, true
	case kindNumber, kindBoolean:
		s.addFix(skillFieldType, n.at, "put it in quotes", "%s must be %s, this is %s", what, kindString, n.kind)
		return n.text, true
	case kindBroken:
	default:
		s.add(skillFieldType, n.at, "%s must be %s, this is %s", what, kindString, n.kind)
	}
	return "", false
}

// name reads the name, which is its directory's. Where the file has none, the
// directory gives it to those who only load the skill.
func (s *skillReader) name(root *node) {
	n, dir := root.get("name"), skillDirName(s.file)
	name, at := "", pos{root.at.line, 1}
	if n != nil && n.kind != kindNull {
		at = n.at
		name, _ = s.text(n, "name")
		name = strings.TrimSpace(name)
	}
	switch {
	case name == "":
		s.addFix(skillName, at, "add the field name", "there is no name")
		name = dir
	case SkillName(name) != nil:
		s.add(skillName, at, "%s", SkillName(name))
	}
	if dir != "" && name != dir {
		s.add(skillDirectory, at, "the name %s is not the directory's, which is %s", spec.Quote(name), spec.Quote(dir))
	}
	s.skill.Name = name
	if tool, err := spec.ParseName(registryName(name)); err == nil {
		s.tool.Name = tool
	} else if SkillName(name) == nil && s.mode != StrictAgentskills {
		s.add(skillNameHere, at, "%s", err)
	}
}

// SkillName tells why a name is none that the published rules allow, nil where it
// is one: 1 to 64 lower-case ASCII letters and digits, joined by single hyphens
// [SK-A1]. The rules' reference validator lets letters of any script pass, which
// contradicts the rules' own words; this keeps to the words, so that two names
// that look alike are not two skills.
func SkillName(name string) error {
	if length := utf8.RuneCountInString(name); length < 1 || length > maxSkillName {
		return fmt.Errorf("the name %s has %d characters, allowed are 1 to %d", spec.Quote(name), length, maxSkillName)
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case c == '-' && i > 0 && name[i-1] != '-' && i < len(name)-1:
		default:
			return fmt.Errorf("the name %s is not of lower-case letters, digits and single hyphens, none at the edge", spec.Quote(name))
		}
	}
	return nil
}

// registryName makes a registry's spelling of a skill's name: of one that the rules allow
// by the bijection of hyphens and underscores [C-4], of others what comes nearest.
func registryName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			b.WriteByte(c)
		case c >= 'A' && c <= 'Z':
			b.WriteByte(c + 'a' - 'A')
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	return strings.TrimSuffix(b.String(), "_")
}

// skillDirName is what a skill in that file should be called, "" where the file's
// path does not tell: its directory, and of a version directory of a registry the
// one around it.
func skillDirName(file string) string {
	dir := path.Dir(strings.ReplaceAll(file, `\`, "/"))
	base := path.Base(dir)
	if _, err := spec.ParseVersion(base); err == nil {
		base = strings.ReplaceAll(path.Base(path.Dir(dir)), "_", "-")
	}
	switch base {
	case ".", "..", "/":
		return ""
	}
	return base
}

func (s *skillReader) description(root *node) {
	n, at := root.get("description"), pos{root.at.line, 1}
	text := ""
	if n != nil && n.kind != kindNull {
		at = n.at
		text, _ = s.text(n, "description")
	}
	line := strings.Join(strings.Fields(text), " ")
	if line == "" {
		s.add(skillNoDescription, at, "there is no description")
		return
	}
	if length := utf8.RuneCountInString(text); length > limits.Description {
		s.add(skillLongDescription, at, "the description has %d characters, allowed are %d", length, limits.Description)
	}
	s.tool.Description = line
}

func (s *skillReader) compatibility(n *node) {
	text, ok := s.text(n, "compatibility")
	if !ok {
		return
	}
	if length := utf8.RuneCountInString(text); length < 1 || length > maxCompatibility {
		s.add(skillCompatibility, n.at, "compatibility has %d characters, allowed are 1 to %d", length, maxCompatibility)
	}
	s.skill.Compatibility = text
}

// loosely is the rule for what the published rules forbid and their reference
// validator does not look at: its profile warns [C-36].
func (s *skillReader) loosely(id rule) rule {
	if s.mode == StrictAgentskills {
		return skillMetadataText
	}
	return id
}

// metadata keeps texts, and other scalars as they are spelled. A mapping with
// anything nested is kept as it is besides, and never squeezed into texts [C-36].
func (s *skillReader) metadata(n *node) {
	if n.kind != kindObject {
		s.add(s.loosely(skillMetadata), n.at, "metadata must be %s, this is %s", kindObject, n.kind)
		s.keep("metadata", n)
		return
	}
	s.skill.Metadata = map[string]string{}
	nested := false
	for _, m := range n.members {
		switch m.value.kind {
		case kindString:
			s.skill.Metadata[m.name] = m.value.text
			continue
		case kindNumber, kindBoolean:
			s.skill.Metadata[m.name] = m.value.text
		case kindBroken:
			continue
		default:
			nested = true
		}
		s.add(s.loosely(skillMetadata), m.value.at, "%s in metadata must be %s, this is %s", spec.Quote(m.name), kindString, m.value.kind)
	}
	if nested {
		s.keep("metadata", n)
	}
}

// allowedTools reads tools with blanks between them; blanks within brackets, as in
// Bash(git add:*), part nothing.
func (s *skillReader) allowedTools(n *node) {
	switch n.kind {
	case kindString:
		if strings.Contains(outsideBrackets(n.text), ",") {
			s.add(skillToolCommas, n.at, "allowed-tools has commas between tools")
		}
		s.skill.AllowedTools = tools(n.text)
	case kindArray:
		s.add(s.loosely(skillAllowedTools), n.at, "allowed-tools must be %s, this is %s", kindString, n.kind)
		for _, item := range n.items {
			if item.kind == kindString {
				s.skill.AllowedTools = append(s.skill.AllowedTools, item.text)
			}
		}
	case kindBroken:
	default:
		s.add(s.loosely(skillAllowedTools), n.at, "allowed-tools must be %s, this is %s", kindString, n.kind)
		s.keep("allowed-tools", n)
	}
}

// outsideBrackets puts a letter in the place of everything in round brackets.
func outsideBrackets(text string) string {
	b, depth := []byte(text), 0
	for i, c := range b {
		switch {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case depth > 0:
			b[i] = 'x'
		}
	}
	return string(b)
}

func tools(text string) (all []string) {
	plain, start := outsideBrackets(text), -1
	for i := range len(text) + 1 {
		if i == len(text) || strings.IndexByte(" \t\r\n,", plain[i]) >= 0 {
			if start >= 0 {
				all = append(all, text[start:i])
			}
			start = -1
		} else if start < 0 {
			start = i
		}
	}
	return all
}

// license is free text in a skill, as in "see LICENSE.txt"; only what SPDX can
// read becomes the tool's.
func (s *skillReader) license(n *node) {
	text, ok := s.text(n, "license")
	if !ok {
		return
	}
	license, err := spec.ParseLicense(strings.TrimSpace(text))
	if err == nil && !strings.Contains(license, " ") || err == nil && likeLicense(spec.LicenseWords(license)[0]) != "" {
		s.tool.License = license
		return
	}
	s.add(skillLicense, n.at, "the license %s is not an SPDX expression", spec.Quote(text))
	s.keep("license", n)
}

// version reads the skill's own version [SK-5], at the top level, and where there
// is none that of metadata, in which the published rules would have it.
func (s *skillReader) version(root *node) {
	n := root.get("version")
	if n == nil {
		if v, err := spec.ParseVersion(s.skill.Metadata["version"]); err == nil {
			s.tool.Version = v
			return
		}
		s.add(skillNoVersion, pos{root.at.line, 1}, "there is no version")
		return
	}
	switch n.kind {
	case kindString:
	case kindBroken:
		return
	case kindNumber:
		s.addFix(skillVersion, n.at, `write all three numbers in quotes, as in "1.0.0"`, "the version %s is a number, in which 1.10 and 1.1 are the same", spec.Quote(n.text))
		return
	default:
		s.add(skillVersion, n.at, "the version must be %s, this is %s", kindString, n.kind)
		return
	}
	v, err := spec.ParseVersion(n.text)
	if err != nil {
		s.add(skillVersion, n.at, "%s", err)
		return
	}
	s.tool.Version = v
}
