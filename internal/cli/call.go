package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) callCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "call name[@version] [action] [--input value]... | [--args JSON|@file] | [-]",
		Short: "Call an action of an installed tool",
		Long: `Call an action of an installed tool that has several: one that was installed by an
install manifest. Without an action they are listed. Each input is a flag;
'patch-git call NAME ACTION --help' lists them. An Arcade definition is one action, which
'patch-git run NAME' runs, too. The answer is printed in the form that
the manifest states; with --json it is a member of a document.

What runs on this machine runs in the sandbox, with the network and the files of the
scopes that this action uses, and no more. A request goes to the internet, and of this
machine and its local network only where --allow-net says so. An action that is marked
destructive waits for your word each time. It is tried again only where the manifest
says that this changes nothing.`,
		Example: `  patch-git call mail_box
  patch-git call mail_box send --to ann@example.org --subject Hello
  patch-git call mail_box send --args @mail.json
  patch-git call mail_box attachment --id 7 -o photo.jpg
  jq -n '{query:"invoice"}' | patch-git call mail_box search -`,
		DisableFlagParsing: true, // which flags there are depends on the action
		ValidArgsFunction:  a.completeCall,
		RunE:               func(c *cobra.Command, args []string) error { return a.callTool(c, args) },
	}
	a.ownFlags(c.Flags(), &runFlags{}) // for the help text
	a.outputFlag(c.Flags(), &runFlags{})
	return c
}

func (a *app) outputFlag(f *pflag.FlagSet, r *runFlags) {
	f.StringVarP(&r.output, "output", "o", "", "write the answer to this file")
}

func (a *app) callTool(c *cobra.Command, args []string) error {
	args, err := a.leadingFlags(args)
	switch {
	case err != nil:
		return err
	case len(args) == 0:
		return usage("call needs the name of a tool").Hint("patch-git list")
	case args[0] == "-h" || args[0] == "--help":
		return c.Help()
	case args[0] == "" || args[0][0] == '-':
		return usage("the name of the tool comes first, then %s", spec.Quote(args[0])).Hint("patch-git call NAME ACTION %s …", args[0])
	}
	if strings.ContainsAny(args[0], "/\\") || strings.HasSuffix(args[0], ".json") {
		return usage("%s is a file, and an action is called of a tool that is installed", spec.Quote(args[0])).
			Hint("patch-git check %s", args[0]).Hint("patch-git publish %s --to FOLDER, and then: patch-git pull NAME", args[0])
	}
	ref, err := parseRef(args[0])
	if err != nil {
		return err
	}
	client, err := a.client()
	if err != nil {
		return err
	}
	if len(args) == 1 || args[1] == "" || args[1][0] == '-' {
		return a.listActions(c, client, ref, args[1:])
	}
	subject, err := client.Subject(c.Context(), ref, args[1])
	if err != nil {
		return err
	}
	flags, raw, err := a.parseFlags(subject.Tool, "call "+args[0]+" "+args[1], args[2:])
	if err != nil {
		return err
	}
	if flags.help {
		a.printCallHelp(c, subject)
		return nil
	}
	if err := oneDriver(flags.sandbox, flags.sandboxGiven); err != nil {
		return err
	}
	if flags.sandboxGiven && flags.unsafeNoSandbox {
		return usage("--sandbox and --unsafe-no-sandbox exclude each other")
	}
	sink, err := a.sinkOf(subject, flags.output)
	if err != nil {
		return err
	}
	o := consume.RunOptions{
		Read: flags.read, Write: flags.write, Net: flags.net, Agree: flags.yes, Confirm: flags.yes, HostApp: "cli",
		Driver: flags.sandbox, UnsafeNoSandbox: flags.unsafeNoSandbox, UnsafeRunRevoked: flags.unsafeRunRevoked,
	}
	o.Limits.Wall = flags.timeout
	if flags.memory != limits.RunMemory/limits.MiB {
		o.Limits.Memory = flags.memory * limits.MiB // else what the artifact itself needs
	}
	ran, err := a.askAndRun(c.Context(), o, func(o consume.RunOptions) (*consume.Ran, error) {
		return client.Run(c.Context(), subject, raw, o)
	})
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Kind == fault.Usage && len(e.Hints) == 0 {
		return e.Hint("patch-git call %s %s --help", args[0], subject.Operation)
	}
	if err != nil {
		return err
	}
	return a.printCalled(ran, flags.verbose, sink)
}

// listActions prints what a tool can be asked to do.
func (a *app) listActions(c *cobra.Command, client *consume.Client, ref spec.Ref, rest []string) error {
	for _, flag := range rest {
		if !slices.Contains([]string{"--json", "--quiet", "-q", "--help", "-h"}, flag) {
			return usage("the name of the action comes before %s", spec.Quote(flag)).Hint("patch-git call %s lists its actions", ref)
		}
		a.json = a.json || flag == "--json"
	}
	v, _, err := client.Check(c.Context(), ref)
	if err != nil {
		return err
	}
	t := v.Tool()
	if len(t.Operations) == 0 {
		e := fault.New(fault.Usage, "no_actions", "%s has no actions", t.Name)
		switch t.Format {
		case spec.FormatPatch:
			return e.Hint("patch-git run %s --help", t.Name)
		case spec.FormatSkill:
			return e.Hint("patch-git skill run-plan %s", t.Name)
		}
		return e.Hint("patch-git info %s", t.Name)
	}
	if a.json {
		return a.out.document(struct {
			Schema  int              `json:"schema"`
			Tool    string           `json:"tool"`
			Actions []spec.Operation `json:"actions"`
		}{1, v.Ref().At(), t.Operations})
	}
	var rows [][]string
	for _, op := range t.Operations {
		rows = append(rows, []string{op.Name, effectWords(op.Effects), safe(oneLine(op.Summary))})
	}
	a.out.table(rows)
	return nil
}

// effectWords say what an action does to the world, by its author's word.
func effectWords(e spec.Effects) string {
	switch e {
	case spec.EffectsRead:
		return "reads"
	case spec.EffectsWrite:
		return "writes"
	case spec.EffectsDestructive:
		return "cannot be taken back"
	}
	return "changes nothing"
}

func (a *app) printCallHelp(c *cobra.Command, s *consume.Subject) {
	t, op := s.Tool, s.Tool.Operations[0]
	a.out.printf("%s %s %s\n%s\n", t.Name, t.Version, op.Name, safe(op.Summary))
	if op.Description != "" && op.Description != op.Summary {
		a.out.printf("\n%s\n", safe(op.Description))
	}
	a.out.printf("\n%s, and it %s.\n\n%s\n  patch-git call %s %s", effectSentence(op.Effects), repeatable(op.Idempotent), a.out.bold("Usage:"), t.Name, op.Name)
	a.printInputs(t)
	a.out.printf("\n%s\n%s", a.out.bold("Flags of call:"), c.LocalFlags().FlagUsages())
}

func effectSentence(e spec.Effects) string {
	switch e {
	case spec.EffectsRead:
		return "By its manifest it reads what is yours"
	case spec.EffectsWrite:
		return "By its manifest it changes what is yours"
	case spec.EffectsDestructive:
		return "By its manifest it does what cannot be taken back"
	}
	return "By its manifest it changes nothing and reads nothing of yours"
}

func repeatable(idempotent bool) string {
	if idempotent {
		return "may be tried again where it fails"
	}
	return "is tried once"
}

// completeCall offers installed tools, then the actions of the chosen one.
func (a *app) completeCall(c *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return a.completeInstalled(c, args, prefix)
	}
	client, err := a.client()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ref, err := spec.ParseRef(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	v, _, err := client.Check(c.Context(), ref)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	if len(args) == 1 {
		for _, op := range v.Tool().Operations {
			out = append(out, cobra.CompletionWithDesc(op.Name, safe(oneLine(op.Summary))))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	op, ok := v.Tool().Operation(args[1])
	if !ok {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, in := range consume.View(v.Tool(), op).Inputs {
		if flag := a.inputFlag(in.Name); flag != "" {
			out = append(out, cobra.CompletionWithDesc(flag, safe(oneLine(in.Description))))
		}
	}
	return append(out, "--args", "--output", "--yes", "--timeout", "--json"), cobra.ShellCompDirectiveDefault
}
