package consume

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Added tells what came to be trusted.
type Added struct {
	Pin         toolbox.Pin
	Fingerprint spec.Digest // SHA-256 of the public key
	Head        verify.Seen
}

// AddRegistry trusts the registry at a location from now on. Where expect is
// given, its key must have that SHA-256; else what the registry says of itself
// is believed this one time, and the caller shows the person what that was.
func (c *Client) AddRegistry(ctx context.Context, location string, mirrors []string, expect *spec.Digest) (*Added, error) {
	src, err := c.source(ctx, location)
	if err != nil {
		return nil, err
	}
	data, err := src.Read(ctx, ledger.RegistryPath, limits.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "no_registry", "there is no registry at %s", src.Location())
	}
	if err != nil {
		return nil, err
	}
	doc, err := ledger.ParseRegistry(data)
	if err != nil {
		return nil, fault.New(fault.NotVerified, "registry", "%s: %w", src.Location(), err)
	}
	fingerprint := spec.DigestOf(doc.Trust.Key)
	if expect != nil && *expect != fingerprint {
		return nil, fault.New(fault.NotVerified, string(verify.ReasonKey), "%s is signed by the key %s, not by %s", doc.Name, fingerprint, *expect)
	}
	pin := toolbox.Pin{Name: doc.Name, Location: location, Mirrors: mirrors, Trust: doc.Trust}
	if len(pin.Mirrors) == 0 {
		pin.Mirrors = c.offered(doc.Mirrors)
	}
	seen := pin
	if old, err := c.Box.Pin(doc.Name); err == nil {
		if string(old.Trust.Key) != string(pin.Trust.Key) {
			return nil, c.Box.AddPin(ctx, pin) // refuses, with the explanation
		}
		seen = old
	}
	chain, err := registry.FetchHead(ctx, src)
	if err != nil {
		return nil, err
	}
	// Before anything is written: a registry that is trusted already does not
	// move to a place where an older state of it, or a fork, is served.
	if _, err := followed(ctx, seen, src, chain); err != nil {
		return nil, err
	}
	if err := c.Box.AddPin(ctx, pin); err != nil {
		return nil, err
	}
	head, err := c.follow(ctx, pin, src, chain)
	if err != nil {
		return nil, err
	}
	return &Added{Pin: pin, Fingerprint: fingerprint, Head: head.Seen()}, nil
}

// maxMirrors is how many mirrors a registry may name for itself.
const maxMirrors = 8

// offered picks the mirrors that a registry names for itself and that may be
// asked without a person's word: public addresses, never folders of this
// machine, other schemes, or hosts that ssh-agent would be asked for.
func (c *Client) offered(mirrors []string) []string {
	var out []string
	left := 0
	for _, m := range mirrors {
		public := strings.HasPrefix(m, "https://") || strings.HasPrefix(m, "git+https://")
		if !public || len(out) == maxMirrors {
			left++
			continue
		}
		out = append(out, m)
	}
	if left > 0 {
		c.warn(fmt.Sprintf("%d mirror(s) that the registry names for itself are left out; --mirror adds one", left))
	}
	return out
}
