package audit_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
)

// TestSpanTellsNoInput: a trace has neither the values of inputs nor, of an operation, the
// names of them, which its schema may let a caller choose. The twins are the names of a
// tool's own inputs, and a person who asks for all of it.
func TestSpanTellsNoInput(t *testing.T) {
	rec := audit.Record{
		RunID: "20261121-120000-123456-abcdefghij", StartedAt: time.Now(), Status: audit.Succeeded,
		Inputs: json.RawMessage(`{"ann@example.com":"owes 12 euros","to":"bob@example.com"}`),
	}
	for name, tt := range map[string]struct {
		op     *audit.Operation
		inputs bool
		tells  []string
	}{
		"a tool":       {nil, false, []string{"ann@example.com", `"patch.input.to"`}},
		"an operation": {&audit.Operation{Name: "send", Kind: "http"}, false, nil},
		"all of it":    {&audit.Operation{Name: "send", Kind: "http"}, true, []string{"ann@example.com", "owes 12 euros", "bob@example.com"}},
	} {
		rec.Operation = tt.op
		line, err := json.Marshal(audit.Tracer{Key: []byte("k"), Inputs: tt.inputs}.Span(&rec))
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, word := range []string{"ann@example.com", `"patch.input.to"`, "owes 12 euros", "bob@example.com"} {
			if strings.Contains(string(line), word) {
				told = append(told, word)
			}
		}
		if strings.Join(told, " ") != strings.Join(tt.tells, " ") {
			t.Errorf("%s tells %q: %s", name, told, line)
		}
		if !tt.inputs && strings.Count(string(line), `"patch.input.`) != 2 {
			t.Errorf("%s does not tell that there were two: %s", name, line)
		}
	}
}
