package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/patch-cat/patch-git/spec"
)

func TestSARIF(t *testing.T) {
	file := filepath.Join(string(filepath.Separator)+"a b", "t#l.py")
	doc := sarifOf([]checked{
		{File: "dir with%", Findings: []spec.Finding{
			{ID: "PY-002", Severity: spec.SeverityError, File: "tool.py", Line: 3, Col: 7, Message: "seen\u202E\x1b", Fix: "mend"},
			{ID: "PY-002", Severity: spec.SeverityError, File: "tool.py", Line: 4, Message: "seen", Waived: spec.Waived{Reason: "Fine.", Approver: "ann", Until: "2026-12-31"}},
			{ID: "GOV-003", Severity: spec.SeverityError, File: `"..\\u{202E}"`, Message: "seen"},
			{ID: "XX-1", Severity: "", Message: "unknown to the catalogue"},
		}},
		{File: file, Untold: true, Findings: []spec.Finding{{ID: "MAN-310", Severity: spec.SeverityWarning, File: "tool.py", Message: "seen"}, {ID: "MAN-199", Severity: spec.SeverityNote, Message: "seen"}}},
		{File: "good.py", OK: true, Findings: []spec.Finding{}},
	})
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	run := doc.Runs[0]
	var uris, levels []string
	for _, r := range run.Results {
		uris, levels = append(uris, r.Locations[0].Physical.Artifact.URI), append(levels, r.Level)
		if rule := run.Tool.Driver.Rules[r.RuleIndex].ID; rule != r.RuleID {
			t.Errorf("the rule of %s is %s", r.RuleID, rule)
		}
	}
	if got, want := strings.Join(uris, " "), "dir%20with%25/tool.py dir%20with%25/tool.py dir%20with%25 dir%20with%25 file:///a%20b/t%23l.py file:///a%20b/t%23l.py"; got != want {
		t.Errorf("addresses are %s, want %s", got, want)
	}
	if got, want := strings.Join(levels, " "), "error error error error warning note"; got != want {
		t.Errorf("levels are %s, want %s", got, want)
	}
	if r := run.Results[0]; r.Message.Text != `seen\u{202E}\u{1B}; fix: mend` || *r.Locations[0].Physical.Region != (sarifRegion{3, 7}) || len(r.Suppressions) > 0 {
		t.Errorf("the first result is %+v", r)
	}
	if s := run.Results[1].Suppressions; len(s) != 1 || s[0] != (sarifSuppression{"external", "accepted", "Fine. (ann, until 2026-12-31)"}) {
		t.Errorf("what is waived is suppressed by %+v", s)
	}
	if run.Invocations[0].Successful {
		t.Error("a check that could not tell was successful")
	}
	schema := sarifSchema(t)
	if err := valid(t, schema, data); err != nil {
		t.Errorf("the schema refuses it: %v", err)
	}
	// The twin: a schema that takes anything would take this too.
	if valid(t, schema, []byte(strings.Replace(string(data), `"level":"error"`, `"level":"fatal"`, 1))) == nil {
		t.Error("a level that there is not is valid")
	}
}

// sarifSchema is that of OASIS. It comes with the source of one of the linters,
// which `make test-sarif` fetches.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "-modfile=../../lint.mod", "-f", "{{.Dir}}", "github.com/securego/gosec/v2")
	cmd.Env = append(os.Environ(), "GOPROXY=off")
	out, err := cmd.Output()
	file := filepath.Join(strings.TrimSpace(string(out)), "report", "sarif", "testdata", "sarif-schema-2.1.0.json")
	data, readErr := os.ReadFile(file)
	if err != nil || readErr != nil {
		if os.Getenv("PATCH_GIT_SARIF_TESTS") != "" {
			t.Fatal(err, readErr)
		}
		t.Skip("the schema of SARIF is not here; make test-sarif fetches it")
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sarif.json", bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func valid(t *testing.T, schema *jsonschema.Schema, data []byte) error {
	t.Helper()
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return schema.Validate(doc)
}
