package registry_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// sealKey signs as a registry with a key does. The key is fixed, so that a
// process that is started again signs the same bytes.
type sealKey struct {
	private *ecdsa.PrivateKey
	der     []byte
}

func newSealKey(tb testing.TB) sealKey {
	tb.Helper()
	d := big.NewInt(4711).FillBytes(make([]byte, 32))
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), d)
	if err != nil {
		tb.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	if err != nil {
		tb.Fatal(err)
	}
	return sealKey{private, der}
}

func (k sealKey) Sign(_ context.Context, s *ledger.Statement) ([]byte, error) {
	payload := ledger.Encode(s)
	sig, err := ledger.SignECDSA(k.private, ledger.PAE(ledger.PayloadType, payload))
	return ledger.Encode(ledger.NewBundle(ledger.KeyHint(k.der), payload, sig)), err
}

func (k sealKey) SignCheckpoint(_ context.Context, r spec.RegistryName, root ledger.LogRoot) ([]byte, error) {
	return ledger.SignCheckpoint(r, root, k.der, func(text []byte) ([]byte, error) { return ledger.SignECDSA(k.private, text) })
}

// open verifies evidence and returns what it states.
func (k sealKey) open(evidence []byte) (*ledger.Statement, error) {
	b, err := ledger.ParseBundle(evidence)
	if err != nil {
		return nil, err
	}
	if !ledger.VerifyECDSA(&k.private.PublicKey, ledger.PAE(ledger.PayloadType, b.Envelope.Payload), b.Envelope.Signatures[0].Sig) {
		return nil, fmt.Errorf("the signature does not fit")
	}
	return ledger.ParseStatement(b.Envelope.Payload)
}

const sealRegistry = spec.RegistryName("acme/tools")

// sealOptions are those of a registry whose clock stands at the given second.
func sealOptions(tb testing.TB, second int) registry.SealOptions {
	tb.Helper()
	k := newSealKey(tb)
	return registry.SealOptions{
		Registry: &ledger.Registry{
			Schema: ledger.RegistrySchema, Name: sealRegistry, Source: "https://example.com/acme/tools",
			Trust: ledger.Trust{Kind: ledger.TrustKey, Key: k.der},
		},
		Signer: k, Checker: "patch-git 0.1.0", Commit: "c0ffee",
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, second, 999, time.UTC) },
		CheckHead: func(evidence, head []byte) error {
			s, err := k.open(evidence)
			if err == nil && (s.PredicateType != ledger.PredicateHead || s.Subject[0].Name != sealRegistry.HeadSubject() ||
				s.Subject[0].Digest.SHA256 != spec.DigestOf(head)) {
				err = fmt.Errorf("the evidence is about something else")
			}
			return err
		},
	}
}

// sealTool is the source of a real tool.
func sealTool(name, version, description string) []byte {
	return fmt.Appendf(nil, `# ---
# name: %s
# version: "%s"
# description: %s
# inputs:
#   - name: text
#     type: string
#     description: The text.
#     required: true
#     tainted_ok: true
# outputs:
#   type: string
#   description: The answer.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# external_auth: []
# generated_by: hand
# generated_at: 2026-01-02T03:04:05Z
# ---
import json, sys
def main(text):
    return text
print(json.dumps(main(**json.load(sys.stdin))))
`, name, version, description)
}

// sealRelease is a release of a tool with a report and, where more is given, other files.
func sealRelease(name, version, description string, more ...spec.File) *spec.Release {
	r := &spec.Release{
		Ref: spec.Ref{Name: spec.Name(name), Version: spec.Version(version)},
		Tool: spec.Tool{
			Format: spec.FormatPatch, Name: spec.Name(name), Version: spec.Version(version), Description: description,
			Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone},
		},
		Files: append(more,
			spec.File{Path: "report.json", Data: []byte(`{"report":"of ` + name + `"}` + "\n")},
			spec.File{Path: "tool.py", Data: sealTool(name, version, description)}),
	}
	slices.SortFunc(r.Files, func(a, b spec.File) int { return strings.Compare(a.Path, b.Path) })
	return r
}

func acceptance(r *spec.Release) registry.Acceptance {
	a := registry.Acceptance{Release: r, Contributor: ledger.Owner{Login: "ada", ID: 7}, PullRequest: "https://example.com/1"}
	for _, f := range r.Files {
		switch f.Path {
		case ledger.ReportFileName:
			a.Report = spec.DigestOf(f.Data)
		case ledger.ClosureFileName:
			d := spec.DigestOf(f.Data)
			a.Closure = &d
		}
	}
	return a
}

func mustSeal(tb testing.TB, s registry.Store, b registry.Batch, o registry.SealOptions) registry.Sealed {
	tb.Helper()
	out, err := registry.Seal(context.Background(), s, b, o)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}
