package consume

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/inspect"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/served"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// last is the head that the mirror has; nil where it is new, or where its own
// files are so damaged that nobody can tell.
func (m *mirror) last(ctx context.Context, pin toolbox.Pin) (*verify.Seen, error) {
	chain, err := registry.FetchHead(ctx, m.to)
	none := fault.ReasonOf(err) == "no_registry"
	var head verify.Head
	if err == nil {
		head, err = pin.Policy().Head(chain)
	}
	if err == nil {
		seen := head.Seen()
		return &seen, nil
	}
	if !none && fault.KindOf(err) != fault.NotVerified {
		return nil, err
	}
	switch known, ours := m.whose(ctx, pin); {
	case !known && none: // an empty folder
		return nil, nil
	case ours:
		m.damaged = true
		m.c.warn("the mirror in " + spec.Quote(m.dir) + " is damaged, down to its head; all of it is written again")
		return nil, nil
	}
	return nil, fault.New(fault.NotVerified, fault.ReasonOf(err), "the mirror in %s is not of %s: %w", spec.Quote(m.dir), pin.Name, err).
		Hint("mirror into another folder, or remove this one")
}

// whose tells what the folder says of itself, where its head does not: whether
// it says anything, and that it is of the registry. None of it is signed, so it
// serves only to keep a damaged mirror from being taken for a foreign one.
func (m *mirror) whose(ctx context.Context, pin toolbox.Pin) (known, ours bool) {
	if doc := m.document(ctx, m.to); doc != nil {
		return true, doc.Name == pin.Name && doc.Trust.Fits(&pin.Trust)
	}
	_, err := m.to.Read(ctx, ledger.HeadEvidencePath, limits.Bundle)
	return !errors.Is(err, fs.ErrNotExist), false
}

// document is what a tree says of itself to newcomers; nil where it is not
// readable.
func (m *mirror) document(ctx context.Context, src registry.Source) *ledger.Registry {
	data, err := src.Read(ctx, ledger.RegistryPath, limits.Document)
	if err != nil {
		return nil
	}
	doc, err := ledger.ParseRegistry(data)
	if err != nil {
		return nil
	}
	return doc
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
	m.compare(ctx, pin, sound.waiting)
	beside, err := served.Write(ctx, m.to, sound, nil)
	if err != nil {
		return err
	}
	if err := m.move(ctx, pin, last, sound, out); err != nil {
		return err
	}
	return beside.Sweep(ctx)
}

// move lets the mirror follow: its files, then its head.
func (m *mirror) move(ctx context.Context, pin toolbox.Pin, last *verify.Seen, sound settled, out *Mirrored) error {
	var err error
	if out.Repaired, err = m.repair(ctx, sound.waiting, false); err != nil {
		return err
	}
	writing := func(done, total int) { m.c.progress("writing", int64(done), int64(total)) }
	out.Copied, err = registry.Copy(ctx, m.to, sound, writing)
	if err == nil {
		var n int
		n, err = m.repair(ctx, sound.waiting, true)
		out.Repaired += n
	} else if kind := fault.KindOf(err); kind != fault.NotVerified && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// What was just read of the mirror's files was each time what was to be
	// replaced. Only a look at all that it has now tells that it is sound.
	if err == nil && !m.damaged {
		if err = m.audit(ctx, pin); err == nil {
			return nil
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	again, err := registry.Rebuild(ctx, m.to, sound, writing)
	if err != nil {
		return err
	}
	if last != nil && last.Digest == again.Digest {
		again.New = false
	}
	again.New = again.New || out.Copied.New
	out.Repaired += int(again.Files)
	again.Files, again.Bytes = again.Files+out.Copied.Files, again.Bytes+out.Copied.Bytes
	out.Copied = again
	return m.audit(ctx, pin)
}

// audit looks at all that the mirror has, but the files of the releases: those
// were read when the source was audited, or have just been written.
func (m *mirror) audit(ctx context.Context, pin toolbox.Pin) error {
	r, err := inspect.Tree(ctx, m.to, pin.Policy(), inspect.Options{Quick: true})
	if err != nil {
		return err
	}
	return r.Err()
}

// compare warns where registry.json, which nobody signs, sends newcomers
// elsewhere than it did.
func (m *mirror) compare(ctx context.Context, pin toolbox.Pin, waiting *registry.Dir) {
	now, was := m.document(ctx, waiting), m.document(ctx, m.to)
	if now == nil {
		return
	}
	if was != nil && (was.Source != now.Source || !slices.Equal(was.Mirrors, now.Mirrors)) {
		m.c.warn("registry.json, which is not signed, now names the source " + spec.Quote(now.Source) + " and the mirrors " + spec.Quote(strings.Join(now.Mirrors, " ")) +
			"; it named " + spec.Quote(was.Source) + " and " + spec.Quote(strings.Join(was.Mirrors, " ")))
	} else if was == nil && len(pin.Mirrors) > 0 {
		for _, place := range now.Mirrors {
			if place != pin.Location && !slices.Contains(pin.Mirrors, place) {
				m.c.warn("registry.json, which is not signed, names the mirror " + spec.Quote(place) + ", which " + string(pin.Name) + " did not have when you trusted it")
			}
		}
	}
}

// repair replaces files of the mirror that never change and did, or (missing)
// that are gone although the mirror has the head that leads to them.
func (m *mirror) repair(ctx context.Context, waiting *registry.Dir, missing bool) (int, error) {
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
			if errors.Is(err, fs.ErrNotExist) && !missing || err == nil && spec.DigestOf(was) == spec.DigestOf(data) {
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
