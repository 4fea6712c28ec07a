package manifest

import (
	"reflect"
	"strings"
	"testing"
)

// byLibrary reads as plainYAML does, by the library and the converter.
func byLibrary(lines []string, r *report) *node {
	root, err := library(lines)
	if err != nil || root == nil {
		return nil
	}
	c := converter{report: r, lines: lines, first: 1}
	return c.convert(root, 1)
}

// sameYAML tells whether the short way was gone, and fails where it leads elsewhere.
func sameYAML(t *testing.T, text string) bool {
	t.Helper()
	r := &report{margin: commentSign}
	lines, ok := prepare(strings.Split(text, "\n"), 1, r)
	if !ok {
		return false
	}
	short := plainYAML(lines, 1, commentSign)
	if short == nil {
		return false
	}
	before := len(r.found)
	if long := byLibrary(lines, r); !reflect.DeepEqual(short, long) || len(r.found) > before {
		t.Fatalf("%q\nis read as %s\nby the library %s with %v", text, textOf(short), textOf(long), r.found)
	}
	return true
}

func textOf(n *node) string {
	if n == nil {
		return "nothing"
	}
	return string(n.json())
}

// plainTexts are read the short way, oddTexts by the library.
var (
	plainTexts = []string{
		"a: b", "a:  b  ", "a: 1", "a: -1", "a: -0.5e3", "a: true\nb: null\nc: yes", "a:\n  b: c\nd: e", "a:\n- b\n- c: d\n  e: f\ng: h",
		"a:\n  - b\n  -  c: d\n     e:\n      - f\n", "a: \"x: y # z\"", `a: "\\d\"e"`, "a: 'it''s'", "a: ''\nb: \"\"", "a: []\nb: {}\nc: [ ]", "a: [x, 1, [y, {z: true}]]",
		"a: {b: c, d: [e], f: 'g, h' }", "a: b#c", "a: b:c", "a: http://x/#y", "a: é – “b”\nc: d", "a: 12:30", "a: 2020-01-01", "a: 0x1F",
		"\na:\n\n  b: 1\n   \n\n  c: 2\n", "a: x - y", "a: x, y] }", "a: $HOME/(b)", "a: .5", "a: +1", "a_b-c1: d", "a: b\n\n\n", "a: \"b\"   ", "a:\n  b:\n    - c\n    - d\n  e: f",
	}
	oddTexts = []string{
		"", " a: b", "- a", "a", "a:", "a:\nb: c", "a: b\n  c", "a: b\n c: d", "a: |\n  b", "a: >\n  b", "a: b # c", "# c\na: b", "a: *b", "a: &b c", "a: !x c", "a: b: c", "a: b:",
		"a: @b", "a: `b`", "a: %b", "a: - b", "a: ? b", "? a\n: b", "'a': b", "a: 1\na: 2", "a: 1\nA: 2", "<<: a", "true: a", "a: 1e999", "a: [b", "a: [b\n]", "a: [b,]", "a: [b: c]",
		"a: {b}", "a: {b: }", "a: {b:c}", "a: \"b", "a: \"b\nc\"", "a: \"b\" c", `a: "\n"`, "a: 'b", "a:\tb", "a: b\tc", "a:\n  - b\n c: d", "a:\n  - b\n  c: d", "a: b\n- c", "a:\n- b\n  - c",
		"a:\n-\n  b", "a:\n- - b", "a: [é]", "a: {b: 'é', c: d}", "a: b\n...", "a: ~", "a: <<", "a: =", "...: a", "---", "a: [b] c", "a: {b: c, b: d}",
		"a: " + strings.Repeat("[", 20) + strings.Repeat("]", 20), strings.Repeat("k", 200) + ": a", "a: [" + strings.Repeat("b,", 6000) + "b]",
	}
)

// TestPlainYAML: what goes the short way comes out as by the library.
func TestPlainYAML(t *testing.T) {
	for _, text := range plainTexts {
		if !sameYAML(t, text) {
			t.Errorf("%q does not go the short way", text)
		}
	}
	for _, text := range oddTexts {
		if sameYAML(t, text) {
			t.Errorf("%q goes the short way", text)
		}
	}
	for _, set := range []string{"ok", "err"} {
		short := 0
		all := corpus(t, set)
		for _, data := range all {
			text := strings.ReplaceAll(strings.ReplaceAll(string(data), "\n# ", "\n"), "\r", "")
			head, _, _ := strings.Cut(strings.TrimPrefix(text, "# ---\n"), "\n---\n")
			if sameYAML(t, head) {
				short++
			}
		}
		if set == "ok" && short == 0 {
			t.Errorf("none of %d manifests goes the short way", len(all))
		}
	}
	if head, _, _ := strings.Cut(strings.TrimPrefix(workSkill, "---\n"), "\n---\n"); !sameYAML(t, head) {
		t.Error("the usual skill does not go the short way")
	}
}

func FuzzPlainYAML(f *testing.F) {
	for _, text := range append(append([]string{strings.Trim(workSkill, "-")}, plainTexts...), oddTexts...) {
		if len(text) < 2_000 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) { sameYAML(t, text) })
}
