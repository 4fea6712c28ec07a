package manifest

import (
	"fmt"
	"strings"
	"testing"

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
