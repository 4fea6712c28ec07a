package convert

import (
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// TestServerSaid changes one point of a server that can be converted, and it still
// can: what shows in the manifest, and the loss that is told.
func TestServerSaid(t *testing.T) {
	const oci, mcpb = `"registryType": "oci", "identifier": "ghcr.io/someone/notes:1.2.0", "transport"`,
		`"registryType": "mcpb", "identifier": "https://github.com/s/n/releases/download/v1/notes.mcpb", "fileSha256": "FE333e598595000ae021bd27117db32ec69af6987f507ba7a63c90638ff633ce", "transport"`
	const pypi = `"registryType": "pypi", "identifier": "notes-mcp", "version": "1.2.0", "transport"`
	const listed = `"_meta": {"io.modelcontextprotocol.registry/publisher-provided": {"io.github.x": {"ghcr.io/x": {"tools": ["list-notes", "add_note"]}}}}, "packages"`
	const given = `"runtimeArguments": [{"type": "named", "name": "--cpus", "value": "1"},
		{"type": "named", "name": "-e", "value": "NOTES_PLACE={place}", "variables": {"place": {"description": "Where the notes are.", "isRequired": true}}},
		{"type": "named", "name": "--mount", "value": "type=bind,src={dir}", "variables": {"dir": {"isRequired": true}}}], `
	for _, c := range []struct {
		replace   []string // old and new
		has, loss string
	}{
		{nil, `"notes-mcp"`, "/name"},
		{[]string{`"stdio"}`, `"streamable-http", "url": "http://localhost:{port}/mcp", "variables": {"port": {"default": "9000"}}}`}, `"endpoint_url": "http://localhost:9000/mcp"`, "/packages/0/transport/url"},
		{[]string{`"stdio"}`, `"streamable-http"}`}, `"send_message"`, "/actions"},
		{[]string{`"stdio"}`, `"sse", "url": "http://localhost:8000/sse"}`, `"packages"`, listed}, `"tool_name": "list-notes"`, "/actions"},
		{[]string{pypi, oci}, `"image": "ghcr.io/someone/notes:1.2.0"`, "/packages/0/identifier"},
		{[]string{pypi, `"registryType": "oci", "registryBaseUrl": "https://ghcr.io", "identifier": "someone/notes", "version": "1.2.0", "transport"`}, `"image": "ghcr.io/someone/notes:1.2.0"`, "/packages/0/identifier"},
		{[]string{pypi, `"registryType": "oci", "registryBaseUrl": "https://docker.io", "identifier": "someone/notes", "version": "1.2.0", "transport"`}, `"image": "someone/notes:1.2.0"`, "/packages/0/identifier"},
		{[]string{pypi, given + oci}, `"name": "NOTES_PLACE"`, "/packages/0/runtimeArguments/1"},
		{[]string{pypi, given + oci}, `"prompt": "Where the notes are."`, "/packages/0/runtimeArguments/1"},
		{[]string{pypi, given + oci}, `"NOTES_PLACE"`, "/packages/0/runtimeArguments/2"}, // a mount of what a person says stays a loss
		{[]string{pypi, strings.Replace(given, "NOTES_PLACE", "NOTES_TOKEN", 1) + oci}, `"NOTES_TOKEN"`, "/packages/0/runtimeArguments/1"},
		{[]string{pypi, strings.Replace(given, "NOTES_PLACE", "PLACE_KEY", 1) + oci}, `"PLACE_KEY"`, "/packages/0/runtimeArguments/1/isSecret"},
		{[]string{pypi, oci, `"stdio"}`, `"streamable-http", "url": "http://localhost:8080"}`}, `"kind": "mcp-http"`, "/packages/0/transport"},
		{[]string{pypi, mcpb}, `"sha256": "fe333e598595000ae021bd27117db32ec69af6987f507ba7a63c90638ff633ce"`, "/packages/0"},
		{[]string{pypi, `"registryType": "npm", "registryBaseUrl": "https://registry.npmjs.org", "runtimeHint": "npx", "identifier": "@s/notes", "version": "1.2.0", "transport"`}, `"package": "@s/notes"`, "/packages/0/runtimeHint"},
		{[]string{`"value": "stdio"`, `"isRequired": true`}, `"notes-mcp"`, "/packages/0/packageArguments/0"},
		{[]string{`"value": "stdio"`, `"isRequired": true, "value": "{mode}", "variables": {"mode": {"isRequired": true}}`}, `"notes-mcp"`, "/packages/0/packageArguments/0"},
		{[]string{`"name": "NOTES_DIR"`, `"name": "notes_dir"`}, `"NOTES_TOKEN"`, "/packages/0/environmentVariables/1"},
		{[]string{`"default": "~"`, `"value": "Bearer {token}"`}, `It has the form Bearer {token}`, "/packages/0/environmentVariables/1/value"},
		{[]string{`"default": "~"`, `"choices": ["a.b", "c"]`}, `^(?:a\\.b|c)$`, "/packages/0/environmentVariables/1/choices"},
		{[]string{`"version": "1.2",`, `"version": "latest",`}, `"version": "0.0.0-latest"`, "/version"},
		{[]string{`"version": "1.2",`, `"version": "2025.07.09",`}, `"version": "2025.7.9"`, "/version"},
		{[]string{`"version": "1.2",`, `"version": "1.2.3.4",`}, `"version": "1.2.3-4"`, "/version"},
		{[]string{`"version": "1.2",`, `"version": "v1.0.0-RC_1.01+b",`}, `"version": "1.0.0-rc-1.1"`, "/version"},
		{[]string{`"version": "1.2",`, `"version_detail": {"version": "1.2.0"},`}, `"version": "1.2.0"`, "/name"},
		{[]string{`"version": "1.2",`, ``}, `"version": "1.2.0"`, "/tool/version"},
		{[]string{`"someone/notes-mcp"`, `"someone/a"`, `io.github.someone/notes-mcp`, `io.github.someone/a`}, `"id": "someone-a"`, "/name"},
		{[]string{`"version": "1.2",`, `"version": "1.2", "status": "deprecated", "x/y": 1,`}, `"notes-mcp"`, ""},
		{[]string{`"description": "Read and write notes."`, `"description": ""`}, `"summary": "The MCP server Notes mcp."`, "/tool/summary"},
	} {
		text := serverJSON
		for i := 0; i+1 < len(c.replace); i += 2 {
			text = strings.Replace(text, c.replace[i], c.replace[i+1], 1)
		}
		for _, form := range []string{text, `{"server": ` + text + `, "_meta": {}}`} {
			r, err := FromServer([]byte(form), Options{})
			if err != nil {
				t.Errorf("%v: %v", c.replace, err)
				continue
			}
			if !strings.Contains(string(r.Files[0].Data), c.has) {
				t.Errorf("%v: %s is not in\n%s", c.replace, c.has, r.Files[0].Data)
			}
			if !slices.ContainsFunc(r.Losses, func(l manifest.Loss) bool {
				return l.Path == c.loss || c.loss == "" && (l.Path == "/status" || form != text)
			}) {
				t.Errorf("%v: no loss of %s in %v", c.replace, c.loss, r.Losses)
			}
			doc, findings := manifest.Read("install.json", r.Files[0].Data, manifest.Lenient)
			if doc == nil || spec.Blocking(findings) {
				t.Errorf("%v: %v", c.replace, findings)
			}
		}
	}
}
