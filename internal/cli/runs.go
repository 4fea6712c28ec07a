package cli

import (
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) runsCommand() *cobra.Command {
	var tool string
	var limit int
	var stdout, stderr bool
	c := &cobra.Command{
		Use:   "runs [run-id]",
		Short: "List past runs, or show one",
		Example: `  patch-git runs --tool csv_to_json
  patch-git runs 20261121-120000-123456-abcdefghij
  patch-git runs 20261121-120000-123456-abcdefghij --stderr   what the tool said`,
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
			if stdout && stderr {
				return usage("--stdout and --stderr are printed one at a time")
			}
			if len(args) == 1 {
				if stdout || stderr {
					return a.showStream(client.Journal, args[0], stderr)
				}
				return a.showRun(client.Journal, args[0])
			}
			if stdout || stderr {
				return usage("--stdout and --stderr need a run").Hint("patch-git runs")
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
	c.Flags().BoolVar(&stdout, "stdout", false, "print all that the run wrote to its standard output")
	c.Flags().BoolVar(&stderr, "stderr", false, "print all that the run wrote to its standard error")
	c.Flags().IntVar(&limit, "limit", 20, "at most this many; 0 is all")
	_ = c.RegisterFlagCompletionFunc("tool", a.completeInstalled)
	return c
}

// recordOf finds the record of the run that was named.
func recordOf(j *audit.Journal, text string) (audit.Record, error) {
	id, err := audit.ParseRunID(text)
	if err != nil {
		return audit.Record{}, usage("%w", err).Hint("patch-git runs")
	}
	return j.Get(id)
}

// showStream prints a stored stream: byte for byte for a program, with hidden
// characters made visible for a person.
func (a *app) showStream(j *audit.Journal, text string, stderr bool) error {
	rec, err := recordOf(j, text)
	if err != nil {
		return err
	}
	digest := rec.StdoutSHA256
	if stderr {
		digest = rec.StderrSHA256
	}
	if digest.IsZero() {
		return fault.New(fault.NotFound, "no_output", "run %s did not end, so nothing of it is kept", safe(text))
	}
	data, err := j.Blob(digest)
	if err != nil {
		return err
	}
	if a.json {
		doc := map[string]any{"schema": 1, "run_id": rec.RunID, "sha256": digest, "base64": data}
		if utf8.Valid(data) {
			delete(doc, "base64")
			doc["text"] = string(data)
		}
		return a.out.document(doc)
	}
	out := string(data)
	if a.host.Terminal.Stdout {
		out = safe(out)
	}
	a.out.printf("%s", out)
	return nil
}

func (a *app) showRun(j *audit.Journal, text string) error {
	rec, err := recordOf(j, text)
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
