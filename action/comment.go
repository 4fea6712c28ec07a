package action

import (
	"fmt"
	"strings"

	"github.com/patch-cat/patch-git/internal/judge"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/spec"
)

// said is what is told about a pull request, beside its review.
type said struct {
	review  *review.Review   // nil: there is none that can be read
	by      *judge.Judgement // nil: no model was asked
	merged  string           // commit, "" where it was not merged
	refused bool             // GitHub did not let it be merged
	publish string           // what becomes of a merge: "again", "by_hand"
	version string           // of the program
}

// part is a piece of a comment. text writes it in at most room bytes, and says
// there what it leaves out.
type part struct {
	rank int // 0 is never cut; of the others the highest goes first
	text func(room int) string
}

// comment renders what is said as Markdown of at most most bytes. Whatever a
// stranger wrote stands in code; the words, and the shape of the document, are
// ours.
func comment(s said, most int) string {
	r := s.review
	if r == nil {
		return "### " + headline(review.Fail) + "\n\n" +
			"The review of this commit did not finish, so nobody knows what it is. " +
			"That is no fault of the proposal as such; the log of the workflow `quarantine` tells more. " +
			"A new push, or running the workflow again, tries it again.\n"
	}
	parts := []part{
		{0, func(int) string { return opening(s) }},
		{1, func(room int) string { return findings(r, room) }},
		{2, func(room int) string { return permissions(r, room) }},
		{3, func(room int) string { return listed("What changes in `tool.yaml`", r.Meta, room) }},
		{4, func(room int) string { return near(r, room) }},
		{5, func(room int) string { return card(r, room) }},
		{6, func(room int) string { return listed("What nobody could check", r.Unchecked, room) }},
		{7, func(room int) string { return difference(r, room) }},
		{0, func(int) string { return closing(s) }},
	}
	texts, room := make([]string, len(parts)), most-len(parts)*len(leftOut)
	for rank := range len(parts) {
		for i, p := range parts {
			if p.rank == rank {
				texts[i] = p.text(room)
				room -= len(texts[i]) + 1
			}
		}
	}
	var b strings.Builder
	for _, t := range texts {
		if t != "" {
			b.WriteString(t + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// opening says the verdict, why, and what happens next.
func opening(s said) string {
	r := s.review
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", headline(r.Verdict))
	subject := "This pull request is about " + kindWords(r.Kind)
	if r.Name != "" && r.Version != "" {
		subject += ", " + span(string(r.Name)+"@"+string(r.Version))
	} else if r.Name != "" {
		subject += ", " + span(string(r.Name))
	}
	if r.New {
		subject += ", a new name"
	}
	fmt.Fprintf(&b, "%s: %s, %s.\n\n", subject, many(r.Files, "file"), size(r.Bytes))
	b.WriteString("**What happens next.** ")
	switch {
	case s.merged != "":
		fmt.Fprintf(&b, "It was merged by itself, because %s.", mergeWords(r.Merge))
		if s.publish == "by_hand" {
			b.WriteString(" There is no run of the workflow `publish` that could be started again, so a maintainer has to push to `main` before users see it.")
		} else {
			b.WriteString(" It is published within minutes.")
		}
	case s.refused:
		b.WriteString("It was to be merged by itself, and GitHub did not let that happen. It is tried again every night; a maintainer can merge it, or stop it with the label `" + review.HoldLabel + "`.")
	case r.Verdict == review.Pass && r.Merge.After != nil && r.Merge.Reason == review.ReasonWaits:
		fmt.Fprintf(&b, "Nothing for now: %s. Then it is merged by itself; until then a maintainer can merge it, or stop it with the label `%s`.", mergeWords(r.Merge), review.HoldLabel)
	case s.waits():
		fmt.Fprintf(&b, "Nothing for now, because %s. It is looked at again every night; until then a maintainer can merge it, or stop it with the label `%s`.", mergeWords(r.Merge), review.HoldLabel)
	case r.Verdict == review.Pass && r.Merge.Auto:
		fmt.Fprintf(&b, "It is merged by itself, because %s.", mergeWords(r.Merge))
	case r.Verdict == review.Pass:
		fmt.Fprintf(&b, "A maintainer merges it. It is not merged by itself because %s.", mergeWords(r.Merge))
	case r.Verdict == review.NeedsHuman:
		fmt.Fprintf(&b, "A maintainer looks at it, because %s, and answers for this very commit with the label `%s`, or by approving it and running all jobs of the workflow `quarantine` again. A new commit needs a new answer.", mergeWords(r.Merge), acceptLabel)
	default:
		fmt.Fprintf(&b, "It is not merged, because %s. Push to the same branch; this comment and the check `%s` follow.", mergeWords(r.Merge), checkName)
	}
	return b.String() + "\n"
}

// closing says what was judged.
func closing(s said) string {
	head := s.review.Head
	if !isCommit(head) {
		head = "unknown"
	}
	by := ""
	if s.by != nil {
		by = byModel(s.by)
	}
	return "---\n" + by + fmt.Sprintf("Judged: commit `%.12s`, by patch-git %s. The check `%s` on that commit is what counts; comments and labels are only shown.\n", head, s.version, checkName)
}

// findings lists problems as a compiler does, errors first.
func findings(r *review.Review, room int) string {
	if len(r.Findings) == 0 {
		return "No findings.\n"
	}
	count := map[spec.Severity]int{}
	var lines []string
	for _, severity := range []spec.Severity{spec.SeverityError, spec.SeverityWarning, spec.SeverityNote} {
		for _, f := range r.Findings {
			if f.Weight() != severity {
				continue
			}
			count[severity]++
			lines = append(lines, wrap("", f.String())...)
			if f.Fix != "" {
				lines = append(lines, wrap("    fix: ", f.Fix)...)
			}
		}
	}
	title := fmt.Sprintf("**Findings:** %s, %s, %s\n\n", many(count[spec.SeverityError], "error"), many(count[spec.SeverityWarning], "warning"), many(count[spec.SeverityNote], "note"))
	return fitted(title, "text", lines, room, "")
}

// listed shows sentences that may repeat foreign text.
func listed(title string, sentences []string, room int) string {
	if len(sentences) == 0 {
		return ""
	}
	var lines []string
	for _, s := range sentences {
		lines = append(lines, wrap("- ", s)...)
	}
	return fitted("**"+title+"**\n\n", "text", lines, room, "")
}

// near lists names that are close, and whose they are.
func near(r *review.Review, room int) string {
	var lines []string
	for _, n := range r.Near {
		lines = append(lines, string(n.Name)+" of "+n.Owner)
	}
	return listed("Names that are close to this one", lines, room)
}
