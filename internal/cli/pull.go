package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) pullCommand() *cobra.Command {
	var in string
	var yes bool
	c := &cobra.Command{
		Use:   "pull name[@version]...",
		Short: "Fetch, verify and install tools",
		Long: `Fetch a tool, verify its signature, its place in the registry's log and every
file, and install it. Nothing is stored before it is verified.`,
		Example: `  patch-git pull csv_to_json
  patch-git pull csv_to_json@1.2.0 extract_pdf_table
  patch-git pull http_get --yes        agree to what it asks for`,
		Args: atLeastOne, ValidArgsFunction: a.completeListed,
		RunE: func(c *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			name, err := registryFlag(in)
			if err != nil {
				return err
			}
			var done []pullDocument
			for _, arg := range args {
				ref, err := parseRef(arg)
				if err != nil {
					return err
				}
				o := consume.PullOptions{Registry: name, Agree: yes, Widen: yes}
				p, err := client.Pull(c.Context(), ref, o)
				if refusal, ok := errors.AsType[*fault.Error](err); ok && refusal.Reason == consume.ReasonWidened {
					if err := a.confirm(c.Context(), refusal.Message+". Install it?", refusal); err != nil {
						return err
					}
					o.Widen = true
					p, err = client.Pull(c.Context(), ref, o)
				}
				if err != nil {
					return err
				}
				done = append(done, a.pulled(p))
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "pulled": done})
			}
			return nil
		},
	}
	a.registryFlagOf(c, &in)
	a.maxAgeFlag(c)
	c.Flags().BoolVarP(&yes, "yes", "y", false, "agree to what the tools ask for")
	return c
}

// pullDocument is one installed tool in the JSON answer.
type pullDocument struct {
	Name        spec.Name         `json:"name"`
	Version     spec.Version      `json:"version"`
	Release     spec.Digest       `json:"release"`
	Registry    spec.RegistryName `json:"registry"`
	Permissions spec.Permissions  `json:"permissions"`
	Before      spec.Version      `json:"before,omitempty"` // installed until now
	Added       []string          `json:"added,omitempty"`  // what that one could not do
	Consented   bool              `json:"consented"`
	Environment string            `json:"environment,omitempty"`
	Yanked      string            `json:"yanked,omitempty"`
}

func (a *app) pulled(p *consume.Pulled) pullDocument {
	r := p.Receipt
	if p.Yanked != "" {
		a.warn(r.Ref().At() + " was yanked: " + p.Yanked)
	}
	if !a.json {
		a.out.printf("%s %s from %s\n", a.out.green("installed"), a.out.bold(r.Ref().At()), r.Registry)
		a.out.printf("  verified  %s\n", r.Release)
		a.out.printf("  may use   %s\n", strings.Join(permissionWords(p.Permissions), ", "))
		if len(p.Added) > 0 {
			a.out.printf("  new       %s (%s asked for less)\n", safe(strings.Join(p.Added, ", ")), p.Before)
		}
		if p.Environment != "" {
			a.out.printf("  packages  %s\n", p.Environment)
		}
		which := "the first run"
		if !consume.NeedsConsent(p.Permissions) {
			which = "the first run that names a file"
		}
		if (consume.NeedsConsent(p.Permissions) || consume.MayHaveFiles(p.Permissions)) && !p.Consented {
			a.out.say("%s asks whether you agree to that; 'patch-git pull %s --yes' agrees now", which, r.Ref().At())
		}
	}
	return pullDocument{r.Name, r.Version, r.Release, r.Registry, p.Permissions, p.Before, p.Added, p.Consented, p.Environment, p.Yanked}
}
