package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// workshop makes the contributor's side on first use.
func (a *app) workshop() (*contribute.Workshop, error) {
	w, err := contribute.New(a.host, "patch-git "+Version)
	if err != nil {
		return nil, err
	}
	if !a.quiet {
		w.Progress = a.out.progress
		w.Warn = a.warn
	}
	return w, nil
}

func (a *app) checkCommand() *cobra.Command {
	var in string
	c := &cobra.Command{
		Use:   "check file...",
		Short: "Check tools as a registry would, without publishing",
		Long: `Check the manifest and the source of tools as a registry does. All problems are
shown at once, each with its line, its id and what to do. The exit code is 0 only
where a registry would take all of them, 3 where one has an error.

With --in, the folder of a registry's sources, names, versions, permissions and
its policy count as well, and the answer says what would become of a pull request.`,
		Example: `  patch-git check tool.py
  patch-git check tool.py --in ./registry
  patch-git check --json tool.py | jq .findings`,
		Args: atLeastOne,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"py"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(c *cobra.Command, args []string) error {
			w, err := a.workshop()
			if err != nil {
				return err
			}
			type checked struct {
				File     string         `json:"file"`
				OK       bool           `json:"ok"`
				Tool     *spec.Tool     `json:"tool,omitempty"`
				Findings []spec.Finding `json:"findings"`
				Review   *rehearsed     `json:"review,omitempty"`
			}
			all, bad := []checked{}, 0
			for _, arg := range args {
				r, ok, rehearsal, err := a.checkedIn(c.Context(), w, arg, in)
				if err != nil {
					return err
				}
				one := checked{arg, ok, r.Tool, r.Findings, rehearsal}
				if one.Findings == nil {
					one.Findings = []spec.Finding{}
				}
				all = append(all, one)
				if !one.OK {
					bad++
				}
				if !a.json {
					a.printFindings(arg, r.Findings)
					if one.OK {
						a.out.printf("%s  %s\n", a.out.green("ok"), safe(arg))
					}
					if one.OK && rehearsal != nil {
						a.printRehearsed(rehearsal)
					}
				}
			}
			if a.json {
				if err := a.out.document(map[string]any{"schema": 1, "ok": bad == 0, "files": all}); err != nil {
					return err
				}
			}
			if bad > 0 {
				return fault.New(fault.Findings, "findings", "%d of %d would be refused", bad, len(args))
			}
			return nil
		},
	}
	c.Flags().StringVar(&in, "in", "", "the folder of the registry that it is meant for")
	_ = c.MarkFlagDirname("in")
	return c
}

// printFindings prints problems with the place where a person finds them. of
// is the file or folder that was looked at, as it was typed; findings name
// files as they are called in a release.
func (a *app) printFindings(of string, fs []spec.Finding) {
	for _, f := range fs {
		switch {
		case f.File == "", f.File == of, f.File == spec.FormatPatch.MainFile() && strings.HasSuffix(of, ".py"):
			f.File = of
		case !filepath.IsAbs(f.File) && !strings.HasPrefix(f.File, `"`): // not one that had to be quoted
			f.File = filepath.Join(of, f.File)
		}
		text := safe(f.String())
		switch f.Severity {
		case spec.SeverityError:
			text = a.out.red(text)
		case spec.SeverityNote:
			text = a.out.dim(text)
		}
		a.out.printf("%s\n", text)
		if f.Fix != "" {
			a.out.printf("    fix: %s\n", safe(f.Fix))
		}
	}
}
