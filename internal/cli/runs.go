package cli

import (
	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) runsCommand() *cobra.Command {
	var tool string
	var limit int
	c := &cobra.Command{
		Use:   "runs [run-id]",
		Short: "List past runs, or show one",
		Example: `  patch-git runs --tool csv_to_json
  patch-git runs 20261121T120000Z-…`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("%s takes one run at most, got %d", c.CommandPath(), len(args)).Hint("%s", c.UseLine())
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return a.showRun(client.Journal, args[0])
			}
			f := audit.Filter{Limit: limit}
			if tool != "" {
				if f.Name, err = spec.ParseName(tool); err != nil {
					return usage("--tool: %w", err)
				}
			}
			runs, broken, err := client.Journal.List(f)
			if err != nil {
				return err
			}
			for _, b := range broken {
				a.warn("run " + string(b.RunID) + ": " + b.Message)
			}
			if a.json {
				if runs == nil {
					runs = []audit.Summary{}
				}
				return a.out.document(map[string]any{"schema": 1, "runs": runs})
			}
			if len(runs) == 0 {
				a.out.say("nothing was run yet")
			}
			var rows [][]string
			for _, r := range runs {
				status := string(r.Status)
				if r.Status == audit.Succeeded {
					status = a.out.green(status)
				} else {
					status = a.out.red(status)
				}
				rows = append(rows, []string{string(r.RunID), string(r.Tool) + "@" + string(r.Version), status})
			}
			a.out.table(rows)
			return nil
		},
	}
	c.Flags().StringVar(&tool, "tool", "", "only runs of this tool")
	c.Flags().IntVar(&limit, "limit", 20, "at most this many; 0 is all")
	_ = c.RegisterFlagCompletionFunc("tool", a.completeInstalled)
	return c
}

func (a *app) showRun(j *audit.Journal, text string) error {
	id, err := audit.ParseRunID(text)
	if err != nil {
		return usage("%w", err).Hint("patch-git runs")
	}
	rec, err := j.Get(id)
	if err != nil {
		return err
	}
	if a.json {
		return a.out.document(struct {
			Schema int          `json:"schema"`
			Run    audit.Record `json:"run"`
		}{1, rec})
	}
	rows := [][]string{
		{"run", safe(string(rec.RunID))},
		{"tool", rec.Tool.Name.String() + "@" + rec.Tool.Version.String()},
		{"status", string(rec.Status)},
		{"at", rec.StartedAt.Format("2006-01-02 15:04:05 MST")},
		{"source", rec.Tool.Source.String()},
		{"sandbox", safe(rec.Sandbox.Driver)},
		{"python", safe(rec.Sandbox.Python.Version + " " + rec.Sandbox.Python.Path)},
		{"inputs", safe(string(rec.Inputs))},
	}
	if rec.Sandbox.Python.Note != "" {
		rows = append(rows, []string{"note", safe(rec.Sandbox.Python.Note)})
	}
	if len(rec.Output) > 0 {
		rows = append(rows, []string{"result", safe(string(rec.Output))})
	}
	if rec.Error != nil {
		rows = append(rows, []string{"error", safe(rec.Error.Message)})
	}
	a.out.table(rows)
	return nil
}
