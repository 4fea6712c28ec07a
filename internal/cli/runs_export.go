package cli

import (
	"crypto/rand"
	"encoding/json"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
)

func (a *app) runsExport() *cobra.Command {
	var list runList
	var inputs bool
	c := &cobra.Command{
		Use: "export [run-id]", Short: "Print a trace of past runs that can be given to others",
		Long: `Print one line of JSON for each run, the oldest first, with the names that
OpenTelemetry has for such things. Only what is known to be harmless is in it:
which tool ran, for how long, what the security stack said and how it ended.

What tools answered, messages of errors, paths and who you are is never in it; in
the place of an input, a path and a session stands [REDACTED:hmac:...], the same
for the same value in this trace and in no other.`,
		Example: `  patch-git runs export --limit 0 > trace.jsonl
  patch-git runs export 20261121-120000-123456-abcdefghij --with-inputs`,
		Args: atMostOneRun, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			var ids []audit.RunID
			if len(args) == 1 {
				ids = []audit.RunID{audit.RunID(args[0])} // checked by Args
			} else if ids, err = a.idsOf(client.Journal, list); err != nil {
				return err
			}
			t := audit.Tracer{Key: make([]byte, 32), Inputs: inputs}
			_, _ = rand.Read(t.Key) // never fails
			for _, id := range ids {
				rec, err := client.Journal.Get(id)
				if len(args) == 0 && fault.KindOf(err) == fault.NotFound {
					continue // pruned meanwhile
				}
				if err != nil {
					return err
				}
				line, err := json.Marshal(t.Span(&rec))
				if err != nil {
					return err
				}
				a.out.printf("%s\n", line)
			}
			return nil
		},
	}
	a.listFlags(c, &list)
	c.Flags().BoolVar(&inputs, "with-inputs", false, "print inputs as they were recorded, without the secrets that were found in them")
	return c
}

// idsOf are the runs of a list, the oldest first.
func (a *app) idsOf(j *audit.Journal, l runList) ([]audit.RunID, error) {
	f, err := l.filter()
	if err != nil {
		return nil, err
	}
	runs, broken, err := j.List(f)
	for _, b := range broken {
		a.warn("run " + string(b.RunID) + ": " + b.Message)
	}
	ids := make([]audit.RunID, len(runs))
	for i, r := range runs {
		ids[i] = r.RunID
	}
	slices.Reverse(ids)
	return ids, err
}
