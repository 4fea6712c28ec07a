package contribute

import (
	"context"
	"slices"

	"github.com/patch-cat/patch-git/internal/judge"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
)

// Summarize tells what an untrusted text is about, by the model that the
// environment configures and by what the rules about text find without one.
// Nothing is kept.
func (w *Workshop) Summarize(ctx context.Context, text string) (*judge.Summary, error) {
	j, err := w.model()
	if err != nil {
		return nil, err
	}
	return j.Summarize(ctx, text, func(text string) []judge.Flag { return detect(ctx, text) })
}

// detect finds in a text, without a model, what may act on one that reads it: by
// the very rules for the notes of a tool, so that both know the same [C-13].
func detect(ctx context.Context, text string) []judge.Flag {
	const notes = "NOTES.md"
	report := quarantine.Check(ctx, quarantine.Subject{Release: &spec.Release{
		Tool: spec.Tool{Format: spec.FormatPatch}, Files: []spec.File{{Path: notes, Data: []byte(text)}},
	}})
	var out []judge.Flag
	for _, f := range report.Findings {
		flag := flagOf(f.ID)
		if f.File == notes && flag != "" && !slices.Contains(out, flag) {
			out = append(out, flag)
		}
	}
	return out
}

// flagOf is what a rule about text says in the documented words.
func flagOf(id string) judge.Flag {
	switch id {
	case "TXT-001", "TXT-002", "TXT-003", "TXT-004":
		return judge.FlagEncoded
	case "INJ-001":
		return judge.FlagOverride
	case "INJ-002", "INJ-005":
		return judge.FlagManipulation
	case "INJ-003":
		return judge.FlagImperative
	case "INJ-004", "INJ-006":
		return judge.FlagDirective
	}
	return ""
}
