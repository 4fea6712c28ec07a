package ledger

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Summary is what the manifest of one version says beyond its description for
// those who look for a tool.
type Summary struct {
	Format   spec.Format    `json:"format"`
	License  string         `json:"license,omitempty"` // SPDX expression
	Tags     []string       `json:"tags,omitempty"`
	Aliases  []spec.Name    `json:"aliases,omitempty"`
	Inputs   []SummaryInput `json:"inputs,omitempty"`
	Examples []string       `json:"examples,omitempty"` // requests that the tool serves
	// Operations are what the tool can be asked to do, with their summaries; none of a
	// Patch tool, which is one operation itself.
	Operations []SummaryInput `json:"operations,omitempty"`
}

// SummaryInput is an input, or an operation, as a search sees it.
type SummaryInput struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"` // its first [limits.SummaryInput] characters
}

// NewSummary is the summary of a tool. Whoever has the manifest works it out
// again and compares, so that what it makes of a tool never changes within an
// edition of [Record].
func NewSummary(t *spec.Tool) Summary {
	if t.Format != spec.FormatPatch {
		return otherSummary(t)
	}
	s := Summary{Format: t.Format, License: t.License, Tags: t.Tags, Aliases: t.Aliases, Examples: t.Examples}
	for _, in := range t.Inputs {
		s.Inputs = append(s.Inputs, SummaryInput{in.Name, begin(in.Description)})
	}
	return s
}

// begin cuts the description of an input. Sixty-four whole ones would fill the
// catalogue with what no search needs.
func begin(text string) string {
	n := 0
	for i := range text {
		if n == limits.SummaryInput {
			return strings.TrimRightFunc(text[:i], unicode.IsSpace)
		}
		n++
	}
	return text
}

// check refuses what [NewSummary] makes of no manifest. Who searches reads it
// before any manifest was seen, from a registry that may say anything.
func (s *Summary) check(description string) error {
	switch {
	case s.Format.MainFile() == "":
		return fmt.Errorf("format %s is unknown", spec.Quote(string(s.Format)))
	case len(s.Tags) > limits.Tags || len(s.Aliases) > limits.Aliases || len(s.Examples) > limits.Examples || len(s.Inputs) > limits.Inputs:
		return fmt.Errorf("it has %d tags, %d aliases, %d examples and %d inputs, which no manifest may", len(s.Tags), len(s.Aliases), len(s.Examples), len(s.Inputs))
	case len(s.Inputs)+len(s.Operations) > limits.Inputs || s.Format == spec.FormatPatch && s.Operations != nil:
		return fmt.Errorf("it has %d operations, which no manifest may", len(s.Operations))
	}
	if s.License != "" {
		if _, err := spec.ParseLicense(s.License); err != nil {
			return err
		}
	}
	for _, t := range s.Tags {
		if _, err := spec.ParseTag(t); err != nil {
			return err
		}
	}
	if err := oneLine("description", description, limits.Description); err != nil {
		return err
	}
	for _, e := range s.Examples {
		if err := oneLine("example", e, limits.Example); err != nil {
			return err
		}
	}
	for _, in := range slices.Concat(s.Inputs, s.Operations) {
		if err := oneLine("name of an input", in.Name, limits.InputName); err != nil {
			return err
		}
		if err := oneLine("description of an input", in.Description, limits.SummaryInput); err != nil {
			return err
		}
	}
	return nil
}

func oneLine(what, s string, most int) error {
	if n := utf8.RuneCountInString(s); n > most {
		return fmt.Errorf("a %s has %d characters, allowed are %d", what, n, most)
	}
	if strings.ContainsFunc(s, func(c rune) bool { return unicode.IsControl(c) || c == 0x2028 || c == 0x2029 }) {
		return fmt.Errorf("a %s has a line break or control character: %s", what, spec.Quote(s))
	}
	return nil
}
