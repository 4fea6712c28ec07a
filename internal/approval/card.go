package approval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/spec"
)

// Shown is a text as a person sees it: on one line, quoted, every character that
// hides something written out as its number, and cut in the middle where it is
// long, with its length and digest in place of what is missing.
func Shown(text string) string {
	show := func(s string) string {
		// Line breaks become escapes: foreign text makes no lines of its own.
		s = strings.NewReplacer("\\", `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
		return sanitize.ForTerminal(s)
	}
	if runes := []rune(text); len(runes) > limits.ApprovalShown {
		half := limits.ApprovalShown / 2
		return fmt.Sprintf(`"%s" …(%d bytes in all, sha256 %s)… "%s"`, show(string(runes[:half])), len(text), spec.DigestOf([]byte(text)).Short(), show(string(runes[len(runes)-half/2:])))
	}
	return `"` + show(text) + `"`
}

// Line is one argument as a person sees it.
type Line struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Lines are the arguments of an action, in their order: all of them, each on a
// line, none folded away.
func (a Action) Lines() []Line {
	var out []Line
	d := json.NewDecoder(bytes.NewReader(a.Arguments))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return out
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return out
		}
		text, ok := name.(string)
		if !ok {
			return out
		}
		out = append(out, Line{unquoted(Shown(text)), shownValue(value)})
	}
	return out
}

// shownValue shows text as text, and anything else as its JSON.
func shownValue(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil && len(value) > 0 && value[0] == '"' {
		return Shown(text)
	}
	return unquoted(Shown(string(value)))
}

// unquoted leaves the quotes away where what is shown needs none.
func unquoted(shown string) string {
	inner := strings.TrimSuffix(strings.TrimPrefix(shown, `"`), `"`)
	if strings.Contains(shown, "…(") {
		return shown
	}
	return strings.ReplaceAll(inner, `\"`, `"`)
}

// Summary is the arguments in at most limits.ArgsSummary characters, for the
// answer to a model [AR, Confirmation].
func (a Action) Summary() string {
	var parts []string
	for _, l := range a.Lines() {
		parts = append(parts, l.Name+"="+l.Value)
	}
	return sanitize.Fit(strings.Join(parts, ", "), limits.ArgsSummary)
}
