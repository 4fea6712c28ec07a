package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) registryCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "registry",
		Short: "Trust registries, make one, publish one",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.registryAdd(), a.registryList(), a.registryRemove(), a.registryInit(), a.registryPublish())
	return c
}

func (a *app) registryRemove() *cobra.Command {
	return &cobra.Command{
		Use: "remove owner/name", Short: "Stop trusting a registry",
		Long:    "Stop trusting a registry. Tools that were installed from it stay, but do not run until it is added again.",
		Example: "  patch-git registry remove patch-cat/patch-git",
		Args:    exactly("owner/name"), ValidArgsFunction: a.completeRegistries,
		RunE: func(c *cobra.Command, args []string) error {
			name, err := registryFlag(args[0])
			if err != nil {
				return err
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			if err := client.Box.RemovePin(c.Context(), name); err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "removed": name})
			}
			a.out.printf("%s is not trusted any more\n", name)
			return nil
		},
	}
}

func (a *app) registryInit() *cobra.Command {
	var name, key string
	c := &cobra.Command{
		Use:   "init folder",
		Short: "Make a registry on this machine, signed by a new key",
		Long: `Make a registry in a folder: registry.yaml, tools/ for the sources, published/
for what clients read. A new ECDSA P-256 key signs it; the key stays with you.`,
		Example: `  patch-git registry init ./registry --name acme/tools
  patch-git publish tool.py --to ./registry`,
		Args: exactly("folder"),
		RunE: func(c *cobra.Command, args []string) error {
			n, err := spec.ParseRegistryName(name)
			if err != nil {
				return usage("--name: %w", err)
			}
			w, err := a.workshop()
			if err != nil {
				return err
			}
			made, err := w.Init(c.Context(), a.path(args[0]), n, a.pathOr(key))
			if err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{
					"schema": 1, "registry": n, "folder": made.Dir, "published": made.Published, "key_file": made.KeyFile, "key": made.Fingerprint.String(),
				})
			}
			a.out.printf("%s %s in %s\n  key       %s\n  key file  %s (keep it safe; nobody can sign without it)\n", a.out.green("made"), a.out.bold(string(n)),
				safe(made.Dir), made.Fingerprint, safe(made.KeyFile))
			return nil
		},
	}
	c.Flags().StringVar(&name, "name", "local/tools", "the registry's name, as owner/name")
	c.Flags().StringVar(&key, "key", "", "where the private key is kept (default: in your patch-git folder)")
	return c
}

func (a *app) registryPublish() *cobra.Command {
	var key string
	c := &cobra.Command{
		Use:   "publish folder",
		Short: "Check, sign and publish whatever in a registry's folder is not published yet",
		Long: `Compare tools/ with published/, check every new version, sign and log the ones
that pass, apply yanks and revocations of tool.yaml, and move the head. A
publication that was cut short is finished by the same command.`,
		Example: "  patch-git registry publish ./registry",
		Args:    exactly("folder"),
		RunE: func(c *cobra.Command, args []string) error {
			w, err := a.workshop()
			if err != nil {
				return err
			}
			done, err := w.PublishTree(c.Context(), a.path(args[0]), a.pathOr(key))
			return a.published(done, err)
		},
	}
	c.Flags().StringVar(&key, "key", "", "the private key file (default: in your patch-git folder)")
	return c
}

// published prints what a publication did; findings are shown also when it refused.
func (a *app) published(done *contribute.Published, err error) error {
	if done != nil && len(done.Reports) > 0 && !a.json {
		for _, r := range done.Reports {
			a.printFindings(r.File, r.Findings)
		}
	}
	if a.json && done != nil && (err == nil || len(done.Reports) > 0) {
		docErr := a.out.document(struct {
			Schema int `json:"schema"`
			*contribute.Published
		}{1, done})
		return cmp.Or(err, docErr)
	}
	if err != nil {
		return err
	}
	for _, r := range done.Accepted {
		a.out.printf("%s %s\n", a.out.green("accepted"), a.out.bold(r))
	}
	for _, r := range done.Withdrawn {
		a.out.printf("%s\n", safe(r))
	}
	if !done.New {
		a.out.printf("nothing new; %s stays at head %d\n", done.Registry, done.Head.Seq)
		return nil
	}
	a.out.printf("%s head %d of %s: %d log entries, root %s\n", a.out.green("published"), done.Head.Seq, done.Registry, done.Head.Log.Size, done.Head.Log.Root.Short())
	return nil
}
