package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) searchCommand() *cobra.Command {
	var in string
	var limit int
	c := &cobra.Command{
		Use:   "search [words]",
		Short: "Find tools by words of their name and description",
		Long:  "Find tools that have every word in their name or description. Without words, list all tools.",
		Example: `  patch-git search pdf table
  patch-git search --json csv | jq '.hits[].name'`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			name, err := registryFlag(in)
			if err != nil {
				return err
			}
			found, err := client.Search(c.Context(), consume.SearchOptions{Query: strings.Join(args, " "), Registry: name, Limit: limit})
			if err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "hits": found.Hits})
			}
			if len(found.Hits) == 0 {
				a.out.say("no tool matches")
				return nil
			}
			var rows [][]string
			for _, h := range found.Hits {
				mark := ""
				switch {
				case h.Installed != "":
					mark = " (installed)"
				case h.Deprecated:
					mark = " (deprecated)"
				}
				rows = append(rows, []string{a.out.bold(string(h.Name)), string(h.Version), safe(h.Description) + mark})
			}
			a.out.table(rows)
			return nil
		},
	}
	a.registryFlagOf(c, &in)
	a.maxAgeFlag(c)
	c.Flags().IntVar(&limit, "limit", 20, "at most this many; 0 is all")
	return c
}

// registryFlagOf adds --registry with completion.
func (a *app) registryFlagOf(c *cobra.Command, into *string) {
	c.Flags().StringVar(into, "registry", "", "only this registry, as owner/name")
	_ = c.RegisterFlagCompletionFunc("registry", a.completeRegistries)
}

func registryFlag(s string) (spec.RegistryName, error) {
	if s == "" {
		return "", nil
	}
	n, err := spec.ParseRegistryName(s)
	if err != nil {
		return "", usage("%w", err).Hint("patch-git registry list")
	}
	return n, nil
}

// parseRef reads a reference from the command line.
func parseRef(s string) (spec.Ref, error) {
	r, err := spec.ParseRef(s)
	if err != nil {
		return r, usage("%w", err).Hint("a reference looks like csv_to_json or csv_to_json@1.2.0")
	}
	return r, nil
}
