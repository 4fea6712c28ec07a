package consume

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/inspect"
	"github.com/patch-cat/patch-git/internal/site"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
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
	m := &mirror{c: c, dir: dir, to: registry.OpenDir(filepath.Join(dir, ledger.Root)), waiting: filepath.Clean(dir) + ".incoming"}
	unlock, err := durable.Lock(ctx, filepath.Clean(dir)+".lock", mirrorWait)
	if err != nil {
		return nil, err
	}
	defer unlock()
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
		if !reuse || last == nil || out.ProblemCount == 0 {
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

// last is the head that the mirror has; nil where it is new.
func (m *mirror) last(ctx context.Context, pin toolbox.Pin) (*verify.Seen, error) {
	chain, err := registry.FetchHead(ctx, m.to)
	if fault.ReasonOf(err) == "no_registry" {
		return nil, nil
	}
	var head verify.Head
	if err == nil {
		head, err = pin.Policy().Head(chain)
	}
	if fault.KindOf(err) == fault.NotVerified {
		return nil, fault.New(fault.NotVerified, fault.ReasonOf(err), "the mirror in %s is not of %s: %w", spec.Quote(m.dir), pin.Name, err).
			Hint("mirror into another folder, or remove this one")
	}
	if err != nil {
		return nil, err
	}
	seen := head.Seen()
	return &seen, nil
}

// take brings what was found sound into the mirror.
func (m *mirror) take(ctx context.Context, pin toolbox.Pin, last *verify.Seen, out *Mirrored) error {
	sound := settled{m.to, registry.OpenDir(m.waiting)}
	chain, err := registry.FetchHead(ctx, sound)
	if err != nil {
		return err
	}
	head, err := pin.Policy().Head(chain)
	if err != nil {
		return err
	}
	if out.Head == nil || head.Seen().Digest != out.Head.Digest {
		return fault.New(fault.Unavailable, "moved", "%s was published anew while it was read", pin.Name).Hint("try again")
	}
	if err := head.Follows(last, tiles(ctx, sound)); err != nil {
		return err
	}
	if out.Repaired, err = m.repair(ctx, sound.waiting); err != nil {
		return err
	}
	out.Copied, err = registry.Copy(ctx, m.to, sound, func(done, total int) { m.c.progress("writing", int64(done), int64(total)) })
	return err
}

// repair replaces files of the mirror that never change and did.
func (m *mirror) repair(ctx context.Context, waiting *registry.Dir) (int, error) {
	n := 0
	for _, top := range []string{"releases", "withdrawals", "log"} {
		paths, err := waiting.List(ctx, top)
		if err != nil {
			return n, err
		}
		for _, p := range paths {
			if !lasting(p) {
				continue
			}
			data, err := waiting.Read(ctx, p, maxFile)
			if err != nil {
				return n, err
			}
			was, err := m.to.Read(ctx, p, maxFile)
			if errors.Is(err, fs.ErrNotExist) || err == nil && spec.DigestOf(was) == spec.DigestOf(data) {
				continue
			}
			n++
			if err := m.to.Write(ctx, p, data, true); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}
