package site

import (
	"strings"

	"github.com/patch-cat/patch-git/internal/diff"
	"github.com/patch-cat/patch-git/internal/limits"
)

// sourceView is a source, or a part of it.
type sourceView struct {
	Lines   []line
	Counted string // how many the whole source has
	Whole   string // address of the whole, where this is a part
	Part    bool
}

// sourcePage has the whole source, however long.
type sourcePage struct {
	shell
	Name, Version, Main string
	Notes               []note
	Source              sourceView
}

// preview is where a person would begin to read: what follows the manifest,
// which the page shows in a better form.
func preview(lines []line) []line {
	from := 0
	marks := 0
	for i, l := range lines {
		text := lineText(l)
		if !strings.HasPrefix(text, "#") {
			break
		}
		if strings.TrimRight(text, " \r") == "# ---" {
			if marks++; marks == 2 {
				from = i + 1
				break
			}
		}
	}
	for from < len(lines) && strings.TrimSpace(lineText(lines[from])) == "" {
		from++
	}
	return lines[from:]
}

// trimmed are lines without empty ones at the end.
func trimmed(lines []line) []line {
	for len(lines) > 0 && strings.TrimSpace(lineText(lines[len(lines)-1])) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func lineText(l line) string {
	var b strings.Builder
	for _, p := range l.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// fit is as many of the lines as fit into so many bytes of a page, and into so
// many lines.
func fit(lines []line, bytes, most int) []line {
	for i, l := range lines {
		bytes -= len(`<span id="12345"></span>`) + 1
		for _, p := range l.Parts {
			bytes -= printed(p)
		}
		if bytes < 0 || i == most {
			return lines[:i]
		}
	}
	return lines
}

// printed is how many bytes of a page a part takes, at most.
func printed(p part) int {
	n := len(p.Text)
	switch {
	case p.Name:
		n += len("<em></em>")
	case p.Number:
		n += len("<var></var>")
	case p.Keyword || p.String || p.Comment:
		n += len("<b></b>")
	}
	for i := range len(p.Text) {
		switch c := p.Text[i]; {
		case strings.IndexByte("&\"'+", c) >= 0:
			n += len("&amp;") - 1
		case c == '<' || c == '>':
			n += len("&lt;") - 1
		case c >= 0x7F || c < ' ' && c != '\t':
			n += 8 // shown by its number
		}
	}
	return n
}

// changePage is what one version has changed.
type changePage struct {
	shell
	Name, Version, Before string
	Main                  string
	Permissions           []change
	Texts                 []textChange
	Files                 []fileChange
	Diff                  []diffLine
	Counted               string // lines added and removed
	Cut                   bool
	Here, There           string // the pages of both versions
}

// textChange is a line of the manifest that differs.
type textChange struct{ What, Was, Is string }

// fileChange is a file beside the main file that differs.
type fileChange struct{ Path, How string }

// diffLine is a line of the difference; a gap stands between hunks.
type diffLine struct {
	Old, New            int // line numbers; 0 where it has none
	Text                string
	Added, Removed, Gap bool
}

func (p *changePage) compare(was, is string) {
	a, b := diff.Lines(was), diff.Lines(is)
	bytes := 0
	add := func(l diffLine) {
		bytes += len(l.Text) + 64
		if p.Cut = p.Cut || bytes > limits.SiteDiff; !p.Cut {
			l.Text = strings.TrimSuffix(l.Text, "\n")
			p.Diff = append(p.Diff, l)
		}
	}
	edits := diff.Of(a, b)
	added, removed := 0, 0
	for _, e := range edits {
		removed += e.A1 - e.A0
		added += e.B1 - e.B0
	}
	p.Counted = many(added, "line") + " added, " + itoa(int64(removed)) + " removed"
	for h := range diff.Hunks(edits, len(a)) {
		if len(p.Diff) > 0 {
			add(diffLine{Gap: true})
		}
		at, ahead := h.A0, h.Changes[0].B0-h.Changes[0].A0
		same := func(to int) {
			for ; at < to; at++ {
				add(diffLine{Old: at + 1, New: at + ahead + 1, Text: a[at]})
			}
		}
		for _, e := range h.Changes {
			same(e.A0)
			for ; at < e.A1; at++ {
				add(diffLine{Old: at + 1, Text: a[at], Removed: true})
			}
			for i := e.B0; i < e.B1; i++ {
				add(diffLine{New: i + 1, Text: b[i], Added: true})
			}
			ahead = e.B1 - e.A1
		}
		same(h.A1)
	}
}
