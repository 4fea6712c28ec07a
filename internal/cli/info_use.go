package cli

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/aihost"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/spec"
)

// use is a way to run a tool. Of what strangers wrote only names are in the
// commands, which have an alphabet: what a person copies into a shell, or into
// what a model reads as its orders, must not be somebody else's words.
type use struct {
	Where   string `json:"where"`
	Command string `json:"command,omitempty"` // for a shell
	How     string `json:"how,omitempty"`
}

// uses are the ways to run it: by a person, by a program, and by an AI host, which is
// told of this program once and then knows every tool that is installed.
func uses(t *spec.Tool, qualified string) []use {
	if t.Format != spec.FormatPatch {
		out := []use{{Where: "shell", Command: "patch-git pull " + qualified}}
		if t.Format == spec.FormatInstall {
			out[0].How = "shows what it installs and what it may do, and asks before it does"
		}
		var hosts []use
		if t.Format == spec.FormatSkill {
			for _, id := range aihost.SkillHosts() {
				hosts = append(hosts, use{Where: aihost.Title(id), Command: "patch-git skill install " + string(t.Name) + " --to " + string(id)})
			}
		}
		if len(t.Operations) > 0 {
			hosts = hostUses()
		}
		for _, w := range consume.Ways(t) {
			if !slices.ContainsFunc(hosts, func(u use) bool { return u.Command == w.Command }) {
				out = append(out, use{Where: "shell", Command: w.Command, How: w.What})
			}
		}
		return append(out, hosts...)
	}
	name := string(t.Name)
	out := []use{
		{Where: "shell", Command: "patch-git pull " + qualified},
		{Where: "shell", Command: "patch-git run " + name + flags(t)},
	}
	if example := arguments(t); example != "" {
		out = append(out, use{Where: "a program", Command: "patch-git run " + name + " --json --args '" + example + "'"})
	}
	return append(out, hostUses()...)
}

// hostUses are what makes each AI host serve what is pulled.
func hostUses() []use {
	var out []use
	how := "once; from then on the host has every tool that is pulled"
	for _, id := range aihost.IDs() {
		out = append(out, use{Where: aihost.Title(id), Command: "patch-git setup " + string(id), How: how})
		how = ""
	}
	return out
}

// placeholders stand for values that a person puts in their places.
var placeholders = [...]struct {
	of          spec.Type
	flag, value string
}{
	{spec.TypeString, "TEXT", `"TEXT"`},
	{spec.TypeInteger, "1", "1"},
	{spec.TypeNumber, "1.5", "1.5"},
	{spec.TypeBoolean, "true", "true"},
	{spec.TypeArray, "'[]'", "[]"},
	{spec.TypeObject, "'{}'", "{}"},
}

// flags are the inputs that have to be given, as a person gives them; a hint
// where they cannot be written without thinking.
func flags(t *spec.Tool) string {
	var b strings.Builder
	for _, in := range t.Inputs {
		if !in.Required {
			continue
		}
		value := ""
		for _, p := range placeholders {
			if p.of == in.Type {
				value = p.flag
			}
		}
		flag := (&app{}).inputFlag(in.Name)
		if value == "" || flag == "" || flag != word(flag) {
			return " --help"
		}
		b.WriteString(" " + flag + "=" + value)
	}
	return b.String()
}

// arguments are those inputs as one JSON object, "" where there is none that
// can be shown.
func arguments(t *spec.Tool) string {
	given := map[string]json.RawMessage{}
	for _, in := range t.Inputs {
		if !in.Required {
			continue
		}
		for _, p := range placeholders {
			if p.of == in.Type && in.Name == word(in.Name) {
				given[in.Name] = json.RawMessage(p.value)
			}
		}
		if given[in.Name] == nil {
			return ""
		}
	}
	data, err := json.Marshal(given)
	if err != nil {
		return ""
	}
	return string(data)
}
