package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/standalone"
)

func (a *app) pythonCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "python",
		Short: "Show, install and choose the interpreters that tools run on",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.pythonList(), a.pythonInstall(), a.pythonPin(), a.pythonUnpin(), a.pythonRemove())
	return c
}

// pythons opens the interpreters of this user.
func (a *app) pythons(ctx context.Context) (*pyenv.Pythons, error) {
	client, err := a.client()
	if err != nil {
		return nil, err
	}
	return client.Pythons(ctx)
}

func (a *app) pythonInstall() *cobra.Command {
	var mirror string
	c := &cobra.Command{
		Use:   "install version",
		Short: "Download an interpreter for tools",
		Long: `Download a build of CPython by python-build-standalone, and keep it for tools
alone. This program has the digest of every build that it knows; what comes with
another one is refused (exit code 4) and nothing is kept, whoever served it. The
interpreter is tried in the sandbox before it counts.

--mirror, or the environment variable ` + pyenv.Mirror + `, names another address
with the same folders, in place of
` + standalone.Upstream + `.`,
		Example: `  patch-git python install 3.12
  patch-git python install 3.12.14 --mirror https://mirror.example.org/python`,
		Args: exactly("version"), ValidArgsFunction: a.completeBuilds,
		RunE: func(c *cobra.Command, args []string) error {
			return a.installPython(c.Context(), args[0], mirror)
		},
	}
	c.Flags().StringVar(&mirror, "mirror", "", "the address to download from")
	return c
}

func (a *app) installPython(ctx context.Context, version, mirror string) error {
	client, err := a.client()
	if err != nil {
		return err
	}
	in, fresh, err := client.InstallPython(ctx, version, mirror)
	if err != nil {
		return err
	}
	if a.json {
		return a.out.document(map[string]any{"schema": 1, "version": in.Version, "path": in.Path, "installed": fresh})
	}
	word := a.out.green("installed")
	if !fresh {
		word = "already here:"
	}
	a.out.printf("%s Python %s\n  %s\n", word, a.out.bold(in.Version), safe(in.Path))
	return nil
}

// offerPython asks whether to install an interpreter where an error says that
// one is missing, and installs it. Where nobody can be asked, nothing happens
// and the error stands, with the command in its hints.
func (a *app) offerPython(ctx context.Context, refusal *fault.Error) (installed bool, err error) {
	version, ok := pyenv.Missing(refusal)
	if !ok {
		return false, nil
	}
	if err := a.confirm(ctx, refusal.Message+". Download Python "+version+" for it?", refusal); err != nil {
		return false, err
	}
	client, err := a.client()
	if err != nil {
		return false, err
	}
	in, _, err := client.InstallPython(ctx, version, "")
	if err != nil {
		return false, err
	}
	a.out.say("installed Python %s", in.Version)
	return true, nil
}

func (a *app) pythonPin() *cobra.Command {
	return &cobra.Command{
		Use:   "pin version path|version",
		Short: "Choose the interpreter that serves a version of Python",
		Long: `Choose which interpreter tools get that declare a version of Python such as 3.12:
a program, or the exact version of one that 'patch-git python list' shows. No
other serves that version then; where the chosen one is gone, the run is refused.
The environment variable ` + pyenv.Override + ` goes before it.`,
		Example: `  patch-git python pin 3.12 /usr/bin/python3.12
  patch-git python pin 3.12 3.12.14
  patch-git python unpin 3.12`,
		Args: exactly("version", "path or version"),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := a.pythons(c.Context())
			if err != nil {
				return err
			}
			which := args[1]
			if strings.ContainsRune(which, filepath.Separator) {
				which = a.path(which)
			}
			in, err := p.Pin(c.Context(), args[0], which)
			if err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "minor": args[0], "version": in.Version, "path": in.Path})
			}
			a.out.printf("%s Python %s is %s at %s\n", a.out.green("pinned"), a.out.bold(args[0]), in.Version, safe(in.Path))
			return nil
		},
	}
}

func (a *app) pythonUnpin() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:     "unpin version | --all",
		Short:   "Leave the choice of an interpreter to this program again",
		Example: "  patch-git python unpin 3.12",
		RunE: func(c *cobra.Command, args []string) error {
			version := ""
			switch {
			case all && len(args) == 0:
			case !all && len(args) == 1 && args[0] != "":
				version = args[0]
			default:
				return usage("python unpin takes a version, or --all").Hint("%s", c.UseLine())
			}
			p, err := a.pythons(c.Context())
			if err != nil {
				return err
			}
			if err := p.Unpin(c.Context(), version); err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "all": all, "minor": version})
			}
			if all {
				version = "of every version"
			}
			a.out.printf("unpinned Python %s\n", version)
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "forget every pin, also where the list of them is damaged")
	return c
}

func (a *app) pythonRemove() *cobra.Command {
	return &cobra.Command{
		Use:     "remove version",
		Short:   "Take away an interpreter that was installed here",
		Example: "  patch-git python remove 3.12.14",
		Args:    exactly("version"),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := a.pythons(c.Context())
			if err != nil {
				return err
			}
			gone, err := p.Remove(c.Context(), args[0])
			if err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "removed": gone})
			}
			a.out.printf("removed Python %s\n", strings.Join(gone, ", "))
			return nil
		},
	}
}
