package manifest

import (
	"slices"
	"strconv"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// What a check may cost where an author wrote of items. Steps of half a microsecond are
// counted, so that all machines agree; the time is for one that is stuck. A list as long as
// arguments can be takes eight million against one type.
const (
	authoredSteps = 9_000_000
	authoredTime  = 30 * time.Second
)

// authored is a schema of ours, with items in it as their author wrote them or without.
func authored(text []byte, has bool) *Schema {
	return &Schema{text: text, foreign: has, authored: has}
}

// writesItems tells whether the author wrote of the items of an input.
func writesItems(t *spec.Tool) bool {
	return slices.ContainsFunc(t.Inputs, func(in spec.Input) bool { return in.Items != nil })
}

// eachSchema is items, of which the library keeps a reason for every element that does
// not fit: some hundred bytes for each of four million.
const eachSchema = "patch-git:each"

// moveItems renames items wherever a schema can stand.
func moveItems(v any) {
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	_ = eachBelow(m, func(below any) error { moveItems(below); return nil })
	if items, ok := m["items"]; ok {
		delete(m, "items")
		m[eachSchema] = items
	}
}

type eachCompiler struct{}

// Compile implements jsonschema.ExtCompiler.
func (eachCompiler) Compile(ctx jsonschema.CompilerContext, m map[string]any) (jsonschema.ExtSchema, error) {
	if _, ok := m[eachSchema]; !ok {
		return nil, nil
	}
	s, err := ctx.Compile(eachSchema, false)
	if err != nil {
		return nil, err
	}
	first, _ := m["prefixItems"].([]any)
	return each{s, len(first)}, nil
}

// each is items: a schema of all elements behind the first ones.
type each struct {
	schema *jsonschema.Schema
	first  int
}

// Validate implements jsonschema.ExtSchema. It ends when as much is wrong as is told.
func (e each) Validate(ctx jsonschema.ValidationContext, v any) error {
	list, ok := v.([]any)
	if !ok {
		return nil
	}
	var causes []error
	for i := e.first; i < len(list) && len(causes) < limits.ManifestProblems; i++ {
		if err := ctx.Validate(e.schema, "items", list[i], strconv.Itoa(i)); err != nil {
			causes = append(causes, err)
		}
	}
	if causes == nil {
		return nil
	}
	return jsonschema.ValidationError{}.Group(ctx.Error("items", "elements do not fit"), causes...)
}
