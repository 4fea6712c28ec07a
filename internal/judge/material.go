package judge

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Material is what a model is shown of one release: its texts as a stranger wrote
// them, and what is known of it. It holds nothing that the rules found.
type Material struct {
	Unread   Failure  `json:"unread,omitempty"` // why there is nothing to show, Budget or Unreadable
	Main     string   `json:"main,omitempty"`   // path of the main file
	Fields   []Field  `json:"fields,omitempty"` // of the manifest
	Files    []Text   `json:"files,omitempty"`
	Declared []string `json:"declared,omitempty"` // capabilities, in our words
	Inferred []string `json:"inferred,omitempty"`
	Packages []string `json:"packages,omitempty"`
}

// Field is one text of a manifest that a model picks a tool by.
type Field struct {
	Name string `json:"name"` // ours: "description", "input 2"
	Text string `json:"text"`
}

// Text is one file.
type Text struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Collect gathers what a model is shown of a release. More than a model is asked
// about, or what is no text, is not cut to fit: then there is nothing to show,
// and why.
func Collect(t *spec.Tool, files []spec.File, inferred []string) *Material {
	if t == nil || len(files) == 0 {
		return &Material{Unread: Unreadable}
	}
	m := &Material{Main: t.Format.MainFile(), Declared: declared(t), Inferred: inferred, Packages: t.Runtime.Packages}
	m.Fields = fields(t)
	size := 0
	for _, f := range m.Fields {
		size += len(f.Text)
	}
	for _, f := range files {
		if !utf8.Valid(f.Data) || spec.CheckPath(f.Path) != nil {
			return &Material{Unread: Unreadable}
		}
		if size += len(f.Data); size > limits.JudgeText {
			return &Material{Unread: Budget}
		}
		m.Files = append(m.Files, Text{f.Path, string(f.Data)})
	}
	return m
}

// fields are the texts that stand in a list of tools.
func fields(t *spec.Tool) []Field {
	out := []Field{{"name", string(t.Name)}, {"description", t.Description}}
	for i, in := range t.Inputs {
		out = append(out, Field{fmt.Sprintf("input %d", i+1), in.Name + ": " + in.Description})
	}
	if t.Output.Description != "" {
		out = append(out, Field{"output", t.Output.Description})
	}
	return out
}

// declared are the permissions of a manifest in words that a model knows.
func declared(t *spec.Tool) []string {
	p := t.Permissions()
	out := []string{"network: " + map[bool]string{true: "yes", false: "no"}[p.Network], "files: " + string(p.Filesystem)}
	if p.HumanConfirm {
		out = append(out, "a person confirms each call")
	}
	for _, scope := range p.ExternalAuth {
		out = append(out, "account: "+scope)
	}
	return out
}

// Digest names the material, so that a judgement is about no other.
func (m *Material) Digest() spec.Digest { return spec.DigestOf(ledger.Encode(m)) }

// UnitKind is what is asked about a unit.
type UnitKind string

// The kinds of unit.
const (
	UnitFields UnitKind = "description" // what a model picks the tool by
	UnitProse  UnitKind = "prose"       // notes, and comments and strings of the code
	UnitCode   UnitKind = "code"        // does it do what it says, and no more
)

// Unit is one question's text.
type Unit struct {
	Kind  UnitKind
	File  string // path in the release
	Lines []Line
}

// Line is one line of a unit. Its number is that in the file, but of fields,
// which are counted from 1.
type Line struct {
	N    int
	Text string
}

// Units cuts material into units. It is deterministic: who has the material knows
// which line a judgement means. Lines without a character are left out, so that
// they push nothing over an edge.
func (m *Material) Units() ([]Unit, Failure) {
	if m.Unread != "" {
		return nil, m.Unread
	}
	var out []Unit
	fields := Unit{Kind: UnitFields, File: m.Main}
	for i, f := range m.Fields {
		// A field is one line here, as models are shown it in a list.
		fields.Lines = append(fields.Lines, Line{i + 1, f.Name + ": " + strings.Join(strings.Fields(f.Text), " ")})
	}
	if len(fields.Lines) > 0 {
		out = append(out, fields)
	}
	for _, f := range m.Files {
		all := lines(f.Text)
		prose := all
		if strings.HasSuffix(f.Path, ".py") {
			prose = spoken(f.Text, all)
			out = append(out, Unit{UnitCode, f.Path, all})
		}
		for _, w := range windows(prose) {
			out = append(out, Unit{UnitProse, f.Path, w})
		}
	}
	for _, u := range out {
		if len(u.Lines) == 0 {
			return nil, Unreadable
		}
	}
	switch {
	case len(out) == 0:
		return nil, Unreadable
	case len(out)*wordings+canaries > limits.JudgeRequests:
		return nil, Budget
	}
	return out, ""
}

// lines are those with a character.
func lines(text string) []Line {
	var out []Line
	n := 0
	for l := range strings.SplitSeq(text, "\n") {
		n++
		if l = strings.TrimSuffix(l, "\r"); strings.TrimSpace(l) != "" {
			out = append(out, Line{n, l})
		}
	}
	return out
}

// windows cuts prose so small that one line in it still weighs something, and
// overlaps them, so that no sentence falls into the cut.
func windows(all []Line) [][]Line {
	var out [][]Line
	for from := 0; from < len(all); from += limits.JudgeLines - limits.JudgeOverlap {
		to := min(from+limits.JudgeLines, len(all))
		out = append(out, all[from:to])
		if to == len(all) {
			break
		}
	}
	return out
}

// Place is where a line of a unit stands in its file; a field is looked for there,
// and line 0 is somewhere in it.
func (m *Material) Place(u Unit, n int) (file string, line int) {
	if u.Kind != UnitFields {
		return u.File, n
	}
	if n < 1 || n > len(m.Fields) {
		return u.File, 0
	}
	text := m.Fields[n-1].Text
	if _, after, ok := strings.Cut(text, ": "); ok && strings.HasPrefix(m.Fields[n-1].Name, "input ") {
		text = after
	}
	for _, f := range m.Files {
		if f.Path != u.File || text == "" {
			continue
		}
		for _, l := range lines(f.Text) {
			if strings.Contains(l.Text, text) {
				return u.File, l.N
			}
		}
	}
	return u.File, 0
}

// Text is the line of that number, "" where there is none.
func (u Unit) Text(n int) string {
	text, _ := u.quoted(n)
	return text
}

// quoted is the text of a line of a unit, "" where there is no such line.
func (u Unit) quoted(n int) (string, bool) {
	for _, l := range u.Lines {
		if l.N == n {
			return l.Text, true
		}
	}
	return "", false
}
