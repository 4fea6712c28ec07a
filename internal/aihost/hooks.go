package aihost

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
)

// hook is one command that Claude Code runs by itself: what the user types and what
// other servers answer is told to `patch-git taint note`.
type hook struct {
	event   string
	matcher string // of names of tools, a JavaScript expression
	args    string
}

var hooks = [...]hook{
	{"UserPromptSubmit", "", "taint note --prompt"},
	// Our own tools' results are known without it. Grep shows what files say, as Read does.
	{"PostToolUse", "mcp__(?!" + Server + "__).*|WebFetch|WebSearch|Read|Grep|Bash", "taint note --result"},
}

// hookSeconds is how long Claude Code waits for a note.
const hookSeconds = 10

// settings is where Claude Code reads its hooks.
func settings(h *host.Host, s Scope) (string, error) {
	if s == Project {
		return filepath.Join(h.Dir, ".claude", "settings.json"), nil
	}
	if file := machineOf(h).claude("settings.json", ".claude/settings.json"); file != "" {
		return file, nil
	}
	return "", noHome()
}

func noHome() error {
	return fault.New(fault.Unavailable, "no_home", "there is no home directory").Hint("set HOME")
}

// element is the hook as the file has it.
func (k hook) element(program string) []member {
	var out []member
	if k.matcher != "" {
		out = append(out, member{"matcher", k.matcher})
	}
	return append(out, member{"hooks", []any{[]member{
		{"type", "command"}, {"command", quoted(program) + " " + k.args}, {"timeout", hookSeconds},
	}}})
}

// quoted is a path as a POSIX shell takes it, by which Claude Code runs hooks on
// every system.
func quoted(path string) string {
	if strings.IndexFunc(path, func(c rune) bool {
		return c > 0x7f || !bare(byte(c)) && !strings.ContainsRune("/.:+", c)
	}) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// is tells whether an element of a file is this hook of ours.
func (k hook) is(text string) bool {
	var e struct {
		Hooks []struct {
			Command string `json:"command"`
		} `json:"hooks"`
	}
	return json.Unmarshal(plain(text), &e) == nil && len(e.Hooks) == 1 &&
		strings.Contains(e.Hooks[0].Command, "patch-git") && strings.HasSuffix(e.Hooks[0].Command, " "+k.args)
}

// find is where a hook of ours stands; its index is -1 where it does not.
func (k hook) find(text string) (container, int, error) {
	if strings.TrimSpace(strings.TrimPrefix(text, bom(text))) == "" {
		return container{}, -1, nil
	}
	path := []string{"hooks", k.event}
	p, err := locate(text, false, path)
	if err != nil || p.found < len(path) {
		return container{}, -1, err
	}
	if text[p.value] != '[' {
		return container{}, -1, damagedHooks(k.event)
	}
	for i, m := range p.inside.members {
		if k.is(text[m.value:m.end]) {
			return p.inside, i, nil
		}
	}
	return p.inside, -1, nil
}

func damagedHooks(event string) error {
	return fault.New(fault.Findings, reasonDamaged, "the hooks of %s are no list", event)
}

// putHooks gives the changes by which a file has all hooks.
func putHooks(text, program string) ([][]edit, string, error) {
	var steps [][]edit
	for _, k := range hooks {
		in, i, err := k.find(text)
		if err != nil {
			return nil, "", err
		}
		value := k.element(program)
		var edits []edit
		switch {
		case i < 0:
			edits, err = appendJSON(text, false, []string{"hooks", k.event}, value)
		case !sameJSON(text[in.members[i].value:in.members[i].end], value):
			m := in.members[i]
			s := styleOf(text, place{on: []container{in}})
			edits = []edit{{m.value, m.end - m.value, s.write(value, indentAt(text, m.value))}}
		}
		if err != nil {
			return nil, "", err
		}
		if len(edits) > 0 {
			steps, text = append(steps, edits), apply(text, edits)
		}
	}
	return steps, text, nil
}

// dropHooks gives the changes by which they are gone.
func dropHooks(text string) ([][]edit, string, error) {
	var steps [][]edit
	for _, k := range hooks {
		in, i, err := k.find(text)
		if err != nil {
			return nil, "", err
		}
		if i >= 0 {
			edits := dropPart(text, in, i)
			steps, text = append(steps, edits), apply(text, edits)
		}
	}
	return steps, text, nil
}
