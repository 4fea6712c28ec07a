package consume

import (
	"context"
	"errors"
	"io/fs"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/packed"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// withHead hands over the newest head of a registry and where it came from. Where
// the registry cannot be reached, or nobody is to be asked, it hands over the
// last head without a source, if that is young enough: else whoever holds back a
// head would only have to hold back all of them.
func (c *Client) withHead(ctx context.Context, pin toolbox.Pin, offline bool, use func(verify.Head, registry.Source) error) (head verify.Head, kept bool, err error) {
	if !offline {
		err = c.answer(ctx, pin, func(src registry.Source) error {
			chain, err := registry.FetchHead(ctx, src)
			if err != nil {
				return err
			}
			if head, err = c.follow(ctx, pin, src, chain); err != nil {
				return err
			}
			return use(head, src)
		})
		if fault.KindOf(err) != fault.Unavailable || err == nil {
			return head, false, err
		}
		if again, pinErr := c.Box.Pin(pin.Name); pinErr == nil {
			pin = again
		}
	}
	last, ok, headErr := pin.LastHead()
	switch {
	case offline && headErr != nil:
		return last, true, headErr
	case offline && ok && c.tooOld(last):
		return last, true, fault.New(fault.Unavailable, "no_cache", "what is kept of %s is from %s, older than %v", pin.Name, last.Document().Time, c.MaxAge)
	case offline && !ok:
		return last, true, nothingKept(pin.Name)
	case headErr != nil || !ok || c.tooOld(last):
		return last, true, err
	}
	switch useErr := use(last, nil); {
	case useErr != nil && offline:
		return last, true, useErr
	case useErr != nil:
		return last, true, err
	case !offline:
		c.warn(string(pin.Name) + " cannot be reached; this is its list as of " + last.Document().Time)
	}
	return last, true, nil
}

func nothingKept(name spec.RegistryName) error {
	return fault.New(fault.Unavailable, "no_cache", "no list of the tools of %s is kept", name).Hint("patch-git search, when it can be reached")
}

// catalogueOf returns the verified list of a registry's tools.
func (c *Client) catalogueOf(ctx context.Context, pin toolbox.Pin) ([]ledger.Listing, error) {
	var list []ledger.Listing
	_, _, err := c.withHead(ctx, pin, false, func(head verify.Head, src registry.Source) error {
		data, _, err := c.readCatalogue(ctx, head, src)
		if err == nil {
			list, err = head.Catalogue(data)
		}
		return err
	})
	return list, err
}

// readCatalogue returns the list that a head states: the kept one, else from the
// source what makes it of an older one, else the whole, packed or plain. What
// comes is compared with the digest in the head before anything else is done
// with it; a nil source is nobody to ask. whole tells that all of it came.
func (c *Client) readCatalogue(ctx context.Context, head verify.Head, src registry.Source) (data []byte, whole bool, err error) {
	want, name := head.Document().Catalogue, head.Document().Registry
	kept := c.shelf(name)
	if data := kept.catalogue(want); data != nil {
		return data, false, nil
	}
	if src == nil {
		return nil, false, nothingKept(name)
	}
	if data, whole, err = c.packedCatalogue(ctx, name, kept, want, src); err != nil {
		return nil, false, err
	}
	if data == nil {
		if data, err = registry.FetchObject(ctx, src, ledger.CataloguePath, want, limits.Catalogue); err != nil {
			return nil, false, err
		}
		if whole = true; spec.DigestOf(data) != want {
			return nil, false, fault.New(fault.NotVerified, string(verify.ReasonRecord), "the catalogue of %s is not what the head states", name)
		}
	}
	if err := kept.keep(want, data); err != nil {
		c.warn("the list of tools could not be kept: " + err.Error())
	}
	return data, whole, nil
}

// packedCatalogue asks a static host for the shorter ways to a catalogue; nil
// where there is none. What is wrong with one is told, and stops nothing.
func (c *Client) packedCatalogue(ctx context.Context, name spec.RegistryName, kept shelf, want spec.Digest, src registry.Source) (data []byte, whole bool, err error) {
	if !registry.Served(src) {
		return nil, false, nil
	}
	made := func(what, path string, max int64, unpack func([]byte) ([]byte, error)) ([]byte, error) {
		data, err := src.Read(ctx, path, max)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil && ctx.Err() != nil:
			return nil, err
		}
		if err == nil {
			data, err = unpack(data)
		}
		if err == nil && spec.DigestOf(data) == want {
			return data, nil
		}
		why := "it makes another one than the head states"
		if err != nil {
			why = err.Error()
		}
		c.warn(what + " of " + string(name) + "'s list of tools is no good, so all of it is fetched: " + why)
		return nil, nil
	}
	if from, old := kept.other(want); old != nil {
		data, err := made("the patch", ledger.CataloguePatchPath(from, want), limits.CataloguePatch, func(patch []byte) ([]byte, error) {
			return packed.Apply(old, patch, limits.Catalogue)
		})
		if data != nil || err != nil {
			return data, false, err
		}
	}
	data, err = made("the packed form", ledger.PackedCataloguePath(want), limits.Catalogue, func(data []byte) ([]byte, error) {
		return packed.Unpack(data, limits.Catalogue)
	})
	return data, true, err
}

// Known returns the tools whose names begin with a prefix, of the lists that are kept from
// earlier, for completion: no network, no error, perhaps nothing.
func (c *Client) Known(ctx context.Context, prefix string) []ledger.Listing {
	pins, err := c.Box.Pins()
	if err != nil {
		return nil
	}
	var out []ledger.Listing
	for _, p := range pins {
		head, ok, err := p.LastHead()
		if err != nil || !ok || ctx.Err() != nil {
			continue
		}
		data, _, err := c.readCatalogue(ctx, head, nil) // compared with the digest
		if err != nil {
			continue
		}
		if list, err := ledger.ListingsNamed(data, prefix); err == nil {
			out = append(out, list...)
		}
	}
	return out
}
