package consume

import (
	"context"
	"path/filepath"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/keyless"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/trustroot"
	"github.com/patch-cat/patch-git/internal/verdicts"
	"github.com/patch-cat/patch-git/verify"
)

// sigstore verifies keyless registries under the trusted root of a pin, or
// under the public one as it lies in the user's trust folder. It is read when
// a keyless registry is first asked, and asks nobody. What was verified today
// is remembered.
func sigstore(p paths.Paths, now func() time.Time) func(trustedRoot []byte) (verify.Sigstore, error) {
	known := verdicts.Open(filepath.Join(p.Cache(), "verdicts"), now)
	return func(trustedRoot []byte) (verify.Sigstore, error) {
		if trustedRoot == nil {
			m, err := trustroot.Load(p.Trust())
			if err != nil {
				return nil, err
			}
			trustedRoot = m.Root
		}
		return known.Over(keyless.Edition, trustedRoot, func() (verify.Sigstore, error) {
			r, err := keyless.ParseRoot(trustedRoot)
			if err != nil {
				return nil, fault.New(fault.NotVerified, string(verify.ReasonPolicy), "%w", err)
			}
			return r, nil
		}), nil
	}
}

// TrustedRoot is the public Sigstore instance as this user knows it.
func (c *Client) TrustedRoot() (trustroot.Material, error) {
	return trustroot.Load(c.Host.Paths.Trust())
}

// UpdateTrust refreshes it. The repository at mirror ("" is Sigstore's own) has
// to follow from root, its root.json (nil is that of Sigstore's own).
func (c *Client) UpdateTrust(ctx context.Context, mirror string, root []byte) (*trustroot.Change, error) {
	return trustroot.Refresh(ctx, trustroot.RefreshOptions{
		Dir: c.Host.Paths.Trust(), Mirror: mirror, Root: root, HTTP: c.Host.HTTP(), Now: c.Host.Now,
		Check: keyless.CheckRoot,
	})
}
