package manifest

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// front is the frontmatter of a skill, without its markers.
type front struct {
	lines []string
	first int // line of the file on which it begins
	body  int // byte offset of what follows the closing marker
	after int // line of that
}

var (
	bom    = []byte("\xEF\xBB\xBF")
	dashes = []byte("---")
)

// splitSkill finds the frontmatter: from a first line that is --- to the next line
// that is one, blanks behind either allowed. A --- inside of a value ends nothing.
// It returns nil after a finding where there is none.
func splitSkill(data []byte, r *report) *front {
	at := 0
	if bytes.HasPrefix(data, bom) {
		r.add(skillByteOrderMark, pos{1, 1}, "the file begins with a byte order mark")
		at = len(bom)
	}
	text, next := skillLine(data, at)
	if !isDashes(text) {
		r.add(skillNoFrontmatter, pos{1, 1}, "the first line is not ---")
		return nil
	}
	spaced := len(text) > len(dashes)
	f := &front{first: 2}
	start := next
	for n := 2; next < len(data); n++ {
		at = next
		text, next = skillLine(data, at)
		if !isDashes(text) {
			if next-start <= limits.ManifestBytes {
				f.lines = append(f.lines, string(text))
			}
			continue
		}
		if spaced || len(text) > len(dashes) {
			r.add(skillMarkerSpace, pos{n, 1}, "blanks follow a marker")
		}
		if at-start > limits.ManifestBytes {
			r.add(skillTooLarge, pos{2, 1}, "the frontmatter has %d bytes, allowed are %d", at-start, limits.ManifestBytes)
			return nil
		}
		f.body, f.after = next, n+1
		lineEnds(data, start, at, r)
		bodyText(data[next:], n+1, r)
		return f
	}
	r.add(skillUnclosed, pos{1, 1}, "no line --- closes the frontmatter")
	return nil
}

// skillLine returns the line that begins at offset i, and where the next one
// begins. A lone CR ends a line for those who read such files, and here.
func skillLine(data []byte, i int) (text []byte, next int) {
	n := bytes.IndexAny(data[i:], "\r\n")
	if n < 0 {
		return data[i:], len(data)
	}
	next = i + n + 1
	if data[i+n] == '\r' && next < len(data) && data[next] == '\n' {
		next++
	}
	return data[i : i+n], next
}

func isDashes(text []byte) bool { return bytes.Equal(bytes.TrimRight(text, " \t"), dashes) }

// lineEnds reports how the lines of the frontmatter end.
func lineEnds(data []byte, start, end int, r *report) {
	head := data[start:end]
	crlf := bytes.Count(head, []byte("\r\n"))
	if crlf > 0 {
		r.add(skillCRLF, pos{2, 1}, "lines end with CR LF")
	}
	if bytes.Count(head, []byte("\r")) > crlf {
		r.add(skillLineEnd, pos{2, 1}, "there is %s", disagreement('\r'))
	}
}

// bodyText reports what is no text in the instructions.
func bodyText(body []byte, first int, r *report) {
	at := bytes.IndexByte(body, 0)
	what := "there is a NUL byte"
	if !utf8.Valid(body) {
		for i := 0; i < len(body); {
			c, width := utf8.DecodeRune(body[i:])
			if c == utf8.RuneError && width == 1 {
				if at < 0 || i < at {
					at, what = i, "the byte is not part of a UTF-8 character"
				}
				break
			}
			i += width
		}
	}
	if at >= 0 {
		line := bytes.Count(body[:at], []byte("\n"))
		r.add(skillBodyNotText, pos{first + line, column(body[bytes.LastIndexByte(body[:at], '\n')+1:], at-bytes.LastIndexByte(body[:at], '\n')-1)}, "%s", what)
	}
}

// parse reads the frontmatter into nodes. Where YAML cannot read it, plain values
// at the top level are put in quotes, which mends what people get wrong most: a
// colon in the description. That is reported, and an error of a strict reading.
func (f *front) parse(r *report) *node {
	if !f.clean(r) {
		return nil
	}
	lines, ok := prepare(f.lines, f.first, r)
	if !ok {
		return nil
	}
	root, err := library(lines)
	if err != nil {
		mended, places := quoteTop(lines)
		again, still := library(mended)
		if len(places) == 0 || still != nil {
			r.add(skillUnreadable, pos{f.first + min(errorLine(err), len(lines)) - 1, 1}, "the frontmatter cannot be read as YAML (%s)", plainError(err))
			return nil
		}
		for _, p := range places {
			r.add(skillMended, pos{f.first + p.line, p.col}, "the text needs quotes (%s)", plainError(err))
		}
		lines, root = mended, again
	}
	if root == nil {
		r.add(skillNotMapping, pos{f.first, 1}, "the frontmatter is empty")
		return nil
	}
	c := converter{report: r, lines: lines, first: f.first}
	n := c.convert(root, 1)
	switch {
	case n.kind == kindBroken || c.nodes > limits.ManifestNodes:
		return nil
	case n.kind != kindObject:
		r.add(skillNotMapping, n.at, "the frontmatter is %s", n.kind)
		return nil
	}
	return n
}

// clean looks for characters that no reader should see in YAML, and puts a blank
// in the place of those at which only some readers end a line.
func (f *front) clean(r *report) bool {
	for i, s := range f.lines {
		if s == "..." || strings.HasPrefix(s, "... ") || strings.HasPrefix(s, "--- ") || strings.HasPrefix(s, "---\t") {
			r.add(skillManyDocuments, pos{f.first + i, 1}, "the line %s ends or begins a document", spec.Quote(s))
			return false
		}
		if plainASCII(s) {
			continue
		}
		odd := rune(0)
		for j, c := range s {
			if c == utf8.RuneError && !strings.HasPrefix(s[j:], "\uFFFD") || c == 0 {
				r.add(skillNotText, pos{f.first + i, utf8.RuneCountInString(s[:j]) + 1}, "the byte 0x%02X is no text", s[j])
				return false
			}
			if disagreement(c) != "" || c == 0xFEFF {
				if odd == 0 {
					r.add(skillLineEnd, pos{f.first + i, utf8.RuneCountInString(s[:j]) + 1}, "there is the character U+%04X", c)
				}
				odd = c
			}
		}
		if odd != 0 {
			f.lines[i] = strings.Map(func(c rune) rune {
				if disagreement(c) != "" || c == 0xFEFF {
					return ' '
				}
				return c
			}, s)
		}
	}
	return true
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c >= 0x7F {
			return false
		}
	}
	return true
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`line (\d+)`) })

// errorLine is the line that the library's error names, from 1; it can be one off.
func errorLine(err error) int {
	if m := yamlLine().FindStringSubmatch(err.Error()); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 {
			return n
		}
	}
	return 1
}

// quoteTop puts the values at the top level in quotes that YAML takes for
// something else, with the lines on which they go on. places says which, the line
// from 0 and the column from 1; the number of lines stays.
func quoteTop(lines []string) (mended []string, places []pos) {
	mended = append(mended, lines...)
	for i := 0; i < len(lines); i++ {
		key, value := topKey(lines[i])
		if value == "" || strings.IndexByte(`"'[{|>#`, value[0]) >= 0 {
			continue
		}
		text, end := []string{strings.TrimSpace(value)}, i+1
		for j := end; j < len(lines); j++ {
			rest := strings.TrimSpace(lines[j])
			if rest != "" && lines[j][0] != ' ' && lines[j][0] != '\t' {
				break
			}
			if rest != "" {
				text, end = append(text, rest), j+1
			}
		}
		whole := strings.Join(text, " ")
		if !misread(whole) {
			continue
		}
		places = append(places, pos{i, utf8.RuneCountInString(key) + 1})
		mended[i] = key + string(appendJSONString(nil, whole))
		for j := i + 1; j < end; j++ {
			mended[j] = ""
		}
		i = end - 1
	}
	return mended, places
}

// topKey cuts a line of the top level into its key, with the colon and the blanks
// behind it, and its value; the value is empty where the line is none.
func topKey(s string) (key, value string) {
	colon := strings.IndexByte(s, ':')
	if colon < 1 || colon+1 >= len(s) || s[colon+1] != ' ' && s[colon+1] != '\t' {
		return "", ""
	}
	for i := range colon {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return "", ""
		}
	}
	value = strings.TrimLeft(s[colon+1:], " \t")
	return s[:len(s)-len(value)], value
}

// misread tells whether a plain text is no plain text to YAML.
func misread(s string) bool {
	return strings.Contains(s, ": ") || strings.Contains(s, ":\t") || strings.HasSuffix(s, ":") || strings.IndexByte("@`%*&!,]}", s[0]) >= 0 ||
		strings.HasPrefix(s, "- ") || strings.HasPrefix(s, "? ")
}
