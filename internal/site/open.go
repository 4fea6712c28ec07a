package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// tool is what the pages of one show.
type tool struct {
	record   *ledger.Record
	versions []*version // lowest first
	shown    *version   // the one that the record describes: the latest, else the highest
	latest   bool       // it is the latest
}

// version is one version of a tool.
type version struct {
	*ledger.RecordVersion

	files    []ledger.ReleaseFile
	main     string         // the name of the main file
	source   string         // its text
	card     *spec.Tool     // its manifest; nil where this program does not read it
	findings []spec.Finding // that the registry let pass
	accepted *ledger.Acceptance
}

// read is for a document of the tree.
func read[T any](ctx context.Context, src registry.Source, path string, parse func([]byte) (*T, error)) (*T, error) {
	data, err := src.Read(ctx, path, limits.Document)
	if err != nil {
		return nil, err
	}
	doc, err := parse(data)
	if err != nil {
		return nil, fault.New(fault.NotVerified, "document", "%s: %w", path, err)
	}
	return doc, nil
}

// open reads all that the pages of one tool need.
func open(ctx context.Context, src registry.Source, n spec.Name) (*tool, error) {
	r, err := read(ctx, src, ledger.RecordPath(n), func(data []byte) (*ledger.Record, error) {
		r, err := ledger.ParseRecord(data, n)
		if err == nil && len(r.Versions) == 0 {
			err = fmt.Errorf("record of %q has no version", n)
		}
		return r, err
	})
	if err != nil {
		return nil, err
	}
	t := &tool{record: r}
	for i := range r.Versions {
		v, err := openVersion(ctx, src, n, &r.Versions[i])
		if err != nil {
			return nil, err
		}
		t.versions = append(t.versions, v)
		if v.RecordVersion == r.Described() {
			t.shown, t.latest = v, r.Latest() != nil
		}
	}
	return t, nil
}

func openVersion(ctx context.Context, src registry.Source, n spec.Name, rv *ledger.RecordVersion) (*version, error) {
	v := &version{RecordVersion: rv}
	at := func(file string) string { return ledger.ReleasePath(n, rv.Version, file) }
	doc, err := read(ctx, src, at(ledger.ReleaseFileName), ledger.ParseRelease)
	if err != nil {
		return nil, err
	}
	v.files, v.main = doc.Files, doc.Format.MainFile()
	data, err := src.Read(ctx, at(v.main), limits.ToolFile)
	if err != nil {
		return nil, err
	}
	v.source = string(data)
	if m, findings := manifest.Read(v.main, data, manifest.Strict); m != nil && !spec.Blocking(findings) {
		v.card = &m.Tool
	}
	// What is said beyond the record is shown where it can be read: whether it
	// must be there is for who verifies.
	if data, err = optional(ctx, src, at(ledger.ReportFileName), limits.Document); err != nil {
		return nil, err
	}
	v.findings = waived(data)
	if data, err = optional(ctx, src, at(ledger.EvidenceFileName), limits.Bundle); err != nil {
		return nil, err
	}
	v.accepted = acceptance(data)
	return v, nil
}

// optional reads a file; nil where there is none.
func optional(ctx context.Context, src registry.Source, path string, most int64) ([]byte, error) {
	data, err := src.Read(ctx, path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// waived are the findings of a report.json that somebody let pass.
func waived(report []byte) []spec.Finding {
	var doc struct {
		Findings []spec.Finding `json:"findings"`
	}
	if json.Unmarshal(report, &doc) != nil {
		return nil
	}
	var out []spec.Finding
	for _, f := range doc.Findings {
		if f.Waived != (spec.Waived{}) && len(out) < maxRows {
			out = append(out, f)
		}
	}
	return out
}

// acceptance is the statement in a bundle, of either kind of trust; nil where
// there is none. Nothing is verified.
func acceptance(bundle []byte) *ledger.Acceptance {
	var doc struct {
		Envelope struct {
			Payload []byte `json:"payload"`
		} `json:"dsseEnvelope"`
	}
	if json.Unmarshal(bundle, &doc) != nil {
		return nil
	}
	s, err := ledger.ParseStatement(doc.Envelope.Payload)
	if err != nil || s.PredicateType != ledger.PredicateAcceptance {
		return nil
	}
	a, err := ledger.ParseAcceptance(s)
	if err != nil {
		return nil
	}
	return a
}
