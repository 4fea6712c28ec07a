package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) replayCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "replay run-id",
		Short: "Run a recorded call again and compare",
		Long: `Run the recorded inputs of a run that succeeded once more, against the very source
that ran then, in a fresh sandbox, and say what is the same: the tool's file
(source_match), what bounded it (sandbox_match) and what it answered (output_match:
yes, no, or na_non_deterministic for a tool with network). It says no more than two
runs can show. What needed your word needs it again, and paths that you gave by flags
are given by them again or not at all.

The exit code is 0 where the outputs are the same or cannot be compared, 3 where they
differ without a network, 4 where what is kept of the tool is not what ran, and 6
where the tool is not installed any more.`,
		Example: `  patch-git replay 20261121-120000-123456-abcdefghij
  patch-git replay 20261121-120000-123456-abcdefghij --json`,
		Args: exactly("run-id"), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error { return a.replay(c, args[0], f) },
	}
	c.Flags().StringArrayVar(&f.read, "allow-read", nil, "let the tool read this path; can be repeated")
	c.Flags().StringArrayVar(&f.write, "allow-write", nil, "let the tool write this path; can be repeated")
	c.Flags().StringArrayVar(&f.net, "allow-net", nil, "let a tool with network reach this `HOST[:PORT]` of yours beyond the internet; can be repeated")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "agree to what the tool may do, and confirm this run")
	c.Flags().StringVar(&f.sandbox, "sandbox", "", "run by this sandbox driver or not at all; 'patch-git doctor' lists them")
	return c
}

func (a *app) replay(c *cobra.Command, text string, f runFlags) error {
	id, err := audit.ParseRunID(text)
	if err != nil {
		return usage("%w", err).Hint("patch-git runs")
	}
	if err := oneDriver(f.sandbox, c.Flags().Changed("sandbox")); err != nil {
		return err
	}
	client, err := a.client()
	if err != nil {
		return err
	}
	o := consume.RunOptions{Read: f.read, Write: f.write, Net: f.net, Agree: f.yes, Confirm: f.yes, HostApp: "cli", Driver: f.sandbox}
	var r *consume.Replayed
	if _, err := a.askAndRun(c.Context(), o, func(o consume.RunOptions) (ran *consume.Ran, err error) {
		r, err = client.Replay(c.Context(), id, o)
		return nil, err
	}); err != nil {
		return err
	}
	if a.json {
		err = a.out.document(struct {
			Schema int `json:"schema"`
			*consume.Replayed
		}{1, r})
	} else {
		a.printReplayed(r)
	}
	if err != nil {
		return err
	}
	return replayFault(r)
}

func (a *app) printReplayed(r *consume.Replayed) {
	rows := [][]string{{"replay of", string(r.Of) + " · " + r.Tool}, {"status", string(r.Status)}, {"source_match", "no, the tool's file is another one now"}}
	if r.SourceMatch {
		rows[2][1] = a.out.green("yes")
	}
	if m := r.SandboxMatch; m != nil {
		says := a.out.green("yes")
		if !m.Match {
			var names []string
			for _, d := range m.Differences {
				names = append(names, d.Field)
			}
			says = "no: " + strings.Join(names, ", ") + "; --json has both"
		}
		rows = append(rows, []string{"sandbox_match", says})
	}
	if r.OutputMatch != "" {
		rows = append(rows, []string{"output_match", string(r.OutputMatch)})
	}
	if r.Ran != nil {
		rows = append(rows, []string{"recorded as", string(r.Ran.RunID)})
	}
	a.out.table(rows)
	a.out.printf("%s\n", safe(r.Meaning))
}

// replayFault is the exit code of a replay that has something to report.
func replayFault(r *consume.Replayed) error {
	switch {
	case r.Status == consume.ReplayMissing:
		e := fault.New(fault.NotFound, string(r.Status), "%s, which run %s used, is not here", r.Tool, r.Of)
		if name, version, ok := strings.Cut(r.Tool, "@"); ok && version != "" {
			e = e.Hint("patch-git pull %s", spec.Ref{Name: spec.Name(name), Version: spec.Version(version)}.At())
		}
		return e
	case r.Status == consume.ReplaySourceChanged:
		return fault.New(fault.NotVerified, string(r.Status), "what is kept of %s is not what run %s used", r.Tool, r.Of).
			Hint("patch-git remove %s && patch-git pull %s", r.Tool, r.Tool)
	case r.OutputMatch == consume.OutputNo:
		return fault.New(fault.Findings, "output_differs", "%s answered something else than in run %s, and it has no network", r.Tool, r.Of).
			Hint("patch-git runs %s", r.Of)
	}
	return nil
}
