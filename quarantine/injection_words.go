package quarantine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// classes is a set of classes of words.
type classes [maxClasses / 64]uint64

const maxClasses = 768

func (c *classes) meets(d *classes) bool {
	return c[0]&d[0]|c[1]&d[1]|c[2]&d[2]|c[3]&d[3]|c[4]&d[4]|c[5]&d[5]|c[6]&d[6]|c[7]&d[7]|c[8]&d[8]|c[9]&d[9]|c[10]&d[10]|c[11]&d[11] != 0
}

func (c *classes) add(d classes) {
	for i := range c {
		c[i] |= d[i]
	}
}

func classOf(n int) classes {
	var c classes
	c[n/64] = 1 << (n % 64)
	return c
}

// A phrase is a class given to the last of several words in a row.
type phrase struct {
	before []string // the words before the last, the nearest first
	class  classes
}

// wordlist is what injection.txt says.
type wordlist struct {
	names    map[string]classes
	words    map[string]classes
	phrases  map[string][]phrase // by the last word
	mixed    map[string]string   // words of the classes by what mixing up their letters leaves
	patterns []*pattern

	// Classes that the reader of words gives by their form or asks for.
	url, email, path, secretFile, program, marker, label, pipe, knownHost, deny, again, order classes
}

// The classes of words that are known by their form.
var forms = [...]string{"url", "email", "path", "secretfile", "program", "marker", "label", "pipe", "known"}

// readWordlist reads the file of words and patterns.
func readWordlist(text string) (*wordlist, error) {
	l := &wordlist{names: map[string]classes{}, words: map[string]classes{}, phrases: map[string][]phrase{}, mixed: map[string]string{}}
	for _, name := range forms {
		if _, err := l.class(name); err != nil {
			return nil, err
		}
	}
	for _, patterns := range [...]bool{false, true} { // patterns are of classes that stand anywhere
		for n, row := range lines(text) {
			row, _, _ = strings.Cut(row, "#")
			head, rest, ok := strings.Cut(strings.TrimSpace(row), ":")
			name, words := strings.CutPrefix(head, "@")
			var err error
			switch {
			case head == "" || words == patterns:
			case !ok:
				err = fmt.Errorf("no colon")
			case words:
				err = l.addWords(name, rest)
			default:
				err = l.addPattern(head, rest)
			}
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
		}
	}
	for w := range l.words {
		if key := mixedKey(w); key != "" && (l.mixed[key] == "" || w < l.mixed[key]) {
			l.mixed[key] = w
		}
	}
	l.url, l.email, l.path = l.names["url"], l.names["email"], l.names["path"]
	l.secretFile, l.program, l.marker = l.names["secretfile"], l.names["program"], l.names["marker"]
	l.label, l.pipe, l.knownHost = l.names["label"], l.names["pipe"], l.names["known"]
	l.deny, l.again, l.order = l.names["not"], l.names["fail"], l.names["order"]
	return l, nil
}

// mixedKey is the same for words that differ in the order of their inner letters
// alone, as "ignore" and "ingroe", which people and models read as one; "" for
// words too short for that.
func mixedKey(w string) string {
	if len(w) < 5 || len(w) > 20 {
		return ""
	}
	b := []byte(w)
	slices.Sort(b[1 : len(b)-1])
	return string(b)
}

// class returns the class of a name and makes it where it is new.
func (l *wordlist) class(name string) (classes, error) {
	if c, ok := l.names[name]; ok {
		return c, nil
	}
	n := len(l.names)
	if n == maxClasses {
		return classes{}, fmt.Errorf("more than %d classes", maxClasses)
	}
	l.names[name] = classOf(n)
	return l.names[name], nil
}

// addWords reads a line such as "@class: word word~ two_words".
func (l *wordlist) addWords(name, list string) error {
	class, err := l.class(name)
	if err != nil {
		return err
	}
	for entry := range strings.FieldsSeq(list) {
		if other, ok := strings.CutPrefix(entry, "@"); ok {
			if _, known := l.names[other]; !known {
				return fmt.Errorf("no class %s yet", other)
			}
			l.include(l.names[other], class)
			continue
		}
		entry, inflect := strings.CutSuffix(entry, "~")
		parts := splitPhrase(plain(entry))
		last := parts[len(parts)-1]
		ends := []string{last}
		if inflect {
			ends = inflected(last)
		}
		for _, end := range ends {
			if len(parts) == 1 {
				c := l.words[end]
				c.add(class)
				l.words[end] = c
				continue
			}
			var before []string
			for i := len(parts) - 2; i >= 0; i-- {
				before = append(before, parts[i])
			}
			l.phrases[end] = append(l.phrases[end], phrase{before, class})
		}
	}
	return nil
}

// include gives the class to all words of another one.
func (l *wordlist) include(other, class classes) {
	for w, c := range l.words {
		if c.meets(&other) {
			c.add(class)
			l.words[w] = c
		}
	}
	for _, ps := range l.phrases {
		for i := range ps {
			if ps[i].class.meets(&other) {
				ps[i].class.add(class)
			}
		}
	}
}

// splitPhrase takes an entry apart as the reader does a text: at underscores,
// and every ideograph is a word.
func splitPhrase(entry string) []string {
	var out []string
	begin := 0
	for i, r := range entry {
		if isIdeograph(r) || r == '_' || r == '-' {
			if begin < i {
				out = append(out, entry[begin:i])
			}
			begin = i + 1
			if isIdeograph(r) {
				out = append(out, string(r))
				begin = i + utf8.RuneLen(r)
			}
		}
	}
	if begin < len(entry) {
		out = append(out, entry[begin:])
	}
	return out
}

func isIdeograph(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// inflected returns the regular forms of an English word.
func inflected(w string) []string {
	switch end := w[len(w)-1]; {
	case end == 'e':
		return []string{w, w + "s", w + "d", w[:len(w)-1] + "ing"}
	case end == 'y' && len(w) > 2 && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
		return []string{w, w[:len(w)-1] + "ies", w[:len(w)-1] + "ied", w + "ing"}
	case strings.HasSuffix(w, "s"), strings.HasSuffix(w, "sh"), strings.HasSuffix(w, "ch"), end == 'x':
		return []string{w, w + "es", w + "ed", w + "ing"}
	default:
		double := w + string(end)
		return []string{w, w + "s", w + "ed", w + "ing", double + "ed", double + "ing"}
	}
}

// addPattern reads a line such as "INJ-001: a|b ..3 c -> why".
func (l *wordlist) addPattern(id, text string) error {
	text, why, ok := strings.Cut(text, "->")
	p := &pattern{why: strings.TrimSpace(why)}
	for _, r := range injectionRules {
		if r.ID == id {
			p.rule = r
		}
	}
	if !ok || p.why == "" || p.rule == nil {
		return fmt.Errorf("a pattern of no rule or with no reason")
	}
	next := element{}
	for word := range strings.FieldsSeq(text) {
		if dots := strings.TrimLeft(word, "."); len(dots) < len(word) {
			n, err := strconv.Atoi(dots)
			if err != nil {
				return err
			}
			next.gap, next.cross = n, len(word)-len(dots) > 2
			continue
		}
		if word == "undenied" || word == "strange" {
			p.denied, p.strange = p.denied || word == "undenied", p.strange || word == "strange"
			continue
		}
		word, next.begin = strings.CutPrefix(word, "^")
		word, also, _ := strings.Cut(word, "&")
		if next.also, ok = l.names[also]; also != "" && !ok {
			return fmt.Errorf("no class %s", also)
		}
		var single []string
		for name := range strings.SplitSeq(word, "|") {
			if w, ok := strings.CutPrefix(name, "="); ok {
				single = append(single, w)
				continue
			}
			c, ok := l.names[name]
			if !ok {
				return fmt.Errorf("no class %s", name)
			}
			next.any.add(c)
		}
		c, err := l.single(single)
		if err != nil {
			return err
		}
		next.any.add(c)
		p.elements = append(p.elements, next)
		next = element{}
	}
	if len(p.elements) == 0 || len(p.elements) > maxElements {
		return fmt.Errorf("a pattern of %d elements", len(p.elements))
	}
	l.patterns = append(l.patterns, p)
	return nil
}

// single makes a class of words that stand in a pattern themselves.
func (l *wordlist) single(words []string) (classes, error) {
	if len(words) == 0 {
		return classes{}, nil
	}
	slices.Sort(words) // the same words are one class, however they are listed
	list := strings.Join(slices.Compact(words), " ")
	if c, known := l.names[list]; known {
		return c, nil
	}
	err := l.addWords(list, list)
	return l.names[list], err
}
