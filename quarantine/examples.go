package quarantine

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Every rule has a file examples/<ID>.txt: what it finds, and a near miss. A
// test plays all of them, and docs/checks.md shows what came out.
//
//	One or two sentences of what else to know, or nothing.
//	-- hit KIND --
//	the change that makes the standard tool break the rule
//	-- miss KIND --
//	a change that is close to it and breaks no rule
//
// "-- and KIND --" adds to the change before it. A character that a reader does
// not see stands as \u{202E} in the file, so that the file hides nothing itself.
//
//go:embed examples/*.txt
var examples embed.FS

// Example is what shows a rule.
type Example struct {
	ID    string `json:"id"`
	Notes string `json:"notes"`
	Cases []Case `json:"cases"` // none for a rule that no tool can show
}

// Case is the standard tool with some changes.
type Case struct {
	Hit     bool     `json:"hit"` // the rule finds it; otherwise it is a near miss, which breaks no rule
	Changes []Change `json:"changes"`
}

// Change is one change of the standard tool.
type Change struct {
	Kind string `json:"kind"` // one of changeKinds
	Path string `json:"path,omitempty"`
	Text string `json:"text"` // ends with a line feed
}

// changeKinds are the places of a change, with the words for it.
func changeKinds(kind string) (words string, known bool) {
	switch kind {
	case "code":
		return "at the top level, after the imports", true
	case "body":
		return "first in main", true
	case "source":
		return "in place of all that follows the manifest", true
	case "description":
		return "as the description", true
	case "manifest":
		return "in the manifest", true
	case "packages":
		return "as runtime.packages", true
	case "file":
		return "as a file beside the tool", true
	case "skill":
		return "at the end of the skill", true
	case "frontmatter":
		return "in the frontmatter of the skill", true
	case "install":
		return "merged into the install manifest", true
	}
	return "", false
}

// Where says in words what the change is done to.
func (c Change) Where() string {
	words, _ := changeKinds(c.Kind)
	if c.Path != "" {
		words += ", " + c.Path
	}
	return words
}

// ExampleOf returns the example of a rule. The error is [fault.NotFound] where
// the rule has none; that the files themselves are readable is held by a test.
func ExampleOf(id string) (Example, error) {
	data, err := examples.ReadFile("examples/" + id + ".txt")
	if err != nil {
		return Example{}, fault.New(fault.NotFound, "no_example", "there is no example of %s", spec.Quote(id))
	}
	e, err := parseExample(string(data))
	if err != nil {
		return Example{}, fault.New(fault.Internal, "example", "the example of %s: %w", spec.Quote(id), err)
	}
	e.ID = id
	return e, nil
}

// parseExample reads the text of one file.
func parseExample(text string) (Example, error) {
	var e Example
	var notes strings.Builder
	into := &notes
	var parts []*strings.Builder // of the changes, in their order
	if !utf8.ValidString(text) || !strings.HasSuffix(text, "\n") {
		return e, fmt.Errorf("it is not UTF-8 that ends with a line feed")
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		head, begins := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
		head, ends := strings.CutSuffix(head, " --")
		if !begins || !ends {
			into.WriteString(line)
			continue
		}
		into = &strings.Builder{}
		parts = append(parts, into)
		if err := e.section(head); err != nil {
			return e, fmt.Errorf("line %d: %w", n, err)
		}
	}
	e.Notes = strings.TrimSpace(notes.String())
	for i := range e.Cases {
		for j := range e.Cases[i].Changes {
			c := &e.Cases[i].Changes[j]
			c.Text = strings.Trim(parts[0].String(), "\n") + "\n"
			if parts = parts[1:]; c.Text == "\n" {
				return e, fmt.Errorf("a change of kind %s is empty", c.Kind)
			}
		}
	}
	if e.Notes == "" && e.Cases == nil {
		return e, fmt.Errorf("it is empty")
	}
	if hit := func(c Case) bool { return c.Hit }; e.Cases != nil && !slices.ContainsFunc(e.Cases, hit) {
		return e, fmt.Errorf("it has no hit")
	}
	if miss := func(c Case) bool { return !c.Hit }; e.Cases != nil && !slices.ContainsFunc(e.Cases, miss) {
		return e, fmt.Errorf("it has no miss")
	}
	return e, nil
}

// section begins a change.
func (e *Example) section(head string) error {
	role, rest, _ := strings.Cut(head, " ")
	kind, path, _ := strings.Cut(rest, " ")
	if _, known := changeKinds(kind); !known {
		return fmt.Errorf("there is no kind %s", spec.Quote(kind))
	}
	if (kind == "file") != (path != "") {
		return fmt.Errorf("a path belongs to a file, and a file has one")
	}
	c := Change{Kind: kind, Path: path}
	switch {
	case role == "hit" || role == "miss":
		e.Cases = append(e.Cases, Case{Hit: role == "hit", Changes: []Change{c}})
	case role == "and" && e.Cases != nil:
		last := &e.Cases[len(e.Cases)-1]
		last.Changes = append(last.Changes, c)
	default:
		return fmt.Errorf("a section is a hit, a miss, or an addition to one, and not %s", spec.Quote(role))
	}
	return nil
}

// Unhidden returns the text with the characters that it spells as \u{202E}.
func Unhidden(text string) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, `\u{`)
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		digits, after, closed := strings.Cut(rest, "}")
		r, err := strconv.ParseUint(digits, 16, 21)
		if !closed || err != nil || !utf8.ValidRune(rune(r)) {
			return "", fmt.Errorf(`\u{%s is no character`, digits)
		}
		b.WriteRune(rune(r))
		text = after
	}
}
