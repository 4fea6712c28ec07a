package manifest

import (
	"bytes"
	"regexp"
	"sync"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/spec"
)

// line is one line of a file: the bytes without their line end, and where the
// next line begins. Only LF and CR LF end lines here; every other character
// that some reader takes for a line end is reported by checkBytes.
type line struct {
	text []byte
	next int
}

// lineAt returns the line that begins at offset i of data.
func lineAt(data []byte, i int) line {
	end, next := len(data), len(data)
	if n := bytes.IndexByte(data[i:], '\n'); n >= 0 {
		end, next = i+n, i+n+1
	}
	if next > end && end > i && data[end-1] == '\r' {
		return line{data[i : end-1], next}
	}
	return line{data[i:end], next}
}

// cookie finds what Python takes for a declaration of the file's encoding
// (PEP 263). Python looks for it in any comment on the first two lines, so a
// manifest's own second line can be one.
var cookie = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)`) })

// utf8Names are the names under which a cookie declares what is so anyway.
var utf8Names = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:utf[-_]?8)$`) })

// checkCoding refuses a file that Python would decode as something other than
// UTF-8: under "utf-7" or "unicode_escape" a comment can hold running code.
func checkCoding(data []byte, r *report) {
	for n, i := 1, 0; n <= 2 && i < len(data); n++ {
		l := lineAt(data, i)
		i = l.next
		if !bytes.Contains(l.text, []byte("coding")) {
			continue // most files: nothing to compile an expression for
		}
		if m := cookie().FindSubmatchIndex(l.text); m != nil {
			name := l.text[m[2]:m[3]]
			if !utf8Names().Match(name) {
				r.add(badCoding, pos{n, column(l.text, m[2])}, "Python would read this file as %s", spec.Quote(string(name)))
			}
		}
	}
}

// disagreement names a character at which editors, Python and other tools
// disagree on whether a line ends, "" for any other.
func disagreement(c rune) string {
	switch c {
	case '\v':
		return "a vertical tab (U+000B)"
	case '\f':
		return "a form feed (U+000C)"
	case '\r':
		return "a carriage return without a line feed (U+000D)"
	case 0x85:
		return "a next line character (U+0085)"
	case 0x2028:
		return "a line separator (U+2028)"
	case 0x2029:
		return "a paragraph separator (U+2029)"
	}
	return ""
}

// checkBytes looks at every character of the file once. body is the offset
// where the code begins. Each kind of problem is reported where it first
// occurs, with the number of its occurrences.
func checkBytes(data []byte, body int, r *report) {
	type seen struct {
		at    pos
		what  string
		count int
	}
	kinds := map[rule]*seen{}
	see := func(id rule, line, start, i int, what string) {
		if s := kinds[id]; s != nil {
			s.count++
			return
		}
		kinds[id] = &seen{pos{line, column(data[start:], i-start)}, what, 1}
	}
	for i, n, start := 0, 1, 0; i < len(data); {
		c, width := rune(data[i]), 1
		if c >= utf8.RuneSelf {
			c, width = utf8.DecodeRune(data[i:])
		}
		switch {
		case c == '\n':
			n, start = n+1, i+1
		case c == '\r' && i+1 < len(data) && data[i+1] == '\n':
			see(crlf, n, start, i, "the line ends with CR LF")
		case c == utf8.RuneError && width == 1:
			see(notUTF8, n, start, i, "the byte is not part of a UTF-8 character")
		case c == 0:
			see(nulByte, n, start, i, "there is a NUL byte")
		case c == 0xFEFF && i == 0:
			see(byteOrderMark, n, start, i, "the file begins with a byte order mark")
		case c == '\r':
			see(bareReturn, n, start, i, "there is "+disagreement(c))
		case disagreement(c) != "" && i < body:
			see(lineEndHead, n, start, i, "there is "+disagreement(c))
		case disagreement(c) != "":
			see(lineEndBody, n, start, i, "there is "+disagreement(c))
		}
		i += width
	}
	for _, id := range []rule{crlf, notUTF8, nulByte, byteOrderMark, bareReturn, lineEndHead, lineEndBody} {
		if s := kinds[id]; s != nil && s.count > 1 {
			r.add(id, s.at, "%s, here first of %d places", s.what, s.count)
		} else if s != nil {
			r.add(id, s.at, "%s", s.what)
		}
	}
}

// column counts the characters of text before byte offset i, from 1.
func column(text []byte, i int) int { return utf8.RuneCount(text[:i]) + 1 }
