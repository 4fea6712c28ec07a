package cli

import (
	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/contribute"
)

func (a *app) waiveCommand() *cobra.Command {
	var o contribute.Waiving
	var in string
	c := &cobra.Command{
		Use:   "waive file",
		Short: "Let an error of a check pass, as a registry's maintainer",
		Long: `Write the waiver of an error that a check finds: for these very bytes, of this
version, and for a while. It counts once it is in the registry's source tree, where a
pull request of its own brings it, proposed or approved by who is named as approver.

What a model found (LLM-001 to LLM-003) is not looked for again: --line, --seen and, for
another file than the main one, --file repeat what the review of the pull request says.

With --in, the folder of a registry's sources, it is written into waivers/ there;
without it, it is only printed.`,
		Example: `  patch-git waive tool.py --rule PY-003 --reason "The text is a constant." --approver ann --approver-id 7
  patch-git waive tool.py --in ./registry --rule PY-003 --reason "…" --approver ann --days 30`,
		Args: exactly("file"),
		RunE: func(c *cobra.Command, args []string) error {
			if o.Rule == "" || o.Reason == "" || o.Approver.Login == "" {
				return usage("a waiver needs --rule, --reason and --approver")
			}
			w, err := a.workshop()
			if err != nil {
				return err
			}
			if in != "" {
				in = a.path(in)
			}
			done, err := w.Waive(c.Context(), a.path(args[0]), in, o)
			if err != nil {
				return err
			}
			switch {
			case a.json:
				return a.out.document(struct {
					Schema int `json:"schema"`
					*contribute.Waived
				}{1, done})
			case done.Written:
				a.out.printf("%s %d waiver(s) into %s\n", a.out.green("wrote"), len(done.New), safe(done.Path))
				a.out.say("next: propose that file alone, as %s", safe(o.Approver.Login))
			default:
				a.out.printf("# %s\n%s", safe(done.Path), safe(done.Text))
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&o.Rule, "rule", "", "the `id` of the rule")
	f.IntVar(&o.Line, "line", 0, "the finding of this line alone")
	f.StringVar(&o.File, "file", "", "of what a model found, the `path` in the release; the main file without it")
	f.StringVar(&o.Seen, "seen", "", "of what a model found, the `text` of the finding")
	f.StringVar(&o.Reason, "reason", "", "why it may pass, in one sentence")
	f.StringVar(&o.Approver.Login, "approver", "", "the `login` of the maintainer who answers for it")
	f.Int64Var(&o.Approver.ID, "approver-id", 0, "the `number` of that account")
	f.IntVar(&o.Days, "days", 90, "for how long")
	f.StringVar(&in, "in", "", "the folder of the registry's sources")
	_ = c.MarkFlagDirname("in")
	return c
}
