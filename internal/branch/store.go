package branch

import (
	"bytes"
	"context"
	"io/fs"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Location is the address of the remote, in which no secret is.
func (b *Branch) Location() string { return b.remote }

// Refresh returns the branch itself: what it reads is one commit.
func (b *Branch) Refresh() registry.Source { return b }

func (b *Branch) Read(ctx context.Context, path string, max int64) ([]byte, error) {
	b.mu.Lock()
	made := b.made
	b.mu.Unlock()
	return made.Read(ctx, path, max)
}

// raw is the branch without what follows from it.
type raw struct{ b *Branch }

func (r raw) Location() string { return r.b.remote }

func (r raw) Refresh() registry.Source { return r }

func (r raw) Read(ctx context.Context, path string, max int64) ([]byte, error) {
	if err := registry.CheckPath(path); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := r.b
	b.mu.Lock()
	defer b.mu.Unlock()
	absent := &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	if w, ok := b.written[path]; ok {
		switch {
		case w.data == nil:
			return nil, absent
		case int64(len(w.data)) > max:
			return nil, tooLarge(path, max)
		}
		return bytes.Clone(w.data), nil
	}
	if b.base == "" {
		return nil, absent
	}
	root := rootOf(path)
	if err := b.load(ctx, root); err != nil {
		return nil, err
	}
	e, ok := b.roots[root][path]
	switch {
	case !ok:
		return nil, absent
	case e.mode != "100644" && e.mode != "100755": // a link or a submodule leads out of the tree
		return nil, fault.New(fault.NotVerified, "not_regular", "%s is not a regular file", path)
	}
	if err := b.bring(ctx, []string{e.blob}); err != nil {
		return nil, err
	}
	if data := b.kept[e.blob]; data != nil {
		if int64(len(data)) > max {
			return nil, tooLarge(path, max)
		}
		return bytes.Clone(data), nil
	}
	if b.cat == nil {
		b.cat = b.git.catFile(ctx)
	}
	data, large, err := b.cat.read(e.blob, max)
	if err != nil {
		b.cat.close() // what comes next of it is no answer to anything
		b.cat = nil
		return nil, err
	}
	if large {
		return nil, tooLarge(path, max)
	}
	b.stats.Blobs++
	b.stats.Read += int64(len(data))
	return data, nil
}

func tooLarge(path string, max int64) error {
	return fault.New(fault.NotVerified, "too_large", "%s has more than %d bytes", path, max)
}

// Write keeps a file for the commit. What is not durable follows from the rest
// and is answered, not committed; so are hash tiles.
func (b *Branch) Write(ctx context.Context, path string, data []byte, durable bool) error {
	if !durable || registry.IsDerived(path) {
		return ctx.Err()
	}
	return b.write(ctx, path, file{append([]byte{}, data...)})
}

// Remove takes a file out of the commit.
func (b *Branch) Remove(ctx context.Context, path string) error {
	return b.write(ctx, path, file{})
}

func (b *Branch) write(ctx context.Context, path string, f file) error {
	if err := registry.CheckPath(path); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.written[path] = f
	return ctx.Err()
}

// List returns the paths below a folder. A folder above the tools' own, of
// which there are many, cannot be listed.
func (b *Branch) List(ctx context.Context, dir string) ([]string, error) {
	if err := registry.CheckPath(dir); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	root := rootOf(dir + "/x")
	if root+"/" == releasesDir || strings.HasPrefix(root, releasesDir) && strings.Count(root, "/") < 2 {
		return nil, fault.New(fault.Internal, "list", "list %s: that is the folder of more than one tool", spec.Quote(dir))
	}
	if b.base != "" {
		if err := b.load(ctx, root); err != nil {
			return nil, err
		}
	}
	var out []string
	for path := range b.roots[root] {
		if _, changed := b.written[path]; !changed && strings.HasPrefix(path, dir+"/") {
			out = append(out, path)
		}
	}
	for path, f := range b.written {
		if f.data != nil && strings.HasPrefix(path, dir+"/") {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out, nil
}

var _ registry.Store = (*Branch)(nil)
