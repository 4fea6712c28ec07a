package provision

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// TestRealNPM installs a package of the real registry, or of the one that npm is
// configured with, and runs it. `make test-install` is what asks for it.
func TestRealNPM(t *testing.T) {
	if os.Getenv("PATCH_GIT_INSTALL_TESTS") == "" {
		t.Skip("PATCH_GIT_INSTALL_TESTS is not set")
	}
	box, err := sandbox.Open(t.Context(), sandbox.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	p := newProvisioner(t, &http.Client{})
	p.plain = false
	p.Host.Getenv = os.Getenv
	p.Box = func(context.Context) (Box, error) { return box, nil }
	r := Request{Tool: npmTool("semver", "7.6.0", "npx", "semver@7.6.0"), Release: release("semver")}
	got, err := p.Install(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	job, err := got.Job(got.Argv("-r", "^2", "1.2.3", "2.1.0"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := box.Run(t.Context(), job)
	if err != nil || strings.TrimSpace(string(out.Stdout)) != "2.1.0" {
		t.Errorf("%q %q %v", out.Stdout, out.Stderr, err)
	}
	if got.Files < 10 || !strings.Contains(got.Source, "semver@7.6.0 sha512-") {
		t.Errorf("%+v", got)
	}
}
