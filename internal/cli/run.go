package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// runFlags are the flags of `run` itself; the tool's inputs come beside them.
type runFlags struct {
	args             string
	read, write      []string
	yes, help        bool
	timeout          time.Duration
	memory           int64
	verbose          bool
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

A path that an input names is given to the tool, as far as its manifest goes
(read-only; what an output_… input names may be written by a tool that declares it).
Other paths with --allow-read and --allow-write.`,
		Example: `  patch-git run csv_to_json --csv-text "$(cat data.csv)"
  patch-git run extract_pdf_table --pdf-path report.pdf
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
	f.BoolVarP(&r.yes, "yes", "y", false, "agree to what the tool may do, and confirm this run")
	f.DurationVar(&r.timeout, "timeout", limits.RunTime, "end the run after this long")
	f.Int64Var(&r.memory, "memory", limits.RunMemory/limits.MiB, "memory of the whole run, in MiB")
	f.BoolVarP(&r.verbose, "verbose", "v", false, "show what the tool wrote to its stderr")
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
	client.Warm(c.Context())
	defer client.Close()
	runRevoked := slices.Contains(args, "--unsafe-run-revoked")
	subject, err := a.subject(c, client, target, runRevoked)
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
		Read: flags.read, Write: flags.write, Agree: flags.yes, HostApp: "cli",
		UnsafeNoSandbox: flags.unsafeNoSandbox, UnsafeRunRevoked: flags.unsafeRunRevoked,
	}
	o.Limits.Wall, o.Limits.Memory = flags.timeout, flags.memory*limits.MiB
	ran, err := client.Run(c.Context(), subject, raw, o)
	if reason := fault.ReasonOf(err); reason == "consent_required" || reason == "confirmation_required" {
		var refusal *fault.Error
		if errors.As(err, &refusal) {
			if err := a.confirm(c.Context(), refusal.Message+". Run it?", refusal); err != nil {
				return err
			}
			o.Agree = true
			ran, err = client.Run(c.Context(), subject, raw, o)
		}
	}
	if err != nil {
		return err
	}
	return a.printRan(ran, flags.verbose)
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
	if verbose && ran.Stderr != "" {
		a.out.say("%s", safe(strings.TrimRight(ran.Stderr, "\n")))
	}
	if !a.quiet {
		for _, n := range ran.NotEnforced {
			a.warn("the sandbox could not enforce: " + n)
		}
	}
	if a.json {
		return a.out.document(struct {
			Schema int `json:"schema"`
			*consume.Ran
		}{1, ran})
	}
	a.out.printf("%s\n", terminalJSON(ran.Result, a.host.Terminal.Stdout))
	return nil
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
	return safe(b.String())
}

// subject finds what to run: a file where the argument looks like one, else an
// installed tool.
func (a *app) subject(c *cobra.Command, client *consume.Client, target string, runRevoked bool) (*consume.Subject, error) {
	if strings.HasSuffix(target, ".py") || strings.ContainsRune(target, filepath.Separator) {
		data, err := durable.ReadFile(a.path(target), limits.SourceScan)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fault.New(fault.NotFound, "no_file", "there is no file %s", spec.Quote(target))
		}
		if err != nil {
			return nil, err
		}
		s, findings, err := consume.Local(filepath.Base(target), data)
		if err != nil && !a.json {
			a.printFindings(target, findings)
		}
		return s, err
	}
	ref, err := parseRef(target)
	if err != nil {
		return nil, err
	}
	return client.Installed(c.Context(), ref, runRevoked)
}

// flagName is how an input is spelled on the command line.
func flagName(input string) string { return strings.ReplaceAll(input, "_", "-") }

// parseRun reads the flags of one run: our own, and one for each input of the
// tool. An input that has the name of one of our flags goes through --args.
func (a *app) parseRun(t *spec.Tool, args []string) (*runFlags, json.RawMessage, error) {
	r := &runFlags{}
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	a.ownFlags(f, r)
	f.BoolVarP(&r.help, "help", "h", false, "")
	f.BoolVar(&a.json, "json", a.json, "")
	f.StringVar(&a.color, "color", a.color, "")
	f.BoolVarP(&a.quiet, "quiet", "q", a.quiet, "")
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(flagName(name))
	})
	values := map[string]*[]string{}
	for _, in := range t.Inputs {
		if f.Lookup(flagName(in.Name)) != nil {
			continue
		}
		values[in.Name] = f.StringArray(flagName(in.Name), nil, "")
		if in.Type == spec.TypeBoolean {
			f.Lookup(flagName(in.Name)).NoOptDefVal = "true"
		}
	}
	if err := f.Parse(args); err != nil {
		if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
			return nil, nil, fault.New(fault.Usage, manifest.ReasonUnknown, "%s has no input or flag %s", t.Name, spec.Quote(unknown.GetSpecifiedName())).
				Hint("patch-git run %s --help", t.Name)
		}
		return nil, nil, usage("%w", err).Hint("patch-git run %s --help", t.Name)
	}
	if err := a.out.setColor(a.color); err != nil {
		return nil, nil, err
	}
	if r.help {
		return r, nil, nil
	}
	given := map[string]json.RawMessage{}
	for _, in := range t.Inputs {
		texts := values[in.Name]
		if texts == nil || len(*texts) == 0 {
			continue
		}
		v, err := inputValue(in, *texts)
		if err != nil {
			return nil, nil, err
		}
		given[in.Name] = v
	}
	raw, err := a.wholeArguments(r, f.Args(), len(given) > 0)
	if err != nil || raw != nil {
		return r, raw, err
	}
	raw, err = json.Marshal(given)
	return r, raw, err
}

// inputValue turns the texts of one flag into JSON. A flag that is given more
// than once makes an array of an array input.
func inputValue(in spec.Input, texts []string) (json.RawMessage, error) {
	if len(texts) == 1 {
		v, err := manifest.ArgumentFromText(in, texts[0])
		if err == nil || in.Type != spec.TypeArray {
			return v, err
		}
	}
	if in.Type != spec.TypeArray {
		return nil, usage("--%s is given %d times", flagName(in.Name), len(texts))
	}
	item := spec.Input{Name: in.Name, Type: itemType(in.Items)}
	var out []json.RawMessage
	for _, t := range texts {
		v, err := manifest.ArgumentFromText(item, t)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return json.Marshal(out)
}

// itemType is the type of an array's elements, string where none is stated.
func itemType(items json.RawMessage) spec.Type {
	var s struct {
		Type spec.Type `json:"type"`
	}
	if json.Unmarshal(items, &s) != nil || s.Type == "" {
		return spec.TypeString
	}
	return s.Type
}

// wholeArguments reads --args or "-"; nil when neither was given.
func (a *app) wholeArguments(r *runFlags, rest []string, haveFlags bool) (json.RawMessage, error) {
	stdin := len(rest) == 1 && rest[0] == "-"
	switch {
	case len(rest) > 0 && !stdin && (rest[0] == "true" || rest[0] == "false"):
		return nil, usage("unexpected argument %s", rest[0]).Hint("a yes or no is given with =, as in --input=%s", rest[0])
	case len(rest) > 0 && !stdin:
		return nil, usage("unexpected argument %s", spec.Quote(rest[0])).Hint("values are given by flags: --input value")
	case !stdin && r.args == "":
		return nil, nil
	case stdin && r.args != "", haveFlags:
		return nil, usage("arguments are given in more than one way").Hint("use flags, or --args, or -")
	case stdin:
		data, err := io.ReadAll(io.LimitReader(a.host.Stdin, limits.Arguments+1))
		if err != nil {
			return nil, fault.New(fault.Unavailable, "stdin", "reading arguments: %w", err)
		}
		return data, nil
	}
	if file, ok := strings.CutPrefix(r.args, "@"); ok {
		data, err := durable.ReadFile(a.path(file), limits.Arguments)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fault.New(fault.NotFound, "no_file", "there is no file %s", spec.Quote(file))
		}
		if err != nil && fault.KindOf(err) == fault.Findings { // too large, or no file to read at all
			return nil, fault.New(fault.Usage, fault.ReasonOf(err), "--args: %w", err)
		}
		return data, err
	}
	return json.RawMessage(r.args), nil
}

func (a *app) printRunHelp(c *cobra.Command, t *spec.Tool) {
	a.out.printf("%s %s\n%s\n\n%s\n  patch-git run %s", t.Name, t.Version, safe(t.Description), a.out.bold("Usage:"), t.Name)
	for _, in := range t.Inputs {
		if in.Required {
			a.out.printf(" --%s <%s>", flagName(in.Name), in.Type)
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
		rows = append(rows, []string{"  --" + flagName(in.Name), string(in.Type), safe(in.Description) + note})
	}
	a.out.table(rows)
	a.out.printf("\n%s\n%s", a.out.bold("Flags of run:"), c.LocalFlags().FlagUsages())
}
