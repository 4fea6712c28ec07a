package consume

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/packed"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// indexWait is how long a process waits for another one that makes the same
// index; then it makes its own, which is only a waste.
const indexWait = 20 * time.Second

// opened is an index and what ends its use.
type opened struct {
	*index.Index
	dir  string
	away func() // removes the folder, where it was made for this process alone
}

func (o *opened) Close() error {
	err := o.Index.Close()
	o.away()
	return err
}

// openIndex opens the index of the catalogue that a head states: the kept one,
// else the one that the registry made, else one made here. A catalogue that came
// as a patch, or is here already, is indexed sooner than its index is fetched,
// unless it is very large. A nil source is nobody to ask.
func (c *Client) openIndex(ctx context.Context, head verify.Head, src registry.Source) (*opened, error) {
	kept, doc := c.shelf(head.Document().Registry), head.Document()
	if o := c.keptIndex(doc, kept); o != nil {
		return o, nil
	}
	// A folder that cannot be written has no lock either, and another process
	// that takes too long keeps nobody from searching.
	if unlock, err := durable.Lock(ctx, filepath.Join(kept.dir, ".lock"), indexWait); err == nil {
		defer unlock()
		if o := c.keptIndex(doc, kept); o != nil {
			return o, nil
		}
	} else if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	data, whole, err := c.readCatalogue(ctx, head, src)
	if err != nil {
		return nil, err
	}
	if whole || len(data) > limits.IndexHere {
		if o := c.theirIndex(ctx, doc, kept, src); o != nil {
			return o, nil
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return c.makeIndex(ctx, head, kept, data)
}

// keptIndex opens the index on the shelf, nil where there is none. One that was
// damaged goes away.
func (c *Client) keptIndex(doc ledger.Head, kept shelf) *opened {
	dir, segment, ok := kept.index(doc.Catalogue)
	if !ok {
		return nil
	}
	err := c.compare(dir, segment)
	var x *index.Index
	if err == nil {
		x, err = index.Open(dir)
	}
	if err != nil {
		c.warn("the search index of " + string(doc.Registry) + " is made anew: " + err.Error())
		_ = os.RemoveAll(dir)
		return nil
	}
	return &opened{x, dir, func() {}}
}

// theirIndex fetches the index that the registry made by our rules. Its digest is
// compared before anything else, and then it is looked through by another
// process, in the sandbox. Whatever is wrong with it is told and costs no more
// than making one here: then it is nil.
func (c *Client) theirIndex(ctx context.Context, doc ledger.Head, kept shelf, src registry.Source) *opened {
	if src == nil || !registry.Served(src) || doc.Index.Edition != index.Edition {
		return nil
	}
	c.progress("fetching the search index of "+string(doc.Registry), 0, 0)
	data, err := src.Read(ctx, ledger.IndexPath(doc.Index.Segment), limits.IndexPacked)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var x *opened
	if err == nil {
		x, err = c.believe(ctx, data, doc, kept)
	}
	if err != nil && ctx.Err() == nil {
		c.warn("the search index that " + string(doc.Registry) + " serves is not used, and one is made here: " + err.Error())
	}
	return x
}

// believe installs an index that came, once all that can be known of it is.
func (c *Client) believe(ctx context.Context, data []byte, doc ledger.Head, kept shelf) (*opened, error) {
	segment, err := packed.Unpack(data, limits.IndexSegment)
	if err != nil {
		return nil, err
	}
	if got := spec.DigestOf(segment); got != doc.Index.Segment {
		return nil, fault.New(fault.NotVerified, "index", "it is %s, and the head states %s", got, doc.Index.Segment)
	}
	if err := durable.MkdirAll(kept.indexes()); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp(kept.indexes(), "incoming-")
	if err != nil {
		return nil, durable.Classify("make folder in", kept.indexes(), err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	waiting := filepath.Join(work, "index")
	if err := index.Install(ctx, waiting, segment); err != nil {
		return nil, err
	}
	if err := c.examine(ctx, waiting); err != nil {
		return nil, err
	}
	dir := kept.place(doc.Catalogue, doc.Index.Segment)
	if err := os.Rename(waiting, dir); err != nil {
		return nil, durable.Classify("rename to", dir, err)
	}
	x, err := index.Open(dir)
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	kept.prune(dir)
	return &opened{x, dir, func() {}}, nil
}

// makeIndex makes the index of the catalogue that a head states, and keeps it
// where that can be.
func (c *Client) makeIndex(ctx context.Context, head verify.Head, kept shelf, data []byte) (*opened, error) {
	tools, err := head.Catalogue(data)
	if err != nil {
		return nil, err
	}
	c.progress("making the search index of "+string(head.Document().Registry), 0, 0)
	built, err := index.Build(ctx, tools)
	if err != nil {
		return nil, err
	}
	dir, away := kept.place(head.Document().Catalogue, spec.DigestOf(built.Segment())), func() {}
	if err := index.Install(ctx, dir, built.Segment()); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c.warn("the search index could not be kept: " + err.Error())
		temp, err := os.MkdirTemp("", "patch-git-search-")
		if err != nil {
			return nil, durable.Classify("make folder in", os.TempDir(), err)
		}
		dir, away = filepath.Join(temp, "index"), func() { _ = os.RemoveAll(temp) }
		if err := index.Install(ctx, dir, built.Segment()); err != nil {
			away()
			return nil, err
		}
	}
	x, err := index.Open(dir)
	if err != nil {
		away()
		return nil, err
	}
	kept.prune(dir)
	return &opened{x, dir, away}, nil
}
