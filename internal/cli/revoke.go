package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// revokeCommand is two things that people call by one word, told apart by what is
// typed: a maintainer names a version and a reason, and stops it for everybody; a
// person names an installed tool, and takes back the access that it was given.
func (a *app) revokeCommand() *cobra.Command {
	var reason string
	var yes, force bool
	c := a.amendCommand("name@version", func(ref spec.Ref, _ string) (contribute.Amendment, error) {
		return contribute.Amendment{What: contribute.Revoke, Ref: ref, Reason: reason}, reasonOr("revoke", false, reason)
	})
	c.Use = "revoke name | revoke name@version --reason text"
	c.Short = "Take back an installed tool's access; or stop a version from running anywhere"
	c.Long = `With a name alone: run the kill switch of an installed install manifest, then remove
the tool, all that was installed for it, and its secrets. Where the switch fails the
tool stays, so that it can be tried again; --force removes it all the same.

With a version and --reason, for the maintainers of a registry: a revoked version
refuses to run, also where it is installed, as soon as the client has seen the new
head. Nothing takes that back.` + amendHelp
	c.Example = `  patch-git revoke send_mail
  patch-git revoke csv_to_json@1.0.0 --reason "sends its input away" --watch
  patch-git revoke csv_to_json@1.0.0 --in ./registry --reason "sends its input away"`
	c.Flags().StringVar(&reason, "reason", "", "why; shown to people")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "with a name alone: what is told to be done by hand was done")
	c.Flags().BoolVar(&force, "force", false, "with a name alone: remove the tool although its kill switch failed")
	amend := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		ref, err := parseRef(args[0])
		if err != nil {
			return err
		}
		own := ref.Version == "" && reason == "" && !c.Flags().Changed("in")
		if !own {
			if yes || force {
				return usage("--yes and --force are for revoke with the name of an installed tool alone")
			}
			return amend(c, args)
		}
		client, err := a.client()
		if err != nil {
			return err
		}
		return a.revokeOwn(c.Context(), client, ref.Name, consume.RevokeOptions{Done: yes, Force: force})
	}
	return c
}

// revokeOwn takes an installed tool's access back, and asks the person who has to do
// it by hand.
func (a *app) revokeOwn(ctx context.Context, client *consume.Client, name spec.Name, o consume.RevokeOptions) error {
	done, err := client.Revoke(ctx, name, o)
	if manual, ok := errors.AsType[*consume.ManualError](err); ok {
		a.out.say("access of %s is taken back by hand; do what this page says:\n  %s", name, safe(manual.Instructions))
		refusal, _ := errors.AsType[*fault.Error](err)
		if err := a.confirm(ctx, "Have you done that?", refusal); err != nil {
			return err
		}
		o.Done = true
		done, err = client.Revoke(ctx, name, o)
	}
	if err != nil {
		return err
	}
	if done.Failed != "" {
		a.warn("the kill switch failed, and the tool is removed all the same: " + done.Failed)
	}
	var gone []string
	for _, r := range done.Removed {
		gone = append(gone, r.At())
		if !a.json {
			a.out.printf("removed %s\n", r.At())
		}
	}
	if a.json {
		return a.out.document(map[string]any{"schema": 1, "removed": gone, "kill_switch": done.Kind, "says": done.Says, "failed": done.Failed})
	}
	if done.Says != "" {
		a.out.printf("  access    %s\n", safe(done.Says))
	}
	return nil
}
