package judge

import (
	"strings"
)

// spoken are the lines of Python source that have a part of a comment or of a
// string: what an agent that reads the file could take for words. It is a
// scanner of CPython's tokens as far as strings and comments go, and where it is
// not sure it takes a line more: inside of a formatted string that spans lines
// it takes everything that follows, because from Python 3.12 on those nest.
// Nothing is lost by it but attention: the code is judged as a whole besides.
func spoken(source string, all []Line) []Line {
	has := map[int]bool{}
	s := scanner{rest: source, line: 1}
	for s.next(has) {
	}
	var out []Line
	for _, l := range all {
		if has[l.N] || s.lost > 0 && l.N >= s.lost {
			out = append(out, l)
		}
	}
	return out
}

// scanner goes through source once.
type scanner struct {
	rest string
	line int
	word string // letters directly before, which may be the prefix of a string
	lost int    // line from which everything counts; 0 is none
}

// next takes one character, comment or string, and marks its lines.
func (s *scanner) next(has map[int]bool) bool {
	if s.rest == "" || s.lost > 0 {
		return false
	}
	c := s.rest[0]
	switch c {
	case '#':
		has[s.line] = true
		end := strings.IndexByte(s.rest, '\n')
		if end < 0 {
			return false
		}
		s.rest = s.rest[end:]
	case '"', '\'':
		s.text(has, c)
		s.word = ""
		return true
	default:
		if c == '\n' {
			s.line++
		}
		s.rest = s.rest[1:]
	}
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		s.word += string(c)
	} else {
		s.word = ""
	}
	return true
}

// text takes a string that begins here.
func (s *scanner) text(has map[int]bool, quote byte) {
	mark := string(quote)
	triple := strings.HasPrefix(s.rest, strings.Repeat(mark, 3))
	if triple {
		mark = strings.Repeat(mark, 3)
	}
	nests := len(s.word) <= 2 && strings.ContainsAny(s.word, "fFtT")
	begins := s.line
	s.rest = s.rest[len(mark):]
	for s.rest != "" {
		has[s.line] = true
		switch {
		case s.rest[0] == '\\' && len(s.rest) > 1:
			if s.rest[1] == '\n' {
				s.line++
			}
			s.rest = s.rest[2:]
		case strings.HasPrefix(s.rest, mark):
			s.rest = s.rest[len(mark):]
			return
		case s.rest[0] == '\n':
			if !triple {
				// A string of one line does not end there: within a formatted one
				// that nests it may go on, and elsewhere it is no Python.
				if nests {
					s.lost = begins
				}
				return
			}
			s.line++
			s.rest = s.rest[1:]
		case s.rest[0] == '{' && nests && triple:
			s.lost = begins
			return
		default:
			s.rest = s.rest[1:]
		}
	}
	s.lost = begins // it has no end
}
