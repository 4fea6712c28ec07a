package aihost

import (
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/spec"
)

// skillHost is where a host looks for skills. docs/skills.md says from when that is.
type skillHost struct {
	id      ID
	project string // below the project's folder
	user    func(m machine) string
}

var skillHosts = [...]skillHost{
	{ClaudeCode, ".claude/skills", func(m machine) string { return m.claude("skills", ".claude/skills") }},
	{Cursor, ".cursor/skills", func(m machine) string { return m.home(".cursor", "skills") }},
	// It still reads .codex/skills, and calls that deprecated.
	{Codex, ".agents/skills", func(m machine) string { return m.home(".agents", "skills") }},
}

// SkillHosts are the hosts that skills can be installed for.
func SkillHosts() []ID {
	var out []ID
	for _, k := range skillHosts {
		out = append(out, k.id)
	}
	return out
}

// SkillPlace is where a host looks for skills: a folder that is the user's own, and
// the path below it. Links within that folder are followed and none out of it, so that
// a project cannot lead what is installed into it to another place.
type SkillPlace struct {
	Host  ID
	Scope Scope
	Root  string // absolute
	Below string // with slashes; "." is the root itself
}

// Dir is the folder whole.
func (p SkillPlace) Dir() string { return filepath.Join(p.Root, filepath.FromSlash(p.Below)) }

// SkillsOf tells where a host looks for skills. The error is of kind Usage for a host
// that has none, and Unavailable where the user has no home.
func SkillsOf(h *host.Host, id ID, s Scope) (SkillPlace, error) {
	for _, k := range skillHosts {
		if k.id != id {
			continue
		}
		if s == Project {
			return SkillPlace{id, s, h.Dir, k.project}, nil
		}
		dir := k.user(machineOf(h))
		if dir == "" {
			return SkillPlace{}, noHome()
		}
		return SkillPlace{id, s, dir, "."}, nil
	}
	if _, err := find(id); err != nil {
		return SkillPlace{}, err
	}
	return SkillPlace{}, fault.New(fault.Usage, "no_skills", "%s reads no skills from a folder that is known here", spec.Quote(string(id))).
		Hint("hosts that do: claude-code, cursor, codex")
}
