package cli

import (
	"fmt"
	"math"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/inspect"
)

func (a *app) logVerify() *cobra.Command {
	var quick bool
	c := &cobra.Command{
		Use:   "verify [owner/name | path | URL]",
		Short: "Audit a whole published tree",
		Long: `Read all of a published tree and work out whatever follows from something else:
the log from its entries, the records and revocations from the log, every release
from its evidence, its proof and its files. Nothing is believed but the identity
that is trusted, and nothing is written.

For a trusted registry, its pinned identity counts, and its head must follow the
newest one that was seen. A path or URL that is not trusted is held against the
identity in its own registry.json: that shows whether the tree agrees with itself,
not whose it is.

Hash tiles and the list of tools that a folder or a branch leaves out are derived
from what they follow from, as for every reader.

The exit code is 0 where the whole tree is sound, 4 where there is damage (at most
100 problems are listed), 7 where there is none in what could be read.`,
		Example: `  patch-git log verify patch-cat/patch-git
  patch-git log verify ./registry
  patch-git log verify https://patch-cat.github.io/patch-git --quick
  patch-git log verify --json | jq '.problems[].path'`,
		Args: atMostOne, ValidArgsFunction: a.completeRegistryOrPath,
		RunE: func(c *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			what, location := "", ""
			if len(args) == 1 {
				what, location = args[0], a.location(args[0])
			}
			r, err := client.Inspect(c.Context(), what, location, quick)
			if err != nil {
				return err
			}
			if a.json {
				err = a.inspectedDocument(r)
			} else {
				a.printInspected(r)
			}
			if err != nil {
				return err
			}
			return r.Err()
		},
	}
	c.Flags().BoolVar(&quick, "quick", false, "leave out the files of the releases; their documents, evidence and proofs are checked")
	return c
}

// rate is releases per second, to one decimal.
func rate(r *consume.Inspected) float64 {
	if s := r.Took.Seconds(); s > 0 {
		return math.Round(float64(r.Counts.Releases)/s*10) / 10
	}
	return 0
}

func identityOf(r *consume.Inspected) string {
	if r.Pinned {
		return "pinned"
	}
	return "tree"
}

func (a *app) inspectedDocument(r *consume.Inspected) error {
	return a.out.document(struct {
		Schema   int     `json:"schema"`
		Sound    bool    `json:"sound"`
		Location string  `json:"location"`
		Identity string  `json:"identity"` // "pinned", or "tree": its own word
		Seconds  float64 `json:"seconds"`
		Rate     float64 `json:"releases_per_second"`
		Cores    int     `json:"cores"`
		*inspect.Report
	}{1, r.Err() == nil, r.Location, identityOf(r), math.Round(r.Took.Seconds()*1000) / 1000, rate(r), runtime.GOMAXPROCS(0), r.Report})
}

func (a *app) printInspected(r *consume.Inspected) {
	for _, p := range r.Problems {
		a.out.printf("%s  %s  %s\n    %s\n", a.out.red("damaged"), safe(p.Path), safe(string(p.Reason)), indented(p.Message))
	}
	for _, p := range r.Unread {
		a.out.printf("%s   %s  %s\n    %s\n", a.out.dim("unread"), safe(p.Path), safe(string(p.Reason)), indented(p.Message))
	}
	if left := r.ProblemCount - len(r.Problems); left > 0 {
		a.out.printf("and %d problem(s) more\n", left)
	}
	verdict := a.out.green("sound")
	switch {
	case r.ProblemCount > 0:
		verdict = a.out.red("damaged")
	case r.UnreadCount > 0:
		verdict = a.out.red("not known")
	}
	identity := "the pinned one"
	if !r.Pinned {
		identity = "taken from the tree itself (registry.json); whose tree it is was not checked"
	}
	a.out.printf("%s  %s at %s\n  identity  %s\n", verdict, a.out.bold(string(r.Registry)), safe(r.Location), identity)
	if r.Head == nil {
		return
	}
	n := r.Counts
	files := fmt.Sprintf("%d files", n.Files)
	if r.Quick {
		files = "the files of the releases were left out (--quick)"
	}
	a.out.printf("  head      %d of %s, %d log entries, root %s\n", r.Head.Seq, r.Head.Time, r.Head.Log.Size, r.Head.Log.Root.Short())
	a.out.printf("  read      %d entries, %d tiles, %d buckets, %d records, %d releases (%d yanked, %d revoked), %s\n",
		n.Entries, n.Tiles, n.Buckets, n.Records, n.Releases, n.Yanked, n.Revoked, files)
	a.out.printf("  took      %.2f s, %.0f releases/s on %d cores\n", r.Took.Seconds(), rate(r), runtime.GOMAXPROCS(0))
	if r.Stopped {
		a.out.printf("  stopped early: too much could not be read\n")
	}
}
