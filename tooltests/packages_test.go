package tooltests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// TestPackages plays the cases of every tool with packages. Packages are
// resolved when a version is accepted, so the tools go the whole way: one user
// publishes them in a registry of their own, another one adds it, pulls and
// runs them. It needs uv, the package index, and the Python that each tool
// declares.
func TestPackages(t *testing.T) {
	if os.Getenv("PATCH_GIT_NETWORK_TESTS") != "1" {
		t.Skip("tools with packages need the package index: make network")
	}
	t.Parallel()
	var versions []version
	tools := map[version]*spec.Tool{}
	for _, v := range allVersions(t) {
		data, err := os.ReadFile(v.main())
		if err != nil {
			t.Fatal(err)
		}
		doc, findings := manifest.Read(v.main(), data, manifest.Strict)
		if doc == nil {
			t.Fatalf("%s: %v", v, findings)
		}
		if len(doc.Tool.Runtime.Packages) > 0 {
			versions, tools[v] = append(versions, v), &doc.Tool
		}
	}
	if len(versions) == 0 {
		t.Fatal("no tool has packages")
	}

	folder := filepath.Join(realDir(t), "registry")
	fingerprint := publish(t, folder, versions)

	user := testHost(realDir(t), "")
	pythons := pyenv.New(user, openBox(t, user))
	client := newClient(t, user)
	if _, err := client.AddRegistry(t.Context(), folder, consume.AddOptions{Key: &fingerprint}); err != nil {
		t.Fatal(explained(err))
	}
	for _, v := range versions {
		t.Run(v.String(), func(t *testing.T) {
			in, err := pythons.Find(t.Context(), tools[v].Runtime.PythonVersion, true)
			if err != nil {
				t.Fatal(explained(err))
			}
			pulled, err := client.Pull(t.Context(), spec.Ref{Name: tools[v].Name, Version: tools[v].Version}, consume.PullOptions{})
			if err != nil {
				t.Fatal(explained(err))
			}
			if pulled.Environment == "" {
				t.Error("the pull prepared no environment")
			}
			s, err := client.Installed(t.Context(), pulled.Receipt.Ref())
			if err != nil {
				t.Fatal(explained(err))
			}
			for _, c := range casesOf(t, v.name, v.version) {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.play(t, lane{"python" + in.Minor(), client, in.Version}, s)
				})
			}
		})
	}
}

// publish makes a registry signed by a new key and publishes tools in it. It
// returns the fingerprint of the key.
func publish(t *testing.T, folder string, versions []version) spec.Digest {
	t.Helper()
	w, err := contribute.New(testHost(realDir(t), ""), "patch-git test")
	if err != nil {
		t.Fatal(err)
	}
	made, err := w.Init(t.Context(), folder, "local/tools", "")
	if err != nil {
		t.Fatal(explained(err))
	}
	for _, v := range versions {
		done, err := w.PublishFile(t.Context(), v.main(), folder, contribute.Signing{}, "maintainer", 1)
		if err != nil {
			if done != nil {
				for _, r := range done.Reports {
					t.Log(r.Findings)
				}
			}
			t.Fatalf("publishing %s: %s", v, explained(err))
		}
		if len(done.Accepted) != 1 {
			t.Fatalf("publishing %s: got %v accepted, want it alone", v, done.Accepted)
		}
	}
	return made.Trust.Digest()
}

// explained is an error with what a person can do about it.
func explained(err error) string {
	return strings.Join(append([]string{err.Error()}, fault.HintsOf(err)...), "\n  ")
}
