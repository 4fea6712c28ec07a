package mcptest

import (
	"os"
	"path/filepath"
	"testing"
)

// TestConformance holds the server, over HTTP, against what two revisions of the
// protocol require by the protocol's own suite. The tools that it calls are ordinary
// ones, installed from a registry and run in the sandbox. What it asks of a server
// that this one does not offer stands, with the reason, in testdata/expected-*.yml; a
// line there that is not true any more fails too.
func TestConformance(t *testing.T) {
	theirs(t)
	s := newScene(t, `{"schema":1,"mcp":{"expose":"all","elicitation":"on"}}`)
	for _, revision := range []string{Legacy, Modern} {
		t.Run(revision, func(t *testing.T) {
			s.t = t
			open, _, _ := s.http()
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
