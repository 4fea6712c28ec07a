package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
)

// checkFlags are those of the command check.
type checkFlags struct {
	in      string
	sarif   string
	github  bool
	explain string
	list    bool
	try     bool
	format  string
	assert  bool
}

func (a *app) checkCommand() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check file...",
		Short: "Check tools as a registry would, without publishing",
		Long: `Check the manifest and the source of tools as a registry does. All problems are
shown at once, each with its line, its id, why it matters and what to do. Of a
folder without a tool.py all version directories below it are checked. No finding
does not mean safe: a tool can still mean harm, and the sandbox bounds what it does.

The exit code is 0 only where a registry would take all of them, 3 where one has an
error, and 7 where nobody could tell, such as for want of a Python.

With --try, what has no error is imported in the sandbox, without network and files,
and called with the arguments of x-smoke in its manifest; what it reaches for must be
declared.

With --in, the folder of a registry's sources, names, versions, permissions, waivers
and its policy count as well, and the answer says what would become of a pull request.`,
		Example: `  patch-git check tool.py
  patch-git check tool.py --in ./registry
  patch-git check tool.py --try
  patch-git check tools/ --sarif findings.sarif
  patch-git check weather.json --assert-formats
  patch-git check --json tool.py | jq .files[].findings
  patch-git check --explain PY-002`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"py", "json", "md"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(c *cobra.Command, args []string) error {
			asked := c.Flags().Changed("explain")
			switch {
			case (asked || f.list) && (len(args) > 0 || asked && f.list):
				return usage("--explain and --list are asked alone")
			case asked:
				return a.explain(f.explain)
			case f.list:
				return a.listRules()
			case f.sarif == "-" && (a.json || f.github), f.github && a.json:
				return usage("standard output has one answer: --json, --github or --sarif -")
			}
			if err := atLeastOne(c, args); err != nil {
				return err
			}
			return a.check(c.Context(), &f, args)
		},
	}
	c.Flags().StringVar(&f.in, "in", "", "the folder of the registry that it is meant for")
	c.Flags().StringVar(&f.sarif, "sarif", "", "write the findings as SARIF 2.1.0 into a `file`, - for standard output")
	c.Flags().BoolVar(&f.github, "github", false, "answer with annotations for a job of GitHub Actions")
	c.Flags().StringVar(&f.explain, "explain", "", "explain the rule of an `id`, with examples")
	c.Flags().BoolVar(&f.list, "list", false, "list all rules")
	c.Flags().BoolVar(&f.try, "try", false, "run what has no error in the sandbox, and compare what it does with its manifest")
	c.Flags().StringVar(&f.format, "format", "", "the format of the files, `patch|install|skill|arcade`, where their names do not tell it")
	c.Flags().BoolVar(&f.assert, "assert-formats", false, `let "format" in the JSON Schema of a manifest count: addresses and mailboxes must be such`)
	_ = c.MarkFlagDirname("in")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formatWords(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("explain", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, r := range catalogue() {
			out = append(out, cobra.CompletionWithDesc(r.ID, r.What))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

// checked is one file of the JSON answer.
type checked struct {
	File      string         `json:"file"`
	OK        bool           `json:"ok"`
	Untold    bool           `json:"untold,omitempty"` // nothing speaks against it but that nobody could tell
	Tool      *spec.Tool     `json:"tool,omitempty"`
	Python    string         `json:"python,omitempty"` // that parsed it
	Findings  []spec.Finding `json:"findings"`
	Unchecked []string       `json:"unchecked,omitempty"`
	Review    *rehearsed     `json:"review,omitempty"`

	Trial *contribute.Tried `json:"trial,omitempty"`
}

// check checks all that is named, in its order.
func (a *app) check(ctx context.Context, f *checkFlags, args []string) error {
	w, err := a.workshop()
	if err != nil {
		return err
	}
	if w.Format, err = formatWord(f.format); err != nil {
		return err
	}
	w.AssertFormats = f.assert
	shown, paths, err := a.proposals(args)
	if err != nil {
		return err
	}
	in := f.in
	if in != "" {
		in = a.path(in)
	}
	all, bad, untold := []checked{}, 0, 0
	var hints []string
	quiet := a.json || f.sarif == "-"
	for l := range w.CheckMany(ctx, paths, in) {
		if l.Err != nil {
			return l.Err
		}
		one := answerOf(shown[len(all)], in != "", &l)
		if f.try {
			if err := a.tryChecked(ctx, w, &one, l.Checked.Files); err != nil {
				return err
			}
		}
		all = append(all, one)
		switch {
		case one.Untold:
			untold++
			hints = append(hints, l.Checked.Hints...)
		case !one.OK:
			bad++
		}
		switch {
		case f.github:
			a.printAnnotations(one.File, one.Findings)
		case !quiet:
			a.printChecked(&one, l.Checked.Files)
			a.printTrial(one.Trial)
		}
		if one.Tool != nil && one.Tool.Format == spec.FormatPatch && one.Tool.NoPaths() {
			a.warn(safe(one.File) + ": the tool declares files and no input of it names one; the name of an input that does ends in _path, _file or _dir, and begins with output_ where the tool writes it")
		}
	}
	if f.sarif != "" {
		if err := a.writeSARIF(f.sarif, all); err != nil {
			return err
		}
	}
	if a.json {
		if err := a.out.document(map[string]any{"schema": 1, "ok": bad+untold == 0, "rules": quarantine.RulesVersion, "files": all}); err != nil {
			return err
		}
	}
	switch {
	case bad > 0:
		return fault.New(fault.Findings, "findings", "%d of %d would be refused", bad, len(all))
	case untold > 0:
		err := fault.New(fault.Unavailable, "untold", "nobody could tell about %d of %d", untold, len(all))
		slices.Sort(hints)
		for _, h := range slices.Compact(hints) {
			err = err.Hint("%s", h)
		}
		return err.Hint("patch-git doctor")
	}
	return nil
}

// formatWords are the formats as a flag has them.
func formatWords() []string {
	var out []string
	for _, f := range spec.Formats() {
		out = append(out, string(f))
	}
	return out
}

func formatWord(word string) (spec.Format, error) {
	if word != "" && !slices.Contains(formatWords(), word) {
		return "", usage("--format is one of %s, not %s", strings.Join(formatWords(), ", "), spec.Quote(word))
	}
	return spec.Format(word), nil
}

// proposals are what the arguments name: how each is called, and where it is.
func (a *app) proposals(args []string) (shown, paths []string, err error) {
	for _, arg := range args {
		root := a.path(arg)
		found, err := contribute.Proposals(root)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range found {
			name := arg
			if rel, err := filepath.Rel(root, p); err == nil && rel != "." {
				name = filepath.Join(arg, rel)
			}
			shown, paths = append(shown, name), append(paths, p)
		}
	}
	return shown, paths, nil
}

func answerOf(name string, forRegistry bool, l *contribute.Look) checked {
	c := l.Checked
	out := checked{File: name, OK: c.OK(), Untold: c.Untold(), Tool: c.Tool, Findings: c.Findings}
	if out.Findings == nil {
		out.Findings = []spec.Finding{}
	}
	if forRegistry {
		out.OK = false // unless a review says so
	}
	if r := l.Review; r != nil {
		out.OK = r.Verdict == review.Pass || r.Verdict == review.NeedsHuman
		out.Review = rehearsal(r)
	}
	if c.Report != nil {
		out.Python, out.Unchecked = c.Report.Python, c.Report.Unchecked
	}
	return out
}
