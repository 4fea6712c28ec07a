package quarantine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/spec"
)

// checkText looks for text that readers do not see or misread: first in the
// fields of the manifest, then in the files as they are [PM-12].
func checkText(c *collector) {
	told := map[toldKey]bool{}
	for _, f := range fields(c.tool) {
		for category, hits := range byCategory(sanitize.Scan(f.text)) {
			where := c.locate(hits[0].Rune)
			told[tell(where, category)] = true
			c.tellText(f.name+" has", where, category, hits, true, f.described)
		}
	}
	for _, f := range c.Release.Files {
		if spec.CheckPath(f.Path) != nil || !utf8.Valid(f.Data) {
			continue // an error of its own
		}
		for line, onLine := range byLine(sanitize.Scan(string(f.Data))) {
			for category, hits := range byCategory(onLine) {
				where := at{f.Path, line, hits[0].Col}
				if !told[tell(where, category)] {
					c.tellText("the line has", where, category, hits, conceals(category, hits), false)
				}
			}
		}
		if f.Path == c.main && (c.tool.Format == spec.FormatInstall || c.tool.Format == spec.FormatArcade) {
			c.jsonText(f)
		}
	}
}

// jsonText looks into the strings of a JSON manifest, where an escape hides a
// character from those who read the file and not from those who decode it.
func (c *collector) jsonText(f spec.File) {
	d := json.NewDecoder(strings.NewReader(string(f.Data)))
	for {
		token, err := d.Token()
		if err != nil {
			return
		}
		s, ok := token.(string)
		if !ok {
			continue
		}
		line, col := lineCol(f.Data, int(d.InputOffset()))
		for category, hits := range byCategory(sanitize.Scan(s)) {
			c.tellText("the string that ends here has", at{f.Path, line, col}, category, hits, true, false)
		}
	}
}

// toldKey is a line and a kind of finding that the fields have reported already.
type toldKey struct {
	file     string
	line     int
	category string
}

func tell(where at, category string) toldKey { return toldKey{where.file, where.line, category} }

// tellText reports the hits of one category. strict says that a hidden
// character is an error, described the same of a misread word.
func (c *collector) tellText(what string, where at, category string, hits []sanitize.Hit, strict, described bool) {
	many := "1 place"
	if len(hits) > 1 {
		many = fmt.Sprintf("%d places", len(hits))
	}
	seen := fmt.Sprintf("%s %s in %s, first %U", what, category, many, hits[0].Rune)
	if message := sanitize.Reveal(hits); message != "" {
		seen += ", which spell " + spec.Quote(message)
	}
	id, severity := hiddenText, warn
	if sanitize.Misread(category) {
		id, strict = misreadText, described
	}
	if strict {
		severity = bad
	}
	c.addAs(id, severity, where, "", "%s", seen)
}

// hiddenMessage is how many hidden characters in a row are no slip of an
// editor but a text of their own.
const hiddenMessage = 4

// conceals tells which hidden characters are an error in the body of a file,
// where a stray joiner or soft hyphen is only a warning: those that change what
// is read or drive a terminal, and rows long enough to carry a message.
func conceals(category string, hits []sanitize.Hit) bool {
	switch category {
	case sanitize.BidiOverride, sanitize.TagCharacter, sanitize.Control:
		return true
	}
	row := 1
	for i := 1; i < len(hits); i++ {
		if hits[i].Offset != hits[i-1].Offset+utf8.RuneLen(hits[i-1].Rune) {
			row = 0
		}
		if row++; row >= hiddenMessage {
			return true
		}
	}
	return false
}

// locate finds the first place of a character in the main file. A character
// written as an escape is not there, and then the finding is about the file.
func (c *collector) locate(r rune) at {
	i := strings.IndexRune(string(c.source), r)
	if i < 0 || r == utf8.RuneError {
		return at{file: c.main}
	}
	line, col := lineCol(c.source, i)
	return at{c.main, line, col}
}

// byCategory splits hits by category, in the order of the categories' names.
func byCategory(hits []sanitize.Hit) func(yield func(string, []sanitize.Hit) bool) {
	groups := map[string][]sanitize.Hit{}
	for _, h := range hits {
		groups[h.Category] = append(groups[h.Category], h)
	}
	return func(yield func(string, []sanitize.Hit) bool) {
		for _, category := range slices.Sorted(maps.Keys(groups)) {
			if !yield(category, groups[category]) {
				return
			}
		}
	}
}

// byLine splits hits by line; hits are in the order of the text.
func byLine(hits []sanitize.Hit) func(yield func(int, []sanitize.Hit) bool) {
	return func(yield func(int, []sanitize.Hit) bool) {
		for len(hits) > 0 {
			n := 1
			for n < len(hits) && hits[n].Line == hits[0].Line {
				n++
			}
			if !yield(hits[0].Line, hits[:n]) {
				return
			}
			hits = hits[n:]
		}
	}
}
