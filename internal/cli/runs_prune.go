package cli

import (
	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/person"
)

func (a *app) runsPrune() *cobra.Command {
	var days int
	var damaged bool
	c := &cobra.Command{
		Use: "prune", Short: "Remove records of runs that are older than you keep them",
		Long: `Remove the records of runs that ended so many days ago, and what those runs wrote.
The number is that of --older-than, or keep_runs_days of your configuration; where
neither says one, nothing is removed.

The last record stays, and so does a signed note that the others follow: 'patch-git
runs verify' holds before and after. A run that was removed cannot be replayed.`,
		Example: "  patch-git runs prune --older-than 90", Args: exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			if !c.Flags().Changed("older-than") {
				conf, err := config.Load(a.host.Paths)
				if err != nil {
					return err
				}
				if days = conf.MCP.KeepRunsDays; days == 0 {
					return usage("your configuration keeps records always; say how old they must be").Hint("patch-git runs prune --older-than 90")
				}
			}
			if days < 0 {
				return usage("--older-than is a number of days, not %d", days).Hint("patch-git runs prune --older-than 90")
			}
			if err := person.Alone(a.host); err != nil {
				return err
			}
			done, err := client.Journal.Prune(c.Context(), a.host.Now().AddDate(0, 0, -days), damaged)
			if err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "older_than_days": days, "pruned": done})
			}
			a.out.say("removed %d records, %d of runs without an end, %d outputs, %d bytes in all", done.Records, done.Unfinished, done.Streams, done.Bytes)
			return nil
		},
	}
	c.Flags().IntVar(&days, "older-than", 0, "so many `DAYS`, in place of keep_runs_days")
	c.Flags().BoolVar(&damaged, "damaged", false, "although records are damaged: what shows it may be removed")
	return c
}
