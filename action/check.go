package action

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/spec"
)

// commentMarker finds our one comment in a pull request again.
const commentMarker = "patch-git:review"

// How much is written at a place, below what GitHub takes there.
const (
	commentBytes = limits.GitHubComment - 1024
	outputBytes  = limits.GitHubOutput - 1024
	summaryBytes = 256 * limits.KiB
)

// check is the check run on a head. Annotations stand at the lines that are
// complained about; what has no line is in the summary alone.
func check(s said, head string) github.CheckRun {
	verdict := review.Fail
	var notes []github.Annotation
	if s.review != nil {
		verdict, notes = s.review.Verdict, annotations(s.review)
	}
	_, title, _ := strings.Cut(headline(verdict), " ")
	return github.CheckRun{
		Name: checkName, Head: head, Conclusion: conclusion(verdict), Title: title,
		Summary: comment(s, outputBytes), Annotations: notes,
	}
}

// mostAnnotations is how many remarks are put beside lines.
const mostAnnotations = 200

// annotations are findings as remarks beside lines, errors first.
func annotations(r *review.Review) []github.Annotation {
	var out []github.Annotation
	for _, f := range r.Findings {
		if f.File == "" || strings.Trim(f.File, pathCharacters) != "" {
			continue // quoted, because it is no plain path
		}
		message := f.Message
		if f.Fix != "" {
			message += "; fix: " + f.Fix
		}
		if w := f.Waived; w != (spec.Waived{}) {
			message += "; waived by " + w.Approver + " until " + string(w.Until) + ": " + w.Reason
		}
		out = append(out, github.Annotation{
			Path: f.File, Line: max(f.Line, 1), Level: level(f.Weight()), Title: plain(f.ID, 40), Message: plain(message, 1000),
		})
	}
	slices.SortStableFunc(out, func(a, b github.Annotation) int { return strings.Compare(a.Level, b.Level) }) // failure, notice, warning
	return out[:min(len(out), mostAnnotations)]
}

// pathCharacters are those of paths that an annotation is made for.
const pathCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./"

func level(s spec.Severity) string {
	switch s {
	case spec.SeverityWarning:
		return "warning"
	case spec.SeverityNote:
		return "notice"
	}
	return "failure"
}
