package mcptest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const everything = `{"schema":1,"mcp":{"expose":"all","elicitation":"on"}}`

// TestTypeScript plays a host of the TypeScript SDK: both of its versions, in both
// eras of the protocol, over stdio.
func TestTypeScript(t *testing.T) {
	theirs(t)
	s := newScene(t, everything)
	out, talk, code := s.node("client.mjs", s.program, s.state)
	if code != 0 {
		t.Fatalf("exit %d\n%s\n%s", code, out, talk)
	}
	t.Log(out)
}

// TestInspector: the protocol's inspector finds nothing in our schemas that some
// host would not take, and its load test no call that fails.
func TestInspector(t *testing.T) {
	theirs(t)
	s := newScene(t, everything)
	config := write1(t, map[string]any{"mcpServers": map[string]any{"patch": map[string]any{
		"command": s.program, "args": []string{"mcp"}, "env": map[string]string{"PATCH_GIT_HOME": s.state},
	}}})
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			inspect := func(into any, want int, args ...string) {
				t.Helper()
				args = append([]string{"--cli", "--config", config, "--server", "patch", "--protocol-era", era, "--format", "json"}, args...)
				out, talk, code := s.node("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", args...)
				if code != want {
					t.Fatalf("%q: exit %d, want %d\n%s\n%s", args, code, want, out, talk)
				}
				if err := json.Unmarshal([]byte(out), into); into != nil && err != nil {
					t.Fatalf("%q: %v\n%s", args, err, out)
				}
			}
			var list struct {
				Result struct{ Tools []Tool } `json:"result"`
			}
			inspect(&list, 0, "--method", "tools/list", "--strict")
			if !slices.ContainsFunc(list.Result.Tools, func(t Tool) bool { return t.Name == "echo_text" }) {
				t.Errorf("listed are %v", list.Result.Tools)
			}
			var call struct {
				Result Result `json:"result"`
			}
			inspect(&call, 0, "--method", "tools/call", "--tool-name", "echo_text", "--tool-arg", "text=hello")
			if string(call.Result.Structured) == "" || !strings.Contains(call.Result.Text(), "hello") {
				t.Errorf("called: %+v", call)
			}
			const toolSaysNo = 5
			inspect(nil, toolSaysNo, "--method", "tools/call", "--tool-name", "test_error_handling")
			var load struct {
				Result struct {
					Requests, OK, Errors, ToolErrors int
					LatencyMS                        struct{ P50, P99 float64 }
				} `json:"result"`
			}
			inspect(&load, 0, "--method", "tools/call", "--tool-name", "echo_text", "--tool-arg", "text=hello", "--load", "--load-requests", "100", "--load-concurrency", "4")
			if r := load.Result; r.Requests != 100 || r.OK != 100 || r.Errors+r.ToolErrors != 0 {
				t.Errorf("load: %+v", r)
			}
			t.Logf("load: %+v", load.Result)
		})
	}
}

// TestElicitation: a host that asks its user passes on the answer, in both eras, by
// the inspector's client with a daemon. Where the host cannot ask, or the user's
// configuration does not believe it, the call stays held.
func TestElicitation(t *testing.T) {
	theirs(t)
	s := newScene(t, everything)
	config := write1(t, map[string]any{"mcpServers": map[string]any{"patch": map[string]any{
		"command": s.program, "args": []string{"mcp"}, "env": map[string]string{"PATCH_GIT_HOME": s.state},
	}}})
	mcpdo := func(args ...string) (string, int) {
		t.Helper()
		args = append([]string{"--plain", "--format", "json", "--config", config}, args...)
		out, talk, code := s.node("node_modules/@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js", args...)
		t.Logf("%q: exit %d\n%s%s", args[5:], code, out, talk)
		return out, code
	}
	defer func() { _, _ = mcpdo("daemon", "stop") }()
	ask := func(text string) (pending string, r Result) {
		t.Helper()
		out, _ := mcpdo("--connection", "patch", "tools/call", "send_note", "to:=\"ann@example.org\"", "text:="+text)
		var a struct {
			Pending struct {
				ID      string `json:"elicitationId"`
				Message string `json:"message"`
			} `json:"elicitationPending"`
			Result
		}
		if err := json.Unmarshal([]byte(out), &a); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if a.Pending.ID != "" && !strings.Contains(a.Pending.Message, `to = "ann@example.org"`) {
			t.Errorf("the person reads %q", a.Pending.Message)
		}
		return a.Pending.ID, a.Result
	}
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			if _, code := mcpdo("connect", "patch", "--era", era, "--elicit", "form"); code != 0 {
				t.Fatal("no connection")
			}
			id, _ := ask("yes-" + era)
			if id == "" {
				t.Fatal("nobody was asked")
			}
			out, code := mcpdo("--connection", "patch", "elicitation/respond", id, "approve:=true")
			if code != 0 || !strings.Contains(out, `"sent": "yes-`+era) {
				t.Errorf("approved: %d %s", code, out)
			}
			// The twins: a no, a yes that does not say so, and no answer.
			for _, twin := range []struct{ name, answer, want string }{
				{"no", "--decline", "approval_declined"}, {"cancelled", "--cancel", "confirmation_required"}, {"false", "approve:=false", "approval_declined"},
			} {
				id, _ := ask(twin.name + "-" + era)
				if id == "" {
					t.Fatal("nobody was asked")
				}
				if out, _ := mcpdo("--connection", "patch", "elicitation/respond", id, twin.answer); strings.Contains(out, `"sent"`) || !strings.Contains(out, twin.want) {
					t.Errorf("%s: %s", twin.name, out)
				}
			}
			if _, code := mcpdo("connect", "patch", "--era", era, "--elicit", "off"); code != 0 {
				t.Fatal("no connection")
			}
			if id, r := ask("alone-" + era); id != "" || !r.IsError || !strings.Contains(r.Text(), "confirmation_required") {
				t.Errorf("a host that cannot ask: %q, %+v", id, r)
			}
		})
	}
	s.configure(`{"schema":1,"mcp":{"expose":"all","elicitation":"off"}}`)
	if _, code := mcpdo("connect", "patch", "--era", "modern", "--elicit", "form"); code != 0 {
		t.Fatal("no connection")
	}
	if id, r := ask("disbelieved"); id != "" || !r.IsError || !strings.Contains(r.Text(), "confirmation_required") {
		t.Errorf("a host that is not believed: %q, %+v", id, r)
	}
}

// write1 writes a document of one test.
func write1(t *testing.T, v any) string {
	t.Helper()
	path := t.TempDir() + "/config.json"
	if err := writeJSON(path, v); err != nil {
		t.Fatal(err)
	}
	return path
}
