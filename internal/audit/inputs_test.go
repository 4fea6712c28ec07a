package audit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/audit"
)

// TestInputsTwice: inputs that Finish has again are those that Begin struck; others are
// struck anew, were they the same text changed in its place.
func TestInputsTwice(t *testing.T) {
	j, _ := journal(t)
	const secret = "hunter22"
	for name, c := range map[string]struct {
		begin, finish string
		struck        bool
	}{
		"the same":      {`{"a":"hunter22","b":"kept"}`, `{"a":"hunter22","b":"kept"}`, true},
		"without":       {`{"a":"harmless","b":"kept"}`, `{"a":"harmless","b":"kept"}`, false},
		"now with one":  {`{"a":"harmless","b":"kept"}`, `{"a":"hunter22","b":"kept"}`, true},
		"without again": {`{"a":"hunter22","b":"kept"}`, `{"a":"harmless","b":"kept"}`, false},
		"longer":        {`{"a":"harmless"}`, `{"a":"harmless","b":"hunter22"}`, true},
	} {
		rec := sample()
		rec.Inputs = json.RawMessage(c.begin)
		run, err := j.Begin(t.Context(), rec, secret)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.begin) == len(c.finish) {
			copy(rec.Inputs, c.finish)
		} else {
			rec.Inputs = json.RawMessage(c.finish)
		}
		rec.Status, rec.Output = audit.Succeeded, json.RawMessage(`1`)
		if err := run.Finish(rec, nil, nil); err != nil {
			t.Fatal(name, err)
		}
		got := get(t, j, run.ID())
		if !c.struck {
			if string(got.Inputs) != c.finish || got.InputsRedacted {
				t.Errorf("%s: %s", name, got.Inputs)
			}
		} else if strings.Contains(string(got.Inputs), secret) || !marks.MatchString(string(got.Inputs)) || !got.InputsRedacted || !got.Redacted {
			t.Errorf("%s: %s", name, got.Inputs)
		}
	}
}
