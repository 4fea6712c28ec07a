package cli

import (
	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/person"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) runsVerify() *cobra.Command {
	var expect []string
	var accept bool
	c := &cobra.Command{
		Use: "verify", Short: "Check that no record of a run was changed or removed",
		Long: `Read every record and what the runs wrote: each record is signed by a key of
yours and follows the one before it, and the last one that reached the disk is
noted apart from them.

Whoever can read your key and write your files can make all of that anew. What
cannot be made anew is a head that you keep where they cannot write: print it with
this command, and give it back with --expect.

The exit code is 0 where nothing is wrong, 4 where something is, and 7 where
it cannot be told.`,
		Example: `  patch-git runs verify
  patch-git runs verify --expect sha256:6b23c0d5f35d1b11f9b683f0b0a617355deb11277d91ae091d399c655b87940d
  patch-git runs verify --json | jq -r .head`,
		Args: exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			var want []spec.Digest
			for _, text := range expect {
				d, err := spec.ParseDigest(text)
				if err != nil {
					return usage("--expect: %w", err).Hint("patch-git runs verify prints the head")
				}
				want = append(want, d)
			}
			if accept && len(want) > 0 {
				return usage("--accept takes what is there; --expect says what should be").Hint("patch-git runs verify --help")
			}
			if accept {
				// It makes the traces of what was removed go away.
				if err := person.Alone(a.host); err != nil {
					return err
				}
				if err := client.Journal.Accept(); err != nil {
					return err
				}
			}
			rep, err := client.Journal.Check(c.Context(), want...)
			if err != nil {
				return err
			}
			if a.json {
				err = a.out.document(struct {
					Schema int  `json:"schema"`
					OK     bool `json:"ok"`
					audit.Report
				}{1, len(rep.Problems) == 0, rep})
			} else {
				a.printVerified(rep)
			}
			if err == nil && rep.Only("expect") {
				// What is there agrees with itself, so there is nothing to accept.
				err = fault.New(fault.NotVerified, "expect", "the records are not those whose head was kept").
					Hint("they were put back to an older state, or are another user's: look for the rest in a backup of %q", a.host.Paths.Runs())
			}
			if err == nil && len(rep.Problems) > 0 {
				err = fault.New(fault.NotVerified, rep.Problems[0].Reason, "the records of runs are damaged: %d problem(s)", len(rep.Problems)).
					Hint("where you know why, such as a backup that was put back: patch-git runs verify --accept")
			}
			return err
		},
	}
	c.Flags().StringArrayVar(&expect, "expect", nil, "a head that was printed before and must be among the records; can be given again")
	c.Flags().BoolVar(&accept, "accept", false, "take the last record that is there for the last that there was, from now on")
	return c
}

func (a *app) printVerified(rep audit.Report) {
	for _, p := range rep.Problems {
		a.out.printf("%s  %s  %s\n", a.out.red("damaged"), p.Reason, safe(p.Message))
	}
	verdict := a.out.green("sound")
	if len(rep.Problems) > 0 {
		verdict = a.out.red("damaged")
	}
	a.out.printf("%s  %d runs recorded, %d of them signed, %d without an end, %d pruned\n", verdict, rep.Records, rep.Signed, rep.Unfinished, rep.Pruned)
	if !rep.Head.IsZero() {
		a.out.printf("  head    %s (number %d)\n", rep.Head, rep.Seq)
	}
	if rep.Key != "" {
		a.out.printf("  key     %s\n", rep.Key)
	}
}
