package tooltests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// TestInstalledPackages takes every install manifest of a Python package the whole way,
// with the package index: published with the list of its packages, pulled by another
// user, installed, tried by its smoke test; one of them is called.
func TestInstalledPackages(t *testing.T) {
	if os.Getenv("PATCH_GIT_NETWORK_TESTS") != "1" {
		t.Skip("tools with packages need the package index: make network")
	}
	t.Parallel()
	var versions []version
	for _, v := range versionDirs(t) {
		v.format = spec.FormatInstall
		data, err := os.ReadFile(v.main())
		if err != nil {
			continue // of another format
		}
		doc, _ := manifest.Read(v.main(), data, manifest.Strict)
		if doc != nil && doc.Tool.Deployment != nil && doc.Tool.Deployment.Install.Method == "pip" {
			versions = append(versions, v)
		}
	}
	if len(versions) == 0 {
		t.Fatal("no install manifest names a Python package")
	}
	folder := filepath.Join(realDir(t), "registry")
	fingerprint := publish(t, folder, versions)
	client := newClient(t, testHost(realDir(t), ""))
	if _, err := client.AddRegistry(t.Context(), folder, consume.AddOptions{Key: &fingerprint}); err != nil {
		t.Fatal(explained(err))
	}
	for _, v := range versions {
		ref := spec.Ref{Name: spec.Name(v.name), Version: spec.Version(v.version)}
		if _, err := client.Pull(t.Context(), ref, consume.PullOptions{Agree: true}); err != nil { // a smoke test that fails is an error
			t.Errorf("%s: %s", v, explained(err))
		}
	}
	notes := filepath.Join(realDir(t), "notes.md")
	if err := os.WriteFile(notes, []byte("# Hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := client.Subject(t.Context(), spec.Ref{Name: "markdown_html"}, "render")
	if err != nil {
		t.Fatal(explained(err))
	}
	arguments, err := json.Marshal(map[string]string{"path": notes})
	if err != nil {
		t.Fatal(err)
	}
	ran, err := client.Run(t.Context(), s, arguments, consume.RunOptions{Read: []string{notes}, Agree: true, HostApp: "test"})
	if err != nil {
		t.Fatal(explained(err))
	}
	if !strings.Contains(string(ran.Result), "Hello") || !strings.Contains(string(ran.Result), "h1") {
		t.Errorf("it answered %s", ran.Result)
	}
}
