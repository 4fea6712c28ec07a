package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Completion must be quick and silent: it offers what is known locally and
// asks no network but a registry's list that is already kept.

// completeInstalled offers installed tools.
func (a *app) completeInstalled(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	client, err := a.client()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	tools, err := client.Box.List()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, t := range tools {
		if name, _, versioned := strings.Cut(prefix, "@"); versioned && name == string(t.Name) {
			for _, v := range t.Versions {
				out = append(out, spec.Ref{Name: t.Name, Version: v}.At())
			}
		} else if strings.HasPrefix(string(t.Name), prefix) {
			out = append(out, string(t.Name))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeListed offers the tools of the trusted registries.
func (a *app) completeListed(c *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	client, err := a.client()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	client.Warn, client.Progress = nil, nil
	var out []string
	for _, l := range client.Known(c.Context(), prefix) {
		out = append(out, cobra.CompletionWithDesc(string(l.Name), safe(l.Description)))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeQuery offers operators, and what they can be of the tools that are
// listed; a word without a colon is whatever a person thinks of.
func (a *app) completeQuery(c *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	field, _, typed := strings.Cut(prefix, ":")
	if !typed {
		var out []string
		for _, o := range index.Operators() {
			if strings.HasPrefix(o, prefix) {
				out = append(out, o+":")
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	client, err := a.client()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	client.Warn, client.Progress = nil, nil
	values, named := map[string]bool{}, ""
	if field == "name" {
		named = strings.TrimPrefix(prefix, "name:")
	}
	for _, l := range client.Known(c.Context(), named) {
		for _, v := range valuesOf(&l, field) {
			values[field+":"+safe(v)] = true
		}
	}
	var out []string
	for _, v := range slices.Sorted(maps.Keys(values)) {
		if strings.HasPrefix(v, prefix) {
			out = append(out, v)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// valuesOf are what an operator can be to find a tool, spelt as a person would.
func valuesOf(l *ledger.Listing, field string) []string {
	yesNo := map[bool]string{true: "yes", false: "no"}
	switch field {
	case "name":
		return []string{string(l.Name)}
	case "tag":
		return l.Summary.Tags
	case "by":
		return l.Owners
	case "kind":
		return []string{string(l.Summary.Format)}
	case "license":
		return strings.FieldsFunc(l.Summary.License, func(r rune) bool { return strings.ContainsRune(" ()+", r) })
	case "network":
		return []string{yesNo[l.Permissions.Network]}
	case "fs":
		return []string{string(l.Permissions.Filesystem)}
	case "verified":
		return []string{yesNo[l.Verified]}
	case "deprecated":
		return []string{yesNo[l.Deprecated]}
	}
	return nil
}

// completeRun offers installed tools first, then the inputs of the chosen one.
func (a *app) completeRun(c *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		out, _ := a.completeInstalled(c, args, prefix)
		return out, cobra.ShellCompDirectiveDefault // a file of one's own is possible too
	}
	if !strings.HasPrefix(prefix, "-") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	client, err := a.client()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ref, err := spec.ParseRef(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	s, err := client.Installed(c.Context(), ref)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, in := range s.Tool.Inputs {
		if flag := a.inputFlag(in.Name); flag != "" && strings.HasPrefix(flag, prefix) {
			out = append(out, cobra.CompletionWithDesc(flag, safe(in.Description)))
		}
	}
	for _, own := range []string{"--args", "--allow-read", "--allow-write", "--yes", "--timeout", "--memory", "--verbose", "--json"} {
		if strings.HasPrefix(own, prefix) {
			out = append(out, own)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeRegistries offers the trusted registries.
func (a *app) completeRegistries(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	client, err := a.client()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	pins, err := client.Box.Pins()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, p := range pins {
		out = append(out, string(p.Name))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeRegistryOrPath offers the trusted registries, and files as ever.
func (a *app) completeRegistryOrPath(c *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	out, _ := a.completeRegistries(c, args, prefix)
	return out, cobra.ShellCompDirectiveDefault
}
