package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"time"

	"github.com/patch-cat/patch-git/internal/branch"
	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/internal/trusted"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// newRegistry makes a registry with tools of some versions each, published on
// its branch, and a checkout of its source.
func newRegistry(ctx context.Context, root string, tools, versions int) (*reg, error) {
	r := &reg{size: fmt.Sprintf("%dx%d", tools, versions), root: root, origin: filepath.Join(root, "origin.git"), dir: filepath.Join(root, "main")}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	r.h = newHost(filepath.Join(root, "user"))
	var err error
	if r.w, err = contribute.New(r.h, "patch-git bench"); err != nil {
		return nil, err
	}
	if _, err := r.w.Init(ctx, filepath.Join(root, "seed"), "demo/tools", ""); err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"init", "-q", "--bare", "-b", "main", r.origin},
		{"-C", r.origin, "config", "uploadpack.allowFilter", "true"}, // as GitHub has it
		{"-C", r.origin, "config", "uploadpack.allowAnySHA1InWant", "true"},
	} {
		if _, err := git(ctx, "", args...); err != nil {
			return nil, err
		}
	}
	for i := range tools {
		r.names = append(r.names, toolName("tool", i))
	}
	sort.Strings(r.names)
	tip, err := r.sources(ctx, versions)
	if err != nil {
		return nil, err
	}
	if err := r.seal(ctx, versions, tip); err != nil {
		return nil, err
	}
	_, err = git(ctx, "", "clone", "-q", r.origin, r.dir)
	return r, err
}

// sources makes the branch main.
func (r *reg) sources(ctx context.Context, versions int) (string, error) {
	var s bytes.Buffer
	fmt.Fprintf(&s, "feature done\ncommit refs/heads/main\ncommitter b <b@localhost> 1 +0000\ndata 4\nmain\n")
	add := func(path string, data []byte) {
		fmt.Fprintf(&s, "M 100644 inline %s\ndata %d\n%s\n", path, len(data), data)
	}
	for _, f := range []string{"registry.yaml", ".gitignore", ".gitattributes", "README.md"} {
		data, err := os.ReadFile(filepath.Join(r.root, "seed", f))
		if err != nil {
			return "", err
		}
		add(f, data)
	}
	for _, n := range r.names {
		for v := range versions {
			for path, data := range source(n, version(v)) {
				add(path, data)
			}
		}
	}
	s.WriteString("done\n")
	cmd := exec.CommandContext(ctx, "git", "-C", r.origin, "fast-import", "--quiet", "--done")
	cmd.Stdin = &s
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return git(ctx, r.origin, "rev-parse", "main")
}

func version(v int) string { return fmt.Sprintf("1.%d.0", v) }

// seal publishes without the checks, which nobody has time for here.
func (r *reg) seal(ctx context.Context, versions int, tip string) error {
	key, err := signing.LoadKey(filepath.Join(r.h.Paths.Keys(), "demo", "tools.pem"))
	if err != nil {
		return err
	}
	tree, err := registry.OpenTree(filepath.Join(r.root, "seed"))
	if err != nil {
		return err
	}
	work := filepath.Join(r.root, "seal")
	g := branch.Git{Run: trusted.Pipe, Getenv: r.h.Getenv, GOOS: r.h.GOOS}
	for v := range versions {
		b, err := branch.Open(ctx, g, filepath.Join(work, fmt.Sprint(v)), "file://"+r.origin)
		if err != nil {
			return err
		}
		var names []spec.Name
		var batch registry.Batch
		for _, n := range r.names {
			names = append(names, spec.Name(n))
			a, err := accepted(n, version(v))
			if err != nil {
				return err
			}
			batch.Accept = append(batch.Accept, a)
		}
		if err := b.Load(ctx, names); err != nil {
			return err
		}
		_, err = registry.Seal(ctx, b, batch, registry.SealOptions{
			Registry: tree.Registry(), Signer: key, Now: time.Now, Checker: "patch-git bench", Commit: tip,
			CheckHead: func(_, _ []byte) error { return nil },
		})
		if err != nil {
			return err
		}
		commit, err := b.Commit(ctx, "head\n\n"+branch.SourceLine+tip+"\n", time.Now())
		if err != nil {
			return err
		}
		if err := b.Push(ctx, commit); err != nil {
			return err
		}
		b.Close()
	}
	return os.RemoveAll(work)
}

// accepted is a version with a report of the size that reports have.
func accepted(name, version string) (registry.Acceptance, error) {
	var main []byte
	for path, data := range source(name, version) {
		if filepath.Base(path) == "tool.py" {
			main = data
		}
	}
	doc, _ := manifest.Read("tool.py", main, manifest.Strict)
	if doc == nil {
		return registry.Acceptance{}, fmt.Errorf("the tool %s is not readable", name)
	}
	report := fmt.Appendf(nil, `{"schema":"bench","tool":"%s@%s","text":"%x"}`+"\n", name, version, make([]byte, 200))
	return registry.Acceptance{
		Release: &spec.Release{
			Ref: spec.Ref{Name: spec.Name(name), Version: spec.Version(version)}, Tool: doc.Tool,
			Files: []spec.File{{Path: ledger.ReportFileName, Data: report}, {Path: "tool.py", Data: main}},
		},
		Contributor: ledger.Owner{Login: "bench", ID: 7}, Report: spec.DigestOf(report),
	}, nil
}
