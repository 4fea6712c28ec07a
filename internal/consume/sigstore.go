package consume

import (
	"context"

	"github.com/patch-cat/patch-git/internal/keyless"
	"github.com/patch-cat/patch-git/internal/trustroot"
	"github.com/patch-cat/patch-git/verify"
)

// sigstore verifies keyless registries under the trusted root of a pin, or
// under the public one as it lies in the user's trust folder. It is read when
// a keyless registry is first asked, and asks nobody.
func sigstore(dir string) func(trustedRoot []byte) (verify.Sigstore, error) {
	return func(trustedRoot []byte) (verify.Sigstore, error) {
		if trustedRoot == nil {
			m, err := trustroot.Load(dir)
			if err != nil {
				return nil, err
			}
			trustedRoot = m.Root
		}
		return keyless.ParseRoot(trustedRoot)
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
		Check: func(root []byte) error {
			_, err := keyless.ParseRoot(root)
			return err
		},
	})
}
