package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/contribute"
)

func (a *app) publishCommand() *cobra.Command {
	var to, login string
	var id int64
	var with func() contribute.Signing
	var uploaded func(*contribute.Workshop) error
	var s *submitFlags
	c := &cobra.Command{
		Use:   "publish file",
		Short: "Check a tool and propose it to a registry, or publish it into a folder",
		Long: `Check a tool and propose it to a registry on GitHub by a pull request: against the
file's own rules, against what the registry has published, and against its source
tree. The branch goes to your fork, which is made where you have none, or into the
registry's repository where you may push; no clone is needed. The same file again
changes nothing, another one updates the same pull request. The registry is the
only one on GitHub that you added, or the one that --registry names.

GitHub is asked with the token of GITHUB_TOKEN, GH_TOKEN or 'gh auth token'. It is
never stored and never shown. --dry-run needs none.

With --watch the pull request is followed until the tool can be pulled: 0 it can,
3 the check says no, 5 a maintainer has to act or has closed it, 7 nobody can tell
yet, 130 you stopped watching.

With --to a tool goes into the folder of a registry on this machine: it is copied
into tools/, signed with the registry's key, or as its workflow in a GitHub job,
logged, and the head moves. A published version never changes: new content is a
new version.`,
		Example: `  patch-git publish csv_to_json.py --dry-run
  patch-git publish install.json --to ./registry
  patch-git publish ./my-skill --to ./registry
  patch-git publish csv_to_json.py --registry acme/tools --watch
  patch-git publish csv_to_json.py --to ./registry`,
		Args: exactly("file"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"py", "json", "md"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(c *cobra.Command, args []string) error {
			if to == "" {
				if err := onlyWith(c, "--to", "key", "signing-config", "trusted-root", "uploaded-before", "owner", "owner-id"); err != nil {
					return err
				}
				return a.submit(c.Context(), s, args[0], func(ctx context.Context, w *contribute.Workshop, o contribute.DraftOptions) (*contribute.Draft, error) {
					return w.DraftRelease(ctx, a.path(args[0]), o)
				})
			}
			if err := s.notWith(c, "--to"); err != nil {
				return err
			}
			w, err := a.workshop()
			if err != nil {
				return err
			}
			if err := uploaded(w); err != nil {
				return err
			}
			done, err := w.PublishFile(c.Context(), a.path(args[0]), a.path(to), with(), login, id)
			if done != nil {
				for _, r := range done.Reports {
					if r.File == a.path(args[0]) {
						r.File = args[0]
					}
				}
			}
			return a.published(done, err)
		},
	}
	s = a.submitFlagsOf(c)
	c.Flags().StringVar(&to, "to", "", "the folder of a registry on this machine")
	with, uploaded = a.signingFlags(c), uploadedFlag(c)
	c.Flags().StringVar(&login, "owner", "local", "with --to: the login that owns a new name")
	c.Flags().Int64Var(&id, "owner-id", 0, "with --to: the numeric id of that login")
	_ = c.MarkFlagDirname("to")
	return c
}
