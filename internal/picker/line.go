package picker

import (
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/sanitize"
)

// Style is how a part of a line is shown.
type Style uint8

// The styles. Without colour all of them are plain: nothing is said by one alone.
const (
	Plain  Style = iota
	Strong       // names
	Faint        // what surrounds them
	Good         // what speaks for a tool
	Bad          // what speaks against it
)

// codes are the SGR sequences of the styles.
var codes = [...]string{Strong: "1", Faint: "2", Good: "32", Bad: "31"}

// Span is text in one style, as it came.
type Span struct {
	Text  string
	Style Style
}

// Line is one line, or a paragraph that is still to be wrapped.
type Line []Span

// Text is a line in plain style.
func Text(s string) Line { return Line{{Text: s}} }

// Width is how many columns the line takes on a terminal.
func (l Line) Width() int {
	n := 0
	for _, s := range l {
		n += sanitize.Width(shown(s.Text))
	}
	return n
}

// Paint returns the line as a terminal may have it, with SGR sequences around
// the styles where it is colored.
func (l Line) Paint(colored bool) string {
	var b strings.Builder
	for _, s := range l {
		text := shown(s.Text)
		if !colored || s.Style == Plain || text == "" {
			b.WriteString(text)
			continue
		}
		b.WriteString("\x1b[" + codes[s.Style] + "m" + text + "\x1b[0m")
	}
	return b.String()
}

// shown is foreign text as a part of one line. Blanks stay as they are: spans
// are joined by them, and columns made of them.
func shown(s string) string {
	if strings.ContainsAny(s, "\n\t\r") {
		s = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(s)
	}
	return sanitize.ForTerminal(s)
}

// Fit is the line cut, with a … in the end, to so many columns.
func (l Line) Fit(columns int) Line {
	if columns <= 0 {
		return nil
	}
	if l.Width() <= columns {
		return l
	}
	out, left := Line{}, columns-1
	for _, s := range l {
		head, rest := split(shown(s.Text), left)
		out = append(out, Span{head, s.Style})
		if rest != "" {
			break
		}
		left -= sanitize.Width(head)
	}
	return append(out, Span{"…", Faint})
}

// split cuts text that may be shown after at most so many columns. A mark stays
// with the letter before it.
func split(text string, columns int) (head, rest string) {
	used := 0
	for i, r := range text {
		w := sanitize.Width(string(r))
		if used+w > columns {
			return text[:i], text[i:]
		}
		used += w
	}
	return text, ""
}

// Wrap breaks the paragraph at blanks into lines of at most so many columns,
// the second and later ones behind so many blanks. A word that is too long is
// broken where it has to be. Less than one column is no limit at all.
func (l Line) Wrap(columns, indent int) []Line {
	if columns < 1 {
		return []Line{l}
	}
	indent = min(indent, columns/2)
	var out []Line
	line, used := Line{}, 0
	words, blank := false, false // whether the line has any; whether a blank is due before the next
	next := func() {
		out = append(out, line)
		line, used, words, blank = Line{{Text: strings.Repeat(" ", indent)}}, indent, false, false
	}
	for _, s := range l {
		text := shown(s.Text)
		for text != "" {
			if rest := strings.TrimLeft(text, " "); rest != text {
				if used == 0 && len(out) == 0 { // blanks at the very beginning are meant
					line, used = append(line, Span{text[:len(text)-len(rest)], Plain}), len(text)-len(rest)
				} else {
					blank = true
				}
				text = rest
				continue
			}
			end := strings.IndexByte(text, ' ')
			if end < 0 {
				end = len(text)
			}
			word := text[:end]
			text = text[end:]
			w := sanitize.Width(word)
			if blank && words && used+1+w > columns {
				next()
			}
			if blank && words {
				line, used = append(line, Span{" ", s.Style}), used+1
			}
			words, blank = true, false
			for used+w > columns {
				head, rest := split(word, columns-used)
				if head == "" && (used == 0 || len(out) > 0 && used == indent) { // one letter wider than the line
					_, size := utf8.DecodeRuneInString(word)
					head, rest = word[:size], word[size:]
				}
				line = append(line, Span{head, s.Style})
				next()
				word, w, words = rest, w-sanitize.Width(head), true
			}
			line, used = append(line, Span{word, s.Style}), used+w
		}
	}
	return append(out, line)
}
