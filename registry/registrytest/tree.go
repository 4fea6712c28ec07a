package registrytest

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Name is the registry that the trees are of.
const Name spec.RegistryName = "acme/tools"

// Start is the time of the first publication; each later one is a minute on.
var Start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Registry is a registry in memory that publishes what a test gives it.
type Registry struct {
	*registry.Memory
	Doc *ledger.Registry // registry.json, with the public key

	key   *ecdsa.PrivateKey
	der   []byte
	clock time.Time
}

// New returns a registry whose first, empty state is published.
func New(tb testing.TB) *Registry {
	tb.Helper()
	raw := make([]byte, 32) // one key for all tests, so that trees are the same each time
	raw[31] = 0x5e
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
	if err != nil {
		tb.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		tb.Fatal(err)
	}
	r := &Registry{
		Memory: registry.NewMemory(), key: key, der: der, clock: Start,
		Doc: &ledger.Registry{Schema: ledger.RegistrySchema, Name: Name, Trust: ledger.Trust{Kind: ledger.TrustKey, Key: der}},
	}
	r.Seal(tb, registry.Batch{})
	return r
}

// Tree returns the files of a tree in which the releases are published, one
// after the other, by path.
func Tree(tb testing.TB, releases ...*spec.Release) map[string][]byte {
	tb.Helper()
	r := New(tb)
	for _, one := range releases {
		r.Publish(tb, one)
	}
	return r.Files()
}

// Publish seals releases in one publication.
func (r *Registry) Publish(tb testing.TB, releases ...*spec.Release) registry.Sealed {
	tb.Helper()
	var b registry.Batch
	for _, one := range releases {
		a := registry.Acceptance{Release: one, Contributor: ledger.Owner{Login: "ada", ID: 7}}
		for _, f := range one.Files {
			switch f.Path {
			case ledger.ReportFileName:
				a.Report = spec.DigestOf(f.Data)
			case ledger.ClosureFileName:
				d := spec.DigestOf(f.Data)
				a.Closure = &d
			}
		}
		b.Accept = append(b.Accept, a)
	}
	return r.Seal(tb, b)
}

// Withdraw seals one yank, unyank or revocation.
func (r *Registry) Withdraw(tb testing.TB, event ledger.Event, ref spec.Ref, reason string) registry.Sealed {
	tb.Helper()
	return r.Seal(tb, registry.Batch{Withdraw: []registry.Withdrawal{{Event: event, Name: ref.Name, Version: ref.Version, Reason: reason}}})
}

// Seal publishes any batch.
func (r *Registry) Seal(tb testing.TB, b registry.Batch) registry.Sealed {
	tb.Helper()
	r.clock = r.clock.Add(time.Minute)
	out, err := registry.Seal(context.Background(), r.Memory, b, registry.SealOptions{
		Registry: r.Doc, Signer: signer{r}, Checker: "patch-git test",
		Now: func() time.Time { return r.clock },
		// The tree is in this process's memory and nobody else's.
		CheckHead: func(_, _ []byte) error { return nil },
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

type signer struct{ r *Registry }

func (s signer) Sign(_ context.Context, st *ledger.Statement) ([]byte, error) {
	payload := ledger.Encode(st)
	sig, err := ledger.SignECDSA(s.r.key, ledger.PAE(ledger.PayloadType, payload))
	if err != nil {
		return nil, err
	}
	return ledger.Encode(ledger.NewBundle(ledger.KeyHint(s.r.der), payload, sig)), nil
}

func (s signer) SignCheckpoint(_ context.Context, name spec.RegistryName, root ledger.LogRoot) ([]byte, error) {
	return ledger.SignCheckpoint(name, root, s.r.der, func(text []byte) ([]byte, error) { return ledger.SignECDSA(s.r.key, text) })
}

// Release is a release of a one-file Patch tool with a report, and whatever
// files are added.
func Release(name, version string, more ...spec.File) *spec.Release {
	description := "Does what " + name + " says."
	tool := fmt.Sprintf(`# ---
# name: %s
# version: "%s"
# description: %s
# inputs:
#   text: {type: string, required: true, description: What to work on.}
# output: {type: object}
# capabilities: {network: false, filesystem: none, human_confirm: false}
# runtime: {language: python, python_version: "3.9", packages: []}
# ---
def run(text):
    return {"tool": "%s", "text": text}
`, name, version, description, name)
	r := &spec.Release{
		Ref: spec.Ref{Name: spec.Name(name), Version: spec.Version(version)},
		Tool: spec.Tool{
			Format: spec.FormatPatch, Name: spec.Name(name), Version: spec.Version(version), Description: description,
			Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone},
		},
		Files: append([]spec.File{
			{Path: ledger.ReportFileName, Data: fmt.Appendf(nil, "{\"report\":\"of %s %s\"}\n", name, version)},
			{Path: spec.FormatPatch.MainFile(), Data: []byte(tool)},
		}, more...),
	}
	slices.SortFunc(r.Files, func(a, b spec.File) int { return cmp.Compare(a.Path, b.Path) })
	return r
}
