package registry

import (
	"context"
	"slices"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// describe sets the description and the summary of the latest version. Where that moved to a
// version published before (the newest was withdrawn), it is read from its
// manifest; where this program no longer reads it, the present one stays.
func describe(ctx context.Context, cur *chain, p *plan, r *ledger.Record) error {
	v := r.Described()
	if !p.fresh[r.Name][v.Version].IsZero() {
		i, _ := slices.BinarySearchFunc(p.accept, spec.Ref{Name: r.Name, Version: v.Version}, func(a accepted, ref spec.Ref) int {
			return byRef(a.ref(), ref)
		})
		tool := &p.accept[i].Release.Tool
		r.Description, r.Summary = ledger.NewDescription(tool), ledger.NewSummary(tool)
		return nil
	}
	if old := p.records[r.Name]; old != nil && old.Described().Version == v.Version {
		return nil
	}
	raw, err := exactly(ctx, cur.store, ledger.ReleasePath(r.Name, v.Version, ledger.ReleaseFileName), v.Release, limits.Document)
	if err != nil {
		return err
	}
	doc, err := ledger.ParseRelease(raw)
	if err != nil {
		return damaged(cur.store, "%w", err)
	}
	main := doc.MainFile()
	data, err := exactly(ctx, cur.store, ledger.ReleasePath(r.Name, v.Version, main.Path), main.SHA256, limits.ReleaseBytes)
	if err != nil {
		return err
	}
	if m, findings := manifest.Read(main.Path, data, manifest.Strict); m != nil && !spec.Blocking(findings) {
		r.Description, r.Summary = ledger.NewDescription(&m.Tool), ledger.NewSummary(&m.Tool)
	}
	return nil
}
