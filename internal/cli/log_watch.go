package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) logWatch() *cobra.Command {
	var all, exitCode bool
	var since int64
	c := &cobra.Command{
		Use:   "watch [owner/name]",
		Short: "Show what was added to a registry's log since the last watch",
		Long: `Show what was accepted, yanked and revoked since this command was last run, oldest
first. The head must follow the one that the last watch saw, and every entry is
shown to be in the log. Other commands do not move the mark, so that no news is
lost; it moves when the news has been written out.

The first watch starts at the present end of the log and shows nothing but its
size. --all and --since look further back; they move the mark as well, unless
entries between it and --since were left out.

With --exit-code, the exit code is 0 where nothing is new and 3 (findings) where
entries are listed; all other exit codes are as ever.`,
		Example: `  patch-git log watch
  patch-git log watch patch-cat/patch-git --all
  patch-git log watch --since 120 --json | jq -r '.entries[].name'
  patch-git log watch --exit-code --quiet || mail -s "news" me@example.com`,
		Args: atMostOne, ValidArgsFunction: a.completeRegistries,
		RunE: func(c *cobra.Command, args []string) error {
			var name spec.RegistryName
			var err error
			if len(args) == 1 {
				if name, err = registryFlag(args[0]); err != nil {
					return err
				}
			}
			o := consume.WatchOptions{All: all}
			if c.Flags().Changed("since") {
				o.Since = &since
			}
			if all && o.Since != nil {
				return usage("--all and --since say two different things")
			}
			if o.Since != nil && since < 0 {
				return usage("--since is the index of an entry, %d is none", since)
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			news, err := client.Watch(c.Context(), name, o)
			if err != nil {
				return err
			}
			if err := a.printNews(news); err != nil {
				return err
			}
			if a.out.out.failed != nil {
				return a.out.out.failed // nobody has seen it, so the mark stays
			}
			moved, err := client.Watched(c.Context(), news)
			if err != nil {
				return err
			}
			if !moved && !a.quiet {
				a.warn(fmt.Sprintf("entries before %d were not shown; the next watch begins with them", news.Since))
			}
			if exitCode && len(news.Entries) > 0 {
				return fault.New(fault.Findings, "news", "the log of %s has news: %d", news.Registry, len(news.Entries))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "show the whole log")
	c.Flags().Int64Var(&since, "since", 0, "show the log from the entry of this index on")
	c.Flags().BoolVar(&exitCode, "exit-code", false, "exit 3 where entries are listed")
	_ = c.RegisterFlagCompletionFunc("since", cobra.NoFileCompletions)
	return c
}

func (a *app) printNews(n *consume.News) error {
	if a.json {
		return a.out.document(struct {
			Schema int `json:"schema"`
			*consume.News
		}{1, n})
	}
	var rows [][]string
	for _, e := range n.Entries {
		event := string(e.Event)
		if e.Event == ledger.EventRevoke {
			event = a.out.red(event)
		}
		rows = append(rows, []string{e.Time, event, a.out.bold(spec.Ref{Name: e.Name, Version: e.Version}.At()), safe(e.Reason)})
	}
	a.out.table(rows)
	switch {
	case a.quiet:
	case n.First && len(n.Entries) == 0:
		a.out.say("the log of %s has %d entries; the watch starts here (--all shows them)", n.Registry, n.Head.Log.Size)
	case len(n.Entries) == 0:
		a.out.say("nothing new in %s since head %d of %s", n.Registry, n.Head.Seq, n.Head.Time)
	}
	return nil
}
