package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/changes"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) diffCommand() *cobra.Command {
	var in string
	var safeOnly bool
	c := &cobra.Command{
		Use:   "diff old new",
		Short: "What a version of a tool changed, by whom it concerns",
		Long: `Compare what two versions of a tool say of themselves, in any format: files, or
versions of a registry as name@version. Each change is of one class:

  permission  it asks you for more, warns of less, or comes from elsewhere;
              an update with one of these asks you again
  breaking    calls that were right are wrong now, or mean something else
  additive    calls that were right are right still
  cosmetic    words

With --safe the exit code is 3 where a change is a permission or breaking.`,
		Example: `  patch-git diff csv_to_json@1.1.0 csv_to_json@1.2.0
  patch-git diff old/install.json new/install.json --safe
  patch-git diff --json a/tool.py b/tool.py | jq '.changes[] | select(.class=="permission")'`,
		Args: exactly("old", "new"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.diff(c.Context(), in, safeOnly, args[0], args[1])
		},
	}
	c.Flags().StringVar(&in, "registry", "", "the `owner/registry` that names are looked up in")
	c.Flags().BoolVar(&safeOnly, "safe", false, "exit with 3 where a change is a permission or breaking")
	return c
}

// diffed is the JSON answer.
type diffed struct {
	Schema  int              `json:"schema"`
	Old     string           `json:"old"`
	New     string           `json:"new"`
	Worst   changes.Class    `json:"worst,omitempty"`
	Changes []changes.Change `json:"changes"`
}

func (a *app) diff(ctx context.Context, in string, safeOnly bool, was, is string) error {
	before, err := a.described(ctx, in, was)
	if err != nil {
		return err
	}
	after, err := a.described(ctx, in, is)
	if err != nil {
		return err
	}
	if before.Name != after.Name {
		return usage("%s and %s are two tools, not two versions of one", before.Name, after.Name)
	}
	list := changes.Between(before, after)
	worst := changes.Worst(list)
	if a.json {
		d := diffed{1, before.Name.String() + "@" + string(before.Version), after.Name.String() + "@" + string(after.Version), worst, list}
		if d.Changes == nil {
			d.Changes = []changes.Change{}
		}
		err = a.out.document(d)
	} else {
		a.printChanges(list)
	}
	if err != nil {
		return err
	}
	if safeOnly && (worst == changes.Permission || worst == changes.Breaking) {
		return fault.New(fault.Findings, "unsafe_change", "%s %s has a change that is %s", after.Name, after.Version, worst)
	}
	return nil
}

func (a *app) printChanges(list []changes.Change) {
	if len(list) == 0 {
		a.out.say("the manifests say the same")
		return
	}
	var rows [][]string
	for _, c := range list {
		class := string(c.Class)
		if c.Class == changes.Permission {
			class = a.out.red(class)
		}
		move := ""
		switch {
		case c.Was != "" && c.Is != "":
			move = safe(c.Was) + " → " + safe(c.Is)
		case c.Is != "":
			move = "+ " + safe(c.Is)
		case c.Was != "":
			move = "- " + safe(c.Was)
		}
		rows = append(rows, []string{class, safe(c.Path), c.What, move})
	}
	a.out.table(rows)
}

// described is a tool by its file, or by its name in a registry.
func (a *app) described(ctx context.Context, in, what string) (*spec.Tool, error) {
	if isFile(what) {
		doc, _, err := a.documentOf(ctx, what)
		if err != nil {
			return nil, err
		}
		return &doc.Tool, nil
	}
	ref, err := parseRef(what)
	if err != nil {
		return nil, err
	}
	var registry spec.RegistryName
	if in != "" {
		if registry, err = spec.ParseRegistryName(in); err != nil {
			return nil, usage("%w", err)
		}
	}
	client, err := a.client()
	if err != nil {
		return nil, err
	}
	info, err := client.Info(ctx, ref, registry)
	if err != nil {
		return nil, err
	}
	return info.Tool, nil
}
