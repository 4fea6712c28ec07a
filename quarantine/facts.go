package quarantine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// FactsSchema is the edition of [Facts] that this program reads.
const FactsSchema = 2

// Facts is what CPython's parser said about one Python file. The zero value
// is no answer; only [ParseFacts] makes one that is.
type Facts struct {
	Schema      int          `json:"schema"`
	Python      string       `json:"python"` // version of the interpreter, "3.12.4"
	Error       *ParseError  `json:"error"`  // nil when the file compiles; otherwise all that follows is empty
	Statements  []Statement  `json:"statements"`
	Main        []Main       `json:"main"` // whatever binds the name main at module level
	Imports     []Import     `json:"imports"`
	Effects     []Effect     `json:"effects"`
	Identifiers []Identifier `json:"identifiers"`
	References  []Reference  `json:"references"`
	Literals    []Literal    `json:"literals"`
	Threats     []Threat     `json:"threats"`
	Truncated   bool         `json:"truncated"` // a list was cut at maxFacts
}

// Place is a position in the source, both from 1, the column in characters.
type Place struct {
	Line int `json:"line"`
	Col  int `json:"col"`
}

// ParseError says why there are no other facts.
type ParseError struct {
	Kind    string `json:"kind"`    // syntax, encoding, too_large, limit, internal
	Message string `json:"message"` // CPython's own words; foreign text
	Place
}

// Statement is one statement at module level.
type Statement struct {
	Kind string `json:"kind"` // import, function, class, assignment, guard, constant, if, try, loop, with, expression, other
	Place
}

// Main is one thing that the name main is bound to at module level.
type Main struct {
	Kind   string  `json:"kind"` // function, async, class, assignment, import; conditional inside an if or try
	Params []Param `json:"params"`
	Place
}

// Param is one parameter of main.
type Param struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"` // positional_only, positional_or_keyword, keyword_only, var_positional, var_keyword
	HasDefault bool   `json:"has_default"`
	Default    string `json:"default"` // JSON text; "" when it is no plain value
	Annotation string `json:"annotation"`
	Place
}

// Import is one imported module or name, wherever in the file it stands.
type Import struct {
	Module   string `json:"module"` // "urllib.request"
	Name     string `json:"name"`   // of "from module import name"; "" for "import module"
	Level    int    `json:"level"`  // leading dots
	Stdlib   bool   `json:"stdlib"` // by the interpreter's own list
	Typing   bool   `json:"typing"` // under TYPE_CHECKING, so never executed
	Optional bool   `json:"optional"`
	Place
}

// Effect is work that happens when the file is imported.
type Effect struct {
	Kind   string `json:"kind"`   // call, standalone, notice, statement, assignment, import, decorator, property, metaclass, hook
	Target string `json:"target"` // what is called or done: "os.system", "for loop"; foreign text
	Where  string `json:"place"`  // module, class, default, decorator, annotation
	Origin string `json:"origin"` // builtin, stdlib, package, own
	Place
}

// Identifier is a name that is not ASCII as it stands in the source.
type Identifier struct {
	Name   string `json:"name"`
	Normal string `json:"normal"` // what the interpreter takes it for (NFKC)
	Place
}

const (
	maxFactsBytes = 1 << 20 // all lists full of long names
	maxFacts      = 1000    // items of one list; python_facts.py has the same number
	maxFactText   = 201     // characters of one text, with the mark of a cut
	maxDefault    = 4096    // bytes of one default
)

var pythonVersion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^3\.[0-9]{1,2}\.[0-9]{1,2}$`) })

// ParseFacts reads the line that the program of [ProgramSource] printed. The
// program ran over hostile input, so its output is not trusted to be its own:
// anything but canonical bytes, known words and plausible places is refused
// with kind [fault.Unavailable], for it means that nobody can tell.
func ParseFacts(data []byte) (Facts, error) {
	f, err := readFacts(data)
	if err != nil {
		return Facts{}, fault.New(fault.Unavailable, "facts", "read facts about the source: %w", err)
	}
	return f, nil
}

// Lasting tells whether the line is facts that the same program says of the same
// source at any other time: not that a limit was hit, or that it failed.
func Lasting(data []byte) bool {
	f, err := readFacts(data)
	return err == nil && (f.Error == nil || f.Error.Kind == "syntax" || f.Error.Kind == "encoding")
}

func readFacts(data []byte) (Facts, error) {
	var f Facts
	if len(data) > maxFactsBytes {
		return f, fmt.Errorf("%d bytes, allowed are %d", len(data), maxFactsBytes)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("not readable: %s", spec.Quote(err.Error()))
	}
	// Bytes that differ from our own encoding hold a member twice, in another
	// case, or something behind the document.
	if !bytes.Equal(ledger.Encode(f), data) {
		return f, fmt.Errorf("not in canonical form")
	}
	if f.Schema != FactsSchema {
		return f, fmt.Errorf("schema %d, this program reads %d", f.Schema, FactsSchema)
	}
	if !pythonVersion().MatchString(f.Python) {
		return f, fmt.Errorf("python version %s", spec.Quote(f.Python))
	}
	return f, f.check()
}

// check holds the document against the words and bounds above.
func (f *Facts) check() error {
	var c factCheck
	if e := f.Error; e != nil {
		c.place(e.Place)
		c.word(e.Kind, "syntax", "encoding", "too_large", "limit", "internal")
		c.text(e.Message)
		if len(f.Statements)+len(f.Main)+len(f.Imports)+len(f.Effects)+len(f.Identifiers)+len(f.References)+len(f.Literals)+len(f.Threats) > 0 || f.Truncated {
			c.fail("an error and facts together")
		}
	}
	c.count(len(f.Statements), len(f.Main), len(f.Imports), len(f.Effects), len(f.Identifiers))
	for _, s := range f.Statements {
		c.place(s.Place)
		c.word(s.Kind, "import", "function", "class", "assignment", "guard", "constant", "if", "try", "loop", "with", "expression", "other")
	}
	for _, m := range f.Main {
		c.place(m.Place)
		c.word(m.Kind, "function", "async", "class", "assignment", "import", "conditional")
		c.count(len(m.Params))
		for _, p := range m.Params {
			c.place(p.Place)
			c.word(p.Kind, "positional_only", "positional_or_keyword", "keyword_only", "var_positional", "var_keyword")
			c.text(p.Name, p.Annotation)
			if len(p.Default) > maxDefault || p.Default != "" && (!p.HasDefault || !json.Valid([]byte(p.Default))) {
				c.fail("a default that is no JSON")
			}
		}
	}
	for _, i := range f.Imports {
		c.place(i.Place)
		c.text(i.Module, i.Name)
		if i.Level < 0 || i.Level > 99 {
			c.fail("an import of level %d", i.Level)
		}
	}
	for _, e := range f.Effects {
		c.place(e.Place)
		c.word(e.Kind, "call", "standalone", "notice", "statement", "assignment", "import", "decorator", "property", "metaclass", "hook")
		c.word(e.Where, "module", "class", "default", "decorator", "annotation")
		c.word(e.Origin, "builtin", "stdlib", "package", "own")
		c.text(e.Target)
	}
	for _, i := range f.Identifiers {
		c.place(i.Place)
		c.text(i.Name, i.Normal)
	}
	c.references(f.References)
	c.literals(f.Literals)
	c.threats(f.Threats)
	return c.err
}

// factCheck keeps the first thing that is wrong.
type factCheck struct{ err error }

func (c *factCheck) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

func (c *factCheck) place(p Place) {
	const most = 1 << 20 // beyond the largest source
	if p.Line < 1 || p.Line > most || p.Col < 1 || p.Col > most {
		c.fail("line %d, column %d", p.Line, p.Col)
	}
}

func (c *factCheck) word(got string, known ...string) {
	if !slices.Contains(known, got) {
		c.fail("unknown word %s", spec.Quote(got))
	}
}

func (c *factCheck) text(texts ...string) {
	for _, s := range texts {
		if utf8.RuneCountInString(s) > maxFactText {
			c.fail("a text of %d bytes", len(s))
		}
	}
}

func (c *factCheck) count(counts ...int) {
	for _, n := range counts {
		if n > maxFacts {
			c.fail("%d facts of one kind", n)
		}
	}
}
