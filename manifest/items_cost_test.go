package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// TestItemsCost: a file whose items have more schemas, or whose defaults cost more to
// check, than all files together ever had is refused. The twins have one thing less.
func TestItemsCost(t *testing.T) {
	file := func(items, def string) []byte {
		return with(t, "inputs: []", "inputs:\n#   - name: a\n#     type: array\n#     description: A list.\n#     required: false\n#     items: "+items+"\n#     default: "+def)
	}
	alternatives := func(n int) string {
		return "{anyOf: [" + strings.Repeat("{type: string}, ", n-1) + "{type: integer}]}"
	}
	numbers := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("1, ", n), ", ") + "]" }
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"schemas, the most":  {file(alternatives(maxItemSchemas-1), "[1]"), ""},
		"one schema more":    {file(alternatives(maxItemSchemas), "[1]"), fmt.Sprintf("more than %d schemas", maxItemSchemas)},
		"a long default":     {file(alternatives(30), numbers(300)), ""},
		"a longer one":       {file(alternatives(30), numbers(3000)), "takes too long"},
		"both at their most": {file(alternatives(600), numbers(6000)), "takes too long"},
	} {
		doc, findings := Read("tool.py", c.data, Strict)
		got := ""
		for _, f := range findings {
			if f.Severity == spec.SeverityError {
				got += f.Message + "\n"
			}
		}
		if c.want == "" && (doc == nil || got != "") || c.want != "" && !strings.Contains(got, c.want) {
			t.Errorf("%s: document %v, %q, want %q", name, doc != nil, got, c.want)
		}
	}
}

// TestArgumentsCost: a call costs no more than a bound, whatever its tool's author wrote
// of items: in steps, and in reasons that are kept. The twins cost one element less, or
// have nothing wrong.
func TestArgumentsCost(t *testing.T) {
	alternatives := `{"anyOf":[` + strings.Repeat(`{"type":"string"},`, 99) + `{"type":"integer"}]}`
	list := func(value string, n int) []byte {
		return []byte(`{"a":[` + strings.TrimSuffix(strings.Repeat(value+",", n), ",") + `]}`)
	}
	calls := func(items string) *Calls {
		return NewCalls(&spec.Tool{Name: "tool", Inputs: []spec.Input{{Name: "a", Type: spec.TypeArray, Required: true, Items: []byte(items)}}})
	}
	few := calls(alternatives)
	if err := few.schema.compile(); err != nil {
		t.Fatal(err)
	}
	few.schema.patterns.mostSteps = 10_000
	for name, c := range map[string]struct {
		calls *Calls
		raw   []byte
		want  string
	}{
		"alternatives":       {few, list("1", 30), "takes too long"},
		"fewer":              {few, list("1", 20), ""},
		"wrong elements":     {calls(`{"type":"integer"}`), list("null", 200_000), "expected integer, but got null"},
		"right ones":         {calls(`{"type":"integer"}`), list("7", 200_000), ""},
		"wrong below":        {calls(`{"type":"array","items":` + alternatives + `}`), list("[null,null]", 20_000), "fits none"},
		"right below":        {calls(`{"type":"array","items":` + alternatives + `}`), list(`["x"]`, 1_000), ""},
		"behind first ones":  {calls(`{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`), list(`["x",1,"y"]`, 1), "/0/2"},
		"none behind":        {calls(`{"type":"array","prefixItems":[{"type":"string"}],"items":false}`), list(`["x",1]`, 1), "not allowed"},
		"only the first one": {calls(`{"type":"array","prefixItems":[{"type":"string"}],"items":false}`), list(`["x"]`, 1), ""},
	} {
		_, err := c.calls.Arguments(c.raw)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(c.want, "/"))) {
			t.Errorf("%s: got %.200v, want %q", name, err, c.want)
		}
		if err != nil && strings.Count(err.Error(), "\n") > limits.ManifestProblems {
			t.Errorf("%s: %d lines", name, strings.Count(err.Error(), "\n"))
		}
	}
}
