// Command keyless makes what the comparison with cosign needs, in a folder: a
// registry of one tool that a workflow signed through a Sigstore of this process,
// with its trusted_root.json.
//
//	go run ./docs/bench/keyless FOLDER
//
// The Sigstore has the shape of the public one: chains on P-384, a transparency
// log of version 1, and a timestamp.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// job signs as acme's workflow.
type job struct{ *sigtest.Sigstore }

func (j job) Sign(_ context.Context, s *ledger.Statement) ([]byte, error) {
	return j.Sigstore.Sign(ledger.Encode(s), sigtest.GitHub("acme", "tools"), sigtest.OlderLog)
}

func (job) SignCheckpoint(context.Context, spec.RegistryName, ledger.LogRoot) ([]byte, error) {
	return nil, nil
}

func run(dir string) error {
	s, err := sigtest.New(sigtest.Options{P384: true})
	if err != nil {
		return err
	}
	root, err := s.TrustedRoot()
	if err != nil {
		return err
	}
	data := contribute.Template("bench_tool", "Count the words and lines of a text.")
	doc, findings := manifest.Read("tool.py", data, manifest.Strict)
	if doc == nil {
		return fmt.Errorf("template: %v", findings)
	}
	report := []byte("{}\n")
	id := ledger.GitHubIdentity("acme/tools")
	c := sigtest.GitHub("acme", "tools")
	id.RepositoryID, id.OwnerID = c.RepositoryID, c.RepositoryOwnerID
	v1 := filepath.Join(dir, "published", ledger.Root)
	if err := os.MkdirAll(v1, 0o755); err != nil {
		return err
	}
	_, err = registry.Seal(context.Background(), registry.OpenDir(v1), registry.Batch{Accept: []registry.Acceptance{{
		Contributor: ledger.Owner{Login: "ann", ID: 1}, Report: spec.DigestOf(report),
		Release: &spec.Release{
			Ref: spec.Ref{Name: doc.Tool.Name, Version: doc.Tool.Version}, Tool: doc.Tool,
			Files: []spec.File{{Path: ledger.ReportFileName, Data: report}, {Path: "tool.py", Data: data}},
		},
	}}}, registry.SealOptions{
		Registry: &ledger.Registry{Schema: ledger.RegistrySchema, Name: "acme/tools", Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: &id}},
		Signer:   job{s}, Now: time.Now, Checker: "bench", CheckHead: func([]byte, []byte) error { return nil },
	})
	if err != nil {
		return err
	}
	from := filepath.Join(v1, filepath.FromSlash(ledger.ReleaseDir(doc.Tool.Name, doc.Tool.Version)))
	for name, as := range map[string]string{"tool.py": "tool.py", ledger.EvidenceFileName: "tool.py.sigstore.json"} {
		b, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, as), b, 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "trusted_root.json"), root, 0o600)
}
