package cli

import (
	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/contribute"
)

// signingFlags adds the flags of a command that signs for a registry, and
// returns what was typed once they are parsed.
func (a *app) signingFlags(c *cobra.Command) func() contribute.Signing {
	var s contribute.Signing
	f := c.Flags()
	f.StringVar(&s.Key, "key", "", "the registry's private key file (default: in your patch-git folder)")
	f.StringVar(&s.Config, "signing-config", "", "signing_config.json of a private Sigstore; with --trusted-root")
	f.StringVar(&s.Root, "trusted-root", "", "trusted_root.json of a private Sigstore; with --signing-config")
	return func() contribute.Signing {
		return contribute.Signing{Key: a.pathOr(s.Key), Config: a.pathOr(s.Config), Root: a.pathOr(s.Root)}
	}
}
