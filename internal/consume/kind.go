package consume

import (
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// ReasonKind is the reason of a refusal to run what is used in another way.
const ReasonKind = "kind"

// Runnable refuses to run what is no one operation by itself, and says how it is used.
// An Arcade definition is one, and runs at Arcade.
func Runnable(t *spec.Tool) error {
	if t.Format == spec.FormatPatch || t.Format == spec.FormatArcade && len(t.Operations) == 1 {
		return nil
	}
	return notByItself(t)
}

// interpreted refuses what is no Patch tool: the interpreter would take a JSON file or
// a text for a program.
func interpreted(t *spec.Tool) error {
	if t.Format == spec.FormatPatch {
		return nil
	}
	return notByItself(t)
}

func notByItself(t *spec.Tool) error {
	err := fault.New(fault.Usage, ReasonKind, "%s is not run by itself: it is a tool of the kind %s", t.Name, t.Format)
	for _, way := range Ways(t) {
		err = err.Hint("%s", way.Command)
	}
	return err
}

// Way is how a tool of another format than Patch is used: a command to type, in
// which nothing that a stranger wrote stands but names with an alphabet.
type Way struct{ What, Command string }

// Ways are the ways to use an installed tool; none of a Patch tool, whose ways
// depend on its inputs.
func Ways(t *spec.Tool) []Way {
	switch t.Format {
	case spec.FormatInstall:
		name := string(t.Name)
		var out []Way
		if len(t.Operations) > 0 {
			out = append(out, Way{"call one of its actions", "patch-git call " + name + " " + actionName(t)})
		}
		if t.Deployment != nil && len(t.Deployment.Env) > 0 {
			out = append(out, Way{"see which values it was given, and change one", "patch-git configure " + name})
		}
		return append(out, Way{"take its access back, and remove it", "patch-git revoke " + name})
	case spec.FormatSkill:
		return []Way{
			{"see what it would do here", "patch-git skill run-plan " + string(t.Name)},
			{"put it where an AI host looks", "patch-git skill install " + string(t.Name) + " --to claude-code"},
		}
	case spec.FormatArcade:
		return []Way{
			{"run it through Arcade", "patch-git run " + string(t.Name)},
			{"give the key of Arcade's API, once", "patch-git arcade login"},
		}
	}
	return nil
}

// actionName is the name of the first action, or the place for one where its
// letters are not those of names.
func actionName(t *spec.Tool) string {
	if len(t.Operations) == 0 {
		return "ACTION"
	}
	for _, r := range t.Operations[0].Name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' {
			return "ACTION"
		}
	}
	return t.Operations[0].Name
}
