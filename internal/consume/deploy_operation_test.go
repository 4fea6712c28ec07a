package consume

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// TestSmokeCall: the smoke test of an MCP server is no way to have something destroyed
// that a person would be asked about.
func TestSmokeCall(t *testing.T) {
	tool := &spec.Tool{Name: "mail", Deployment: &spec.Deployment{Kind: "mcp-stdio"}, Operations: []spec.Operation{
		{Name: "wipe", Effects: spec.EffectsDestructive, Invocation: spec.Invocation{Kind: spec.InvokeMCPTool, Tool: "wipe_all"}},
		{Name: "list", Effects: spec.EffectsRead, Invocation: spec.Invocation{Kind: spec.InvokeMCPTool, Tool: "list_all"}},
	}}
	for name, asks := range map[string]bool{"wipe_all": true, "list_all": false, "unlisted": false} {
		op := smokeCall(tool, name)
		if view := View(tool, &op); view.Capabilities.HumanConfirm != asks {
			t.Errorf("%s: asks %v", name, view.Capabilities.HumanConfirm)
		}
	}
}

// TestSmokeWords: a person sees all that a smoke test says, also what it is to be told.
func TestSmokeWords(t *testing.T) {
	args := json.RawMessage(`{"all": true}`)
	for _, s := range []spec.Smoke{
		{Kind: "mcp-tool-call", Tool: "wipe", Arguments: args},
		{Kind: "action-call", Action: "wipe", Arguments: args},
		{Kind: "http", Method: "POST", URL: "https://x.example", Body: `{"all": true}`},
	} {
		if got := smokeWords(s, "in the sandbox"); !strings.Contains(got, `{"all": true}`) {
			t.Errorf("%s: %s", s.Kind, got)
		}
	}
	if got := smokeWords(spec.Smoke{Kind: "action-call", Action: "list"}, "in the sandbox"); got != "call its action list" {
		t.Errorf("%s", got)
	}
}
