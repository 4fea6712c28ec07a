package ledger

import (
	"strings"
	"unicode"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// NewDescription is what a record says of a tool in one line. A Patch tool's own
// description is one; other formats allow more lines and more of them, so the line
// is cut at the length that every reader of records takes. Like [NewSummary] it
// never changes within an edition of [Record].
func NewDescription(t *spec.Tool) string {
	if t.Format == spec.FormatPatch {
		return t.Description
	}
	return line(t.Description, limits.Description)
}

// otherSummary is the summary of a tool of another format than Patch: of what its
// manifest says as much as keeps the rules of every summary.
func otherSummary(t *spec.Tool) Summary {
	s := Summary{Format: t.Format}
	if _, err := spec.ParseLicense(t.License); t.License != "" && err == nil {
		s.License = t.License
	}
	for _, tag := range t.Tags {
		if _, err := spec.ParseTag(tag); err == nil && len(s.Tags) < limits.Tags {
			s.Tags = append(s.Tags, tag)
		}
	}
	s.Aliases = t.Aliases[:min(len(t.Aliases), limits.Aliases)]
	for _, e := range t.Examples {
		if e = line(e, limits.Example); e != "" && len(s.Examples) < limits.Examples {
			s.Examples = append(s.Examples, e)
		}
	}
	for _, in := range t.Inputs[:min(len(t.Inputs), limits.Inputs)] {
		s.Inputs = append(s.Inputs, SummaryInput{line(in.Name, limits.InputName), line(in.Description, limits.SummaryInput)})
	}
	for _, o := range t.Operations[:min(len(t.Operations), limits.Inputs-len(s.Inputs))] { // both are one list to a catalogue's line
		s.Operations = append(s.Operations, SummaryInput{line(o.Name, limits.InputName), line(o.Summary, limits.SummaryInput)})
	}
	return s
}

// line makes one line of a text, of at most so many characters: white space and
// control characters become single blanks.
func line(text string, most int) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == 0x2028 || r == 0x2029
	})
	text = strings.Join(words, " ")
	n := 0
	for i := range text {
		if n++; n > most {
			return strings.TrimRight(text[:i], " ")
		}
	}
	return text
}
