package index

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// longestWord is the most code points of a word: what is longer is no word.
const longestWord = 64

// word is one word of a text.
type word struct {
	text       string // in lower case
	start, end int    // bytes in the text that it was read from
	term       bool   // is looked for by itself
	leaf       bool   // stands in a phrase
}

// classes of code points.
const (
	separator = iota
	upper
	letter
	number
)

func class(r rune, before int) int {
	if r < utf8.RuneSelf {
		switch {
		case r >= 'a' && r <= 'z':
			return letter
		case r >= 'A' && r <= 'Z':
			return upper
		case r >= '0' && r <= '9':
			return number
		}
		return separator
	}
	switch {
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r):
		return letter
	case unicode.IsNumber(r):
		return number
	case unicode.IsMark(r):
		return before
	}
	return separator
}

// eachWord calls visit for the words of a text in their order: a run, then its parts.
func eachWord(text string, visit func(word)) {
	eachSpan(text, func(start, end int, term, leaf bool) {
		visit(word{lower(text[start:end]), start, end, term, leaf})
	})
}

// eachSpan calls visit with where the words stand, which are not in lower case there.
func eachSpan(text string, visit func(start, end int, term, leaf bool)) {
	var some [16]int // most runs have fewer parts
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		before := class(r, separator)
		if before == separator {
			i += n
			continue
		}
		start, part := i, i
		last := i // where the code point before begins
		cuts := some[:0]
		for i += n; i < len(text); i += n {
			r, n = utf8.DecodeRuneInString(text[i:])
			c := class(r, before)
			if c == separator {
				break
			}
			if c != before {
				cut := i
				if before == upper && c == letter {
					cut = last
				}
				if cut > part {
					cuts = append(cuts, cut)
					part = cut
				}
			}
			before, last = c, i
		}
		emit(text, start, i, cuts, visit)
		i = possessive(text, i)
	}
}

// emit calls visit for a run and its parts.
func emit(text string, start, end int, cuts []int, visit func(start, end int, term, leaf bool)) {
	one := func(start, end int, leaf bool) {
		n := utf8.RuneCountInString(text[start:end])
		if n <= longestWord {
			visit(start, end, n > 1 || len(cuts) == 0, leaf)
		}
	}
	one(start, end, len(cuts) == 0)
	if len(cuts) == 0 {
		return
	}
	for _, cut := range cuts {
		one(start, cut, true)
		start = cut
	}
	one(start, end, true)
}

// possessive returns where to read on after a run that ends at i: behind 's.
func possessive(text string, i int) int {
	rest, ok := strings.CutPrefix(text[i:], "'")
	if !ok {
		if rest, ok = strings.CutPrefix(text[i:], "’"); !ok {
			return i
		}
	}
	if rest == "" || rest[0] != 's' && rest[0] != 'S' {
		return i
	}
	r, _ := utf8.DecodeRuneInString(rest[1:])
	if len(rest) > 1 && class(r, letter) != separator {
		return i
	}
	return len(text) - len(rest) + 1
}

// lower is lower case by the simple mapping of each code point: a text must not
// change its words with its length.
func lower(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' {
			return strings.Map(unicode.ToLower, s)
		}
	}
	return s
}

// stem is the term of a word in lower case.
func stem(w string) string {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	env := snowballstem.NewEnv(w)
	english.Stem(env)
	return env.Current()
}

// isStop tells whether a word in lower case says nothing about a tool.
func isStop(w string) bool { return len(w) <= longestStop && stopSet()[w] }

// stopSet is made when it is first needed: the start of the program does not wait for it.
var stopSet = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(stopWords) {
		set[w] = true
	}
	return set
})

// longestStop is the length of the longest word of the list.
const longestStop = 8

// stopWords are the words that the grammar of a request needs, and those with
// which people ask a machine for something; blanks stand around each.
const stopWords = "a about all also am an and any are as at be been being but by can could d did didn do does doesn " +
	"doing don for from had has have he help her here him his how i if in into is isn it its just know let like ll m may me " +
	"might my need no not of on or our please re shall she should so some such t tell than that the their them then " +
	"there these they this those to us ve want was we were what when where whether which while who whom why will with " +
	"would you your"
