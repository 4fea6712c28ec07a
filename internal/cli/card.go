package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/picker"
	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// card is a tool that a search found, as a person reads it. Its texts are as
// they came: who prints it paints it.
type card struct {
	hit consume.Hit
	in  bool // which registry has it is to be said
	why []index.Match
}

// between separates what stands in one line of a card.
const between = " · "

// paragraphs are the card as it is printed.
func (c card) paragraphs() []picker.Paragraph {
	h := c.hit
	head := picker.Line{{Text: string(h.Name), Style: picker.Strong}, {Text: " " + string(h.Version)}}
	if h.Installed != "" {
		head = append(head, picker.Span{Text: between + "installed " + string(h.Installed), Style: picker.Good})
	}
	if h.Deprecated {
		head = append(head, picker.Span{Text: between + "deprecated", Style: picker.Bad})
	}
	out := []picker.Paragraph{{Line: head}, {Line: picker.Text("  " + h.Description), Indent: 2}, {Line: c.facts(), Indent: 2}}
	if len(c.why) > 0 {
		out = append(out, picker.Paragraph{Line: picker.Line{{Text: "  matched " + matched(c.why), Style: picker.Faint}}, Indent: 2})
	}
	if len(h.Also) > 0 {
		out = append(out, picker.Paragraph{Line: picker.Line{{Text: "  much the same: " + joined(h.Also), Style: picker.Faint}}, Indent: 2})
	}
	return append(out, picker.Paragraph{Line: picker.Text("  " + c.install()), Indent: 4})
}

// facts are whose the tool is, what it is and what it may.
func (c card) facts() picker.Line {
	h := c.hit
	facts := []string{string(h.Summary.Format), day(h.Published), cmp.Or(h.Summary.License, "no licence stated")}
	if c.in {
		facts = append(facts, "in "+string(h.Registry))
	}
	if len(h.Summary.Tags) > 0 {
		facts = append(facts, "tags "+strings.Join(h.Summary.Tags, ", "))
	}
	line := picker.Line{{Text: "  by " + publisher(h.Owners)}}
	if h.Verified {
		line = append(line, picker.Span{Text: " (verified)", Style: picker.Good})
	}
	line = append(line, picker.Span{Text: between + strings.Join(facts, between) + between})
	return append(line, badge(h.Permissions)...)
}

// install is what a person types to have the tool.
func (c card) install() string {
	words := "patch-git pull " + string(c.hit.Name)
	if c.in {
		words += " --registry " + string(c.hit.Registry)
	}
	return words
}

func publisher(owners []string) string {
	if len(owners) == 0 {
		return "nobody that the registry names"
	}
	return strings.Join(owners, ", ")
}

// badge is in short what a tool may do, and in what colour to look at it.
func badge(p spec.Permissions) picker.Line {
	var may []string
	if p.Network {
		may = append(may, "network")
	}
	switch p.Filesystem {
	case spec.FilesystemNone:
	case spec.FilesystemReadOnly:
		may = append(may, "reads files")
	case spec.FilesystemReadWrite:
		may = append(may, "writes files")
	default:
		may = append(may, "files: unknown")
	}
	if len(p.ExternalAuth) > 0 {
		may = append(may, "your accounts")
	}
	if len(p.Scopes) > 0 && len(p.ExternalAuth) == 0 {
		may = append(may, "acts in your name")
	}
	if len(p.Secrets) > 0 {
		may = append(may, "your secrets")
	}
	if p.Installs != "" {
		may = append(may, "installs a program")
	}
	for _, n := range p.Needs {
		may = append(may, sanitize.Fit(spec.NeedWords(n), 40))
	}
	style := picker.Bad
	if len(may) == 0 {
		may, style = []string{"no network, no files"}, picker.Good
	}
	if p.HumanConfirm {
		may = append(may, "asks each time")
	}
	return picker.Line{{Text: strings.Join(may, ", "), Style: style}}
}

// matched says where words of the query stand; a word that stands in several
// places is told of the first, which counts most.
func matched(why []index.Match) string {
	told := map[string]bool{}
	var out []string
	for _, m := range why {
		text := m.Text
		if m.In != "example" { // that is a sentence, the others are words
			var words []string
			for w := range strings.FieldsSeq(text) {
				if low := strings.ToLower(w); !told[low] {
					told[low] = true
					words = append(words, w)
				}
			}
			text = strings.Join(words, " ")
		}
		if text != "" {
			out = append(out, m.In+" "+spec.Quote(sanitize.Fit(text, 60)))
		}
	}
	return strings.Join(out, ", ")
}

// day is the date of a time that a registry states.
func day(published string) string {
	t, err := ledger.ParseTime(published)
	if err != nil {
		return "no date"
	}
	return t.Format("2006-01-02")
}

func joined(names []spec.Name) string {
	var out []string
	for _, n := range names {
		out = append(out, string(n))
	}
	return strings.Join(out, ", ")
}

// cards prints what was found, with an empty line between two. What goes to a
// program is not broken into lines: a card's paragraph is one line there.
func (p *printer) cards(all []card) {
	columns := 0
	if p.host.Terminal.Stdout {
		columns = cmp.Or(max(p.host.Terminal.Width, 0), 80)
	}
	for i, c := range all {
		if i > 0 {
			p.printf("\n")
		}
		for _, par := range c.paragraphs() {
			for _, l := range par.Line.Wrap(columns, par.Indent) {
				p.printf("%s\n", strings.TrimRight(l.Paint(p.colored), " "))
			}
		}
	}
}

// facets prints by what so many hits can be narrowed: what all of them have
// narrows nothing.
func (p *printer) facets(all []index.Facet, hits int) {
	const most = 8 // values of one field
	var fields []string
	values := map[string][]string{}
	for _, f := range all {
		if f.Count == hits {
			continue
		}
		if !slices.Contains(fields, f.Field) {
			fields = append(fields, f.Field)
		}
		values[f.Field] = append(values[f.Field], fmt.Sprintf("%s:%s %d", f.Field, word(f.Value), f.Count))
	}
	if len(fields) == 0 {
		return
	}
	p.printf("\n%s\n", p.bold("narrow by"))
	for _, f := range fields {
		shown := values[f]
		if len(shown) > most {
			shown = append(shown[:most:most], fmt.Sprintf("and %d more", len(shown)-most))
		}
		p.printf("  %s\n", oneLine(safe(strings.Join(shown, "  "))))
	}
}
