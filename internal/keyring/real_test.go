package keyring

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
)

// TestReal holds the keyring of a system against what every store promises: in the lane
// that makes one (make test-keyring), and never that of whoever runs the tests.
func TestReal(t *testing.T) {
	if os.Getenv("PATCH_GIT_KEYRING_TESTS") == "" {
		t.Skip("make test-keyring")
	}
	at := func(root string) (*host.Host, *system) {
		h := &host.Host{GOOS: "linux", Paths: paths.Paths{Root: root}, Getenv: os.Getenv}
		s, err := Open(context.Background(), h)
		if err != nil || s.Kind() != KindSystem {
			t.Fatalf("the keyring that is there is not taken: %v %v", s, err)
		}
		return h, s.(*system)
	}
	root := t.TempDir()
	h, s := at(root)
	conform(t, s)

	// Another process of the same user finds what was kept; another state folder does not.
	kept := Tool{"acme/tools", "kept"}
	if err := s.Set(t.Context(), kept, "API_KEY", NewSecret(canary)); err != nil {
		t.Fatal(err)
	}
	again, err := OpenKind(h, KindSystem)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := again.Get(t.Context(), kept, "API_KEY"); err != nil || got.Reveal() != canary {
		t.Errorf("%q, %v", got.Reveal(), err)
	}
	_, other := at(t.TempDir())
	if _, err := other.Get(t.Context(), kept, "API_KEY"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("another state folder is given the value: %v", err)
	}
	for _, dir := range []string{root, os.Getenv("XDG_DATA_HOME")} {
		if hasText(t, dir, canary) {
			t.Errorf("the value lies in the open below %s", dir)
		}
	}
	if err := again.Delete(t.Context(), kept, "API_KEY"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), kept, "API_KEY"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("what was deleted: %v", err)
	}
	// One that takes too long is not waited for, and says so.
	s.within = time.Nanosecond
	if _, err := s.Get(t.Context(), kept, "API_KEY"); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a keyring that does not answer: %v", err)
	}
}

func hasText(t *testing.T, dir, text string) bool {
	t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		found = found || bytes.Contains(data, []byte(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
