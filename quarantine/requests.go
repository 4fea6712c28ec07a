package quarantine

import (
	"strings"
	"unicode"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// checkRequests looks at the requests that a tool says it serves: whether there
// are enough for people to find it by what they need, and whether each adds
// something that a person would ask for.
func checkRequests(c *collector) {
	if n := len(c.tool.Examples); n < limits.FewExamples && c.tool.Format == spec.FormatPatch { // other formats have no place for them
		has := "no request that it serves"
		switch n {
		case 1:
			has = "one request that it serves"
		case 2:
			has = "two requests that it serves"
		}
		c.add(fewExamples, c.locateText("x-examples:", 1), "the tool names %s, three are asked for", has)
	}
	seen := map[string]string{
		bare(string(c.tool.Name)):   "the name",
		bare(c.tool.Description):    "the description",
		bare(words(c.tool.Tags)):    "the tags",
		bare(words(c.tool.Aliases)): "the aliases",
	}
	for _, e := range c.tool.Examples {
		where, quoted := c.locateText(e, 1), spec.Quote(e)
		key := bare(e)
		switch said, again := seen[key]; {
		case again:
			c.add(idleExample, where, "the example %s says what %s says", quoted, said)
		case key == "":
			c.add(idleExample, where, "the example %s has no word", quoted)
		case isList(e):
			c.add(idleExample, where, "the example %s is a list of words and no request", quoted)
		}
		seen[key] = "another example"
	}
}

// bare is a text without what does not change what it asks for: case, signs
// and digits.
func bare(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }), " ")
}

// isList tells whether a text is words with commas between them, or says one
// word again and again: made for a search and not by somebody who needs a tool.
func isList(text string) bool {
	parts, short := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r == '|' || r == '/' }), 0
	for _, p := range parts {
		if len(strings.Fields(p)) <= 2 {
			short++
		}
	}
	if len(parts) >= 5 && short == len(parts) {
		return true
	}
	said := map[string]int{}
	for w := range strings.FieldsSeq(bare(text)) {
		if said[w]++; said[w] > 3 && len(w) > 3 {
			return true
		}
	}
	return false
}
