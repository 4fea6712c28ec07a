package quarantine

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/spec"
)

// A remark is what a reading of a text found.
type remark struct {
	rule *Rule
	line int  // of the text, from 1
	mild bool // a warning wherever it stands
	seen string
}

func (r *remark) format(seen string, args ...any) { r.seen = fmt.Sprintf(seen, args...) }

// checkReading reads what agents and people will read, as they will read it:
// first the manifest, which a model has before it when it picks a tool, then the
// documents and the source beside it. What is an error in the manifest is a
// warning in a document: a manual may show a shell command, a description may not.
func checkReading(c *collector) {
	for _, f := range fields(c.tool) {
		if !f.agent {
			continue
		}
		for _, r := range readField(f) {
			r.mild = r.mild || f.prompt && r.rule == standingOrder
			c.remark(r, f.name+": ", c.locateText(f.text, r.line), false)
		}
	}
	for _, r := range readTogether(c.tool) {
		c.remark(r, "", at{file: c.main}, false)
	}
	for _, f := range c.Release.Files {
		if spec.CheckPath(f.Path) != nil || !utf8.Valid(f.Data) || generated(f.Path) {
			continue
		}
		if f.Path == c.main && (c.tool.Format == spec.FormatInstall || c.tool.Format == spec.FormatArcade) {
			c.readValues(f)
			continue
		}
		if f.Path == c.main && c.tool.Format != spec.FormatSkill || c.tool.Format == spec.FormatSkill && fileKindOf(f) != document {
			for _, r := range readSource(string(f.Data)) {
				c.remark(r, "", at{f.Path, r.line, 1}, true)
			}
			continue
		}
		for _, r := range readBody(string(f.Data)) {
			c.remark(r, "", at{f.Path, r.line, 1}, true)
		}
	}
}

func (c *collector) remark(r remark, prefix string, where at, body bool) {
	severity := r.rule.Severity
	grave := c.tool.Format == spec.FormatSkill && alsoInSkills(r.rule)
	if r.mild || body && !grave {
		severity = warn
	}
	c.addAs(r.rule, severity, where, "", "%s", prefix+r.seen)
}

// readValues reads every string of a JSON manifest by itself, beside those that the
// fields have: the words between them are the format's own.
func (c *collector) readValues(f spec.File) {
	told := map[string]bool{}
	for _, field := range fields(c.tool) {
		told[field.text] = true
	}
	for _, text := range texts(f.Data) {
		if told[text] || len(text) < len("hide") {
			continue
		}
		told[text] = true
		for _, r := range injections(text) {
			c.remark(r, "", c.locateText(text, r.line), true)
		}
	}
}

// alsoInSkills are the rules whose findings are errors in every text of a skill. Its
// files are no manuals beside a tool: they are what its reader follows, so orders
// are their nature (INJ-003, INJ-004 stay warnings) and no place in them excuses one
// that no honest skill gives: to set instructions aside, to keep things from the
// user, to take its approval for granted, to run what is downloaded.
func alsoInSkills(r *Rule) bool {
	return r == overridingText || r == concealingText || r == addressedText || r == installBait
}

// generated tells whether the file is written by the registry and not by the
// author: its rows of digests are no hidden text.
func generated(path string) bool { return path == "closure.json" || path == "pylock.toml" }

// readField reads one text of the manifest by every rule.
func readField(f field) []remark {
	var out []remark
	out = append(out, hiddenMarkup(f.text, false)...)
	out = append(out, encoded(f.text)...)
	out = append(out, badAddresses(f.text)...)
	if f.described {
		out = append(out, grammar(f.text, f.of())...)
		out = append(out, rendered(f.text, false)...)
	}
	out = append(out, injections(f.text)...)
	return out
}

// readBody reads a document.
func readBody(text string) []remark {
	var out []remark
	out = append(out, hiddenMarkup(text, true)...)
	out = append(out, encoded(text)...)
	out = append(out, rendered(text, true)...)
	out = append(out, injections(text)...)
	return out
}

// readSource reads the comments and docstrings of a program, as a model does
// that is asked about it: the whole file, because what is a comment is for the
// parser of the language to say and not for a reader of lines.
func readSource(text string) []remark {
	if _, code, ok := strings.Cut(text, "\n# ---\n"); ok && strings.HasPrefix(text, "# ---\n") {
		above := strings.Count(text[:len(text)-len(code)], "\n")
		found := injections(code) // the manifest has been read, field by field
		for i := range found {
			found[i].line += above
		}
		return found
	}
	return injections(text)
}

// readTogether reads the descriptions of one manifest as one text, the way they
// reach a model, so that a sentence cut in two pieces is one again. What a piece
// says by itself has been told.
func readTogether(t *spec.Tool) []remark {
	var pieces []string
	alone := map[*Rule]bool{}
	for _, f := range fields(t) {
		if f.agent && f.described && f.text != "" {
			pieces = append(pieces, f.text)
			for _, r := range injections(f.text) {
				alone[r.rule] = true
			}
		}
	}
	if len(pieces) < 2 {
		return nil
	}
	var out []remark
	for _, r := range injections(strings.Join(pieces, "\n")) {
		if !alone[r.rule] {
			r.seen = "the descriptions, read one after the other: " + r.seen
			out = append(out, r)
		}
	}
	return out
}

// locateText finds a line of a field's text in the main file; a text that is
// written in another way there leaves the finding at the file.
func (c *collector) locateText(text string, line int) at {
	for range line - 1 {
		_, text, _ = strings.Cut(text, "\n")
	}
	text, _, _ = strings.Cut(text, "\n")
	if text = strings.TrimSpace(text); text == "" {
		return at{file: c.main}
	}
	i := strings.Index(string(c.source), text)
	if i < 0 {
		return at{file: c.main}
	}
	n, col := lineCol(c.source, i)
	return at{c.main, n, col}
}
