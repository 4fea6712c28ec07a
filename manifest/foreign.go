package manifest

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Keywords of our own, into which those of a foreign schema move that the library
// has another engine for, or no bound.
const (
	stepKeyword = "patch-git:step"
	namedSchema = "patch-git:named" // patternProperties: [[pattern, schema], …]
	otherSchema = "patch-git:other" // additionalProperties beside it
)

const (
	maxSubschemas = 2_000
	// checkSteps bounds how much of a schema is held against how much of a document:
	// references and combinations can make that exponential in the size of both.
	checkSteps = 200_000
	readSteps  = 1_000 // while a file is read, when each takes a few KiB of reasons
)

var errSteps = errors.New("checking takes too long")

// prepareForeign rewrites a decoded schema for the library, wherever a schema can
// stand, and counts the schemas in it.
func prepareForeign(v any, count *int) error {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	if *count++; *count > maxSubschemas {
		return errors.New("the schema consists of more than " + strconv.Itoa(maxSubschemas) + " schemas")
	}
	if err := eachBelow(m, func(s any) error { return prepareForeign(s, count) }); err != nil {
		return err
	}
	delete(m, "$vocabulary") // which a metaschema alone has
	for _, ours := range []string{stepKeyword, namedSchema, otherSchema, patternKeyword} {
		delete(m, ours)
	}
	for name, v := range m {
		if n, ok := v.(json.Number); ok && dialect[name] == shapeCount {
			m[name] = json.Number(wholeNumber(string(n)))
		}
	}
	if p, ok := m["pattern"]; ok {
		delete(m, "pattern")
		m[patternKeyword] = p
	}
	if named, ok := m["patternProperties"].(map[string]any); ok {
		list := make([]any, 0, len(named))
		for _, p := range slices.Sorted(maps.Keys(named)) {
			list = append(list, []any{p, named[p]})
		}
		delete(m, "patternProperties")
		m[namedSchema] = list
		if other, ok := m["additionalProperties"]; ok {
			delete(m, "additionalProperties")
			m[otherSchema] = other
		}
	}
	m[stepKeyword] = true
	return nil
}

// prepareForm moves the patterns of one of our own schemas.
func prepareForm(v any) error {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	if p, ok := m["pattern"]; ok {
		delete(m, "pattern")
		m[patternKeyword] = p
	}
	return eachBelow(m, prepareForm)
}

// dropID takes away the address of a schema that is nowhere referred to by it: the
// library is particular about addresses, and has one of its own for the schema.
func dropID(v any) {
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	needed := false
	var look func(any) error
	look = func(v any) error {
		below, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		for _, name := range []string{"$ref", "$dynamicRef"} {
			ref, ok := below[name].(string)
			needed = needed || ok && !strings.HasPrefix(ref, "#")
		}
		_, named := below["$id"]
		needed = needed || named
		return eachBelow(below, look)
	}
	id := m["$id"]
	delete(m, "$id")
	_ = look(m)
	if needed && id != nil {
		m["$id"] = id
	}
}

// eachBelow calls f for each schema that a schema holds.
func eachBelow(m map[string]any, f func(any) error) error {
	for name, v := range m {
		below := []any{}
		switch sub := v.(type) {
		case map[string]any:
			switch dialect[name] {
			case shapeSchema:
				below = append(below, sub)
			case shapeMap, shapeDependencies:
				below = slices.AppendSeq(below, maps.Values(sub))
			}
		case []any:
			if dialect[name] == shapeList {
				below = sub
			}
		}
		for _, s := range below {
			if err := f(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// wholeNumber writes a count such as 2.0 or 1e3 as digits, and one that no document
// can reach as the largest that the library takes.
func wholeNumber(text string) string {
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() {
		return text
	}
	if !r.Num().IsInt64() || r.Num().Int64() > math.MaxInt32 {
		return strconv.Itoa(math.MaxInt32)
	}
	return r.Num().String()
}

// stepCounter counts what a check of a foreign schema costs. Alternatives count where an
// author wrote them: the library looks at the type of each before anything can be counted.
type stepCounter struct {
	budget       *patternBudget
	alternatives bool
}

// Compile implements jsonschema.ExtCompiler.
func (s stepCounter) Compile(_ jsonschema.CompilerContext, m map[string]any) (jsonschema.ExtSchema, error) {
	if m[stepKeyword] == nil {
		return nil, nil
	}
	list, _ := m["enum"].([]any)
	cost := 1 + len(list)
	for _, name := range []string{"anyOf", "oneOf", "allOf"} {
		if list, _ := m[name].([]any); s.alternatives {
			cost += 4 * len(list) // each fails with a reason, which takes as long as some steps
		}
	}
	return step{s.budget, cost}, nil
}

type step struct {
	budget *patternBudget
	cost   int
}

// Validate implements jsonschema.ExtSchema. It ends the whole check by a panic,
// because an error would be one branch's alone.
func (s step) Validate(_ jsonschema.ValidationContext, v any) error {
	cost := s.cost
	switch v := v.(type) {
	case map[string]any:
		cost += len(v)
	case []any:
		cost += len(v)
	}
	most := checkSteps
	switch {
	case s.budget.mostSteps > 0:
		most = s.budget.mostSteps
	case s.budget.reading:
		most = readSteps
	}
	if s.budget.steps += cost; s.budget.steps > most || s.budget.spent.Load() {
		panic(errSteps)
	}
	return nil
}

// namedCompiler compiles patternProperties, whose patterns are those of ECMAScript.
type namedCompiler struct{ budget *patternBudget }

// Compile implements jsonschema.ExtCompiler.
func (c namedCompiler) Compile(ctx jsonschema.CompilerContext, m map[string]any) (jsonschema.ExtSchema, error) {
	list, ok := m[namedSchema].([]any)
	if !ok {
		return nil, nil
	}
	out := named{budget: c.budget, known: map[string]bool{}}
	properties, _ := m["properties"].(map[string]any)
	for name := range properties {
		out.known[name] = true
	}
	for i, entry := range list {
		text, _ := entry.([]any)[0].(string)
		re, err := compilePattern(text)
		if err != nil {
			return nil, err
		}
		s, err := ctx.Compile(namedSchema+"/"+strconv.Itoa(i)+"/1", false)
		if err != nil {
			return nil, err
		}
		out.patterns, out.schemas = append(out.patterns, re), append(out.schemas, s)
	}
	if _, ok := m[otherSchema]; ok {
		var err error
		if out.other, err = ctx.Compile(otherSchema, false); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// named is patternProperties with the additionalProperties beside it.
type named struct {
	budget   *patternBudget
	known    map[string]bool // of properties
	patterns []*regexp2.Regexp
	schemas  []*jsonschema.Schema
	other    *jsonschema.Schema // nil: none
}

// Validate implements jsonschema.ExtSchema.
func (n named) Validate(ctx jsonschema.ValidationContext, v any) error {
	object, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	var causes []error
	for name, value := range object {
		part := url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
		matched := n.known[name]
		for i, re := range n.patterns {
			match, err := n.budget.match(re, name)
			if err != nil {
				panic(errSteps)
			}
			if !match {
				continue
			}
			matched = true
			ctx.EvaluatedProp(name)
			if err := ctx.Validate(n.schemas[i], "patternProperties/"+strconv.Itoa(i), value, part); err != nil {
				causes = append(causes, err)
			}
		}
		if n.other == nil {
			continue
		}
		ctx.EvaluatedProp(name)
		if matched {
			continue
		}
		if err := ctx.Validate(n.other, "additionalProperties", value, part); err != nil {
			causes = append(causes, err)
		}
	}
	if causes == nil {
		return nil
	}
	return jsonschema.ValidationError{}.Group(ctx.Error("patternProperties", "members do not fit"), causes...)
}
