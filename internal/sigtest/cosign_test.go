package sigtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/sigtest"
)

// TestCosign has another program than ours read the bundles, where there is one.
func TestCosign(t *testing.T) {
	cosign, err := exec.LookPath("cosign")
	if err != nil {
		t.Skip("no cosign on the path")
	}
	s := instance(t, sigtest.Options{P384: true})
	blob, err := s.SignBlob(artifact, claims)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"artifact": artifact, "trusted_root.json": trusted(t, s), "blob.json": blob,
		"statement.json": signed(t, s, claims), "unlogged.json": signed(t, s, claims, sigtest.NoLog),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, one := range []struct {
		name, file string
		command    []string
		says       string
	}{
		{"statement", "statement.json", []string{"verify-blob-attestation", "--type", "https://example.com/acceptance/v1"}, "Verified OK"},
		{"blob", "blob.json", []string{"verify-blob"}, "Verified OK"},
		{"unlogged", "unlogged.json", []string{"verify-blob-attestation", "--type", "https://example.com/acceptance/v1"}, "failed to verify log inclusion"},
	} {
		t.Run(one.name, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), cosign, append(one.command,
				"--bundle", one.file, "--trusted-root", "trusted_root.json", "--use-signed-timestamps",
				"--certificate-identity", "https://github.com/"+claims.JobWorkflowRef, "--certificate-oidc-issuer", claims.Issuer, "artifact")...)
			c.Dir = dir
			c.Env = append(os.Environ(), "HOME="+dir) // it writes there
			if out, err := c.CombinedOutput(); !strings.Contains(string(out), one.says) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
