package contribute

import (
	"context"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/inspect"
	"github.com/patch-cat/patch-git/internal/served"
	"github.com/patch-cat/patch-git/internal/site"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
)

// Site is what was written for a static host to serve.
type Site struct {
	Dir     string      `json:"dir"`
	Files   int64       `json:"files"` // of the published tree that changed
	Bytes   int64       `json:"bytes"`
	Patches int         `json:"patches"` // from earlier lists of tools to this one
	Index   bool        `json:"index"`   // whether there is a search index
	Pages   site.Result `json:"pages"`
	Audited int64       `json:"audited"` // releases
}

// site writes the folder that a static host serves: the published tree with
// what the branch leaves out, and the pages. All of the tree is read for it,
// and audited as log verify does: of a branch that somebody damaged nothing is
// served, and what was served before stays.
func (w *Workshop) site(ctx context.Context, b *bench, dir string) (*Site, error) {
	dir = w.absolute(dir)
	if b.branch != nil {
		w.progress("fetching the whole tree", 0, 0)
		if err := b.branch.LoadAll(ctx); err != nil {
			return nil, err
		}
	}
	policy := b.signer.policy
	report, err := inspect.Tree(ctx, b.store(), policy, inspect.Options{Progress: w.progress})
	if err != nil {
		return nil, err
	}
	if err := report.Err(); err != nil {
		for _, p := range append(report.Problems, report.Unread...) {
			w.warn(p.Path + ": " + p.Message)
		}
		return nil, err
	}
	w.progress("making the files of the search", 0, 0)
	to := registry.OpenDir(filepath.Join(dir, ledger.Root))
	beside, err := served.Write(ctx, to, b.store(), w.past(ctx, b))
	if err != nil {
		return nil, err
	}
	copied, err := registry.Copy(ctx, to, b.store(), func(done, total int) {
		w.progress("writing the tree", int64(done), int64(total))
	})
	if err != nil {
		return nil, err
	}
	if err := beside.Sweep(ctx); err != nil {
		return nil, err
	}
	pages, err := site.Render(ctx, b.store(), dir) // where all of it is in memory
	if err != nil {
		return nil, err
	}
	return &Site{
		Dir: dir, Files: copied.Files + beside.Written, Bytes: copied.Bytes + beside.Bytes, Patches: beside.Patches, Index: beside.Index,
		Pages: pages, Audited: report.Counts.Releases,
	}, nil
}
