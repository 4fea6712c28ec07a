package consume

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/inspect"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Inspected is the answer of an audit of a whole published tree.
type Inspected struct {
	*inspect.Report
	Location string
	// Pinned: the identity is the one that the user trusts, and the head was
	// held against the newest that was seen. Else the tree's own word was
	// taken for who it is.
	Pinned bool
	Took   time.Duration
}

// Inspect audits the published tree of a trusted registry, or the one at a
// location. what is the argument as it was typed, "" for the one registry that
// is trusted; location is the same as a place. Nothing is written: neither the
// pin nor what was seen moves.
func (c *Client) Inspect(ctx context.Context, what, location string, quick bool) (*Inspected, error) {
	pin, pinned, err := c.subject(what, location)
	if err != nil {
		return nil, err
	}
	if !pinned {
		return c.inspectStranger(ctx, pin, what, quick)
	}
	o := inspect.Options{Quick: quick, Progress: c.progress}
	switch last, ok, err := pin.LastHead(); {
	case err != nil:
		return nil, err
	case ok:
		seen := last.Seen()
		o.Seen = &seen
	}
	var first error
	for _, place := range append([]string{pin.Location}, pin.Mirrors...) {
		src, err := c.passing(ctx, place)
		var out *Inspected
		if err == nil {
			out, err = c.inspected(ctx, src, pin.Policy(), o)
		}
		if err == nil {
			out.Pinned = true
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

// inspectStranger audits a tree that nobody vouches for, by its own word.
func (c *Client) inspectStranger(ctx context.Context, at toolbox.Pin, what string, quick bool) (*Inspected, error) {
	src, at, err := c.stranger(ctx, at, what)
	if err != nil {
		return nil, err
	}
	return c.inspected(ctx, src, at.Policy(), inspect.Options{Quick: quick, Progress: c.progress})
}

// stranger opens a tree that nobody vouches for, and makes a pin of its own word.
func (c *Client) stranger(ctx context.Context, at toolbox.Pin, what string) (registry.Source, toolbox.Pin, error) {
	src, err := c.passing(ctx, at.Location)
	if name, nameErr := spec.ParseRegistryName(what); err != nil && nameErr == nil && fault.ReasonOf(err) == "no_registry" {
		_, err = c.Box.Pin(name) // it was the name of a registry more likely than a folder
	}
	if err != nil {
		return nil, at, err
	}
	doc, err := registryAt(ctx, src)
	if fault.KindOf(err) == fault.NotFound { // of a tree, this is no answer but the lack of one
		return nil, at, fault.New(fault.Unavailable, fault.ReasonOf(err), "%w", err)
	}
	if err != nil {
		return nil, at, err
	}
	at.Name, at.Trust = doc.Name, doc.Trust
	at = c.Box.Arm(at)
	if known, err := c.Box.Pin(doc.Name); err == nil && !known.Trust.Equal(&at.Trust) {
		c.warn("you trust " + string(doc.Name) + " with another identity than this tree gives itself")
	}
	return src, at, nil
}

func (c *Client) inspected(ctx context.Context, src registry.Source, p verify.Policy, o inspect.Options) (*Inspected, error) {
	start := c.Host.Now()
	r, err := inspect.Tree(ctx, src, p, o)
	if err != nil {
		return nil, err
	}
	return &Inspected{Report: r, Location: src.Location(), Took: c.Host.Now().Sub(start)}, nil
}

// subject finds out which registry is meant. The pin of one that is not
// trusted has a location alone.
func (c *Client) subject(what, location string) (pin toolbox.Pin, pinned bool, err error) {
	if what == "" {
		pin, err = c.onlyPin()
		return pin, err == nil, err
	}
	if name, err := spec.ParseRegistryName(what); err == nil {
		if pin, err := c.Box.Pin(name); fault.KindOf(err) != fault.NotFound || err == nil {
			return pin, err == nil, err
		}
	}
	pins, err := c.Box.Pins()
	if err != nil {
		return pin, false, err
	}
	for _, p := range pins {
		if p.Location == location || slices.Contains(p.Mirrors, location) {
			p.Location, p.Mirrors = location, nil // this place was asked for, no other
			return p, true, nil
		}
	}
	return toolbox.Pin{Location: location}, false, nil
}

// onlyPin is the registry that is meant where none is named.
func (c *Client) onlyPin() (toolbox.Pin, error) {
	pins, err := c.pins("")
	if err != nil {
		return toolbox.Pin{}, err
	}
	if len(pins) > 1 {
		e := fault.New(fault.Usage, "ambiguous", "%d registries are trusted; name the one that is meant", len(pins))
		for _, p := range pins {
			e = e.Hint("%s", p.Name)
		}
		return toolbox.Pin{}, e
	}
	return pins[0], nil
}

// passing opens a location of which everything is read once and nothing kept.
func (c *Client) passing(ctx context.Context, location string) (registry.Source, error) {
	return registry.Open(ctx, location, registry.Options{
		HTTP: c.Host.HTTP(), CacheDir: filepath.Join(c.Host.Paths.Cache(), "registries"), Now: c.Host.Now, Passing: true,
	})
}
