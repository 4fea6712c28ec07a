package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) runsCommand() *cobra.Command {
	var list runList
	var stdout, stderr bool
	c := &cobra.Command{
		Use:   "runs [run-id]",
		Short: "List, show, verify, export and prune the records of past runs",
		Long: `Every run of a tool leaves a record, whatever became of it. Without a command
below, list them, or show the one that is named.`,
		Example: `  patch-git runs --tool csv_to_json
  patch-git runs 20261121-120000-123456-abcdefghij
  patch-git runs 20261121-120000-123456-abcdefghij --stderr   what the tool said
  patch-git runs verify`,
		Args: atMostOneRun, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.show(args[0], stdout, stderr)
			}
			if stdout || stderr {
				return usage("--stdout and --stderr need a run").Hint("patch-git runs")
			}
			return a.listRuns(list)
		},
	}
	a.listFlags(c, &list)
	showFlags(c, &stdout, &stderr)
	c.AddCommand(a.runsList(), a.runsShow(), a.runsVerify(), a.runsExport(), a.runsPrune())
	return c
}

// atMostOneRun tells a run from a command that there is not.
func atMostOneRun(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage("%s takes one run at most, got %d", c.CommandPath(), len(args)).Hint("%s", c.UseLine())
	}
	if len(args) == 1 {
		if _, err := audit.ParseRunID(args[0]); err != nil {
			e := usage("%w", err)
			for _, s := range c.SuggestionsFor(args[0]) {
				e = e.Hint("%s %s", c.CommandPath(), s)
			}
			return e.Hint("patch-git runs")
		}
	}
	return nil
}

// runList is which runs are listed.
type runList struct {
	tool  string
	limit int
}

func (a *app) listFlags(c *cobra.Command, l *runList) {
	c.Flags().StringVar(&l.tool, "tool", "", "only runs of this tool")
	c.Flags().IntVar(&l.limit, "limit", 20, "at most this many; 0 is all")
	_ = c.RegisterFlagCompletionFunc("tool", a.completeInstalled)
}

func showFlags(c *cobra.Command, stdout, stderr *bool) {
	c.Flags().BoolVar(stdout, "stdout", false, "print all that the run wrote to its standard output")
	c.Flags().BoolVar(stderr, "stderr", false, "print all that the run wrote to its standard error")
}

func (a *app) runsList() *cobra.Command {
	var list runList
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List past runs, the newest first",
		Example: "  patch-git runs list --tool csv_to_json --limit 5", Args: exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error { return a.listRuns(list) },
	}
	a.listFlags(c, &list)
	return c
}

func (a *app) runsShow() *cobra.Command {
	var stdout, stderr bool
	c := &cobra.Command{
		Use: "show <run-id>", Short: "Show the record of a run, or what the run wrote",
		Example: `  patch-git runs show 20261121-120000-123456-abcdefghij
  patch-git runs show 20261121-120000-123456-abcdefghij --json`,
		Args: exactly("run-id"), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error { return a.show(args[0], stdout, stderr) },
	}
	showFlags(c, &stdout, &stderr)
	return c
}

func (a *app) show(run string, stdout, stderr bool) error {
	client, err := a.client()
	switch {
	case err != nil:
		return err
	case stdout && stderr:
		return usage("--stdout and --stderr are printed one at a time").Hint("patch-git runs show --help")
	case stdout, stderr:
		return a.showStream(client.Journal, run, stderr)
	}
	return a.showRun(client.Journal, run)
}

func (l runList) filter() (f audit.Filter, err error) {
	f.Limit = l.limit
	if l.tool != "" {
		if f.Name, err = spec.ParseName(l.tool); err != nil {
			return f, usage("--tool: %w", err).Hint("patch-git list")
		}
	}
	return f, nil
}

func (a *app) listRuns(l runList) error {
	client, err := a.client()
	if err != nil {
		return err
	}
	f, err := l.filter()
	if err != nil {
		return err
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
	switch {
	case len(runs) > 0:
	case l.tool != "":
		a.out.say("no run of %s is recorded", l.tool)
	default:
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
		called := string(r.Tool) + "@" + string(r.Version)
		if r.Operation != "" {
			called += " " + safe(r.Operation)
		}
		rows = append(rows, []string{string(r.RunID), called, status})
	}
	a.out.table(rows)
	return nil
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
	a.out.table(runRows(&rec))
	return nil
}

// runRows are what a person wants to know of a run.
func runRows(rec *audit.Record) [][]string {
	rows := [][]string{
		{"run", safe(string(rec.RunID))},
		{"tool", rec.Tool.Name.String() + "@" + rec.Tool.Version.String()},
		{"status", string(rec.Status)},
		{"at", rec.StartedAt.Format("2006-01-02 15:04:05 MST")},
		{"source", rec.Tool.Source.String()},
		{"sandbox", safe(rec.Sandbox.Driver)},
	}
	rows = append(rows, boundRows(&rec.Sandbox)...)
	rows = append(rows,
		[]string{"python", safe(rec.Sandbox.Python.Version + " " + rec.Sandbox.Python.Path)},
		[]string{"inputs", safe(string(rec.Inputs))})
	add := func(name, text string) {
		if text != "" {
			rows = append(rows, []string{name, safe(text)})
		}
	}
	add("note", rec.Sandbox.Python.Note)
	add("result", string(rec.Output))
	if rec.Error != nil {
		add("error", rec.Error.Message)
	}
	add("asked by", strings.TrimSpace(rec.Trigger.MCPClient+" "+rec.Trigger.MCPVersion))
	add("replay of", string(rec.Replay))
	var parents []string
	for _, p := range rec.Parents {
		parents = append(parents, string(p))
	}
	add("fed by", strings.Join(parents, ", "))
	if rec.Approval != nil {
		add("approved", rec.Approval.ID+" by "+rec.Approval.Via)
	}
	if rec.Taint != nil {
		add("output", rec.Taint.Output)
	}
	var stages []string
	for _, g := range rec.Stages {
		stages = append(stages, strings.TrimSuffix(g.Name+" "+g.Verdict+" "+g.Reason, " "))
	}
	add("stages", strings.Join(stages, ", "))
	for _, n := range rec.Network {
		add("network", fmt.Sprintf("%s %s %s, %d times", n.Network, n.Address, n.Verdict, n.Times))
	}
	if rec.InputsRedacted {
		add("replay", "no: a secret was struck from the inputs")
	}
	return rows
}

// boundRows say what held a run in did not hold, and what the run was given.
func boundRows(s *audit.Sandbox) [][]string {
	var rows [][]string
	for _, n := range s.NotEnforced {
		rows = append(rows, []string{"leaves open", safe(n)})
	}
	for _, g := range s.Grants {
		deed := "read"
		if g.Write {
			deed = "read and write"
		}
		if g.Secret {
			deed += ", a secret"
		}
		rows = append(rows, []string{"given", safe(g.Path) + " (" + deed + ", by " + safe(string(g.From)) + ")"})
	}
	for _, p := range s.Hidden {
		rows = append(rows, []string{"hidden", safe(p)})
	}
	if len(s.AllowNet) > 0 {
		rows = append(rows, []string{"allow net", safe(strings.Join(s.AllowNet, ", "))})
	}
	return rows
}
