package sitetest

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/internal/served"
	"github.com/patch-cat/patch-git/internal/site"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/registry/registrytest"
)

// below is the path that the pages are served under: a registry on GitHub has
// that of its repository.
const below = "/acme/tools/"

// TestBrowser looks at the pages in Chromium. `make test-site` installs what it
// needs and asks for it.
func TestBrowser(t *testing.T) {
	if os.Getenv("PATCH_GIT_SITE_TESTS") != "1" {
		t.Skip("PATCH_GIT_SITE_TESTS=1 (make test-site) looks at the pages in a browser")
	}
	for name, generate := range map[string]func(*testing.T) *registrytest.Registry{
		"liked": liked, "hostile": hostile, "many": func(t *testing.T) *registrytest.Registry { return many(t, 10_000) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, generate(t), dir, name == "many")
			server := httptest.NewServer(Host(dir, below))
			t.Cleanup(server.Close)
			site, err := json.Marshal(map[string]string{"home": server.URL + below, "out": absolute(t, "testdata/artefacts"), "chromium": chromium(t)})
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "node", "--test-reporter=spec", "testdata/"+name+".test.mjs")
			cmd.Env = append(os.Environ(), "PATCH_GIT_SITE="+string(site))
			cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr // as it goes
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// write makes the folder that a host serves: the published tree, the files of the
// index that pages read, and the pages. Of a large tree, which nobody clicks
// through, the files are not written: each would wait for the disk.
func write(t *testing.T, r *registrytest.Registry, dir string, large bool) {
	t.Helper()
	root := filepath.Join(dir, ledger.Root)
	var tree registry.Store = registry.OpenDir(root)
	if large {
		tree = registry.NewMemory()
	}
	if _, err := registry.Copy(t.Context(), tree, r, nil); err != nil {
		t.Fatal(err)
	}
	// Those below search/ are wanted in the folder in any case.
	if _, err := served.Write(t.Context(), registry.OpenDir(root), r, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := site.Render(t.Context(), r, dir); err != nil {
		t.Fatal(err)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("PATCH_GIT_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); name != "" && err == nil {
			return p
		}
	}
	t.Fatal("there is no Chromium: apt-get install chromium, or PATCH_GIT_CHROMIUM=/path/to/it")
	return ""
}
