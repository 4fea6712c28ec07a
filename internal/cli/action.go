package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/host"
)

// Action is the entry of the face on GitHub, which sits on this floor too: main
// hands it over. verb is what to do, in the folder of the registry, work the
// folder of documents between jobs, version that of the program; say is told what
// goes on. line is for a log, doc the same for a program.
type Action func(ctx context.Context, h *host.Host, verb, in, work, version string, say func(text string)) (line string, doc any, err error)

// actionVerbs are what action.yml calls, each by a workflow of its own.
var actionVerbs = [...]struct{ verb, short string }{
	{"quarantine", "Review the pull request of the event as data, or at night everything, into review.json or nightly.json"},
	{"judge", "Let a model look at review.json, where one is configured, into judge.json"},
	{"report", "Set the check, the comment and the labels of the pull request, and merge it where the rules say so"},
	{"trial", "Import and call the tool of the pull request in the sandbox"},
	{"publish", "Check, sign and push what is new at the tip of main, and make the pages"},
	{"nightly", "Propose yanks, merge what waited for its time, speak to stale pull requests, publish again"},
}

// actionCommand is hidden from the list of commands: people type none of this.
func (a *app) actionCommand(run Action) *cobra.Command {
	c := &cobra.Command{
		Use: "action", Short: "What the GitHub Action does, in the job of a workflow", Hidden: true,
		Long: `What action.yml calls. Each verb reads the environment of GitHub's runner
(GITHUB_REPOSITORY, GITHUB_EVENT_NAME, GITHUB_EVENT_PATH, GITHUB_TOKEN, GITHUB_API_URL,
GITHUB_OUTPUT, GITHUB_STEP_SUMMARY, RUNNER_TEMP); docs/action.md explains them.`,
		Args: noSuchCommand, RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var in, work string
	for _, v := range actionVerbs {
		c.AddCommand(&cobra.Command{
			Use: v.verb, Short: v.short, Args: exactly(), ValidArgsFunction: cobra.NoFileCompletions,
			Example: "  patch-git action " + v.verb + " --in .",
			RunE: func(c *cobra.Command, _ []string) error {
				line, doc, err := run(c.Context(), a.host, v.verb, a.pathOr(in), a.pathOr(work), Version, a.remark)
				if doc != nil && a.json {
					if docErr := a.out.document(doc); err == nil {
						err = docErr
					}
				} else if line != "" {
					a.out.printf("%s\n", safe(line))
				}
				return err
			},
		})
	}
	c.PersistentFlags().StringVar(&in, "in", "", "the folder of the registry, a checkout of its default branch (default: the working directory)")
	c.PersistentFlags().StringVar(&work, "work", "", "the folder of documents between jobs (default: patch-git in RUNNER_TEMP)")
	return c
}

// remark says what goes on; with --json it is a line like a warning.
func (a *app) remark(text string) {
	if a.wantsJSON() {
		a.warn(text)
		return
	}
	a.out.say("patch-git: %s", indented(text))
}
