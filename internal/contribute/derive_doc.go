package contribute

import (
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
)

// docstring is what a docstring says, in one of the three ways in which people
// write them: sections with indented lines (Google), underlined sections
// (NumPy), fields (:param name: …).
type docstring struct {
	summary string
	params  map[string]string
	returns string
}

// parseDocstring reads a docstring that inspect.cleandoc has cleaned. It never
// fails: what it does not understand it leaves out.
func parseDocstring(text string) docstring {
	d := docstring{params: map[string]string{}}
	r := docReader{lines: strings.Split(text, "\n"), into: &d}
	for r.i = 0; r.i < len(r.lines); r.i++ {
		r.line()
	}
	d.summary, d.returns = sentence(d.summary), sentence(d.returns)
	for name, text := range d.params {
		d.params[name] = sentence(text)
	}
	return d
}

type docReader struct {
	lines   []string
	i       int
	into    *docstring
	section string // "", params, returns, other
	name    string // of the parameter that lines below belong to
	depth   int    // indentation of the names of this section, -1 before the first
	numpy   bool
	ended   bool // the summary
}

var docSections = map[string]string{
	"args": "params", "arguments": "params", "parameters": "params", "params": "params", "other parameters": "params", "keyword args": "params",
	"returns": "returns", "return": "returns", "yields": "returns",
	"raises": "other", "example": "other", "examples": "other", "note": "other", "notes": "other", "see also": "other", "warnings": "other", "references": "other",
}

func (r *docReader) line() {
	text := strings.TrimSpace(r.lines[r.i])
	indent := len(r.lines[r.i]) - len(strings.TrimLeft(r.lines[r.i], " \t"))
	if r.heading(text, indent) || r.field(text) {
		return
	}
	switch {
	case r.section == "params":
		r.param(text, indent)
	case r.section == "returns" && text != "":
		if r.numpy && indent == 0 && r.into.returns == "" && !strings.Contains(text, " ") {
			return // the type stands alone
		}
		r.into.returns += " " + strings.TrimSpace(afterType(text))
	case r.section == "" && !r.ended:
		if r.ended = text == "" && r.into.summary != ""; !r.ended {
			r.into.summary += " " + text
		}
	}
}

// heading tells whether the line begins a section: "Args:", or "Parameters"
// with dashes below.
func (r *docReader) heading(text string, indent int) bool {
	below := ""
	if r.i+1 < len(r.lines) {
		below = strings.TrimSpace(r.lines[r.i+1])
	}
	numpy := len(below) >= 3 && strings.Trim(below, "-") == ""
	word, colon := strings.CutSuffix(text, ":")
	section, known := docSections[strings.ToLower(word)]
	if !known || indent > 0 || !colon && !numpy {
		return false
	}
	r.section, r.name, r.depth, r.numpy = section, "", -1, numpy
	if numpy {
		r.i++
	}
	return true
}

// field reads ":param name: text", also with a type before the name.
func (r *docReader) field(text string) bool {
	if !strings.HasPrefix(text, ":") {
		return false
	}
	head, rest, ok := strings.Cut(text[1:], ":")
	words := strings.Fields(head)
	if !ok || len(words) == 0 {
		return false
	}
	r.ended = true
	switch {
	case (words[0] == "param" || words[0] == "parameter" || words[0] == "arg" || words[0] == "argument") && len(words) > 1:
		r.section, r.name, r.depth, r.numpy = "params", words[len(words)-1], -1, false
		r.into.params[r.name] = rest
		r.depth = 0
	case words[0] == "return" || words[0] == "returns":
		r.section, r.into.returns = "returns", rest
	default:
		r.section = "other"
	}
	return true
}

// param reads a line below the heading of the parameters.
func (r *docReader) param(text string, indent int) {
	switch {
	case text == "":
	case r.depth < 0 || indent <= r.depth && r.depth > 0 || r.numpy && indent == 0:
		name, rest, ok := strings.Cut(text, ":")
		name, _, _ = strings.Cut(strings.TrimLeft(strings.TrimSpace(name), "*"), " ")
		if !ok && !r.numpy || name == "" {
			r.section = "other"
			return
		}
		r.name, r.depth = strings.TrimSuffix(name, ","), indent
		if !r.numpy { // there the type stands behind the colon
			r.into.params[r.name] = rest
		}
	case r.name != "":
		r.into.params[r.name] += " " + text
	}
}

// afterType leaves out a type before a colon, as in "dict: the counts".
func afterType(s string) string {
	head, rest, ok := strings.Cut(s, ": ")
	if ok && !strings.Contains(head, " ") {
		return rest
	}
	return s
}

// sentence makes one line of at most the length that a manifest takes. Double
// backquotes of reStructuredText are no part of it.
func sentence(s string) string {
	s = strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "``", "`")
	if len(s) <= limits.Description {
		return s
	}
	cut := s[:limits.Description]
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		cut = cut[:i]
	}
	return strings.ToValidUTF8(cut, "")
}
