package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) grantsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "grants",
		Short: "Show and change what tools may have: files of yours, and what you agreed to",
		Long: `Show which files tools are given for every run, and what you agreed to for which
version. What is given is bounded by what a tool declares: a tool that declares
no files gets none, whatever stands here.`,
		Example: `  patch-git grants
  patch-git grants allow csv_to_json --read ~/data`,
		Args: noSuchCommand, RunE: func(*cobra.Command, []string) error { return a.listGrants() },
	}
	c.AddCommand(a.grantsList(), a.grantsAllow(), a.grantsForget())
	return c
}

// standing is what one tool, or every tool of a registry, is given.
type standing struct {
	Registry spec.RegistryName `json:"registry"`
	Name     spec.Name         `json:"name,omitempty"` // "" is every tool
	config.Defaults
}

// agreement is what the person agreed to for one version.
type agreement struct {
	Name        spec.Name         `json:"name"`
	Version     spec.Version      `json:"version"`
	Registry    spec.RegistryName `json:"registry"`
	Release     spec.Digest       `json:"release"`
	Permissions spec.Permissions  `json:"permissions"`
	Carried     spec.Version      `json:"carried_from,omitempty"`
	At          string            `json:"at"`
}

func (a *app) grantsList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List what tools are given, and what you agreed to",
		Example: "  patch-git grants list --json", Args: exactly(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error { return a.listGrants() },
	}
}

func (a *app) listGrants() error {
	client, err := a.client()
	if err != nil {
		return err
	}
	c, err := config.Load(a.host.Paths)
	if err != nil {
		return err
	}
	agreed, err := client.Box.AllAgreed()
	if err != nil {
		return err
	}
	given, yes := []standing{}, []agreement{}
	for _, t := range c.Names() {
		d := c.Tools[t]
		if t.Name == "" {
			d = c.Registries[t.Registry]
		}
		given = append(given, standing{t.Registry, t.Name, d})
	}
	for _, g := range agreed {
		yes = append(yes, agreement{g.Name, g.Version, g.Registry, g.Release, g.Permissions, g.Carried, g.At})
	}
	if a.json {
		return a.out.document(map[string]any{"schema": 1, "given": given, "agreed": yes})
	}
	a.printGrants(given, yes)
	return nil
}

func (a *app) printGrants(given []standing, yes []agreement) {
	if len(given) == 0 && len(yes) == 0 {
		a.out.say("no tool is given anything, and you agreed to nothing yet")
	}
	var rows [][]string
	for _, s := range given {
		who := string(s.Registry) + " (every tool)"
		if s.Name != "" {
			who = config.Tool{Registry: s.Registry, Name: s.Name}.String()
		}
		for _, p := range s.Read {
			rows = append(rows, []string{a.out.bold(who), "read", safe(p)})
		}
		for _, p := range s.Write {
			rows = append(rows, []string{a.out.bold(who), "read and write", safe(p)})
		}
	}
	for _, g := range yes {
		when := "agreed " + g.At
		if g.Carried != "" {
			when = "as you agreed for " + string(g.Carried)
		}
		rows = append(rows, []string{a.out.bold(string(g.Name) + "@" + string(g.Version)), when, strings.Join(permissionWords(g.Permissions), ", ")})
	}
	a.out.table(rows)
}

// target is what a command changes: one tool, every tool of a registry, or one
// version of an installed tool.
type target struct {
	config.Tool
	version   spec.Version
	installed bool
}

func (t target) String() string {
	if t.Name == "" {
		return string(t.Registry)
	}
	return t.Tool.String()
}

// targetOf reads owner/registry, owner/registry/name, or the name of an
// installed tool, with a version or not.
func targetOf(box *toolbox.Toolbox, arg string) (target, error) {
	arg = strings.TrimSuffix(arg, "/")
	switch strings.Count(arg, "/") {
	case 0:
		ref, err := parseRef(arg)
		if err != nil {
			return target{}, err
		}
		r, err := box.Find(ref)
		if err != nil {
			return target{}, err
		}
		return target{config.Tool{Registry: r.Registry, Name: r.Name}, ref.Version, true}, nil
	case 1:
		n, err := spec.ParseRegistryName(arg)
		if err != nil {
			return target{}, usage("%w", err)
		}
		return target{Tool: config.Tool{Registry: n}}, nil
	}
	t, err := config.ParseTool(arg)
	if err != nil {
		return target{}, usage("%w", err)
	}
	r, err := box.Find(spec.Ref{Name: t.Name})
	return target{Tool: t, installed: err == nil && r.Registry == t.Registry}, nil
}

func (a *app) grantsAllow() *cobra.Command {
	var read, write []string
	c := &cobra.Command{
		Use:   "allow name | owner/registry[/name]",
		Short: "Give a tool, or every tool of a registry, files for every run",
		Long: `Give an installed tool, or every tool of a registry, paths for every run from now
on, as if they were typed with --allow-read and --allow-write each time.`,
		Example: `  patch-git grants allow csv_to_json --read ~/data
  patch-git grants allow acme/tools/image_resize --read photos --write small
  patch-git grants allow acme/tools/ --read ~/data`,
		Args: exactly("name"), ValidArgsFunction: a.completeGrants,
		RunE: func(c *cobra.Command, args []string) error {
			if len(read)+len(write) == 0 {
				return usage("nothing is to be given").Hint("patch-git grants allow %s --read <path>", args[0])
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			t, err := targetOf(client.Box, args[0])
			if err != nil {
				return err
			}
			if t.version != "" {
				return usage("files are given to a tool, whatever its version").Hint("patch-git grants allow %s …", t.Name)
			}
			d := config.Defaults{Read: a.absolute(read), Write: a.absolute(write)}
			if err := client.CheckGrants(c.Context(), t.Tool, d, t.installed); err != nil {
				return err
			}
			if err := config.Change(c.Context(), a.host.Paths, func(c *config.Config) error { c.Allow(t.Tool, d); return nil }); err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "allowed": standing{t.Registry, t.Name, d}})
			}
			for _, p := range d.Read {
				a.out.printf("%s may read %s\n", t, safe(p))
			}
			for _, p := range d.Write {
				a.out.printf("%s may read and write %s\n", t, safe(p))
			}
			return nil
		},
	}
	c.Flags().StringArrayVar(&read, "read", nil, "let it read this path; can be repeated")
	c.Flags().StringArrayVar(&write, "write", nil, "let it write this path; can be repeated")
	return c
}

// absolute are paths as the configuration keeps them; an empty one stays, and is
// refused when it is looked at.
func (a *app) absolute(list []string) []string {
	var out []string
	for _, p := range list {
		out = append(out, a.pathOr(config.Expand(p, a.host.Home)))
	}
	return out
}

func (a *app) grantsForget() *cobra.Command {
	return &cobra.Command{
		Use:   "forget name[@version] | owner/registry[/name]",
		Short: "Take back what a tool is given, and what you agreed to for it",
		Long: `Take back what a tool is given for every run and what you agreed to for all of its
versions; with a version, what you agreed to for that one and what ran by its word,
so that you are asked again; with the name of a registry, what every tool of it is
given.`,
		Example: `  patch-git grants forget csv_to_json
  patch-git grants forget csv_to_json@1.2.0
  patch-git grants forget acme/tools`,
		Args: exactly("name"), ValidArgsFunction: a.completeGrants,
		RunE: func(c *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			t, err := targetOf(client.Box, args[0])
			if fault.KindOf(err) == fault.NotFound {
				t, err = a.standingOf(args[0], err)
			}
			if err != nil {
				return err
			}
			return a.forget(c, client, t)
		},
	}
}

// standingOf finds what is given to a tool that is not installed any more, by its
// name alone where one registry alone has such a one; else it is missing.
func (a *app) standingOf(name string, missing error) (target, error) {
	c, err := config.Load(a.host.Paths)
	if err != nil {
		return target{}, err
	}
	var found []target
	for _, t := range c.Names() {
		if string(t.Name) == name {
			found = append(found, target{Tool: t})
		}
	}
	if len(found) != 1 {
		return target{}, missing
	}
	return found[0], nil
}

func (a *app) forget(c *cobra.Command, client *consume.Client, t target) error {
	given := false
	if t.version == "" {
		if err := config.Change(c.Context(), a.host.Paths, func(c *config.Config) error { given = c.Forget(t.Tool); return nil }); err != nil {
			return err
		}
	}
	versions := []spec.Version{}
	if t.installed {
		gone, err := client.Box.Disagree(spec.Ref{Name: t.Name, Version: t.version})
		if err != nil {
			return err
		}
		versions = append(versions, gone...)
	}
	if !given && len(versions) == 0 {
		return fault.New(fault.NotFound, "no_grant", "%s is given nothing, and nothing was agreed to", t).Hint("patch-git grants")
	}
	if a.json {
		return a.out.document(map[string]any{"schema": 1, "registry": t.Registry, "name": t.Name, "given": given, "agreed": versions})
	}
	if given {
		a.out.printf("%s is given nothing more\n", t)
	}
	if len(versions) > 0 {
		a.out.printf("forgot what you agreed to for %s %s\n", t.Name, joinVersions(versions))
	}
	return nil
}

// completeGrants offers installed tools and what is configured.
func (a *app) completeGrants(c *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	out, _ := a.completeInstalled(c, args, prefix)
	names, _ := a.completeRegistries(c, args, prefix)
	if conf, err := config.Load(a.host.Paths); err == nil {
		for _, t := range conf.Names() {
			if t.Name != "" {
				names = append(names, t.String())
			}
		}
	}
	for _, n := range names {
		if strings.HasPrefix(n, prefix) {
			out = append(out, n)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
