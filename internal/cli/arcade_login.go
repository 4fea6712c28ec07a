package cli

import (
	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/arcade"
)

func (a *app) arcadeLogin() *cobra.Command {
	return &cobra.Command{
		Use: "login", Short: "Keep the key with which Arcade runs tools",
		Long: `Ask at the terminal for the key of Arcade's API, without showing it, and keep it in
the keyring of this system, else in a file that only you may read. ARCADE_API_KEY in
the environment goes before it. Where the engine is, and for whom it works, stands in
config.json: "arcade": {"base_url": "https://api.arcade.dev", "user_id": "you@example.com"}.`,
		Example: "  patch-git arcade login", Args: exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			key, err := a.hidden(c.Context(), arcade.EnvKey, "The key of Arcade (is not shown): ")
			if err != nil {
				return err
			}
			kind, err := client.KeepArcadeKey(c.Context(), key)
			if err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "kept": kind})
			}
			a.out.printf("the key is kept in %s\n", kind.Words())
			return nil
		},
	}
}

func (a *app) arcadeLogout() *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Forget the key with which Arcade runs tools",
		Example: "  patch-git arcade logout", Args: exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			if err := client.ForgetArcadeKey(c.Context()); err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "kept": ""})
			}
			a.out.printf("no key of Arcade is kept\n")
			return nil
		},
	}
}
