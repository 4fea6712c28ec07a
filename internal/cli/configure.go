package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/keyring"
)

// configureCommand shows and changes what an installed tool was given. It is apart from
// 'env', which is about environments of Python.
func (a *app) configureCommand() *cobra.Command {
	var env []string
	c := &cobra.Command{
		Use:   "configure name [VARIABLE]",
		Short: "Show which values an installed tool was given, or change one",
		Long: `Show the names of the values that an install manifest asks for, and where each is
kept; values are never shown. With a variable, ask for it anew at the terminal. --env
changes values that are no secrets. A smoke test runs after a change.`,
		Example: `  patch-git configure send_mail
  patch-git configure send_mail API_KEY          asks for it, and does not show it
  patch-git configure send_mail --env FROM=ann@example.org`,
		Args: cobra.RangeArgs(1, 2), ValidArgsFunction: a.completeInstalled,
		RunE: func(c *cobra.Command, args []string) error {
			ref, err := parseRef(args[0])
			if err != nil {
				return err
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			d := deployFlags{env: env}
			o := consume.ConfigureOptions{Ask: a.asker()}
			if o.Env, err = d.parse(); err != nil {
				return err
			}
			if len(args) == 2 {
				if o.Name = args[1]; len(o.Env) > 0 {
					return usage("--env names what is changed; a variable beside it is one too many")
				}
			}
			state, err := client.Configure(c.Context(), ref, o)
			if err != nil {
				return err
			}
			if a.json {
				if err := a.out.document(map[string]any{"schema": 1, "tool": state.Ref.At(), "values": state.Variables, "smoke": state.Smoke}); err != nil {
					return err
				}
				return state.Broken()
			}
			var rows [][]string
			for _, v := range state.Variables {
				where := "kept with the tool"
				switch {
				case v.Where == "":
					where = "has no value"
				case v.Secret:
					where = "in " + keyring.Kind(v.Where).Words()
				}
				rows = append(rows, []string{v.Name, where, safe(strings.TrimSpace(v.Prompt))})
			}
			a.out.table(rows)
			if len(rows) == 0 {
				a.out.say("%s asks for no values", state.Ref.At())
			}
			a.out.say("works: %s", smokeText(state.Smoke))
			return state.Broken()
		},
	}
	c.Flags().StringArrayVar(&env, "env", nil, "change a value to `NAME=VALUE`; not for secrets")
	return c
}
