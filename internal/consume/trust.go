package consume

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/keyless"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/internal/trustroot"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Added tells what came to be trusted.
type Added struct {
	Pin         toolbox.Pin
	Fingerprint spec.Digest // of the public key, or of the identity
	Head        verify.Seen
}

// AddOptions say what a person knows of a registry beforehand.
type AddOptions struct {
	Mirrors []string
	// Key is the SHA-256 that the key of a registry signed by a key must have.
	Key *spec.Digest
	// Repository is whose workflow signs: "owner/repo" on GitHub. "" derives
	// it from the location.
	Repository string
	// Workflow and Branch say which workflow of the repository signs, where it
	// is not the one of every registry: a path such as
	// .github/workflows/release.yml, and the branch that it is run from.
	Workflow, Branch string
	// TrustedRoot is that of a private Sigstore, nil the public one;
	// SigningConfig says where that signs.
	TrustedRoot   []byte
	SigningConfig []byte
	// AcceptChange replaces what was pinned before.
	AcceptChange bool
	// Command is how the person asked, for the hint that repeats it.
	Command string
}

// check tells what is wrong with the options before anything is asked.
func (o AddOptions) check() error {
	if o.SigningConfig != nil && o.TrustedRoot == nil {
		return fault.New(fault.Usage, "signing_config", "a signing configuration says where a private Sigstore signs, and needs its trusted root").
			Hint("--trusted-root FILE")
	}
	if o.TrustedRoot != nil {
		if err := keyless.CheckRoot(o.TrustedRoot); err != nil {
			return fault.New(fault.Usage, "trusted_root", "%w", err)
		}
	}
	if o.SigningConfig != nil {
		if err := trustroot.CheckConfig(o.SigningConfig); err != nil {
			return fault.New(fault.Usage, "signing_config", "%w", err)
		}
	}
	return nil
}

// AddRegistry trusts the registry at a location from now on. Of one signed by a
// key, what it says of itself is believed this one time, or held against the
// key that the person names. Who signs one without a key follows from the
// repository: nothing is believed but the repository's numbers, as Sigstore
// certified them for the head. The caller shows the person what that was.
func (c *Client) AddRegistry(ctx context.Context, location string, o AddOptions) (*Added, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	src, err := c.source(ctx, location)
	if err != nil {
		return nil, err
	}
	doc, err := registryAt(ctx, src)
	if err != nil {
		return nil, err
	}
	chain, err := registry.FetchHead(ctx, src)
	if err != nil {
		return nil, err
	}
	pin := toolbox.Pin{Name: doc.Name, Location: location, Mirrors: o.Mirrors, TrustedRoot: o.TrustedRoot, SigningConfig: o.SigningConfig}
	if pin.Trust, err = c.introduced(pin, doc, chain, o); err != nil {
		return nil, c.advise(doc, o, pin.Location, err)
	}
	if len(pin.Mirrors) == 0 {
		pin.Mirrors = slices.DeleteFunc(c.offered(doc.Mirrors), func(m string) bool { return sameRepository(m, location) })
	}
	pin = c.Box.Arm(pin)
	old, err := c.Box.Pin(doc.Name)
	known := err == nil
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return nil, err
	}
	if known {
		if refused := old.Refuses(pin); refused != nil {
			if !o.AcceptChange {
				return nil, o.accepting(refused)
			}
			return c.changeRegistry(ctx, old, pin, src, chain)
		}
	}
	seen := pin
	if known {
		seen = old
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
	return &Added{Pin: pin, Fingerprint: pin.Trust.Digest(), Head: head.Seen()}, nil
}

// accepting adds to the refusal of a change the command that takes it.
func (o AddOptions) accepting(refused error) error {
	e, ok := errors.AsType[*fault.Error](refused)
	if !ok || o.Command == "" {
		return refused
	}
	return e.Hint("if its maintainers announced the change: %s --accept-change", o.Command)
}

// changeRegistry pins another signer, whose head has to continue what the one
// before has signed.
func (c *Client) changeRegistry(ctx context.Context, old, pin toolbox.Pin, src registry.Source, chain spec.Chain) (*Added, error) {
	head, err := pin.Policy().Head(chain)
	if err != nil {
		return nil, err
	}
	seen, err := lastSeen(old)
	if err != nil {
		return nil, err
	}
	if err := head.Follows(seen, tiles(ctx, src)); err != nil {
		return nil, err
	}
	pin.HeadEvidence, pin.Head, pin.Revoked = chain.HeadEvidence, chain.Head, chain.Revoked
	if err := c.Box.ChangePin(ctx, old, pin); err != nil {
		return nil, err
	}
	return &Added{Pin: pin, Fingerprint: pin.Trust.Digest(), Head: head.Seen()}, nil
}

// registryAt reads what the registry behind a source says of itself.
func registryAt(ctx context.Context, src registry.Source) (*ledger.Registry, error) {
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
	return doc, nil
}

// sameRepository tells whether two addresses are of one place: that of a
// repository may be written with git+ before it and .git behind it.
func sameRepository(a, b string) bool {
	plain := func(s string) string {
		return strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(s, "git+"), "/"), ".git")
	}
	return plain(a) == plain(b)
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
