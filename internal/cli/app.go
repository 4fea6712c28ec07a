package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/ahead"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/spec"
)

// Version is what `patch-git version` prints.
const Version = "0.1.0"

// app is what the commands share: the host, and how to print.
type app struct {
	host *host.Host
	json bool
	// guessed stands in for json until the flags are parsed, for errors that
	// come before: a value of a flag may look like --json.
	guessed bool
	out     *printer

	color  string
	quiet  bool
	maxAge time.Duration
}

// Faces are the other faces of this program, which main hands over. A nil one has
// no command.
type Faces struct {
	Action  Action  // `patch-git action`
	Serve   Serve   // `patch-git mcp`
	Offered Offered // `patch-git mcp tools`
}

// Main runs one command line and returns the exit code of the process.
func Main(ctx context.Context, h *host.Host, args []string, faces Faces) int {
	a := &app{host: h, out: newPrinter(h)}
	for _, arg := range args {
		if arg == "--" {
			break
		}
		a.guessed = a.guessed || arg == "--json"
	}
	root := a.root()
	if faces.Action != nil { // the demo plays none of it
		root.AddCommand(a.actionCommand(faces.Action))
	}
	if faces.Serve != nil {
		c := a.mcpCommand(faces.Serve, faces.Offered)
		c.GroupID = "use"
		root.AddCommand(c)
	}
	root.SetArgs(args)
	root.SetIn(h.Stdin)
	root.SetOut(a.out.out)
	root.SetErr(h.Stderr)
	err := root.ExecuteContext(ctx)
	ahead.Drop()
	a.out.endProgress()
	if a.out.out.failed != nil && (err == nil || fault.KindOf(err) == fault.Internal) {
		err = a.out.out.failed
	}
	if err == nil {
		return 0
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = fault.New(fault.Interrupted, "interrupted", "interrupted")
	}
	a.printError(err)
	return fault.KindOf(err).ExitCode()
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "patch-git",
		Short: "A registry of agent tools in which a git repository is the database",
		Long: `patch-git finds tools for AI agents, verifies who accepted them and that not a
byte changed since, and runs them in a sandbox that enforces what they declare.`,
		Example: `  patch-git demo                       see the whole thing work, offline
  patch-git registry add ./registry    trust a registry
  patch-git search pdf                 find a tool
  patch-git pull csv_to_json@1.2.0     fetch, verify, install
  patch-git run csv_to_json --csv-text 'a,b
  1,2'`,
		SilenceErrors: true, SilenceUsage: true,
		Args: noSuchCommand, RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			a.guessed = a.guessed && c.DisableFlagParsing
			return a.out.setColor(a.color)
		},
	}
	f := root.PersistentFlags()
	f.BoolVar(&a.json, "json", a.json, "answer with one JSON document")
	f.StringVar(&a.color, "color", "auto", "auto, always or never")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no remarks on stderr")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("%w", err).Hint("%s --help", c.CommandPath())
	})
	root.AddGroup(
		&cobra.Group{ID: "use", Title: "Use tools:"},
		&cobra.Group{ID: "write", Title: "Write and publish tools:"},
		&cobra.Group{ID: "other", Title: "Other:"},
	)
	root.SetHelpCommand(helpCommand(root))
	root.SetHelpCommandGroupID("other")
	root.SetCompletionCommandGroupID("other")
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("use", a.searchCommand(), a.infoCommand(), a.diffCommand(), a.pullCommand(), a.runCommand(), a.callCommand(), a.listCommand(), a.removeCommand(), a.configureCommand(),
		a.verifyCommand(), a.runsCommand(), a.replayCommand(), a.approveCommand(), a.grantsCommand(), a.taintCommand(), a.envCommand(), a.registryCommand(), a.logCommand())
	add("write", a.newCommand(), a.checkCommand(), a.waiveCommand(), a.publishCommand(), a.yankCommand(), a.revokeCommand(),
		a.deprecateCommand(), a.transferCommand(), a.quarantineCommand(), a.convertCommand(), a.arcadeCommand(), a.skillCommand())
	add("other", a.demoCommand(), a.setupCommand(), a.doctorCommand(), a.pythonCommand(), a.trustCommand(), a.versionCommand(), a.examineCommand())
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Args, c.RunE = noSuchCommand, root.RunE // a shell that there is not is an error
		c.Example = "  patch-git completion bash > /etc/bash_completion.d/patch-git"
	}
	return root
}

// client makes the client on first use, so that `version` touches nothing.
func (a *app) client() (*consume.Client, error) {
	if a.maxAge < 0 {
		return nil, usage("--max-age: %v is no age", a.maxAge)
	}
	c, err := consume.New(a.host)
	if err != nil {
		return nil, err
	}
	c.MaxAge = a.maxAge
	if !a.quiet {
		c.Warn = a.warn
		c.Progress = a.out.progress
	}
	return c, nil
}

// maxAgeFlag is for commands that ask a registry for its newest head.
func (a *app) maxAgeFlag(c *cobra.Command) {
	c.Flags().DurationVar(&a.maxAge, "max-age", 0, "refuse a registry whose head is older, such as 24h (default: warn after three days)")
}

// wantsJSON tells whether errors and warnings are lines of JSON.
func (a *app) wantsJSON() bool { return a.json || a.guessed }

// usage is an error about the command line itself.
func usage(format string, args ...any) *fault.Error {
	return fault.New(fault.Usage, "usage", format, args...)
}

// exactly asks for n arguments and names them.
func exactly(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		e := usage("%s takes %d argument(s), got %d", c.CommandPath(), len(names), len(args))
		return e.Hint("%s", c.UseLine())
	}
}

// noSuchCommand refuses what follows a command that has only commands below
// it, in place of cobra's own error, which has no kind.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := usage("unknown command %s for %q", spec.Quote(args[0]), c.CommandPath())
	c.SuggestionsMinimumDistance = 2
	for _, s := range c.SuggestionsFor(args[0]) {
		e = e.Hint("%s %s", c.CommandPath(), s)
	}
	return e.Hint("%s --help", c.CommandPath())
}

// helpCommand is cobra's own, but for a topic that there is not: that is an
// error, and not a success with a remark.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [command]", Short: "Explain a command", Example: "  patch-git help registry add",
		ValidArgsFunction: func(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			var out []string
			if c, rest, err := root.Find(args); err == nil && len(rest) == 0 {
				for _, sub := range c.Commands() {
					if sub.IsAvailableCommand() && strings.HasPrefix(sub.Name(), prefix) {
						out = append(out, cobra.CompletionWithDesc(sub.Name(), sub.Short))
					}
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil {
				return usage("%w", err)
			}
			if err := noSuchCommand(c, rest); err != nil {
				return err
			}
			c.InitDefaultHelpFlag() // cobra adds it only to what it executes
			return c.Help()
		},
	}
}

// atLeastOne asks for one argument or more.
func atLeastOne(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return usage("%s needs an argument", c.CommandPath()).Hint("%s", c.UseLine())
}
