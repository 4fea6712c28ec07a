package cli

import (
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) registryInit() *cobra.Command {
	var name, key, repository, action string
	c := &cobra.Command{
		Use:   "init folder",
		Short: "Make a registry on this machine, signed by a new key or by a GitHub workflow",
		Long: `Make a registry in a folder: registry.yaml, tools/ for the sources, published/
for what clients read. A new ECDSA P-256 key signs it; the key stays with you.

With --github no key is made: .github/workflows/publish.yml of that repository
signs through Sigstore, and only when a push to main runs it on GitHub's machines.
Nothing is published until it does. The workflows that review, publish and look
after the registry are written too. They take this program from the commit that
--action names: the one this program was built from, unless you say otherwise.`,
		Example: `  patch-git registry init ./registry --name acme/tools
  patch-git publish tool.py --to ./registry
  patch-git registry init . --github acme/tools`,
		Args: exactly("folder"),
		RunE: func(c *cobra.Command, args []string) error {
			w, err := a.workshop()
			if err != nil {
				return err
			}
			if repository == "" && c.Flags().Changed("action") {
				return usage("--action is for the workflows of a registry on GitHub, and needs --github")
			}
			if repository == "" {
				n, err := spec.ParseRegistryName(name)
				if err != nil {
					return usage("--name: %w", err)
				}
				return a.initWithKey(c, w, a.path(args[0]), n, a.pathOr(key))
			}
			n, err := spec.ParseRepository(repository)
			switch {
			case err != nil:
				return usage("--github: %w", err)
			case key != "":
				return usage("--github makes a registry without a key, and --key names one")
			case c.Flags().Changed("name") && name != string(n):
				return usage("a registry is called after its repository, %s, and --name says %s", n, spec.Quote(name))
			}
			if !c.Flags().Changed("action") {
				action = builtFrom()
			}
			return a.initOnGitHub(w, a.path(args[0]), repository, action, n)
		},
	}
	c.Flags().StringVar(&name, "name", "local/tools", "the registry's name, as owner/name")
	c.Flags().StringVar(&key, "key", "", "where the private key is kept (default: in your patch-git folder)")
	c.Flags().StringVar(&action, "action", "", "where the workflows take this program from: OWNER/NAME@COMMIT, or ./ in its own repository")
	c.Flags().StringVar(&repository, "github", "", "the repository whose workflow signs, as owner/name")
	return c
}

func (a *app) initWithKey(c *cobra.Command, w *contribute.Workshop, dir string, name spec.RegistryName, key string) error {
	made, err := w.Init(c.Context(), dir, name, key)
	if err != nil {
		return err
	}
	if a.json {
		return a.out.document(map[string]any{
			"schema": 1, "registry": name, "folder": made.Dir, "published": made.Published, "trust": made.Trust.Kind,
			"key_file": made.KeyFile, "key": made.Trust.Digest().String(),
		})
	}
	a.out.printf("%s %s in %s\n  key       %s\n  key file  %s (keep it safe; nobody can sign without it)\n", a.out.green("made"), a.out.bold(string(name)),
		safe(made.Dir), made.Trust.Digest(), safe(made.KeyFile))
	return nil
}

// thisProgram is where the source of this program is.
const thisProgram = "patch-cat/patch-git"

// builtFrom is the commit that this program was built from, as an action; "" where
// it does not know, or where the files were not those of the commit.
func builtFrom() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	commit := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value != "false":
			return ""
		}
	}
	if commit == "" {
		return ""
	}
	return thisProgram + "@" + commit
}

// initOnGitHub shows no digest: the identity has none before the first
// publication knows its numbers.
func (a *app) initOnGitHub(w *contribute.Workshop, dir, repository, action string, name spec.RegistryName) error {
	workflows := []string{}
	var err error
	if action != "" {
		if workflows, err = w.Workflows(dir, action); err != nil {
			return err
		}
	}
	made, err := w.InitGitHub(dir, repository)
	if err != nil {
		return err
	}
	if action == "" {
		a.warn("no workflows were written: this program does not know the commit that it was built from; --action names one")
	}
	if a.json {
		return a.out.document(map[string]any{
			"schema": 1, "registry": name, "folder": made.Dir, "published": made.Published, "trust": made.Trust.Kind,
			"workflow": made.Trust.Identity.SAN, "workflows": workflows, "action": action,
		})
	}
	a.out.printf("%s %s in %s\n  signed by %s\n", a.out.green("made"), a.out.bold(string(name)), safe(made.Dir), safe(made.Trust.Identity.SAN))
	for _, f := range workflows {
		a.out.printf("  wrote     %s\n", f)
	}
	if action == "" {
		a.out.say("next: let that workflow run 'patch-git registry publish .' with 'permissions: id-token: write', then commit and push")
	} else {
		a.out.say("next: commit and push; docs/run-a-registry.md names the settings of the repository")
	}
	return nil
}
