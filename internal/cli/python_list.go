package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/standalone"
)

func (a *app) pythonList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the interpreters that are here, and those that could be",
		Long: `Try every interpreter on this machine in the sandbox and say what it is, where it
comes from, and which version of Python it serves tools for; then which builds
'patch-git python install' can bring.`,
		Example: "  patch-git python list --json",
		Args:    exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			p, err := a.pythons(c.Context())
			if err != nil {
				return err
			}
			here, offered, err := p.List(c.Context())
			if err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{
					"schema": 1, "interpreters": append([]pyenv.Listed{}, here...), "available": offered,
				})
			}
			a.printPythons(here, offered)
			return nil
		},
	}
}

func (a *app) printPythons(here []pyenv.Listed, offered []pyenv.Offered) {
	var rows [][]string
	for _, l := range here {
		serves := ""
		if l.Serves != "" {
			serves = "serves " + l.Serves
		}
		from := l.From
		if l.Pinned {
			from += ", pinned"
		}
		if l.Works {
			rows = append(rows, []string{a.out.green("ok"), l.Version, from, serves, safe(l.Path)})
		} else {
			rows = append(rows, []string{a.out.red("no"), "", from, "", safe(l.Path) + colon(safe(l.Why))})
		}
	}
	a.out.table(rows)
	var more []string
	for _, o := range offered {
		if !o.Installed {
			more = append(more, o.Version)
		}
	}
	if len(more) > 0 {
		a.out.printf("to install: %s\n", strings.Join(more, ", "))
	}
}

// completeBuilds offers the versions that can be installed.
func (a *app) completeBuilds(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	var out []string
	if len(args) == 0 {
		for _, b := range standalone.For(a.host.GOOS, a.host.GOARCH) {
			if strings.HasPrefix(b.Minor(), prefix) {
				out = append(out, b.Minor())
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
