package manifest

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// marker is the line that opens and closes the frontmatter.
const marker = "# ---"

// block is the frontmatter of a file without its comment signs.
type block struct {
	lines []string // "# " cut off, one entry per line of the file
	first int      // line of the file on which lines[0] stands
	body  int      // byte offset behind the closing marker's line
	after int      // line of the file that begins at body
	// trusted is false when Python doesn't see the block as comment at the top
	// of the file. Its content is then looked at only to report more problems.
	trusted bool
}

// split finds the frontmatter. The rules are Python's own: above the opening
// marker only blank lines and comments, between the markers only comments from
// the first column on. Whatever deviates could show a reviewer one manifest or
// program and give Python another. It returns nil when there is no block to read.
func split(data []byte, r *report) *block {
	open := findOpen(data, r)
	if open == nil {
		return nil
	}
	b := &block{first: open.line + 1, trusted: open.trusted}
	var lacking []pos
	closed := false
	i, n := open.next, open.line+1
	for i < len(data) && !closed {
		l := lineAt(data, i)
		switch content, ok := uncomment(l.text, pos{n, 1}, r); {
		case isMarker(l.text):
			checkMarker(l.text, n, r)
			closed = true
		case !ok:
			lacking = append(lacking, pos{n, 1})
			b.lines = append(b.lines, "")
		default:
			b.lines = append(b.lines, content)
		}
		i, n = l.next, n+1
	}
	if !closed {
		at := pos{open.line, 1}
		if len(lacking) > 0 {
			r.add(notClosed, at, "the frontmatter that opens here has no closing marker; its last comment is on line %d", lacking[0].line-1)
		} else {
			r.add(notClosed, at, "the frontmatter that opens here has no closing marker")
		}
		return nil
	}
	for _, at := range lacking {
		r.add(notComment, at, "the line stands between the markers and does not begin with #")
	}
	b.body, b.after = i, n
	b.trusted = b.trusted && len(lacking) == 0
	checkScript(b, r)
	checkBody(data, b, r)
	if length := i - open.next; length > limits.ManifestBytes {
		r.add(blockTooLarge, pos{open.line, 1}, "the frontmatter has %d bytes, allowed are %d", length, limits.ManifestBytes)
		return nil
	}
	return b
}

// opening is the first marker of a file.
type opening struct {
	line    int
	next    int // offset behind the marker's line
	trusted bool
}

// findOpen looks for the first marker and reports what may not precede it.
func findOpen(data []byte, r *report) *opening {
	var code *pos       // first line of code above the marker
	var codeText []byte // everything from there on
	var script, odd pos // an open script block (PEP 723); the first near-marker
	start := 0
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		start = len("\ufeff") // Python skips it too
	}
	for i, n := start, 1; i < len(data); n++ {
		l := lineAt(data, i)
		comment := bytes.TrimLeft(l.text, " \t")
		switch {
		case isMarker(l.text):
			checkMarker(l.text, n, r)
			o := &opening{line: n, next: l.next, trusted: code == nil && script.line == 0}
			switch {
			case code != nil && opensString(codeText[:len(codeText)-len(data[i:])]):
				r.add(markerInString, pos{n, 1}, "a string that opens above, from line %d on, holds this marker", code.line)
			case code != nil:
				r.add(codeBefore, *code, "code stands before the frontmatter on line %d", n)
			case script.line > 0:
				r.add(markerInScript, pos{n, 1}, "the frontmatter opens inside the script block of line %d", script.line)
			}
			return o
		case code != nil:
		case len(comment) == 0:
			script = pos{}
		case comment[0] != '#':
			code, codeText = &pos{n, column(l.text, len(l.text)-len(comment))}, data[i:]
		case string(l.text) == "# ///":
			script = pos{}
		case bytes.HasPrefix(l.text, []byte("# /// ")) && script.line == 0:
			script = pos{n, 1}
		case looksLikeMarker(comment):
			if odd.line == 0 {
				odd = pos{n, 1}
			}
			r.add(lookAlike, pos{n, 1}, "%s looks like a marker and is none", spec.Quote(string(l.text)))
		}
		i = l.next
	}
	at := pos{1, 1}
	if odd.line > 0 {
		at = odd
	}
	r.add(noFrontmatter, at, "there is no line %q that opens a frontmatter", marker)
	return nil
}

// uncomment returns what follows "# " on a line between the markers. It tells
// false for a line that Python would not take for a comment; an indented
// comment counts as such a line, because one can't see what it belongs to.
func uncomment(text []byte, at pos, r *report) (string, bool) {
	switch {
	case len(text) == 0 || text[0] != '#':
		return "", false
	case len(text) == 1:
		return "", true
	case isMarker(text):
		return "", true
	case text[1] == '\t':
		r.add(tabIndent, pos{at.line, 2}, "a tab follows the #")
	case text[1] != ' ':
		r.add(noSpace, pos{at.line, 2}, "no space follows the #")
		return string(text[1:]), true
	}
	content := string(text[2:])
	switch {
	case looksLikeMarker(text):
		// With something invisible behind it, the end of the block to a reviewer.
		r.add(lookAlike, at, "%s looks like a marker and is none", spec.Quote(string(text)))
		return "", true
	case strings.HasPrefix(content, "---") || strings.HasPrefix(content, "..."):
		r.add(manyDocuments, at, "%s separates documents in YAML", spec.Quote(string(text)))
		return "", true
	}
	return content, true
}

// isMarker tells whether a line opens or closes a block. Trailing spaces are
// invisible, so that such a line counts, and checkMarker reports them.
func isMarker(text []byte) bool { return string(bytes.TrimRight(text, " \t")) == marker }

func checkMarker(text []byte, n int, r *report) {
	if len(text) > len(marker) {
		r.add(markerSpace, pos{n, len(marker) + 1}, "spaces follow the marker")
	}
}

// looksLikeMarker tells whether a reviewer could take a comment for a marker:
// three dashes of any script, with any spacing or invisible characters.
func looksLikeMarker(comment []byte) bool {
	dashes := 0
	for _, c := range string(bytes.TrimLeft(comment, " \t")[1:]) {
		switch {
		case unicode.IsSpace(c) || unicode.In(c, unicode.Cf, unicode.Mn):
		case unicode.In(c, unicode.Pd) || c == '−' || c == '─' || c == '━':
			dashes++
		default:
			return false
		}
	}
	return dashes == 3
}

// opensString tells whether code leaves a triple-quoted string open, roughly:
// it only chooses between two messages that both refuse.
func opensString(code []byte) bool {
	return bytes.Count(code, []byte(`"""`))%2 == 1 || bytes.Count(code, []byte(`'''`))%2 == 1
}

// checkScript refuses lines of the frontmatter that other tools take for the
// start of a script block (PEP 723): its dependencies would be installed by
// them though the manifest doesn't name them.
func checkScript(b *block, r *report) {
	if i := slices.IndexFunc(b.lines, func(s string) bool { return strings.HasPrefix(s, "///") }); i >= 0 {
		r.add(markerInScript, pos{b.first + i, 1}, "the line looks like part of a script block")
	}
}

// checkBody looks for markers below the block, in code, comments and strings
// alike: a reader that takes another block than the first would see another
// manifest.
func checkBody(data []byte, b *block, r *report) {
	blank := true
	for i, n := b.body, b.after; i < len(data); n++ {
		l := lineAt(data, i)
		if isMarker(l.text) {
			r.add(secondBlock, pos{n, 1}, "a marker follows the frontmatter")
		}
		blank = blank && len(bytes.TrimSpace(l.text)) == 0
		i = l.next
	}
	if blank {
		r.add(emptyBody, pos{b.after, 1}, "no code follows the frontmatter")
	}
}
