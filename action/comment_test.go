package action

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

const someHead = "0123456789abcdef0123456789abcdef01234567"

// proposal is a review in which every foreign text is s.
func proposed(s string) *review.Review {
	tool := func() *spec.Tool {
		return &spec.Tool{
			Name: spec.Name(s), Version: spec.Version(s), Description: s, GeneratedBy: s,
			Inputs:       []spec.Input{{Name: s, Type: spec.Type(s), Description: s, Required: true, Default: []byte(s)}},
			Output:       spec.Output{Type: spec.Type(s), Description: s},
			Capabilities: spec.Capabilities{Filesystem: spec.Filesystem(s)},
			Runtime:      spec.Runtime{PythonVersion: s, Packages: []string{s}}, ExternalAuth: []string{s},
		}
	}
	now, was := tool(), tool()
	was.Capabilities.Network = true
	return &review.Review{
		Schema: review.Schema, Pull: 7, Base: s, Head: someHead, Author: ledger.Owner{Login: s, ID: 7}, Kind: review.KindRelease,
		Name: spec.Name(s), Version: spec.Version(s), Previous: spec.Version(s), Tool: now, Was: was, Owners: []ledger.Owner{{Login: s, ID: 7}},
		Grown: []string{s}, Meta: []string{s}, Diff: "--- a\n+++ b\n " + s + "\n+" + s, Near: []review.Near{{Name: spec.Name(s), Owner: s}},
		Files: 2, Bytes: 1234, Unchecked: []string{s},
		Findings: []spec.Finding{{ID: s, Severity: spec.Severity(s), File: s, Line: 3, Col: 1, Message: s, Fix: s}, {ID: "MAN-001", Severity: spec.SeverityWarning, Message: s}},
		Verdict:  review.NeedsHuman, Merge: review.Merge{Reason: review.Reason(s)},
	}
}

// breakOuts are texts that lead out of where careless rendering puts them.
var breakOuts = []string{
	" ", "plain", "`", "``", "```", "````\n# heading\n````", "~~~\n# heading", "` <b>x</b> `", "\\`<img src=x>`",
	"```` `````` ``` ` `` `````````", "`\n\n# heading\n\n`", "\n```\n@octocat\n```text\n", "\r\n```\r\n# heading\r\n", "\r```\r# heading\r",
	"\n\n# heading\n\n- list\n", "\n---\n", "\n===\n", "| a | b |\n|---|---|\n| c | d |", "[link](https://evil.example)", "![image](https://evil.example/x.png)",
	"[ref]\n\n[ref]: https://evil.example", "<https://evil.example>", "https://evil.example/path", "www.evil.example", "mail@evil.example",
	"@octocat", "@acme/owners", "#1", "acme/tools#1", "GH-1", "0123456789abcdef0123456789abcdef01234567", "fixes #1",
	"<b>bold</b>", "<script>alert(1)</script>", "</details>", "</summary>", "<details open>", "<!-- comment -->", "-->", "<!--", "<![CDATA[x]]>", "<?php ?>",
	"&lt;b&gt;", "&#64;octocat", "&commat;octocat", "\\@octocat", "**bold** _it_ ~~no~~", "- [ ] task", "> quote", "1. one", "    indented", "\tindented",
	"$x$ $$y$$", ":tada:", "[^1]\n\n[^1]: note", "```mermaid\ngraph TD\n```", "```suggestion\nx\n```",
	"::error::x", "\n::error file=a::x\n", "\n  ::add-mask::x", "##[error]x", "\n::stop-commands::x\n", "::set-output name=a::b", "%0A::error::x",
	"\x1b[31mred\x1b[0m", "\x1b]8;;https://evil.example\x07link\x1b]8;;\x07", "\x9b31m", "\u202Eevil", "\u2066a\u2069", "a\u200Bb", "\uFEFF", "\u2028# heading", "\u2029# heading", "\u0085# heading",
	"\x00", "\xff\xfe", "a\u0300\u0300\u0300\u0300\u0300\u0300", "\u3164", "\U000E0041\U000E0042", "ｅｖｉｌ", "–—…", strings.Repeat("`", 300), strings.Repeat("x", 3000), strings.Repeat("a ", 1000),
	strings.Repeat("\n", 100), strings.Repeat("```\n", 100), "\v\f# heading", "a\rb", "patch-git:review -->", "<!-- patch-git:review -->",
}

// skeleton is the shape of a document without what stands in code: the kinds of
// its nodes, its HTML, its links, and all text outside of code.
func skeleton(t *testing.T, markdown string) string {
	t.Helper()
	source := []byte(markdown)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList)).Parser().Parse(text.NewReader(source))
	var b strings.Builder
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		fmt.Fprintf(&b, "%s\n", n.Kind())
		switch n := n.(type) {
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *ast.FencedCodeBlock:
			fmt.Fprintf(&b, "  language %q\n", n.Language(source))
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			fmt.Fprintf(&b, "  %q\n", n.Value(source))
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				at := n.Lines().At(i)
				fmt.Fprintf(&b, "  %q\n", at.Value(source))
			}
		case *ast.RawHTML:
			t.Errorf("there is HTML in a line: %q", n.Segments.Value(source))
		case *ast.Link, *ast.AutoLink, *ast.Image:
			t.Errorf("there is a link")
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// awake matches what GitHub makes something of in text outside of code.
var awake = regexp.MustCompile(`@[0-9A-Za-z]|#[0-9]|(?i:gh-[0-9])|https?:|www\.`)

func TestNothingBreaksOut(t *testing.T) {
	want := skeleton(t, comment(said{review: proposed("plain"), version: "1"}, commentBytes))
	if !strings.Contains(want, `"What users will see"`) || !strings.Contains(want, "HTMLBlock") || strings.Count(want, "FencedCodeBlock") < 7 {
		t.Fatalf("the document lacks parts:\n%s", want)
	}
	for _, s := range breakOuts {
		text := comment(said{review: proposed(s), version: "1"}, commentBytes)
		if got := skeleton(t, text); got != want {
			t.Errorf("%.99q changes the document to\n%s\nfrom\n%s\nwritten as\n%.3000s", s, got, want, text)
		}
		harmless(t, text)
	}
}

// harmless tells what of a text drives a terminal, hides, or is a command of a
// runner where it is printed.
func harmless(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("not UTF-8: %q", s)
	}
	for line := range strings.SplitSeq(s, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			t.Errorf("a command of a runner: %q", line)
		}
		if i := strings.IndexFunc(line, func(r rune) bool {
			return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200b || r == 0xfeff
		}); i >= 0 {
			t.Errorf("a hidden character at %d of %q", i, line)
		}
	}
}

// TestNothingIsAwake: outside of code our own words hold no mention, reference or link.
func TestNothingIsAwake(t *testing.T) {
	for line := range strings.SplitSeq(skeleton(t, comment(said{review: proposed("@octocat #1 GH-1 https://evil.example"), version: "1"}, commentBytes)), "\n") {
		if hit := awake.FindString(line); hit != "" {
			t.Errorf("%q in %s", hit, line)
		}
	}
	if skeleton(t, "an @octocat") == skeleton(t, "an octocat") || awake.FindString(skeleton(t, "see #1")) == "" {
		t.Error("the search would not find what it looks for")
	}
}

func FuzzComment(f *testing.F) {
	for _, s := range breakOuts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if s == "" || s == "note" || s == "warning" || len(s) > 300 {
			return // no name at all, another number of errors, or parts that are cut
		}
		want := skeleton(t, comment(said{review: proposed("plain"), version: "1"}, commentBytes))
		text := comment(said{review: proposed(s), version: "1"}, commentBytes)
		if got := skeleton(t, text); got != want {
			t.Errorf("%q changes the document to\n%s\nwritten as\n%s", s, got, text)
		}
		harmless(t, text)
		harmless(t, logLine(s))
	})
}

// TestCommentIsBounded: whatever there is, GitHub takes the comment, the least
// important goes first, and that is said.
func TestCommentIsBounded(t *testing.T) {
	long := strings.Repeat("```` x `` @octocat ", 60)
	r := proposed(long)
	for range 300 {
		r.Findings = append(r.Findings, spec.Finding{ID: "MAN-001", Severity: spec.SeverityError, File: "tool.py", Line: 1, Message: long, Fix: long})
		r.Tool.Inputs = append(r.Tool.Inputs, spec.Input{Name: "x", Description: long})
		r.Diff += "\n+" + long
		r.Near = append(r.Near, review.Near{Name: "near", Owner: long})
		r.Unchecked = append(r.Unchecked, long)
	}
	s := said{review: r, version: "1"}
	for _, most := range []int{commentBytes, outputBytes, 8000, 3000} {
		text := comment(s, most)
		if len(text) > most {
			t.Errorf("%d bytes, %d are allowed", len(text), most)
		}
		skeleton(t, text)
		if !strings.Contains(text, "What happens next") || !strings.Contains(text, "left out") || !strings.Contains(text, "Judged: commit") {
			t.Errorf("of %d bytes something is missing that must be there:\n%s", most, text)
		}
	}
	if len(comment(s, commentBytes))+len("<!--  -->\n")+len(commentMarker) > limits.GitHubComment {
		t.Error("with its marker the comment is too long")
	}
	// Of two parts that do not fit both, the more important one is there.
	r = proposed("plain")
	r.Diff = strings.Repeat("+x\n", 100_000)
	if text := comment(said{review: r, version: "1"}, commentBytes); !strings.Contains(text, "MAN-001") || !strings.Contains(text, "more lines are left out") || !strings.Contains(text, "+x") {
		t.Errorf("a long diff hides the rest: %d bytes", len(text))
	}
}

// TestWords: every reason that a review can have has words of its own.
func TestWords(t *testing.T) {
	at := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	all := []review.Reason{
		review.ReasonUpdate, review.ReasonWithdrawal, review.ReasonWaited, review.ReasonFindings, review.ReasonDraft, review.ReasonHeld,
		review.ReasonObjection, review.ReasonGovernance, review.ReasonTransfer, review.ReasonMeta, review.ReasonGrown, review.ReasonNearName,
		review.ReasonWarnings, review.ReasonUnchecked, review.ReasonNotOwner, review.ReasonOff, review.ReasonNewName, review.ReasonWaits,
		review.ReasonTooMany, review.ReasonUncounted, review.ReasonJudge, review.ReasonJudgeMissing, review.ReasonTrial, review.ReasonTrialPending,
	}
	var seen []string
	for _, reason := range all {
		words := mergeWords(review.Merge{Reason: reason, After: &at})
		if strings.Contains(words, "no words") || slices.Contains(seen, words) {
			t.Errorf("%s: %q", reason, words)
		}
		seen = append(seen, words)
	}
	if !strings.Contains(mergeWords(review.Merge{Reason: "other"}), "no words") {
		t.Error("an unknown reason has words")
	}
	for v, want := range map[review.Verdict]string{review.Pass: "success", review.NeedsHuman: "action_required", review.Fail: "failure", "": "failure", "neutral": "failure"} {
		if got := conclusion(v); got != want {
			t.Errorf("%q: %s, want %s", v, got, want)
		}
	}
}
