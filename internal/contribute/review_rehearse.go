package contribute

import (
	"context"
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// proposer stands for whoever would propose a file: nobody on GitHub has the
// number.
var proposer = ledger.Owner{Login: "you", ID: math.MaxInt64}

// CheckIn checks a main file, or a folder that is laid out like a version
// directory, and says what the registry in the folder dir, a checkout, would
// make of a pull request of it: by an owner of the name, or of a new name, and
// the first one today. The review is nil where the file says too little for
// one. Nothing is written.
func (w *Workshop) CheckIn(ctx context.Context, file, dir string) (*Checked, *review.Review, error) {
	tree, err := registry.OpenTree(dir)
	if err != nil {
		return nil, nil, err
	}
	files, err := readRelease(file, w.Format)
	if err != nil {
		return nil, nil, err
	}
	tool := manifestOf(files)
	if tool == nil || tool.Name == "" || tool.Version == "" {
		checked, err := w.check(ctx, file, files, surroundings{})
		return checked, nil, err
	}
	ref := spec.Ref{Name: tool.Name, Version: tool.Version}
	has, err := tree.Has(ref.Name)
	if err != nil {
		return nil, nil, err
	}
	s := rehearsal(ref, files, !has)
	o := review.Read(s)
	around, err := surroundingsOf(ctx, tree, dir, nil, o, proposer)
	if err != nil {
		return nil, nil, err
	}
	if len(around.base.Meta.Owners) > 0 {
		around.base.Meta.Owners, around.base.Published = []ledger.Owner{proposer}, nil // as one of them
	}
	content, err := w.content(ctx, tree, o, around)
	if err != nil {
		return nil, nil, err
	}
	if around.untold { // the registry itself can
		content.Remarks = append(content.Remarks, neverTold)
	}
	r := o.Judge(s, around.base, content, review.Policy(tree.Policy()), w.host.Now())
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.File = strings.TrimPrefix(f.File, o.Dir()+"/"); f.File == o.Dir() {
			f.File = ""
		}
	}
	return &Checked{Tool: content.Tool, File: file, Files: files, Findings: r.Findings}, r, nil
}

// rehearsal is the pull request that would bring the files.
func rehearsal(ref spec.Ref, files []spec.File, fresh bool) *review.Submission {
	at := path.Join("tools", ref.Name.Shard(), string(ref.Name))
	s := &review.Submission{Author: proposer, Merged: new(int), Linear: true}
	add := func(p string, data []byte) {
		s.Changes = append(s.Changes, review.Change{Path: path.Join(at, p), Status: review.Added, Mode: "100644", Data: data})
	}
	for _, f := range files {
		add(path.Join(string(ref.Version), f.Path), f.Data)
	}
	if fresh {
		add("tool.yaml", fmt.Appendf(nil, "owners:\n  - login: %s\n    id: %d\n", proposer.Login, proposer.ID))
	}
	return s
}
