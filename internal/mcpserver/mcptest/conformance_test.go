package mcptest

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConformance holds the server, over HTTP, against what two revisions of the
// protocol require by the protocol's own suite. The tools that it calls are ordinary
// ones, installed from a registry and run in the sandbox. What it asks of a server
// that this one does not offer stands, with the reason, in testdata/expected-*.yml; a
// line there that is not true any more fails too.
func TestConformance(t *testing.T) {
	theirs(t)
	s := newScene(t, everything)
	for _, revision := range []string{Legacy, Modern} {
		t.Run(revision, func(t *testing.T) {
			s.t = t
			open := s.http()
			warmUp(t, open)
			results := t.TempDir()
			out, talk, code := s.node("node_modules/@modelcontextprotocol/conformance/dist/index.js", "server",
				"--url", open, "--requirements", revision, "--expected-failures", absolute(t, "testdata/expected-"+revision+".yml"), "-o", results)
			if dir := os.Getenv("PATCH_GIT_MCP_RESULTS"); dir != "" {
				if err := os.CopyFS(filepath.Join(dir, revision), os.DirFS(results)); err != nil {
					t.Error(err)
				}
			}
			if code != 0 {
				t.Fatalf("exit %d\n%s\n%s", code, out, talk)
			}
			t.Log(out)
		})
	}
}

// warmUp calls the one tool to which the suite gives half a second, which on a busy
// machine is short for the first sandbox of a server.
func warmUp(t *testing.T, at string) {
	t.Helper()
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_logging_tool","arguments":{},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"` + Modern + `","io.modelcontextprotocol/clientInfo":{"name":"mcptest","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(call))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": Modern, "Mcp-Method": "tools/call", "Mcp-Name": "test_logging_tool",
	} {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if body, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(body), "done") {
		t.Fatalf("%s: %s, %v", answer.Status, body, err)
	}
}
