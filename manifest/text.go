package manifest

import (
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// sentence reads a description [PM-11, PM-23].
func (p *patchReader) sentence(n *node, what string) string {
	if !p.is(n, kindString, what) {
		return ""
	}
	text := n.text
	if strings.TrimSpace(text) == "" {
		p.add(noDescription, n.at, "%s is empty", what)
		return ""
	}
	if strings.ContainsFunc(text, breaksLine) {
		p.add(manyLines, n.at, "%s has a line break or control character", what)
	}
	if length := utf8.RuneCountInString(text); length > limits.Description {
		p.add(longDescription, n.at, "%s has %d characters, allowed are %d", what, length, limits.Description)
	}
	if Sentences(text) > 1 {
		p.add(manySentences, n.at, "%s has more than one sentence", what)
	}
	return text
}

// breaksLine tells whether a character ends a line or controls a terminal.
func breaksLine(c rune) bool { return unicode.IsControl(c) || c == 0x2028 || c == 0x2029 }

// sentenceEnd is a full stop, question or exclamation mark with closing quotes
// or brackets, space, and the capital letter of the next sentence.
var sentenceEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\S*)[.?!]["')\]]*\s+["'(\[]*\p{Lu}`) })

// abbreviation matches the word before a full stop that ends no sentence.
var abbreviation = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[("'])(e\.g|i\.e|etc|vs|cf|approx|incl|max|min|no|nr|st|dr|mr|mrs|ms|prof|inc|ltd|u\.s|[a-z])$`)
})

// Sentences counts the sentences of a text, roughly: enough to warn.
func Sentences(text string) int {
	n := 1
	// The usual text has its only full stop at the end.
	if i := strings.IndexAny(text, ".?!"); i < 0 || i == len(text)-1 {
		return n
	}
	for _, m := range sentenceEnd().FindAllStringSubmatch(text, -1) {
		if !abbreviation().MatchString(m[1]) {
			n++
		}
	}
	return n
}

const maxGeneratedBy = 128

func (p *patchReader) generatedBy(n *node) {
	if !p.is(n, kindString, "generated_by") {
		return
	}
	if strings.TrimSpace(n.text) == "" || utf8.RuneCountInString(n.text) > maxGeneratedBy || strings.ContainsFunc(n.text, breaksLine) {
		p.add(badGeneratedBy, n.at, "generated_by %s is empty, longer than %d characters or more than one line", spec.Quote(n.text), maxGeneratedBy)
		return
	}
	p.tool.GeneratedBy = n.text
}

var utcTime = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2})(:[0-9]{2})?([.,][0-9]{1,9})?(Z|\+00:00)$`)
})

// generatedAt checks the time and keeps it byte for byte [PM-20].
func (p *patchReader) generatedAt(n *node) {
	if !p.is(n, kindString, "generated_at") {
		return
	}
	m := utcTime().FindStringSubmatch(n.text)
	if m == nil || m[2] == "" && m[3] != "" {
		p.add(badGeneratedAt, n.at, "generated_at %s is not an ISO 8601 time in UTC", spec.Quote(n.text))
		return
	}
	seconds := m[2]
	if seconds == "" {
		seconds = ":00"
	}
	if _, err := time.Parse("2006-01-02T15:04:05", m[1]+seconds); err != nil {
		p.add(badGeneratedAt, n.at, "generated_at %s is not a time that exists", spec.Quote(n.text))
		return
	}
	p.tool.GeneratedAt = n.text
}
