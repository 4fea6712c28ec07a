package manifest

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/patch-cat/patch-git/spec"
)

// JSON Schema means ECMAScript by "pattern", with lookahead and back
// references, which Go's regexp lacks; the schema library knows no other, and
// panics on what it cannot compile. So patterns move to a keyword of our own.
const patternKeyword = "patch-git:pattern"

const (
	maxPattern = 1024 // characters
	// An engine with back references can be made to run for ever, by the author
	// of a pattern or by the one who chooses the text.
	patternTime = 100 * time.Millisecond // one match
	checkTime   = time.Second            // all matches of one check
)

// exactClock makes the engine look at the time so often that a match ends when it
// should: by itself it looks ten times a second, twice what a file may take.
var exactClock = sync.OnceFunc(func() { regexp2.SetTimeoutCheckPeriod(5 * time.Millisecond) })

// compilePattern compiles with the u flag, and without it what is valid only so.
func compilePattern(text string) (*regexp2.Regexp, error) {
	exactClock()
	if len(text) > maxPattern*4 {
		return nil, errors.New("the pattern is too long")
	}
	ours, err := fromECMAScript(text)
	if err != nil {
		return nil, err
	}
	re, err := regexp2.Compile(ours, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		re, err = regexp2.Compile(ours, regexp2.ECMAScript)
	}
	if err != nil {
		return nil, errors.New(plainText(err.Error()))
	}
	re.MatchTimeout = patternTime
	return re, nil
}

// movePatterns renames "pattern" wherever it is a keyword, and not the name of
// a property or part of a value.
func movePatterns(schema any) {
	m, ok := schema.(map[string]any)
	if !ok {
		return
	}
	delete(m, patternKeyword)
	for name, v := range m {
		switch schemaKeywords[name] {
		case holdsSchema:
			movePatterns(v)
		case holdsList:
			list, _ := v.([]any)
			for _, sub := range list {
				movePatterns(sub)
			}
		case holdsMap:
			named, _ := v.(map[string]any)
			for _, sub := range named {
				movePatterns(sub)
			}
		}
	}
	if p, ok := m["pattern"]; ok {
		delete(m, "pattern")
		m[patternKeyword] = p
	}
}

// patternBudget compiles the keyword and holds the time that one check of a
// schema may spend on all its patterns.
type patternBudget struct {
	spent atomic.Bool
	// Of a foreign schema alone: what the check cost so far, and whether it is made
	// while a file is read, which is given less of everything.
	steps    int
	matches  int           // of names with patternProperties
	matching time.Duration // by the clock, which is all that the matcher can be bounded by; while reading alone
	reading  bool
	// What one check may cost, where it is not as usual.
	most         time.Duration
	mostSteps    int
	mostMatching time.Duration // of most, for patterns
}

// start opens the budget of a check; the returned function ends it.
func (b *patternBudget) start() (stop func()) {
	if b.most > 0 {
		return b.startFor(b.most)
	}
	if b.reading {
		return b.startFor(2 * readTime)
	}
	return b.startFor(checkTime)
}

func (b *patternBudget) startFor(most time.Duration) (stop func()) {
	b.spent.Store(false)
	b.steps, b.matches, b.matching = 0, 0, 0
	t := time.AfterFunc(most, func() { b.spent.Store(true) })
	return func() { t.Stop() }
}

// Compile implements jsonschema.ExtCompiler.
func (b *patternBudget) Compile(_ jsonschema.CompilerContext, m map[string]any) (jsonschema.ExtSchema, error) {
	v, ok := m[patternKeyword]
	if !ok {
		return nil, nil
	}
	text, ok := v.(string)
	if !ok {
		return nil, errors.New("a pattern must be a string")
	}
	re, err := compilePattern(text)
	if err != nil {
		return nil, err
	}
	return patternRule{re, b}, nil
}

type patternRule struct {
	re     *regexp2.Regexp
	budget *patternBudget
}

// Validate implements jsonschema.ExtSchema. A match that takes too long is no
// match: "could not tell" must not let a value through.
func (p patternRule) Validate(ctx jsonschema.ValidationContext, v any) error {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	if p.budget.spent.Load() {
		return ctx.Error("pattern", "matching patterns takes too long")
	}
	if p.budget.reading {
		p.re.MatchTimeout = readTime
	}
	switch match, err := p.budget.matchString(p.re, text); {
	case err != nil && p.budget.reading:
		p.budget.spent.Store(true)
		return ctx.Error("pattern", "matching patterns takes too long")
	case err != nil:
		return ctx.Error("pattern", "matching pattern %s takes too long", quoted(p.re))
	case !match:
		return ctx.Error("pattern", "does not match pattern %s", quoted(p.re))
	}
	return nil
}

// matchString is one match, whose time counts where it was made by an author: our own
// schemas are used by many at once, and their budget is nobody's alone.
func (b *patternBudget) matchString(re *regexp2.Regexp, text string) (bool, error) {
	if !b.reading && b.mostMatching == 0 {
		return re.MatchString(text)
	}
	began := time.Now()
	match, err := re.MatchString(text)
	if b.matching += time.Since(began); b.mostMatching > 0 && b.matching > b.mostMatching {
		b.spent.Store(true)
	}
	return match, err
}

func quoted(re *regexp2.Regexp) string { return strings.ReplaceAll(spec.Quote(re.String()), "%", "%%") }
