package consume

import (
	"context"
	"os"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/inspect"
	"github.com/patch-cat/patch-git/internal/site"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
)

// Mirrored is what a mirror got.
type Mirrored struct {
	*Inspected
	Dir      string
	Copied   registry.Copied
	Repaired int          // files of the mirror that were not what they should be
	Pages    *site.Result // nil: none were asked for
}

// Mirror copies the published tree of a trusted registry, or the one at a
// location, into the v1/ folder of dir, and verifies all of it on the way, what
// is in the mirror already too. What comes over the network waits beside dir
// until the whole tree is found sound; of a source that lies about one file
// nothing gets in, and the head stays.
//
// A head that goes back behind the one of the mirror, or behind the newest that
// the user has seen, is refused, as is another identity than the mirror's.
// Where one location gives no answer, the next one does.
func (c *Client) Mirror(ctx context.Context, what, location, dir string, pages bool) (*Mirrored, error) {
	pin, pinned, err := c.subject(what, location)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, durable.Classify("make folder", dir, err)
	}
	m := &mirror{c: c, dir: dir, to: registry.OpenDir(filepath.Join(dir, ledger.Root))}
	unlock, err := durable.Lock(ctx, filepath.Clean(dir)+".lock", mirrorWait)
	if err != nil {
		return nil, err
	}
	defer unlock()
	// A folder of its own: whatever else lies beside the mirror is not ours.
	work, err := os.MkdirTemp(filepath.Dir(filepath.Clean(dir)), "."+filepath.Base(dir)+"-incoming-")
	if err != nil {
		return nil, durable.Classify("make folder beside", dir, err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	m.waiting = filepath.Join(work, ledger.Root)
	places := append([]string{pin.Location}, pin.Mirrors...)
	var first error
	for _, place := range places {
		out, err := m.from(ctx, pin, pinned, what, place)
		if err == nil && pages {
			var done site.Result
			done, err = site.Render(ctx, m.to, dir)
			out.Pages = &done
		}
		if err == nil {
			return out, nil
		}
		if fault.KindOf(err) != fault.Unavailable || ctx.Err() != nil {
			return nil, err
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// mirrorWait is how long a mirror waits for another one of the same folder.
const mirrorWait = 0

// mirror is a folder that is brought up to date.
type mirror struct {
	c       *Client
	dir     string
	to      *registry.Dir
	waiting string // what was not found sound yet
	damaged bool   // it has a head that cannot be read
}

// from mirrors one place.
func (m *mirror) from(ctx context.Context, pin toolbox.Pin, pinned bool, what, place string) (*Mirrored, error) {
	var src registry.Source
	var err error
	o := inspect.Options{Progress: m.c.progress}
	if pinned {
		if src, err = m.c.passing(ctx, place); err != nil {
			return nil, err
		}
		if o.Seen, err = lastSeen(pin); err != nil {
			return nil, err
		}
	} else if src, pin, err = m.c.stranger(ctx, pin, what); err != nil {
		return nil, err
	}
	last, err := m.last(ctx, pin)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(m.waiting) }()
	out := &Mirrored{Dir: m.dir}
	// What is here already need not come again. Where it is not sound, all comes
	// once more, and what differs is replaced.
	for _, reuse := range []bool{true, false} {
		if err := os.RemoveAll(m.waiting); err != nil {
			return nil, durable.Classify("remove", m.waiting, err)
		}
		s := &staged{src: src, here: m.to, waiting: registry.OpenDir(m.waiting), reuse: reuse}
		if out.Inspected, err = m.c.inspected(ctx, s, pin.Policy(), o); err != nil {
			return nil, err
		}
		if out.Err() == nil {
			break
		}
		if !reuse || last == nil && !m.damaged || out.ProblemCount == 0 {
			return nil, m.say(out)
		}
	}
	out.Pinned = pinned
	return out, m.take(ctx, pin, last, out)
}

// say warns of each problem and returns the verdict.
func (m *mirror) say(out *Mirrored) error {
	for _, p := range append(out.Problems, out.Unread...) {
		m.c.warn(p.Path + ": " + p.Message)
	}
	return out.Err()
}
