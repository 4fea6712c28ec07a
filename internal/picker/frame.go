package picker

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/sanitize"
)

// From so many columns on the card stands beside the list, from so many rows on
// below it; on less it takes the place of the list, by Tab.
const (
	besideFrom = 100
	belowFrom  = 16
)

const (
	prompt = "> "
	keys   = "up/down choose · enter pull · tab card · esc leave"
	brief  = "enter pull · tab card · esc leave"
)

// frame is what the whole screen shows, as text that moves over it. Every row
// is cleared before it is written, so that nothing of the last frame stays; none
// is longer than the screen is wide.
func (m *model) frame(columns, rows int, color bool) string {
	columns, rows = max(columns, 8), max(rows, 2)
	lines := make([]Line, 0, rows)
	line, cursor := m.typed(columns)
	lines = append(lines, line)
	for _, n := range m.found.Notes {
		if len(lines) < rows-4 {
			lines = append(lines, n)
		}
	}
	foot := 0
	if rows >= 5 {
		foot = 1
	}
	lines = append(lines, m.body(columns, rows-len(lines)-foot)...)
	if foot > 0 {
		help := keys
		if columns < utf8.RuneCountInString(keys) {
			help = brief
		}
		lines = append(lines, Line{{help, Faint}})
	}
	var b strings.Builder
	b.WriteString("\x1b[?25l\x1b[H")
	for i, l := range lines {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString("\x1b[2K")
		b.WriteString(l.Fit(columns).Paint(color))
	}
	b.WriteString("\x1b[J")
	fmt.Fprintf(&b, "\x1b[1;%dH\x1b[?25h", cursor+1)
	return b.String()
}

// typed is the line of the query, and the column of the cursor in it. A query
// that is too long shows the part before the cursor.
func (m *model) typed(columns int) (line Line, cursor int) {
	count := fmt.Sprintf("%d found", len(m.found.Items))
	if n := len(m.found.Items); n > 0 {
		count = fmt.Sprintf("%d of %d", m.chosen+1, max(n, m.found.Total))
	}
	room := columns - len(prompt) - len(count) - 2
	if room < 10 {
		count, room = "", columns-len(prompt)-1
	}
	from := 0
	for from < m.at && sanitize.Width(shown(string(m.query[from:m.at]))) > room {
		from++
	}
	before := shown(string(m.query[from:m.at]))
	after, _ := split(shown(string(m.query[m.at:])), room-sanitize.Width(before))
	line = Line{{prompt, Good}, {before + after, Plain}}
	cursor = len(prompt) + sanitize.Width(before)
	if gap := columns - line.Width() - len(count); count != "" {
		line = append(line, Span{strings.Repeat(" ", max(gap, 1)) + count, Faint})
	}
	return line, cursor
}

// body is exactly so many rows of list and card.
func (m *model) body(columns, rows int) []Line {
	switch {
	case rows <= 0:
		return nil
	case m.details:
		m.page = rows
		return m.card(columns, rows)
	case columns >= besideFrom:
		width := columns * 2 / 5
		list, card := m.list(width, rows), m.card(columns-width-3, rows)
		for i := range list {
			l := list[i].Fit(width)
			list[i] = append(append(l, Span{strings.Repeat(" ", width-l.Width()) + " │ ", Faint}), card[i]...)
		}
		return list
	case rows+3 >= belowFrom:
		above := max(rows*2/5, 5)
		out := append(m.list(columns, above), Line{{strings.Repeat("─", columns), Faint}})
		return append(out, m.card(columns, rows-above-1)...)
	}
	return m.list(columns, rows)
}

// list is the items around the chosen one.
func (m *model) list(columns, rows int) []Line {
	m.page = rows
	m.top = max(min(m.top, m.chosen, len(m.found.Items)-rows), m.chosen-rows+1, 0)
	out := make([]Line, rows)
	if len(m.found.Items) == 0 {
		out[0] = Line{{"  nothing matches", Faint}}
	}
	for i := range out {
		n := m.top + i
		if n >= len(m.found.Items) {
			break
		}
		what, right := m.found.Items[n].Row()
		mark := Span{"  ", Plain}
		if n == m.chosen {
			mark = Span{"> ", Good}
		}
		line := append(Line{mark}, what...)
		// What stands right keeps its place where half of the line is left.
		if w := right.Width(); w > 0 && w <= columns/2 {
			line = line.Fit(columns - w - 2)
			line = append(line, Span{strings.Repeat(" ", columns-line.Width()-w), Plain})
			line = append(line, right...)
		}
		out[i] = line
	}
	return out
}

// card is so many rows of the card of the chosen item, from m.scroll on.
func (m *model) card(columns, rows int) []Line {
	out := make([]Line, rows)
	if len(m.found.Items) == 0 {
		return out
	}
	var all []Line
	for _, p := range m.found.Items[m.chosen].Card() {
		all = append(all, p.Line.Wrap(columns, p.Indent)...)
	}
	m.scroll = max(min(m.scroll, len(all)-rows), 0)
	n := copy(out, all[m.scroll:])
	if m.scroll+n < len(all) && n > 0 {
		out[n-1] = append(out[n-1].Fit(columns-2), Span{" …", Faint})
	}
	for i := range out {
		out[i] = out[i].Fit(columns)
	}
	return out
}
