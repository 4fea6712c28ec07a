package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/aihost"
)

// setupFlags are what `setup` was told.
type setupFlags struct {
	dryRun, undo, print, hooks, create bool
	scope, file                        string
}

func (a *app) setupCommand() *cobra.Command {
	var f setupFlags
	var ids []string
	for _, id := range aihost.IDs() {
		ids = append(ids, string(id))
	}
	c := &cobra.Command{
		Use:   "setup [" + strings.Join(ids, " | ") + "]",
		Short: "Have an AI host start this program, or take that back",
		Long: `Put this program into the list of MCP servers of an AI host, so that the host
starts 'patch-git mcp' by itself. Nothing else in the file changes; a copy of what
was there before is kept, and --undo brings it back. A file that cannot be read, and
a server called "patch" that is another program, are left alone. Without a host it
shows which ones are here and what they have.

End the host before, or restart it after: hosts read the file at their start, and
some write it while they run.

With --hooks Claude Code also reports what you type and what other servers answer
to 'patch-git taint note', which is the only way to hold values from there.`,
		Example: `  patch-git setup
  patch-git setup claude-code --hooks
  patch-git setup cursor --dry-run
  patch-git setup vscode --scope project
  patch-git setup codex --undo`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("%s takes one host at most, got %d", c.CommandPath(), len(args)).Hint("%s", c.UseLine())
			}
			return nil
		},
		ValidArgs: ids,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				if f != (setupFlags{scope: string(aihost.User)}) {
					return usage("which host?").Hint("patch-git setup")
				}
				return a.listHosts()
			}
			switch {
			case f.print && (f.undo || f.dryRun || f.hooks):
				return usage("--print changes nothing, and goes with none of --undo, --dry-run and --hooks").Hint("patch-git setup --help")
			case f.undo && f.hooks:
				return usage("--undo takes the hooks out too; --hooks puts them in").Hint("patch-git setup claude-code --undo")
			}
			return a.setup(c.Context(), aihost.ID(args[0]), f)
		},
	}
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would change, and change nothing")
	c.Flags().BoolVar(&f.undo, "undo", false, "take this program out again")
	c.Flags().BoolVar(&f.print, "print", false, "print the entry, for a file that you change yourself")
	c.Flags().BoolVar(&f.hooks, "hooks", false, "have Claude Code report what it reads, too")
	c.Flags().BoolVar(&f.create, "create", false, "make the file also where the host was never started")
	c.Flags().StringVar(&f.scope, "scope", string(aihost.User), "user, or project: for whoever works in this folder")
	c.Flags().StringVar(&f.file, "file", "", "this file in place of the usual one")
	return c
}

func (a *app) setup(ctx context.Context, id aihost.ID, f setupFlags) error {
	s := aihost.Setting{Host: id, Scope: aihost.Scope(f.scope), File: a.pathOr(f.file), Hooks: f.hooks, Create: f.create, DryRun: f.dryRun}
	if f.print {
		text, err := aihost.Print(a.host, s)
		if err != nil {
			return err
		}
		if a.json {
			return a.out.document(map[string]any{"schema": 1, "host": id, "text": text})
		}
		a.out.printf("%s", text)
		return nil
	}
	change := aihost.Setup
	if f.undo {
		change = aihost.Undo
	}
	done, err := change(ctx, a.host, s)
	if err != nil {
		return err
	}
	if a.json {
		return a.out.document(map[string]any{"schema": 1, "host": id, "scope": s.Scope, "undo": f.undo, "written": !f.dryRun, "files": done})
	}
	for _, d := range done {
		a.printSetup(d, f)
	}
	if !f.dryRun {
		a.out.say("restart %s, so that it reads the file", aihost.Title(id))
	}
	return nil
}

// printSetup tells of one file what became, or would become, of it.
func (a *app) printSetup(d aihost.Done, f setupFlags) {
	name := safe(d.File)
	if d.Link != "" {
		name += " (a link to " + safe(d.Link) + ")"
	}
	switch {
	case len(d.Changes) == 0 && f.undo:
		a.out.printf("%s has nothing of this program\n", name)
		return
	case len(d.Changes) == 0:
		a.out.printf("%s has it already\n", name)
		return
	case d.Gone:
		a.out.printf("%s is gone: nothing but this was in it\n", name)
		return
	case d.Restored:
		a.out.printf("%s is what it was before\n", name)
		return
	}
	a.out.printf("%s\n", a.out.bold(name))
	for _, c := range d.Changes {
		a.out.printf("  line %d\n", c.Line)
		for _, l := range splitLines(c.Removed) {
			a.out.printf("%s\n", a.out.red("  - "+safe(l)))
		}
		for _, l := range splitLines(c.Added) {
			a.out.printf("%s\n", a.out.green("  + "+safe(l)))
		}
	}
	if f.dryRun {
		a.out.printf("nothing was written\n")
		return
	}
	if d.Backup != "" {
		a.out.printf("what was there before is in %s\n", safe(d.Backup))
	}
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
}

func (a *app) listHosts() error {
	all := aihost.Look(a.host)
	if a.json {
		return a.out.document(map[string]any{"schema": 1, "hosts": all})
	}
	var rows [][]string
	for _, s := range all {
		rows = append(rows, []string{a.out.bold(string(s.Host)), hostWords(s), safe(s.File)})
	}
	a.out.table(rows)
	return nil
}

// hostWords say how far a host is set up.
func hostWords(s aihost.State) string {
	switch {
	case s.Problem != "":
		return "does not work: " + safe(s.Problem)
	case s.Hooks:
		return "set up, with hooks"
	case s.Entry != nil:
		return "set up"
	case s.Here:
		return "here, not set up"
	}
	return "not found"
}
