package action

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/sanitize"
)

// How much of a foreign text is shown at one place.
const (
	spanColumns = 120
	lineColumns = 300
)

// span shows foreign text as code in a line of Markdown, where nothing is a
// mention, a reference, a link or HTML. The delimiters are longer than any row
// of backticks inside, so the text cannot end it; it has no line break, so no
// paragraph ends it either.
func span(text string) string { return spanOf(text, spanColumns) }

func spanOf(text string, columns int) string {
	line := plain(text, columns)
	if line == "" {
		line = "(empty)"
	}
	mark := strings.Repeat("`", backticks(line)+1)
	// One blank at both ends is taken away again; without it a backtick at an
	// end would be one of the delimiter.
	return mark + " " + line + " " + mark
}

// block shows lines of foreign text as a fenced block. language is ours.
func block(language string, lines []string) string {
	shown, mark := fenced(lines)
	return mark + language + "\n" + strings.Join(shown, "\n") + "\n" + mark + "\n"
}

// fenced makes foreign lines fit for a fenced block, and tells the fence, which
// is longer than any row of backticks in them.
func fenced(lines []string) (shown []string, mark string) {
	longest := 2
	for _, l := range lines {
		l = uncommand(oneLine(l))
		shown, longest = append(shown, l), max(longest, backticks(l))
	}
	return shown, strings.Repeat("`", longest+1)
}

// oneLine makes foreign text one line that keeps its blanks, for a block.
func oneLine(text string) string {
	if cut := lineColumns * utf8.UTFMax; len(text) > cut {
		text = strings.ToValidUTF8(text[:cut], "") + "…"
	}
	text = strings.ReplaceAll(sanitize.ForTerminal(text), "\t", "    ")
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return ' '
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) > lineColumns {
		text = string([]rune(text)[:lineColumns]) + "…"
	}
	return strings.TrimRight(text, " ")
}

// uncommand writes out the beginning of what a runner takes for a command when
// it is printed: "::" after leading blanks, and "##[" anywhere. Elsewhere they
// stay, because Python has slices.
func uncommand(line string) string {
	if rest := strings.TrimLeft(line, " "); strings.HasPrefix(rest, "::") {
		line = line[:len(line)-len(rest)] + `\u{3A}` + rest[1:]
	}
	return strings.ReplaceAll(line, "##[", `\u{23}#[`)
}

// logLine makes a text fit for the log of a job: no line of it is a workflow
// command, nothing of it drives a terminal.
func logLine(text string) string {
	lines := strings.Split(sanitize.ForTerminal(text), "\n")
	for i, l := range lines {
		lines[i] = uncommand(strings.ReplaceAll(strings.TrimRight(l, "\r"), "\t", "    "))
	}
	return strings.Join(lines, "\n  ")
}

// plain is foreign text for a field that GitHub shows as it is, such as an
// annotation: one line, of so many columns.
func plain(text string, columns int) string { return uncommand(sanitize.Fit(text, columns)) }

// backticks is the longest row of backticks in a text.
func backticks(text string) int {
	longest, row := 0, 0
	for _, r := range text {
		if r != '`' {
			row = 0
			continue
		}
		row++
		longest = max(longest, row)
	}
	return longest
}
