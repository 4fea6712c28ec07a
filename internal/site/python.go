package site

import "strings"

// line is one line of a source as it is shown.
type line struct {
	N     int
	Parts []part
}

// part is a run of a line that looks alike; plain where nothing is set.
type part struct {
	Text                                   string
	Keyword, String, Comment, Number, Name bool
}

// kind is what a part is.
type kind int

const (
	plain kind = iota
	keyword
	literal
	comment
	number // and the constants that have names
	name   // what is defined here, and decorators
)

// python takes a Python source apart for the eye: strings, comments, keywords,
// numbers and the names that are defined. It looks at each byte a bounded
// number of times, whatever the bytes are, and joined in their order the parts
// are the source without its line feeds. Of a source that CPython would refuse
// the colours may be wrong; the text never is.
func python(source string) []line {
	p := &painter{source: source, lines: []line{{N: 1}}}
	defines := false // the next name is that of a function or a class
	fresh := true    // nothing but blanks on this line yet
	for p.at < len(source) {
		c, from := source[p.at], p.at
		wasFresh := fresh
		fresh = c == '\n' || fresh && (c == ' ' || c == '\t')
		switch {
		case c == '#':
			p.take(lineEnd(source, from), comment)
		case c == '"' || c == '\'':
			p.take(stringEnd(source, from, "", 0), literal)
		case isWordStart(c):
			end := wordEnd(source, from)
			word := source[from:end]
			if end < len(source) && (source[end] == '"' || source[end] == '\'') && isPrefix(word) {
				p.take(stringEnd(source, end, word, 0), literal)
				break
			}
			k := plain
			switch {
			case defines:
				k = name
			case isKeyword(word):
				k = keyword
			case word == "True" || word == "False" || word == "None":
				k = number
			}
			defines = k == keyword && (word == "def" || word == "class")
			p.take(end, k)
		case c >= '0' && c <= '9':
			p.take(numberEnd(source, from), number)
		case c == '@' && wasFresh:
			end := from + 1
			for end < len(source) && (isWordPart(source[end]) || source[end] == '.') {
				end++
			}
			p.take(end, name)
		default:
			p.take(from+1, plain)
		}
	}
	if last := len(p.lines) - 1; last > 0 && len(p.lines[last].Parts) == 0 {
		p.lines = p.lines[:last]
	}
	return p.lines
}

// painter collects the lines.
type painter struct {
	source string
	at     int
	lines  []line
	last   kind
}

// take adds the source up to an end as one kind, line by line, to a part before
// it of the same kind if there is one.
func (p *painter) take(end int, k kind) {
	text := p.source[p.at:end]
	for {
		here, rest, more := strings.Cut(text, "\n")
		if here != "" {
			l := &p.lines[len(p.lines)-1]
			// A blank has no colour: it goes with what stands before it.
			if n := len(l.Parts); n > 0 && (p.last == k || here == " ") {
				from := end - len(text) - len(l.Parts[n-1].Text)
				l.Parts[n-1].Text = p.source[from : end-len(text)+len(here)]
			} else {
				l.Parts = append(l.Parts, part{
					Text: here, Keyword: k == keyword, String: k == literal, Comment: k == comment, Number: k == number, Name: k == name,
				})
				p.last = k
			}
		}
		if !more {
			break
		}
		p.lines = append(p.lines, line{N: len(p.lines) + 1})
		text = rest
	}
	p.at = end
}

func lineEnd(s string, from int) int {
	if i := strings.IndexByte(s[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(s)
}

// maxNested is how deep strings are looked for in the braces of f-strings.
const maxNested = 3

// stringEnd returns where the string ends whose first quote stands at from.
func stringEnd(s string, from int, prefix string, deep int) int {
	quote := s[from : from+1]
	if strings.HasPrefix(s[from:], strings.Repeat(quote, 3)) {
		quote = s[from : from+3]
	}
	formatted := strings.ContainsAny(prefix, "fFtT") && deep < maxNested
	braces := 0
	for i := from + len(quote); i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '\n' && len(quote) == 1:
			return i // it was never closed
		case braces == 0 && strings.HasPrefix(s[i:], quote):
			return i + len(quote)
		case formatted && c == '{':
			if braces == 0 && i+1 < len(s) && s[i+1] == '{' {
				i++
			} else {
				braces++
			}
		case formatted && c == '}' && braces > 0:
			braces--
		case braces > 0 && (c == '"' || c == '\''):
			within := s
			if len(quote) == 1 { // looked for beyond the line, each line would cost all that follow
				within = s[:lineEnd(s, i)]
			}
			i = stringEnd(within, i, prefix, deep+1) - 1
		}
	}
	return len(s)
}

// numberEnd is generous: what begins with a digit is a number as far as letters,
// digits and points go.
func numberEnd(s string, from int) int {
	end := from
	for end < len(s) && (isWordPart(s[end]) || s[end] == '.') {
		end++
	}
	return end
}

func wordEnd(s string, from int) int {
	end := from
	for end < len(s) && isWordPart(s[end]) {
		end++
	}
	return end
}

func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}
func isWordPart(c byte) bool { return isWordStart(c) || c >= '0' && c <= '9' }

// isPrefix tells whether a word before a quote belongs to the string.
func isPrefix(word string) bool {
	return len(word) <= 2 && strings.Trim(word, "rRbBuUfFtT") == ""
}

// isKeyword is a switch and not a table: the compiler makes a search of it and
// nothing is built when the program starts.
func isKeyword(word string) bool {
	switch word {
	case "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
		"finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass",
		"raise", "return", "try", "while", "with", "yield":
		return true
	}
	return false
}
