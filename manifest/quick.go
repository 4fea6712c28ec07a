package manifest

import (
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// quick is a schema of the common keywords, checked against nodes as they are. It
// only ever says that a value fits: whatever does not, or what it has no keyword
// for, goes to the schema library, which takes ten times as long and says why. A
// test holds the two against each other.
type quick struct {
	never           bool // the schema false
	types           []string
	required        []string
	properties      map[string]*quick
	other, items    *quick // nil: anything
	enum            []*node
	length, count   bounds
	least, most     *big.Rat
	above, below    *big.Rat
	pattern         *regexp2.Regexp
	all, some, one  []*quick
	not, cond       *quick
	then, otherwise *quick
	ref             *quick
}

const (
	slowMatch  = 100 * time.Microsecond // a match that takes longer costs two steps for each microsecond
	equalSteps = 10                     // so many parts of two values are compared in a step
)

// bounds are a smallest and a largest number, the latter -1 for none.
type bounds struct{ least, most int }

func (b bounds) hold(n int) bool { return n >= b.least && (b.most < 0 || n <= b.most) }

// quickly makes a quick schema; nil where it has a keyword that needs the library.
// The schema must have passed [lintSchema], or be one of ours.
func quickly(root *node, patterns *patternCache) *quick {
	c := quickCompiler{root: root, made: map[*node]*quick{}, patterns: patterns}
	q := c.schema(root)
	if c.failed {
		return nil
	}
	return q
}

type quickCompiler struct {
	root     *node
	made     map[*node]*quick
	patterns *patternCache
	failed   bool
}

func (c *quickCompiler) schema(n *node) *quick {
	if q, ok := c.made[n]; ok {
		return q
	}
	q := &quick{length: bounds{0, -1}, count: bounds{0, -1}}
	c.made[n] = q
	if n.kind == kindBoolean {
		q.never = n.text == "false"
		return q
	}
	for _, m := range n.members {
		c.keyword(q, m)
	}
	return q
}

func (c *quickCompiler) keyword(q *quick, m member) {
	v := m.value
	switch m.name {
	case "type":
		q.types = []string{v.text}
		if v.kind == kindArray {
			q.types = textsOf(v)
		}
	case "required":
		q.required = textsOf(v)
	case "properties":
		q.properties = map[string]*quick{}
		for _, p := range v.members {
			q.properties[p.name] = c.schema(p.value)
		}
	case "additionalProperties":
		q.other = c.schema(v)
	case "items":
		q.items = c.schema(v)
	case "enum":
		c.failed = c.failed || q.enum != nil || len(v.items) == 0
		q.enum = v.items
	case "const":
		c.failed = c.failed || q.enum != nil
		q.enum = []*node{v}
	case "minLength", "maxLength", "minItems", "maxItems":
		n, err := strconv.Atoi(v.text)
		c.failed = c.failed || err != nil
		b := &q.length
		if strings.HasSuffix(m.name, "Items") {
			b = &q.count
		}
		if m.name[:3] == "min" {
			b.least = n
		} else {
			b.most = n
		}
	case "minimum":
		q.least = c.number(v)
	case "maximum":
		q.most = c.number(v)
	case "exclusiveMinimum":
		q.above = c.number(v)
	case "exclusiveMaximum":
		q.below = c.number(v)
	case "pattern":
		re, err := c.patterns.compile(v.text)
		c.failed = c.failed || err != nil
		q.pattern = re
	case "allOf":
		q.all = c.schemas(v)
	case "anyOf":
		q.some = c.schemas(v)
	case "oneOf":
		q.one = c.schemas(v)
	case "not":
		q.not = c.schema(v)
	case "if":
		q.cond = c.schema(v)
	case "then":
		q.then = c.schema(v)
	case "else":
		q.otherwise = c.schema(v)
	case "$ref":
		pointer, ok := strings.CutPrefix(v.text, "#")
		target := c.root.exactly(pointer)
		if !ok || strings.Contains(pointer, "%") || target == nil {
			c.failed = true
			return
		}
		q.ref = c.schema(target)
	case "$schema", "$defs", "definitions", "$comment", "title", "description", "default", "examples", "format", "deprecated", "readOnly", "writeOnly":
	case "$id":
		c.failed = c.failed || c.root.get("$id") != v // of the root alone it changes nothing here
	default:
		c.failed = c.failed || dialect[m.name] != shapeAny
	}
}

func textsOf(n *node) []string {
	out := make([]string, len(n.items))
	for i, item := range n.items {
		out[i] = item.text
	}
	return out
}

func (c *quickCompiler) schemas(n *node) []*quick {
	out := make([]*quick, len(n.items))
	for i, item := range n.items {
		out[i] = c.schema(item)
	}
	return out
}

func (c *quickCompiler) number(n *node) *big.Rat {
	r, ok := new(big.Rat).SetString(n.text)
	c.failed = c.failed || !ok
	return r
}

// fits tells whether the value certainly fits; false is "no" or "cannot tell". steps
// is what it may cost.
func (q *quick) fits(n *node, steps *int) bool {
	if *steps--; q.never || *steps < 0 {
		return false
	}
	if q.types != nil && !q.typed(n) || q.enum != nil && !q.listed(n, steps) {
		return false
	}
	ok := true
	switch n.kind {
	case kindString:
		ok = q.fitsText(n.text, steps)
	case kindNumber:
		ok = q.fitsNumber(n.text)
	case kindArray:
		ok = q.count.hold(len(n.items))
		for i := 0; ok && q.items != nil && i < len(n.items); i++ {
			ok = q.items.fits(n.items[i], steps)
		}
	case kindObject:
		ok = q.fitsObject(n, steps)
	}
	return ok && q.combined(n, steps)
}

func (q *quick) typed(n *node) bool {
	word := n.typeWord()
	for _, t := range q.types {
		if t == word || t == "integer" && n.kind == kindNumber && isInteger(n.text) {
			return true
		}
	}
	return false
}

func (q *quick) listed(n *node, steps *int) bool {
	for _, v := range q.enum {
		if *steps--; equal(n, v, steps) {
			return true
		}
	}
	return false
}

func (q *quick) fitsText(s string, steps *int) bool {
	if q.length.least > 0 || q.length.most >= 0 {
		if !q.length.hold(utf8.RuneCountInString(s)) {
			return false
		}
	}
	if q.pattern == nil {
		return true
	}
	began := time.Now()
	match, err := q.pattern.MatchString(s)
	if took := time.Since(began); took > slowMatch { // many of them are slow as well
		*steps -= 2 * int(took/time.Microsecond)
	}
	if err != nil {
		*steps = -1 // it took too long, so that nothing can be told any more
	}
	return match && err == nil && *steps >= 0
}

func (q *quick) fitsNumber(text string) bool {
	if q.least == nil && q.most == nil && q.above == nil && q.below == nil {
		return true
	}
	r, ok := new(big.Rat).SetString(text)
	return ok && (q.least == nil || r.Cmp(q.least) >= 0) && (q.most == nil || r.Cmp(q.most) <= 0) &&
		(q.above == nil || r.Cmp(q.above) > 0) && (q.below == nil || r.Cmp(q.below) < 0)
}

func (q *quick) fitsObject(n *node, steps *int) bool {
	find := n.get
	if len(q.required) > 0 {
		find = n.finder()
	}
	for _, name := range q.required {
		if *steps--; find(name) == nil {
			return false
		}
	}
	for _, m := range n.members {
		below := q.properties[m.name]
		if below == nil {
			below = q.other
		}
		if below != nil && !below.fits(m.value, steps) {
			return false
		}
	}
	return true
}

// combined tells whether what other schemas say of the same value holds. A "no" of
// one of them counts here only while there were steps left to find it.
func (q *quick) combined(n *node, steps *int) bool {
	for _, s := range q.all {
		if !s.fits(n, steps) {
			return false
		}
	}
	if q.ref != nil && !q.ref.fits(n, steps) {
		return false
	}
	if q.some != nil && count(q.some, n, steps) == 0 || q.one != nil && count(q.one, n, steps) != 1 {
		return false
	}
	if q.not != nil && q.not.fits(n, steps) {
		return false
	}
	if q.cond != nil {
		next := q.otherwise
		if q.cond.fits(n, steps) {
			next = q.then
		}
		if next != nil && !next.fits(n, steps) {
			return false
		}
	}
	return *steps >= 0
}

func count(list []*quick, n *node, steps *int) (fit int) {
	for _, s := range list {
		if s.fits(n, steps) {
			fit++
		}
	}
	return fit
}

// equal compares values as JSON Schema does: 1 and 1.0 are one number, the order of
// members is nothing.
func equal(a, b *node, steps *int) bool {
	if *steps -= (len(a.items) + len(a.members)) / equalSteps; *steps < 0 {
		return false
	}
	if a.kind != b.kind || len(a.items) != len(b.items) || len(a.members) != len(b.members) {
		return false
	}
	if a.kind == kindNumber {
		return sameNumber(a.text, b.text)
	}
	if a.text != b.text {
		return false
	}
	for i := range a.items {
		if !equal(a.items[i], b.items[i], steps) {
			return false
		}
	}
	find := b.finder()
	for _, m := range a.members {
		if v := find(m.name); v == nil || !equal(m.value, v, steps) {
			return false
		}
	}
	return true
}
