package realtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
)

// attestation is a bundle with the file that it should be about.
type attestation struct {
	bundle        []byte
	file          string
	predicateType string
}

// attestation is what a bundle of sign should be.
func (in *instance) attestation(bundle []byte) attestation {
	return attestation{bundle, in.path("artifact"), ledger.PredicateAcceptance}
}

// altered has another statement in the place of the one that was signed.
func (a attestation) altered(t *testing.T) attestation {
	t.Helper()
	var b, envelope map[string]json.RawMessage
	if err := json.Unmarshal(a.bundle, &b); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b["dsseEnvelope"], &envelope); err != nil {
		t.Fatal(err)
	}
	var err1, err2, err3 error
	envelope["payload"], err1 = json.Marshal(ledger.Encode(statement(2)))
	b["dsseEnvelope"], err2 = json.Marshal(envelope)
	a.bundle, err3 = json.Marshal(b)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	return a
}

// opinion is what another program says of what somebody with a certificate for
// the name, of the issuer, should have signed: the error has its words.
type opinion func(t *testing.T, a attestation, san, issuer string) error

// cosign's opinion.
func (in *instance) cosign(t *testing.T) opinion {
	t.Helper()
	file := cosign.built(t)
	return func(t *testing.T, a attestation, san, issuer string) error {
		t.Helper()
		return in.ask(t, exec.CommandContext(t.Context(), file, "verify-blob-attestation",
			"--bundle", in.write(t, "bundle.json", a.bundle), "--trusted-root", in.path(trustedRoot), "--use-signed-timestamps",
			"--type", a.predicateType, "--certificate-identity", san, "--certificate-oidc-issuer", issuer, a.file))
	}
}

// js is the opinion of sigstore-js, or nil and why it has none. It reads no
// file but the bundle.
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
	return func(t *testing.T, a attestation, san, issuer string) error {
		t.Helper()
		c := exec.CommandContext(t.Context(), "node", script, in.path(trustedRoot), in.write(t, "bundle.json", a.bundle), san, issuer)
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
