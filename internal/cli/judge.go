package cli

import (
	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/judge"
)

func (a *app) judgeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "judge file", Short: "Let a model look at a tool, as a registry that wants one does",
		Long: `Ask the model that the environment names about a tool: its descriptions, its notes
and comments, and whether its code does what they say. The texts leave this machine
for the address that is configured, and for no other. docs/judge.md tells what is
asked, and how to name a model.

The exit code is 0 where the model has nothing against it, 3 where it objects or is
not sure, and 7 where nobody could tell.`,
		Example: "  patch-git quarantine judge tool.py",
		Args:    exactly("file"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"py"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(c *cobra.Command, args []string) error {
			w, err := a.workshop()
			if err != nil {
				return err
			}
			j, err := w.JudgeFile(c.Context(), a.path(args[0]))
			if err != nil {
				return err
			}
			if a.json {
				err := a.out.document(struct {
					Schema int    `json:"schema"`
					File   string `json:"file"`
					*contribute.Judged
				}{1, args[0], j})
				if err != nil {
					return err
				}
			} else {
				a.printFindings(args[0], j.Findings, nil)
				a.printJudged(args[0], j)
			}
			switch {
			case j.Outcome == judge.Pass:
				return nil
			case len(j.Failures) > 0 && j.Outcome != judge.Fail:
				return fault.New(fault.Unavailable, string(j.Failures[0].Flag()), "nobody could tell: %s", j.Failures[0].Words())
			}
			return fault.New(fault.Findings, "findings", "the model objects to it, or is not sure")
		},
	}
}

func (a *app) printJudged(file string, j *contribute.Judged) {
	if j.Outcome == judge.Pass {
		a.out.printf("%s  %s\n", a.out.green("ok"), safe(file))
	}
	if j.Model != "" {
		a.out.printf("  model     %s\n  requests  %d\n", safe(j.Model), j.Requests)
	}
}
