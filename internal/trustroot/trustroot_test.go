package trustroot_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/trustroot"
	"github.com/patch-cat/patch-git/spec"
)

// TestEmbedded holds the embedded documents against the digests that Sigstore's
// signed TUF targets, version 14, state for them.
func TestEmbedded(t *testing.T) {
	m := trustroot.Embedded()
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"trusted_root.json":        {m.Root, "sha256:6494e21ea73fa7ee769f85f57d5a3e6a08725eae1e38c755fc3517c9e6bc0b66"},
		"signing_config.v0.2.json": {m.Config, "sha256:9711a6d5375706957a4859af31c5866a4474f81f0544f9f4b76c9c4f4c8a539c"},
	} {
		if got := spec.DigestOf(c.data).String(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	m, err := trustroot.Load(dir)
	if err != nil || string(m.Root) != string(trustroot.Embedded().Root) || m.Fetched != "" {
		t.Fatalf("%v, fetched %q", err, m.Fetched)
	}
	for text, ok := range map[string]bool{
		`{"schema":1,"fetched_at":"2026-11-01T00:00:00Z","trusted_root":"eyJhIjoxfQ==","signing_config":"eyJiIjoyfQ=="}`: true,
		`{"schema":1,"fetched_at":"2026-11-01T00:00:00Z","trusted_root":"eyJhIjoxfQ=="}`:                                 false,
		`{"schema":2,"fetched_at":"2026-11-01T00:00:00Z","trusted_root":"eyJhIjoxfQ==","signing_config":"eyJiIjoyfQ=="}`: false,
		`{"schema":1`: false,
		``:            false,
	} {
		if err := os.WriteFile(filepath.Join(dir, "sigstore.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := trustroot.Load(dir)
		if ok != (err == nil) || ok && (string(m.Root) != `{"a":1}` || string(m.Config) != `{"b":2}` || m.Fetched == "") {
			t.Errorf("%s: %+v, %v", text, m, err)
		}
		if !ok && (fault.KindOf(err) != fault.NotVerified || m.Root != nil) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
