package convert

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/manifest"
)

const serverJSON = `{
  "name": "io.github.someone/notes-mcp",
  "description": "Read and write notes.",
  "version": "1.2",
  "packages": [{
    "registryType": "pypi", "identifier": "notes-mcp", "version": "1.2.0", "transport": {"type": "stdio"},
    "packageArguments": [{"type": "named", "name": "--mode", "value": "stdio"}],
    "environmentVariables": [{"name": "NOTES_TOKEN", "description": "A token."}, {"name": "NOTES_DIR", "isRequired": true, "default": "~"}]
  }]
}`

func TestServer(t *testing.T) {
	r, err := FromServer([]byte(serverJSON), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Tool    struct{ ID, Version, Homepage string }
		Runtime struct {
			Kind       string
			Install    map[string]string
			Entrypoint struct{ Command []string }
		}
		Env []struct {
			Name             string
			Secret, Required bool
			Default          string
		}
	}
	if err := json.Unmarshal(r.Files[0].Data, &m); err != nil {
		t.Fatal(err)
	}
	if m.Tool.ID != "notes-mcp" || m.Tool.Version != "1.2.0" || m.Tool.Homepage != "https://github.com/someone" ||
		m.Runtime.Kind != "mcp-stdio" || m.Runtime.Install["version_spec"] != "==1.2.0" ||
		!slices.Equal(m.Runtime.Entrypoint.Command, []string{"notes-mcp", "--mode", "stdio"}) {
		t.Errorf("%+v", m)
	}
	if !m.Env[0].Secret || m.Env[0].Required || m.Env[1].Secret || !m.Env[1].Required || m.Env[1].Default != "~" {
		t.Errorf("%+v", m.Env)
	}
	for _, path := range []string{"/name", "/version", "/smoke", "/kill_switch", "/scopes", "/packages/0/environmentVariables/0/isSecret"} {
		if !slices.ContainsFunc(r.Losses, func(l manifest.Loss) bool { return l.Path == path }) {
			t.Errorf("the loss of %s is not told: %v", path, r.Losses)
		}
	}
}

// TestServerImpossible changes one point of a server that can be converted.
func TestServerImpossible(t *testing.T) {
	for _, c := range []struct{ old, new, say string }{
		{`"stdio"}`, `"sse", "url": "http://localhost:8000/sse"}`, "C-24"},
		{`"registryType": "pypi"`, `"registryType": "pypi", "registryBaseUrl": "https://packages.example"`, "cannot name an index"},
		{`"name": "io.github.someone/notes-mcp",`, ``, "no name"},
		{`"pypi"`, `"nuget"`, "no method"},
		{`"packages": [{`, `"remotes": [{"type":"sse","url":"https://x.example"}], "packages_": [{`, "C-23"},
		{`"version": "1.2",`, `"version": "1.2", "version": "1.3",`, "twice"},
	} {
		text := strings.Replace(serverJSON, c.old, c.new, 1)
		if text == serverJSON {
			t.Fatalf("%q is not there", c.old)
		}
		r, err := FromServer([]byte(text), Options{})
		if err == nil || !strings.Contains(err.Error(), c.say) || fault.KindOf(err) == fault.Internal {
			t.Errorf("%s: %v, %v", c.new, r, err)
		}
	}
}

func TestServerOlderSpelling(t *testing.T) {
	old := strings.NewReplacer(`"registryType"`, `"registry_type"`, `"packageArguments"`, `"package_arguments"`,
		`"environmentVariables"`, `"environment_variables"`, `"isRequired"`, `"is_required"`).Replace(serverJSON)
	a, err := FromServer([]byte(serverJSON), Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := FromServer([]byte(old), Options{})
	if err != nil || string(a.Files[0].Data) != string(b.Files[0].Data) {
		t.Errorf("%v\n%s", err, b.Files[0].Data)
	}
}

func FuzzServer(f *testing.F) {
	f.Add([]byte(serverJSON))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := FromServer(data, Options{AllowLoss: true})
		if err == nil && (len(r.Files) != 1 || !json.Valid(r.Files[0].Data)) {
			t.Fatalf("%q made %q", data, r.Files)
		}
	})
}
