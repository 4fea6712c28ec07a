package verify_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// tree is a published tree in memory with the key that signed it.
type tree struct {
	t      testing.TB
	key    *signing.Key
	store  *registry.Memory
	doc    *ledger.Registry
	clock  time.Time
	policy verify.Policy
}

func newTree(tb testing.TB, name spec.RegistryName) *tree {
	tb.Helper()
	key, err := signing.NewKey()
	if err != nil {
		tb.Fatal(err)
	}
	tr := &tree{t: tb, key: key, store: registry.NewMemory(), clock: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	tr.doc = &ledger.Registry{Schema: ledger.RegistrySchema, Name: name, Trust: key.Trust()}
	tr.policy = verify.Policy{Registry: name, Trust: key.Trust()}
	tr.seal(registry.Batch{})
	return tr
}

func (tr *tree) seal(b registry.Batch) registry.Sealed {
	tr.t.Helper()
	tr.clock = tr.clock.Add(time.Minute)
	s, err := registry.Seal(context.Background(), tr.store, b, registry.SealOptions{
		Registry: tr.doc, Signer: tr.key, Now: func() time.Time { return tr.clock }, Checker: "patch-git test",
		CheckHead: func(evidence, head []byte) error {
			_, err := tr.policy.HeadOnly(evidence, head)
			return err
		},
	})
	if err != nil {
		tr.t.Fatal(err)
	}
	return s
}

// source is a valid Patch file; change edits its manifest.
func source(name spec.Name, version spec.Version, change func(*spec.Tool)) []byte {
	tool := &spec.Tool{
		Format: spec.FormatPatch, Name: name, Version: version, Description: "Returns the text that it is given.",
		Inputs:       []spec.Input{{Name: "text", Type: spec.TypeString, Description: "The text.", Required: true}},
		Output:       spec.Output{Type: spec.TypeString},
		Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone},
		Runtime:      spec.Runtime{Language: "python", PythonVersion: "3.9", Packages: []string{}},
	}
	if change != nil {
		change(tool)
	}
	return append(manifest.Print(tool), "\n\ndef main(text):\n    return text\n"...)
}

func release(tb testing.TB, name spec.Name, version spec.Version, change func(*spec.Tool)) *spec.Release {
	tb.Helper()
	data := source(name, version, change)
	doc, findings := manifest.Read("tool.py", data, manifest.Strict)
	if doc == nil || spec.Blocking(findings) {
		tb.Fatalf("the fixture is not valid: %v", findings)
	}
	return &spec.Release{Ref: spec.Ref{Name: name, Version: version}, Tool: doc.Tool, Files: []spec.File{
		{Path: "report.json", Data: fmt.Appendf(nil, "{\"of\":%q}\n", string(name)+string(version))}, {Path: "tool.py", Data: data},
	}}
}

func (tr *tree) publish(name spec.Name, version spec.Version) {
	tr.t.Helper()
	tr.accept(release(tr.t, name, version, nil))
}

func (tr *tree) accept(r *spec.Release) {
	tr.t.Helper()
	tr.seal(registry.Batch{Accept: []registry.Acceptance{{
		Release: r, Contributor: ledger.Owner{Login: "ann", ID: 7}, Report: spec.DigestOf(r.Files[0].Data),
	}}})
}

func (tr *tree) fetch(ref string) spec.Candidate {
	tr.t.Helper()
	r, err := spec.ParseRef(ref)
	if err != nil {
		tr.t.Fatal(err)
	}
	c, err := registry.Fetch(context.Background(), tr.store, r)
	if err != nil {
		tr.t.Fatal(err)
	}
	return c
}

func (tr *tree) head() verify.Head {
	tr.t.Helper()
	chain, err := registry.FetchHead(context.Background(), tr.store)
	if err != nil {
		tr.t.Fatal(err)
	}
	h, err := tr.policy.Head(chain)
	if err != nil {
		tr.t.Fatal(err)
	}
	return h
}

// check goes through all stages, as a client does.
func check(p verify.Policy, c spec.Candidate) (verify.Verified, error) {
	h, err := p.Head(c.Chain)
	if err != nil {
		return verify.Verified{}, err
	}
	r, err := h.Record(c.Chain, c.Ref.Name)
	if err != nil {
		return verify.Verified{}, err
	}
	return r.Release(c)
}
