package manifest

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Caps on a manifest of ADR-002.
const (
	maxSkillEntries = limits.Inputs      // of one list
	maxSkillTimeout = 7 * 24 * 60 * 60.0 // seconds
)

// edition reads manifest_version and tells whether a manifest follows. Without
// one the skill is of the legacy format, of which nothing is validated [SK-48, SK-49].
func (s *skillReader) edition(root *node) bool {
	n := root.get("manifest_version")
	if n == nil || s.mode == StrictAgentskills {
		return false
	}
	switch n.kind {
	case kindString:
	case kindNumber:
		s.addFix(skillEditionNumber, n.at, "put it in quotes: "+string(appendJSONString(nil, n.text)), "manifest_version must be a string, this is the number %s", spec.Quote(n.text))
		return false
	case kindBroken:
		return false
	default:
		s.add(skillEdition, n.at, "manifest_version must be a string, this is %s", n.kind)
		return false
	}
	major, rest, _ := strings.Cut(n.text, ".")
	minor, patch, three := strings.Cut(rest, ".")
	if !digits(major) || !digits(minor) || three && !digits(patch) {
		s.add(skillEdition, n.at, "manifest_version %s is not two numbers joined by a dot", spec.Quote(n.text))
		return false
	}
	if major != "1" {
		s.addFix(skillEdition, n.at, "update patch-git, or write the manifest in edition 1.0", "manifest_version %s is another major edition than 1, the one that is known here", spec.Quote(n.text))
		return false
	}
	if minor != "0" {
		s.minor = true
		s.add(skillNewer, n.at, "the manifest is of edition %s", spec.Quote(n.text))
	}
	s.skill.ManifestVersion = n.text
	return true
}

// digits tells whether s is a number without leading zeros, of at most nine digits.
func digits(s string) bool {
	if s == "" || len(s) > 9 || s[0] == '0' && s != "0" {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}

func (s *skillReader) manifest(root *node) {
	if n := s.object(root, "inputs", "required", "optional"); n != nil {
		s.inputs(n)
	}
	if n := s.object(root, "env", "required", "optional"); n != nil {
		s.env(n)
	}
	if n := s.object(root, "preconditions", "commands", "files"); n != nil {
		s.preconditions(n)
	}
	if n := s.object(root, "outputs", "files", "artifacts"); n != nil {
		s.outputs(n)
	}
	if n := s.object(root, "execution", "idempotent", "destructive", "network", "interactive", "timeout"); n != nil {
		s.execution(n)
	}
	s.skill.Sensitive = s.flag(root, "sensitive", "sensitive")
}

// object returns a member that is a mapping, nil where there is none, and reports
// the keys that the manifest does not have.
func (s *skillReader) object(n *node, name string, known ...string) *node {
	v := n.get(name)
	if v == nil || v.kind == kindNull {
		return nil
	}
	if !s.isKind(v, kindObject, name) {
		return nil
	}
	s.known(v, name, known...)
	return v
}

func (s *skillReader) known(n *node, what string, known ...string) {
	for _, m := range n.members {
		if slices.Contains(known, m.name) || s.minor {
			continue
		}
		fix := ""
		if like := s.nearest(m.name, known); like != "" {
			fix = "write " + like
		}
		s.addFix(skillUnknownKey, m.at, fix, "the key %s is unknown in %s", spec.Quote(m.name), what)
	}
}

func (s *skillReader) isKind(n *node, want kind, what string) bool {
	switch {
	case n.kind == want:
		return true
	case n.kind == kindBroken:
	case want == kindString && (n.kind == kindNumber || n.kind == kindBoolean):
		s.addFix(skillShape, n.at, "put it in quotes", "%s must be %s, this is %s", what, want, n.kind)
	default:
		s.add(skillShape, n.at, "%s must be %s, this is %s", what, want, n.kind)
	}
	return false
}

// entries are the mappings of a list.
func (s *skillReader) entries(n *node, name, what string, known ...string) []*node {
	v := n.get(name)
	if v == nil || v.kind == kindNull || !s.isKind(v, kindArray, what) {
		return nil
	}
	if len(v.items) > maxSkillEntries {
		s.add(skillTooMany, v.at, "%s has %d entries, allowed are %d", what, len(v.items), maxSkillEntries)
		return nil
	}
	var out []*node
	for _, item := range v.items {
		if s.isKind(item, kindObject, "an entry of "+what) {
			s.known(item, what, known...)
			out = append(out, item)
		}
	}
	return out
}

// word returns a member that is a string with something in it. Where it must be
// there, what is missing is reported.
func (s *skillReader) word(n *node, name, what string, must bool) (string, *node) {
	v := n.get(name)
	if v == nil {
		if must {
			s.addFix(skillMissingKey, n.at, "add the key "+name, "the key %q is missing in %s", name, what)
		}
		return "", nil
	}
	if !s.isKind(v, kindString, name) {
		return "", nil
	}
	if must && strings.TrimSpace(v.text) == "" {
		s.add(skillMissingKey, v.at, "%s is empty in %s", name, what)
		return "", nil
	}
	return v.text, v
}

func (s *skillReader) flag(n *node, name, what string) bool {
	v := n.get(name)
	if v == nil || v.kind == kindNull {
		return false
	}
	if v.kind == kindString {
		s.addFix(skillShape, v.at, "write true or false, without quotes", "%s must be %s, this is %s", what, kindBoolean, v.kind)
		return false
	}
	return s.isKind(v, kindBoolean, what) && v.text == "true"
}

// env reads the environment variables; a name stands once [SK-18…20].
func (s *skillReader) env(n *node) {
	seen := map[string]bool{}
	read := func(list string) (out []spec.SkillEnv) {
		for _, item := range s.entries(n, list, "env."+list, "name", "description", "sensitive") {
			name, at := s.word(item, "name", "env."+list, true)
			description, _ := s.word(item, "description", "env."+list, false)
			e := spec.SkillEnv{Name: name, Description: description, Sensitive: s.flag(item, "sensitive", "sensitive")}
			switch {
			case at == nil:
				continue
			case !isEnvName(name):
				s.add(skillEnvName, at.at, "the name %s is none of an environment variable", spec.Quote(name))
				continue
			case seen[name]:
				s.add(skillDuplicateEnv, at.at, "the environment variable %s stands twice", spec.Quote(name))
				continue
			}
			seen[name] = true
			out = append(out, e)
		}
		return out
	}
	s.skill.EnvRequired, s.skill.EnvOptional = read("required"), read("optional")
}

func isEnvName(name string) bool {
	if name == "" || len(name) > 128 {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c >= '0' && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return true
}

// execution reads hints, which nothing enforces but the timeout [SK-33…36].
func (s *skillReader) execution(n *node) {
	e := &s.skill.Execution
	e.Idempotent = s.flag(n, "idempotent", "execution.idempotent")
	e.Destructive = s.flag(n, "destructive", "execution.destructive")
	e.Network = s.flag(n, "network", "execution.network")
	e.Interactive = s.flag(n, "interactive", "execution.interactive")
	v := n.get("timeout")
	if v == nil || v.kind == kindNull || v.kind == kindBroken {
		return
	}
	seconds, err := strconv.ParseFloat(v.text, 64)
	switch {
	case v.kind == kindString && err == nil:
		s.addFix(skillTimeout, v.at, "remove the quotes", "the timeout must be %s, this is %s", kindNumber, v.kind)
	case v.kind != kindNumber || err != nil:
		s.add(skillTimeout, v.at, "the timeout must be %s of seconds, this is %s", kindNumber, v.kind)
	case seconds <= 0 || seconds > maxSkillTimeout || math.IsNaN(seconds):
		s.add(skillTimeout, v.at, "the timeout is %s seconds, allowed are more than 0 and at most %d", spec.Quote(v.text), int(maxSkillTimeout))
	default:
		e.Timeout = seconds
	}
}
