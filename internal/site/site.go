package site

import (
	"context"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Result counts what was done.
type Result struct {
	Pages   int `json:"pages"`
	Written int `json:"written"` // of the pages and what is beside them
	Removed int `json:"removed"`
}

// Render writes the pages of the tree that src has into dir. src was verified
// before: a page repeats what it says. It reads the records and, of each tool,
// the manifest of its latest version.
//
// Only pages of this program's own are replaced or removed, and no link is
// followed: a file at their place that somebody else wrote is Usage "foreign".
func Render(ctx context.Context, src registry.Source, dir string) (Result, error) {
	w, err := newWriter(dir)
	if err != nil {
		return Result{}, err
	}
	defer w.close()
	doc, err := read(ctx, src, ledger.RegistryPath, ledger.ParseRegistry)
	if err != nil {
		return Result{}, err
	}
	head, err := read(ctx, src, ledger.HeadPath, ledger.ParseHead)
	if err != nil {
		return Result{}, err
	}
	names, err := registry.Names(ctx, src)
	if err != nil {
		return Result{}, err
	}
	s := &shelf{doc: doc, head: head}
	for _, n := range names {
		t, err := open(ctx, src, n)
		if err != nil {
			return Result{}, err
		}
		s.add(t)
		if err := w.page("t/"+string(n)+"/index.html", t.page(doc)); err != nil {
			return Result{}, err
		}
	}
	for path, data := range s.pages() {
		if err := w.page(path, data); err != nil {
			return Result{}, err
		}
	}
	for _, f := range []struct {
		path string
		data []byte
	}{{"404.html", missing(string(doc.Name))}, {"style.css", []byte(style)}} {
		if err := w.file(f.path, f.data); err != nil {
			return Result{}, err
		}
	}
	if err := w.flag(".nojekyll"); err != nil {
		return Result{}, err
	}
	err = w.sweep()
	return w.result, err
}

// read is for the two documents that every tree has at a fixed path.
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

// permissions says in a few words what a version may do.
func permissions(p spec.Permissions) string {
	out := []string{"no network"}
	if p.Network {
		out[0] = "network"
	}
	switch p.Filesystem {
	case spec.FilesystemReadOnly:
		out = append(out, "reads files that you name")
	case spec.FilesystemReadWrite:
		out = append(out, "reads and writes files that you name")
	default:
		out = append(out, "no files")
	}
	if p.HumanConfirm {
		out = append(out, "asks before each run")
	}
	for _, n := range p.Needs {
		out = append(out, spec.NeedWords(n))
	}
	for _, s := range p.ExternalAuth {
		out = append(out, "your account: "+s)
	}
	return strings.Join(out, ", ")
}
