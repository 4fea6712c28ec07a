package quarantine

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/spec"
)

// injectionText holds the classes of words and the patterns over them; its own
// head says how they are written.
//
//go:embed injection.txt
var injectionText string

var lexicon = sync.OnceValue(func() *wordlist {
	l, err := readWordlist(injectionText)
	if err != nil {
		panic("quarantine: injection.txt: " + err.Error()) // a test reads it
	}
	return l
})

// injections finds orders to whoever reads the text: one remark for each rule
// and passage at most, with the words that were read, as they were read.
func injections(text string) []remark {
	l := lexicon()
	var out []remark
	told := map[*Rule]bool{}
	for passage := range l.passages(text) {
		clear(told)
		for _, p := range l.patterns {
			if told[p.rule] || !p.possible(&passage.has) {
				continue
			}
			from, to, ok := p.match(passage.words, passage.fresh)
			if !ok || p.strange && l.wellKnown(passage.words[from:to+1]) {
				continue
			}
			told[p.rule] = true
			r := remark{rule: p.rule, line: passage.words[from].line}
			r.format("says %s, %s", spec.Quote(spell(passage.words[from:to+1])), p.why)
			out = append(out, r)
		}
		if len(out) >= maxInjections {
			break
		}
	}
	return out
}

// wellKnown tells whether the words have an address and every one is of a
// well-known host.
func (l *wordlist) wellKnown(words []token) bool {
	known := false
	for i := range words {
		if words[i].classes.meets(&l.url) {
			if known = words[i].classes.meets(&l.knownHost); !known {
				return false
			}
		}
	}
	return known
}

// maxInjections is how many remarks a text is good for; the report lists fewer.
const maxInjections = 200

func spell(words []token) string {
	var b strings.Builder
	for _, w := range words {
		if b.Len() > 0 && !w.end {
			b.WriteByte(' ')
		}
		if b.WriteString(w.text); b.Len() > 200 {
			break
		}
	}
	return b.String()
}

// A pattern is a row of classes with at most so many words between them.
type pattern struct {
	rule     *Rule
	why      string
	elements []element
	denied   bool // a pattern that says nothing where it is denied: "never sends …"
	strange  bool // or where every address in it is of a well-known host
}

type element struct {
	any   classes
	also  classes // where it is not empty, the word is of one of these as well
	gap   int     // words allowed between the element before and this one
	cross bool    // the end of a sentence may lie between them
	begin bool    // the word begins a clause, or follows one that gives an order
}

// possible tells whether a paragraph with these classes can match at all.
func (p *pattern) possible(has *classes) bool {
	for i := range p.elements {
		if !p.elements[i].any.meets(has) {
			return false
		}
	}
	return true
}

// reach is how far before a pattern its denial may stand.
const reach = 4

// match looks for the pattern in one walk. Of the ways to have matched the first
// elements only the latest matters, because gaps have an upper bound alone.
// Only a match that ends with a fresh word is new.
func (p *pattern) match(words []token, fresh int) (from, to int, ok bool) {
	const none = -1
	var at, begin [maxElements]int
	for i := range p.elements {
		at[i] = none
	}
	lastDenial := none - reach - 1
	for i := range words {
		w := &words[i]
		if w.end {
			for j, e := range p.elements[1:] {
				if !e.cross {
					at[j] = none
				}
			}
			lastDenial = none - reach - 1
		}
		for j := len(p.elements) - 1; j >= 0; j-- {
			e := &p.elements[j]
			if !e.any.meets(&w.classes) || e.begin && !w.begin || e.also != (classes{}) && !e.also.meets(&w.classes) {
				continue
			}
			last := j == len(p.elements)-1
			switch {
			case last && i < fresh:
				continue
			case j == 0:
				if p.denied && i-lastDenial <= reach {
					continue
				}
				at[0], begin[0] = i, i
			case at[j-1] != none && at[j-1] < i && i-at[j-1]-1 <= e.gap:
				at[j], begin[j] = i, begin[j-1]
			default:
				continue
			}
			if last {
				return begin[j], i, true
			}
		}
		if w.denies {
			lastDenial = i
		}
	}
	return 0, 0, false
}

// maxElements is how many elements a pattern may have.
const maxElements = 6
