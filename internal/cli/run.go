package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// runFlags are the flags of `run` itself; the tool's inputs come beside them.
type runFlags struct {
	args             string
	read, write, net []string
	yes, help        bool
	timeout          time.Duration
	memory           int64
	verbose          bool
	sandbox          string
	sandboxGiven     bool
	output           string // of call: the file that the answer goes to
	unsafeNoSandbox  bool
	unsafeRunRevoked bool
}

func (a *app) runCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "run name[@version] [--input value]... | [--args JSON|@file] | [-]",
		Short: "Run an installed tool in the sandbox",
		Long: `Run an installed tool, or a Patch file of your own (./tool.py), in a sandbox that
allows what the manifest declares and nothing else. Each input of the tool is a
flag; 'patch-git run NAME --help' lists them. The result is printed as JSON.

A path that an input names is given to the tool once you agreed to that, as far as
its manifest goes (read-only; what an output_… input names may be written by a tool
that declares it). What you agree to is remembered for the version, and for later
ones that ask for no more. Other paths, without a question, with --allow-read and
--allow-write; 'patch-git grants allow' gives some for every run. Secrets in a folder
that is given, such as .env or .ssh, are hidden unless they are named themselves. What
other programs run or obey, such as .bashrc or the hooks of git, is written only if you
say so each time, or name it by --allow-write.

A tool that declares the network reaches the internet, and of this machine and its
local network only what --allow-net names.`,
		Example: `  patch-git run csv_to_json --csv-text "$(cat data.csv)"
  patch-git run extract_pdf_table --pdf-path report.pdf
  patch-git run hash_file --path a.iso --allow-read a.iso
  patch-git run unit_convert --args '{"value":"1","from_unit":"mi","to_unit":"km"}'
  jq -n '{text:"a"}' | patch-git run markdown_toc -`,
		DisableFlagParsing: true, // which flags there are depends on the tool
		ValidArgsFunction:  a.completeRun,
		RunE:               func(c *cobra.Command, args []string) error { return a.runTool(c, args) },
	}
	a.ownFlags(c.Flags(), &runFlags{}) // for the help text
	return c
}

func (a *app) ownFlags(f *pflag.FlagSet, r *runFlags) {
	f.StringVar(&r.args, "args", "", "all arguments as one JSON object, or @file")
	f.StringArrayVar(&r.read, "allow-read", nil, "let the tool read this path; can be repeated")
	f.StringArrayVar(&r.write, "allow-write", nil, "let the tool write this path; can be repeated")
	f.StringArrayVar(&r.net, "allow-net", nil, "let a tool with network reach this `HOST[:PORT]` of yours beyond the internet; can be repeated")
	f.BoolVarP(&r.yes, "yes", "y", false, "agree to what the tool may do, and confirm this run")
	f.DurationVar(&r.timeout, "timeout", limits.RunTime, "end the run after this long")
	f.Int64Var(&r.memory, "memory", limits.RunMemory/limits.MiB, "memory of the whole run, in MiB")
	f.BoolVarP(&r.verbose, "verbose", "v", false, "show what the tool wrote to its stderr")
	f.StringVar(&r.sandbox, "sandbox", "", "run by this sandbox driver or not at all; 'patch-git doctor' lists them")
	f.BoolVar(&r.unsafeNoSandbox, "unsafe-no-sandbox", false, "run with all of your rights (dangerous)")
	f.BoolVar(&r.unsafeRunRevoked, "unsafe-run-revoked", false, "run a version that was revoked (dangerous)")
}

func (a *app) runTool(c *cobra.Command, args []string) error {
	args, err := a.leadingFlags(args)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(args, func(s string) bool { return s == "-h" || s == "--help" }); i == 0 || len(args) == 0 {
		if len(args) == 0 {
			return usage("run needs the name of a tool").Hint("patch-git list")
		}
		return c.Help()
	}
	target := args[0]
	if strings.HasPrefix(target, "-") && target != "-" {
		return usage("the name of the tool comes first, then %s", spec.Quote(target)).Hint("patch-git run NAME %s …", target)
	}
	client, err := a.client()
	if err != nil {
		return err
	}
	subject, err := a.subject(c, client, target)
	if err != nil {
		return err
	}
	flags, raw, err := a.parseRun(subject.Tool, args[1:])
	if err != nil {
		return err
	}
	if flags.help {
		a.printRunHelp(c, subject.Tool)
		return nil
	}
	o := consume.RunOptions{
		Read: flags.read, Write: flags.write, Net: flags.net, Agree: flags.yes, Confirm: flags.yes, HostApp: "cli",
		Driver: flags.sandbox, UnsafeNoSandbox: flags.unsafeNoSandbox, UnsafeRunRevoked: flags.unsafeRunRevoked,
	}
	if err := oneDriver(flags.sandbox, flags.sandboxGiven); err != nil {
		return err
	}
	if flags.sandboxGiven && flags.unsafeNoSandbox {
		return usage("--sandbox and --unsafe-no-sandbox exclude each other")
	}
	o.Limits.Wall, o.Limits.Memory = flags.timeout, flags.memory*limits.MiB
	ran, err := a.askAndRun(c.Context(), o, func(o consume.RunOptions) (*consume.Ran, error) {
		return client.Run(c.Context(), subject, raw, o)
	})
	if err != nil {
		return err
	}
	return a.printRan(ran, flags.verbose)
}

// askAndRun runs, and asks the person whatever the run needs a word for. Each
// question is asked by itself: who confirms one run has not agreed to the
// network for ever.
func (a *app) askAndRun(ctx context.Context, o consume.RunOptions, run func(consume.RunOptions) (*consume.Ran, error)) (*consume.Ran, error) {
	for {
		ran, err := run(o)
		refusal, ok := errors.AsType[*fault.Error](err)
		if !ok {
			return ran, err
		}
		if installed, err := a.offerPython(ctx, refusal); err != nil {
			return nil, err
		} else if installed {
			continue
		}
		var answer *bool
		question := ". Run it?"
		switch refusal.Reason {
		case consume.ReasonConfirm:
			answer = &o.Confirm
		case consume.ReasonConsent:
			answer, question = &o.Agree, ". Agree and run it?"
		case consume.ReasonSecret:
			answer, question = &o.Secrets, ". Give that, this once?"
		case consume.ReasonObeyed:
			answer, question = &o.Secrets, ". Let it, this once?"
		}
		if answer == nil || *answer {
			return ran, err
		}
		if err := a.confirm(ctx, refusal.Message+question, refusal); err != nil {
			return nil, err
		}
		*answer = true
	}
}

// leadingFlags takes the global flags that stand before the tool's name; the
// command line's own parser leaves them to us.
func (a *app) leadingFlags(args []string) ([]string, error) {
	for len(args) > 0 {
		name, value, joined := strings.Cut(args[0], "=")
		switch {
		case args[0] == "--json":
			a.json = true
		case args[0] == "--quiet", args[0] == "-q":
			a.quiet = true
		case name == "--color" && joined:
			a.color = value
		case args[0] == "--color" && len(args) > 1:
			a.color, args = args[1], args[1:]
		default:
			return args, a.out.setColor(a.color)
		}
		args = args[1:]
	}
	return args, nil
}

func (a *app) printRan(ran *consume.Ran, verbose bool) error {
	a.talkOf(ran, verbose)
	if a.json {
		return a.out.document(struct {
			Schema int `json:"schema"`
			*consume.Ran
		}{1, ran})
	}
	a.out.printf("%s\n", terminalJSON(ran.Result, a.host.Terminal.Stdout))
	return nil
}

// talkOf is what a person hears of a run beside its answer.
func (a *app) talkOf(ran *consume.Ran, verbose bool) {
	if verbose && ran.Stderr != "" {
		if a.json {
			_ = writeJSON(a.host.Stderr, map[string]any{"schema": 1, "type": "stderr", "message": ran.Stderr})
		} else {
			a.out.say("%s", safe(strings.TrimRight(ran.Stderr, "\n")))
		}
	}
	if a.quiet {
		return
	}
	for _, n := range ran.NotEnforced {
		if n == sandbox.Sampled {
			continue // of every run on this machine: doctor says so, and the record and --json of each
		}
		a.warn("the sandbox could not enforce: " + n)
	}
	if len(ran.Hidden) > 0 {
		a.warn("hidden from the tool, because secrets lie there: " + quoted(ran.Hidden))
	}
}

// mostQuoted is how many paths a remark names.
const mostQuoted = 5

// quoted lists paths, the first of them where there are many.
func quoted(paths []string) string {
	var words []string
	for _, p := range paths[:min(len(paths), mostQuoted)] {
		words = append(words, strconv.Quote(p))
	}
	text := strings.Join(words, ", ")
	if more := len(paths) - mostQuoted; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// terminalJSON keeps the result byte for byte for a program, and makes hidden
// characters visible, as JSON escapes, for a person.
func terminalJSON(result json.RawMessage, person bool) string {
	if !person {
		return string(result)
	}
	var b bytes.Buffer
	if json.Indent(&b, result, "", "  ") != nil {
		return safe(string(result))
	}
	return string(escapeHidden(b.Bytes()))
}

// subject finds what to run: a file where the argument looks like one, else an
// installed tool.
func (a *app) subject(c *cobra.Command, client *consume.Client, target string) (*consume.Subject, error) {
	if strings.HasSuffix(target, ".py") || strings.ContainsRune(target, filepath.Separator) {
		data, err := durable.ReadFile(a.path(target), limits.SourceScan)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fault.New(fault.NotFound, "no_file", "there is no file %s", spec.Quote(target))
		}
		if err != nil {
			return nil, err
		}
		s, findings, err := consume.Local(filepath.Base(target), data)
		if err != nil && !a.wantsJSON() {
			a.printFindings(target, findings, nil)
		}
		return s, err
	}
	ref, err := parseRef(target)
	if err != nil {
		return nil, err
	}
	s, err := client.Installed(c.Context(), ref)
	if err != nil {
		return nil, err
	}
	return s, consume.Runnable(s.Tool)
}

func (a *app) printRunHelp(c *cobra.Command, t *spec.Tool) {
	a.out.printf("%s %s\n%s\n\n%s\n  patch-git run %s", t.Name, t.Version, safe(t.Description), a.out.bold("Usage:"), t.Name)
	a.printInputs(t)
	a.out.printf("\n%s\n%s", a.out.bold("Flags of run:"), c.LocalFlags().FlagUsages())
}

// typeWord is the type of an input for a person; a path is one where the tool is
// given the file that it names.
func typeWord(t *spec.Tool, in spec.Input) string {
	switch {
	case in.IsOutputPath() && t.Capabilities.MayGive(true):
		return "path to write"
	case in.IsPath() && t.Capabilities.MayGive(false):
		return "path"
	}
	return string(cmp.Or(in.Type, "value"))
}

// printInputs ends a line of usage and lists what a tool takes.
func (a *app) printInputs(t *spec.Tool) {
	for _, in := range t.Inputs {
		if in.Required {
			kind, _, _ := strings.Cut(typeWord(t, in), " ")
			a.out.printf(" %s <%s>", a.howToGive(in.Name), kind)
		}
	}
	a.out.printf(" [flags]\n\n%s\n", a.out.bold("Inputs:"))
	var rows [][]string
	for _, in := range t.Inputs {
		note := ""
		if in.Default != nil {
			note = fmt.Sprintf(" (default %s)", safe(string(in.Default)))
		} else if in.Required {
			note = " (required)"
		}
		rows = append(rows, []string{"  " + a.howToGive(in.Name), typeWord(t, in), safe(in.Description) + note})
	}
	a.out.table(rows)
}
