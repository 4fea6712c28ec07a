package realtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
)

// opinion is what another program says of a bundle that somebody with a
// certificate for the name, of the issuer, should have signed: the error has
// its words.
type opinion func(t *testing.T, bundle []byte, san, issuer string) error

// cosign's opinion.
func (in *instance) cosign(t *testing.T) opinion {
	t.Helper()
	file := cosign.built(t)
	return func(t *testing.T, bundle []byte, san, issuer string) error {
		t.Helper()
		return in.ask(t, exec.CommandContext(t.Context(), file, "verify-blob-attestation",
			"--bundle", in.write(t, "bundle.json", bundle), "--trusted-root", filepath.Join(in.dir, "trusted_root.json"), "--use-signed-timestamps",
			"--type", ledger.PredicateAcceptance, "--certificate-identity", san, "--certificate-oidc-issuer", issuer,
			filepath.Join(in.dir, "artifact")))
	}
}

// js is the opinion of sigstore-js, or nil and why it has none.
func (in *instance) js(t *testing.T) (opinion, string) {
	t.Helper()
	dir, why := modules(t)
	if dir == "" {
		return nil, why
	}
	script, err := filepath.Abs("testdata/verify.cjs")
	if err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, bundle []byte, san, issuer string) error {
		t.Helper()
		c := exec.CommandContext(t.Context(), "node", script, filepath.Join(in.dir, "trusted_root.json"), in.write(t, "bundle.json", bundle), san, issuer)
		c.Env = []string{"NODE_PATH=" + dir}
		return in.ask(t, c)
	}, ""
}

// ask runs a program that has no way out but the proxy, which tells on it.
func (in *instance) ask(t *testing.T, c *exec.Cmd) error {
	t.Helper()
	c.Dir = in.dir
	c.Env = append(c.Env, append(in.gitHub.env(), "HOME="+in.dir, "PATH="+os.Getenv("PATH"))...)
	out, err := output(c)
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
