package main

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/manifest"
)

// TestBetween: the figures go between the marks, and a mark that is gone is an
// error, not the end of the file.
func TestBetween(t *testing.T) {
	text := "a\n" + figuresBegin + "old\n" + figuresEnd + "b\n"
	i, j, err := between([]byte(text), figuresBegin, figuresEnd)
	if err != nil || text[i:j] != "old\n" {
		t.Errorf("got %q, %v", text[i:j], err)
	}
	for _, bad := range []string{"", strings.ReplaceAll(text, figuresBegin, ""), strings.ReplaceAll(text, figuresEnd, ""), figuresEnd + figuresBegin} {
		if _, _, err := between([]byte(bad), figuresBegin, figuresEnd); err == nil {
			t.Errorf("%q has marks", bad)
		}
	}
}

func TestDifference(t *testing.T) {
	if got := difference("a\nb\n", "a\nc\n"); got != `it says "b", measured is "c"` {
		t.Error(got)
	}
	if got := difference("a", "a\nb"); !strings.Contains(got, "1 lines, measured are 2") {
		t.Error(got)
	}
}

// TestQuoted: a description reaches the rules as it is, whatever is in it.
func TestQuoted(t *testing.T) {
	for _, text := range []string{"plain", `a "b" \c`, "tab\tand\nline", "flag \U0001f3f4\U000e0067", "\u202eesrever", "\x1b[8mhidden", "# ---", ": {}", "über – 中文"} {
		doc, findings := manifest.Read("tool.py", tool(text, code), manifest.Strict)
		if doc == nil || doc.Tool.Description != text {
			t.Errorf("%+q: got %+v, %v", text, doc, findings)
		}
	}
}

func TestMet(t *testing.T) {
	for _, tc := range []struct {
		g    goal
		want string
	}{
		{goal{got: share{95, 100}, percent: 95}, "yes"},
		{goal{got: share{94, 100}, percent: 95}, "**no**"},
		{goal{got: share{1, 1000}, most: true, percent: 0.1}, "yes"},
		{goal{got: share{2, 1000}, most: true, percent: 0.1}, "**no**"},
		{goal{got: share{0, 0}, percent: 0}, "not measured"},
	} {
		if got := tc.g.met(); got != tc.want {
			t.Errorf("%+v: got %s, want %s", tc.g, got, tc.want)
		}
	}
}
