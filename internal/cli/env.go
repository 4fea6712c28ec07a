package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) envCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "env", Short: "Look at the packages that tools have on this machine, and clear them",
		Args: noSuchCommand, RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.envListCommand(), a.envPruneCommand())
	return c
}

// envDocument is one environment in the JSON answer.
type envDocument struct {
	Key      spec.Digest     `json:"key"`
	Python   string          `json:"python,omitempty"`
	Path     string          `json:"python_path,omitempty"`
	Packages []pyenv.Package `json:"packages"`
	Own      int64           `json:"own_bytes"`
	Shared   int64           `json:"shared_bytes"`
	LastUsed string          `json:"last_used,omitempty"`
	Tools    []string        `json:"tools"`
}

func (a *app) envListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"},
		Short: "List the environments, what they hold and who needs them",
		Long: `List the environments that tools with packages run in. Tools with the same
packages share one. "own" is what removing an environment alone would give back;
"shared" are files that other environments, or the unpacked packages, use too.`,
		Example: "  patch-git env list --json",
		Args:    exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			s, err := client.Environments()
			if err != nil {
				return err
			}
			if a.json {
				envs := []envDocument{}
				for _, e := range s.Envs {
					d := envDocument{e.Key, e.Python, e.Path, e.Packages, e.Own, e.Shared, "", e.Tools}
					if d.Packages == nil {
						d.Packages = []pyenv.Package{}
					}
					if d.Tools == nil {
						d.Tools = []string{}
					}
					if !e.LastUsed.IsZero() {
						d.LastUsed = e.LastUsed.UTC().Format(time.RFC3339)
					}
					envs = append(envs, d)
				}
				return a.out.document(map[string]any{"schema": 1, "environments": envs, "bytes": s.Bytes})
			}
			if len(s.Envs) == 0 {
				a.out.say("no tool has packages here")
			}
			for _, e := range s.Envs {
				a.printEnv(e)
			}
			if s.Bytes > 0 {
				a.out.printf("%s on disk, unpacked packages and downloads included\n", size(s.Bytes))
			}
			return nil
		},
	}
}

func (a *app) printEnv(e pyenv.StoredEnv) {
	var packages []string
	for _, p := range e.Packages {
		packages = append(packages, p.Name+" "+p.Version)
	}
	if e.Python == "" {
		e.Python = "unknown"
	}
	tools := "no installed tool"
	if len(e.Tools) > 0 {
		tools = strings.Join(e.Tools, ", ")
	}
	a.out.printf("%s\n", a.out.bold(e.Key.Short()))
	a.out.table([][]string{
		{"  python", safe(e.Python)},
		{"  packages", safe(strings.Join(packages, ", "))},
		{"  needed by", tools},
		{"  last used", e.LastUsed.UTC().Format(time.RFC3339)},
		{"  on disk", size(e.Own) + " own, " + size(e.Shared) + " shared"},
	})
}

// size says a number of bytes as people do.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	case n < 1000*1000*1000:
		return fmt.Sprintf("%.1f MB", float64(n)/(1000*1000))
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(1000*1000*1000))
}

// age is how long ago something was, in days or as time.ParseDuration has it.
type age time.Duration

var errNoAge = errors.New("an age is written as 30d or 12h")

func (a *age) String() string {
	if *a == 0 {
		return "" // what help shows as the default
	}
	return time.Duration(*a).String()
}
func (*age) Type() string { return "age" }

func (a *age) Set(text string) error {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return errNoAge
		}
		*a = age(n) * age(24*time.Hour)
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return errNoAge
	}
	*a = age(d)
	return nil
}

func (a *app) envPruneCommand() *cobra.Command {
	var o consume.PruneOptions
	c := &cobra.Command{
		Use: "prune", Short: "Remove packages that no installed tool needs",
		Long: `Remove environments, unpacked packages and downloads that no installed tool
needs, or whose Python is gone. What a tool uses at this moment stays. A tool
whose packages are gone gets them again when it runs.`,
		Example: `  patch-git env prune --dry-run
  patch-git env prune --all --older-than 30d`,
		Args: exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			done, err := client.Prune(c.Context(), o)
			if err != nil {
				return err
			}
			return a.pruned(done, o.DryRun)
		},
	}
	c.Flags().BoolVar(&o.All, "all", false, "also what installed tools need")
	c.Flags().Var((*age)(&o.OlderThan), "older-than", "only what was last used longer `AGO`, such as 30d or 12h")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "say what would go, and remove nothing")
	return c
}

// goneDocument is one removed thing in the JSON answer.
type goneDocument struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Why  string `json:"why"`
}

func (a *app) pruned(done *pyenv.Pruned, rehearsal bool) error {
	gone, busy := []goneDocument{}, []goneDocument{}
	verb, freed := "removed", "freed"
	if rehearsal {
		verb, freed = "would remove", "would be freed"
	}
	for _, g := range done.Gone {
		d := goneDocument{string(g.Kind), g.Name, g.Why}
		if g.InUse {
			busy = append(busy, d)
		} else {
			gone = append(gone, d)
		}
		switch {
		case a.json:
		case g.InUse:
			a.out.printf("in use %s %s\n", g.Kind, safe(g.Name))
		default:
			a.out.printf("%s %s %s: %s\n", verb, g.Kind, safe(g.Name), safe(g.Why))
		}
	}
	if a.json {
		return a.out.document(map[string]any{
			"schema": 1, "dry_run": rehearsal, "removed": gone, "in_use": busy, "freed_bytes": done.Freed, "kept_bytes": done.Kept,
		})
	}
	if len(gone) == 0 {
		a.out.say("nothing to remove")
	}
	a.out.printf("%s %s, %s kept\n", size(done.Freed), freed, size(done.Kept))
	return nil
}
