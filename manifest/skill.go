package manifest

import (
	"encoding/json"
	"math/big"
	"path"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// skillReader reads the frontmatter of a SKILL.md [SK-1…17, SK-A1].
//
// Strict is what a registry takes: the published rules for the six fields, and
// ADR-002 beside them at the top level [C-36]. Lenient loads whatever has a
// description and can be read, and warns of the rest.
type skillReader struct {
	*report
	tool     *spec.Tool
	skill    *spec.Skill
	patterns patternBudget // of the defaults
	enums    map[*node]map[string]bool
	bounds   map[*node]*big.Rat
	minor    bool // the manifest says a later minor edition than the one known here
}

// readSkill reads the main file of its format. A document without a name is one
// whose author gave none that a registry could hold; the version is empty where
// the file says none.
func readSkill(r *report, data []byte) *Document {
	r.as = skillYAML
	if path.Base(r.file) != spec.FormatSkill.MainFile() {
		r.add(skillFileName, pos{}, "the file is called %s", spec.Quote(path.Base(r.file)))
	}
	if len(data) > limits.ToolFile {
		r.add(skillTooLarge, pos{}, "the file has %d bytes, allowed are %d", len(data), limits.ToolFile)
		if r.mode != Lenient {
			return nil
		}
	}
	f := splitSkill(data, r)
	if f == nil {
		return nil
	}
	root := f.parse(r)
	if root == nil {
		return nil
	}
	doc := &Document{Raw: data, Body: f.body, BodyLine: f.after, root: root}
	doc.Tool = spec.Tool{
		Format: spec.FormatSkill, Inputs: []spec.Input{}, Runtime: spec.Runtime{Packages: []string{}},
		Skill: &spec.Skill{Body: f.body},
	}
	s := &skillReader{report: r, tool: &doc.Tool, skill: doc.Tool.Skill}
	s.read(root)
	if doc.Tool.Description == "" {
		return nil
	}
	return doc
}

// published are the six fields of the published rules.
var published = []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}

// declared are the fields of ADR-002 that count only beside manifest_version [C-39].
var declared = []string{"inputs", "env", "preconditions", "outputs", "execution", "sensitive"}

func (s *skillReader) read(root *node) {
	s.name(root)
	s.description(root)
	if n := root.get("compatibility"); n != nil {
		s.compatibility(n)
	}
	if n := root.get("metadata"); n != nil {
		s.metadata(n)
	}
	if n := root.get("allowed-tools"); n != nil {
		s.allowedTools(n)
	}
	if n := root.get("license"); n != nil {
		s.license(n)
	}
	s.version(root)
	if s.edition(root) {
		s.manifest(root)
	}
	s.others(root)
	s.capabilities()
}

// others keeps the fields that the format doesn't know, or doesn't look at.
func (s *skillReader) others(root *node) {
	legacy := s.skill.ManifestVersion == ""
	var unread []string
	for _, m := range root.members {
		six, ours := slices.Contains(published, m.name), slices.Contains(declared, m.name)
		switch {
		case six:
			continue
		case s.mode == StrictAgentskills:
			s.add(skillForeignField, m.at, "the field %s is none of %s", spec.Quote(m.name), strings.Join(published, ", "))
		case ours && legacy:
			unread = append(unread, m.name)
		case ours, m.name == "version", m.name == "manifest_version":
		default:
			fix := ""
			if like := s.nearest(m.name, slices.Concat([]string{"manifest_version", "version"}, published, declared)); like != "" {
				fix = "write " + like
			}
			s.addFix(skillUnknownField, m.at, fix, "the field %s is not part of the format", spec.Quote(m.name))
		}
		if ours && legacy || !ours && m.name != "version" && m.name != "manifest_version" {
			s.keep(m.name, m.value)
		}
	}
	if len(unread) > 0 {
		s.add(skillLegacy, root.get(unread[0]).at, "%s without manifest_version: nobody looks at it", strings.Join(unread, ", "))
	}
}

// nearest is Nearest for as long as findings are listed: a file of thousands of keys
// has nobody to read what each of them was probably meant to be.
func (s *skillReader) nearest(key string, known []string) string {
	if len(s.found) >= limits.ManifestProblems-1 {
		return ""
	}
	return Nearest(key, known)
}

// keep puts a value among those of nobody's format.
func (s *skillReader) keep(name string, n *node) {
	if s.skill.Other == nil {
		s.skill.Other = map[string]spec.SkillText{}
	}
	s.skill.Other[name] = json.RawMessage(n.json())
}

// capabilities says what the skill declares in the words of all formats. They are
// hints of its author: a skill is read by a model, and nothing holds it to them [SK-35].
func (s *skillReader) capabilities() {
	c := &s.tool.Capabilities
	c.Network, c.Filesystem = s.skill.Execution.Network, spec.FilesystemReadOnly
	if len(s.skill.Outputs) > 0 || s.skill.Execution.Destructive {
		c.Filesystem = spec.FilesystemReadWrite
	}
}
