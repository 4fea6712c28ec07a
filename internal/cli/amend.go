package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// amendHelp ends the help of every command that changes tool.yaml.
const amendHelp = `

Without --in it is proposed to a registry on GitHub by a pull request that changes
tool.yaml, as 'patch-git publish' proposes a tool: see there for the token, for
--dry-run and for --watch. With --in it is done at once in the folder of a registry
on this machine, by who can sign for it. tool.yaml is written anew: what it says stays,
its comments and its layout go.`

func (a *app) yankCommand() *cobra.Command {
	var reason string
	var undo bool
	c := a.amendCommand("name@version", func(ref spec.Ref, _ string) (contribute.Amendment, error) {
		am := contribute.Amendment{What: contribute.Yank, Ref: ref, Reason: reason}
		if undo {
			am.What = contribute.Unyank
		}
		return am, reasonOr("yank", undo, reason)
	})
	c.Use = "yank name@version --reason text"
	c.Short = "Take a version out of resolution; what pinned it still works"
	c.Long = "A yanked version is not chosen any more when nobody names it by number. --undo takes\nthat back." + amendHelp
	c.Example = `  patch-git yank csv_to_json@1.0.0 --reason "wrong quotes"
  patch-git yank csv_to_json@1.0.0 --undo
  patch-git yank csv_to_json@1.0.0 --in ./registry --reason "wrong quotes"`
	c.Flags().StringVar(&reason, "reason", "", "why; shown to people")
	c.Flags().BoolVar(&undo, "undo", false, "take the yank back")
	return c
}

func (a *app) deprecateCommand() *cobra.Command {
	var reason, instead string
	var undo bool
	c := a.amendCommand("name", func(ref spec.Ref, _ string) (contribute.Amendment, error) {
		am := contribute.Amendment{What: contribute.Deprecate, Ref: ref, Reason: reason}
		if undo {
			am.What = contribute.Undeprecate
		}
		if instead != "" {
			n, err := spec.ParseName(instead)
			if err != nil || undo {
				return am, usage("--instead names another tool of the registry, not %s", spec.Quote(instead))
			}
			am.Instead = n
		}
		return am, reasonOr("deprecate", undo, reason)
	})
	c.Use = "deprecate name --reason text"
	c.Short = "Advise against a tool; it works as before"
	c.Long = "Who looks at a deprecated tool is told why, and what to use instead. --undo takes that\nback." + amendHelp
	c.Example = `  patch-git deprecate csv_to_json --reason "the new one is faster" --instead table_to_json
  patch-git deprecate csv_to_json --undo
  patch-git deprecate csv_to_json --in ./registry --reason "the service is gone"`
	c.Flags().StringVar(&reason, "reason", "", "why; shown to people")
	c.Flags().StringVar(&instead, "instead", "", "the tool to use instead")
	c.Flags().BoolVar(&undo, "undo", false, "advise against it no more")
	return c
}

func (a *app) transferCommand() *cobra.Command {
	var to []string
	var ids []int64
	c := a.amendCommand("name", func(ref spec.Ref, in string) (contribute.Amendment, error) {
		am := contribute.Amendment{What: contribute.Transfer, Ref: ref}
		switch {
		case len(to) == 0:
			return am, usage("transfer needs --to, the login of the new owner")
		case in == "" && len(ids) > 0:
			return am, usage("--to-id goes with --in; GitHub tells the numbers of its users")
		case in != "" && len(ids) != len(to):
			return am, usage("--to needs --to-id with --in: a name belongs to a number")
		}
		for i, login := range to {
			o := ledger.Owner{Login: strings.TrimPrefix(login, "@")}
			if in != "" {
				o.ID = ids[i]
			}
			am.Owners = append(am.Owners, o)
		}
		return am, nil
	})
	c.Use = "transfer name --to login"
	c.Short = "Give a tool to another owner"
	c.Long = "A name belongs to a number of GitHub's, not to a login: the number is looked up and is\nwhat counts. --to may be given several times; who is not named owns it no more.\nBoth sides have to agree: who owns the tool proposes it, who gets it approves." + amendHelp
	c.Example = `  patch-git transfer csv_to_json --to ann
  patch-git transfer csv_to_json --in ./registry --to ann --to-id 7`
	c.Flags().StringSliceVar(&to, "to", nil, "the login of the new owner")
	c.Flags().Int64SliceVar(&ids, "to-id", nil, "with --in: the number of that login, one for each")
	return c
}

// reasonOr asks for a reason, but of what is undone.
func reasonOr(verb string, undo bool, reason string) error {
	switch {
	case undo && reason != "":
		return usage("--undo needs no --reason")
	case !undo && reason == "":
		return usage("%s needs --reason, which people are shown", verb)
	}
	return nil
}

// amendCommand is a command that changes tool.yaml of a tool, in a folder or by
// a pull request. amend makes the change of what was typed; in is the folder.
func (a *app) amendCommand(arg string, amend func(ref spec.Ref, in string) (contribute.Amendment, error)) *cobra.Command {
	var in string
	var with func() contribute.Signing
	var s *submitFlags
	c := &cobra.Command{
		Args: exactly(arg), ValidArgsFunction: a.completeListed,
		RunE: func(c *cobra.Command, args []string) error {
			ref, err := parseRef(args[0])
			if err != nil {
				return err
			}
			switch ofVersion := arg != "name"; {
			case ofVersion && ref.Version == "":
				return usage("%s needs a version", c.Name()).Hint("patch-git %s %s@1.0.0 …", c.Name(), ref.Name)
			case !ofVersion && ref.Version != "":
				return usage("%s is about all versions of a tool", c.Name()).Hint("patch-git %s %s …", c.Name(), ref.Name)
			case in != "":
				err = s.notWith(c, "--in")
			default:
				err = onlyWith(c, "--in", "key", "signing-config", "trusted-root")
			}
			if err != nil {
				return err
			}
			ref.Digest = spec.Digest{}
			am, err := amend(ref, in)
			if err != nil {
				return err
			}
			if in == "" {
				return a.submit(c.Context(), s, "", func(ctx context.Context, w *contribute.Workshop, o contribute.DraftOptions) (*contribute.Draft, error) {
					return w.DraftAmendment(ctx, am, o)
				})
			}
			w, err := a.workshop()
			if err != nil {
				return err
			}
			done, err := w.AmendTree(c.Context(), am, a.path(in), with())
			return a.published(done, err)
		},
	}
	s = a.submitFlagsOf(c)
	c.Flags().StringVar(&in, "in", "", "the folder of a registry on this machine")
	with = a.signingFlags(c)
	_ = c.MarkFlagDirname("in")
	return c
}
