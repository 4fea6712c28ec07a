package cli

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/durable"
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

func (a *app) newCommand() *cobra.Command {
	var out, description string
	c := &cobra.Command{
		Use:   "new name",
		Short: "Write a new tool to start from",
		Example: `  patch-git new word_count
  patch-git run ./word_count.py --text "two words"`,
		Args: exactly("name"), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			name, err := spec.ParseName(args[0])
			if err != nil {
				return usage("%w", err).Hint("a name looks like csv_to_json")
			}
			path := a.pathOr(out)
			if path == "" {
				path = a.path(string(name) + ".py")
			}
			if _, err := durable.ReadFile(path, 1); !errors.Is(err, fs.ErrNotExist) {
				return usage("%s exists already", spec.Quote(path)).Hint("choose another file with --output")
			}
			if err := durable.WriteFile(path, contribute.Template(name, description), 0o644); err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "file": path})
			}
			a.out.printf("wrote %s\n", safe(path))
			a.out.say("next: patch-git check %s", safe(path))
			return nil
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "the file to write (default NAME.py)")
	c.Flags().StringVar(&description, "description", "", "what goes in and what comes out, in one sentence")
	return c
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

func (a *app) publishCommand() *cobra.Command {
	var to, login string
	var id int64
	var with func() contribute.Signing
	var uploaded func(*contribute.Workshop) error
	c := &cobra.Command{
		Use:   "publish file --to folder",
		Short: "Check a tool, add it to a registry's folder, sign and publish it",
		Long: `Check a tool, copy it into tools/ of a registry on this machine, sign it with the
registry's key, or as its workflow in a GitHub job, log it and move the head. A
published version never changes: new content is a new version.`,
		Example: "  patch-git publish tool.py --to ./registry",
		Args:    exactly("file"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"py"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(c *cobra.Command, args []string) error {
			if to == "" {
				return usage("publish needs --to, the folder of a registry").Hint("make one: patch-git registry init ./registry")
			}
			w, err := a.workshop()
			if err != nil {
				return err
			}
			if err := uploaded(w); err != nil {
				return err
			}
			done, err := w.PublishFile(c.Context(), a.path(args[0]), a.path(to), with(), login, id)
			if done != nil {
				for _, r := range done.Reports {
					if r.File == a.path(args[0]) {
						r.File = args[0]
					}
				}
			}
			return a.published(done, err)
		},
	}
	c.Flags().StringVar(&to, "to", "", "the folder of the registry")
	with, uploaded = a.signingFlags(c), uploadedFlag(c)
	c.Flags().StringVar(&login, "owner", "local", "the login that owns a new name")
	c.Flags().Int64Var(&id, "owner-id", 0, "the numeric id of that login")
	_ = c.MarkFlagDirname("to")
	return c
}

func (a *app) yankCommand() *cobra.Command {
	return a.withdrawCommand("yank", "Take a version out of resolution; what pinned it still works",
		"A yanked version is not chosen any more when nobody names it by number.")
}

func (a *app) revokeCommand() *cobra.Command {
	return a.withdrawCommand("revoke", "Stop a version from running anywhere (malware)",
		"A revoked version refuses to run, also where it is installed, as soon as the client has seen the new head.")
}

func (a *app) withdrawCommand(verb, short, long string) *cobra.Command {
	var in, reason string
	var with func() contribute.Signing
	c := &cobra.Command{
		Use: verb + " name@version --in folder --reason text", Short: short, Long: long,
		Example: "  patch-git " + verb + ` csv_to_json@1.0.0 --in ./registry --reason "wrong quotes"`,
		Args:    exactly("name@version"),
		RunE: func(c *cobra.Command, args []string) error {
			ref, err := parseRef(args[0])
			if err != nil {
				return err
			}
			switch {
			case ref.Version == "":
				return usage("%s needs a version", verb).Hint("patch-git %s %s@1.0.0 …", verb, ref.Name)
			case in == "":
				return usage("%s needs --in, the folder of the registry", verb)
			case reason == "":
				return usage("%s needs --reason, which people are shown", verb)
			}
			w, err := a.workshop()
			if err != nil {
				return err
			}
			done, err := w.Withdraw(c.Context(), ref, verb == "revoke", reason, a.path(in), with())
			return a.published(done, err)
		},
	}
	c.Flags().StringVar(&in, "in", "", "the folder of the registry")
	with = a.signingFlags(c)
	c.Flags().StringVar(&reason, "reason", "", "why; shown to people")
	_ = c.MarkFlagDirname("in")
	return c
}
