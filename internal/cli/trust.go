package cli

import (
	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/trustroot"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) trustCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "trust",
		Short: "Show or refresh whom registries signed by workflows are verified by",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.trustShow(), a.trustUpdate())
	return c
}

func (a *app) trustShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Show the trusted root that is in force",
		Long: `Show the authorities and logs of the public Sigstore instance that registries
signed by a workflow are verified by, as they came with this program or as
'patch-git trust update' refreshed them. A registry that was added with a
trusted root of its own is verified by that one alone.`,
		Example: "  patch-git trust show",
		Args:    exactly(),
		RunE: func(*cobra.Command, []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			m, err := client.TrustedRoot()
			if err != nil {
				return err
			}
			all, err := trustroot.Authorities(m.Root)
			if err != nil {
				return fault.New(fault.NotVerified, trustroot.ReasonDamaged, "%w", err).Hint("patch-git trust update")
			}
			if a.json {
				return a.out.document(struct {
					Schema        int    `json:"schema"`
					Source        string `json:"source"`
					AsOf          string `json:"as_of"`
					Digest        string `json:"digest"`
					SigningConfig string `json:"signing_config"`
					Authorities   any    `json:"authorities"`
				}{1, source(m), asOf(m), m.Digest().String(), spec.DigestOf(m.Config).String(), all})
			}
			a.out.printf("%s %s, %s\n", a.out.bold(source(m)), asOf(m), m.Digest())
			var rows [][]string
			for _, x := range all {
				rows = append(rows, authorityRow("", x))
			}
			a.out.table(rows)
			return nil
		},
	}
}

func (a *app) trustUpdate() *cobra.Command {
	var mirror, root string
	c := &cobra.Command{
		Use:   "update",
		Short: "Refresh the trusted root from Sigstore's TUF repository",
		Long: `Ask Sigstore's TUF repository for the trusted root that it has now. What comes is
believed where the keys of the repository signed it, where it is not older than
what was seen before, and where it is not out of date; else it is refused (exit
code 4) and nothing changes. No other command asks for it.

--mirror asks a copy of the repository, which is believed as little. --root is
for a repository with keys of its own: the root.json that it began with. Both
count for this one time.`,
		Example: `  patch-git trust update
  patch-git trust update --mirror https://tuf.example.org --root root.json`,
		Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			first, err := a.given(c, "root")
			if err != nil {
				return err
			}
			change, err := client.UpdateTrust(c.Context(), mirror, first)
			if err != nil {
				return err
			}
			return a.printChange(change)
		},
	}
	c.Flags().StringVar(&mirror, "mirror", "", "the address of the TUF repository to ask")
	c.Flags().StringVar(&root, "root", "", "the root.json that the repository has to follow from")
	return c
}

func (a *app) printChange(c *trustroot.Change) error {
	before := "what was damaged"
	if c.Before.Root != nil {
		before = c.Before.Digest().String()
	}
	if a.json {
		doc := map[string]any{
			"schema": 1, "changed": before != c.After.Digest().String(), "as_of": asOf(c.After), "digest": c.After.Digest().String(),
			"added": listed(c.Added), "gone": listed(c.Gone),
		}
		if c.Before.Root != nil {
			doc["before"] = before
		}
		return a.out.document(doc)
	}
	if before == c.After.Digest().String() {
		a.out.printf("%s %s as of %s\n", a.out.green("unchanged"), before, asOf(c.After))
		return nil
	}
	a.out.printf("%s %s → %s\n", a.out.green("refreshed"), before, c.After.Digest())
	var rows [][]string
	for _, x := range c.Gone {
		rows = append(rows, authorityRow(a.out.red("-"), x))
	}
	for _, x := range c.Added {
		rows = append(rows, authorityRow(a.out.green("+"), x))
	}
	a.out.table(rows)
	return nil
}

// listed is never null in JSON.
func listed(all []trustroot.Authority) []trustroot.Authority {
	return append([]trustroot.Authority{}, all...)
}

func source(m trustroot.Material) string {
	if m.Fetched == "" {
		return "embedded"
	}
	return "refreshed"
}

// asOf is when the material was known to be the newest.
func asOf(m trustroot.Material) string {
	if m.Fetched == "" {
		return trustroot.EmbeddedOn
	}
	return safe(m.Fetched)
}

func authorityRow(mark string, x trustroot.Authority) []string {
	to := "no end"
	if x.To != "" {
		to = "to " + x.To
	}
	return []string{mark + " " + x.Kind, safe(x.URI), "from " + x.From, to}
}
