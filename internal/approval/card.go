package approval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/spec"
)

// Shown is a text as a person sees it: on one line, quoted, every character that
// hides something written out as its number, and cut in the middle where it is
// long, with its length and digest in place of what is missing.
func Shown(text string) string {
	runes := []rune(text)
	if len(runes) <= limits.ApprovalShown {
		return quoted(text)
	}
	const tail = limits.ApprovalShown / 4
	return fmt.Sprintf(`%s …(%d bytes in all, sha256 %s)… %s`,
		quoted(string(runes[:limits.ApprovalShown-tail])), len(text), spec.DigestOf([]byte(text)).Short(), quoted(string(runes[len(runes)-tail:])))
}

// Whole is [Shown] of all of a text.
func Whole(text string) string { return quoted(text) }

// quoted writes line breaks as escapes: foreign text makes no lines of its own,
// and cannot end the quotes around it.
func quoted(s string) string {
	return `"` + sanitize.ForTerminal(strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)) + `"`
}

// Line is one argument as a person sees it.
type Line struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Note says what of the value is easily misread; it is "" mostly.
	Note string `json:"note,omitempty"`
}

// Lines are the arguments of an action in their order: all of them, each on a
// line. show is [Shown] or [Whole]. Text is shown in quotes, all else as its JSON.
func (a Action) Lines(show func(string) string) []Line {
	var out []Line
	d := json.NewDecoder(bytes.NewReader(a.Arguments))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return out
		}
		name, _ := t.(string)
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return out
		}
		l := Line{Name: named(name, show), Note: misread(string(value))}
		var text string
		if value[0] == '"' && json.Unmarshal(value, &text) == nil {
			l.Value, l.Note = show(text), misread(text)
		} else {
			l.Value = plain(show(string(value)))
		}
		if ordered, turned := sanitize.InOrder(l.Value); turned {
			l.Note = strings.Join(slices.DeleteFunc([]string{l.Note, "it runs in two directions, and a screen may show its parts in another order than this: " + ordered}, isEmpty), "; ")
		}
		out = append(out, l)
	}
	return out
}

// InputName is the name of an input as a person sees it. What is no plain name stands in
// quotes: the schema of an operation may let whoever calls choose it, and it must not read
// as a sentence of ours, or as another argument.
func InputName(name string) string { return named(name, Shown) }

func named(name string, show func(string) string) string {
	const most = 64
	if name != "" && len(name) <= most && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" {
		return name
	}
	return show(name)
}

// plain is JSON that was shown without the quotes around it, where it is whole.
func plain(shown string) string {
	inner := strings.TrimSuffix(strings.TrimPrefix(shown, `"`), `"`)
	if strings.Contains(shown, `" …(`) {
		return shown
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(inner)
}

func isEmpty(s string) bool { return s == "" }

// misread names the first character that shows as something that it is not.
func misread(text string) string {
	for _, h := range sanitize.Scan(text) {
		if sanitize.Misread(h.Category) {
			return fmt.Sprintf("character %d is U+%04X, which is easily taken for another", h.Col, h.Rune)
		}
	}
	return ""
}

// Summary is the arguments in at most limits.ArgsSummary columns, for the answer
// to a model.
func (a Action) Summary() string {
	var parts []string
	for _, l := range a.Lines(Shown) {
		parts = append(parts, l.Name+"="+l.Value)
	}
	return sanitize.Fit(strings.Join(parts, ", "), limits.ArgsSummary)
}
