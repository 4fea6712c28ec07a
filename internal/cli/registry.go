package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) registryCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "registry",
		Short: "Trust registries, make one, publish one",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.registryAdd(), a.registryList(), a.registryRemove(), a.registryInit(), a.registryPublish())
	return c
}

func (a *app) registryAdd() *cobra.Command {
	var key string
	var o consume.AddOptions
	c := &cobra.Command{
		Use:   "add location",
		Short: "Trust a registry from now on",
		Long: `Trust the registry at a folder, a URL (https://…) or a git repository
(git+https://…, git+ssh://…, git+file://…). Its key is pinned: a registry that
comes with another key later is refused, unless --accept-change says that the
change is wanted. Even then its log has to continue the one that was seen, and
tools that were installed before have to be pulled again.`,
		Example: `  patch-git registry add ./registry
  patch-git registry add https://patch-cat.github.io/patch-git
  patch-git registry add git+https://github.com/patch-cat/patch-git --key sha256:…`,
		Args: exactly("location"),
		RunE: func(c *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			if key != "" {
				d, err := spec.ParseDigest(key)
				if err != nil {
					return usage("--key: %w", err)
				}
				o.Key = &d
			}
			o.Mirrors = a.locations(o.Mirrors)
			added, err := client.AddRegistry(c.Context(), a.location(args[0]), o)
			if err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{
					"schema": 1, "registry": added.Pin.Name, "location": added.Pin.Location, "trust": added.Pin.Trust.Kind,
					"key": added.Fingerprint.String(), "head": added.Head,
				})
			}
			a.out.printf("%s %s\n  at        %s\n  signed by %s\n  head      %d of %s, %d log entries\n", a.out.green("trusted"),
				a.out.bold(string(added.Pin.Name)), safe(added.Pin.Location), added.Fingerprint, added.Head.Seq, added.Head.Time, added.Head.Log.Size)
			if o.Key == nil {
				a.out.say("compare the key with the one that its maintainers publish; --key makes the comparison for you")
			}
			return nil
		},
	}
	c.Flags().StringVar(&key, "key", "", "the SHA-256 that the registry's public key must have")
	c.Flags().BoolVar(&o.AcceptChange, "accept-change", false, "trust it although it is signed by somebody else than before")
	c.Flags().StringArrayVar(&o.Mirrors, "mirror", nil, "another location to ask when the first fails; can be repeated")
	return c
}

func (a *app) registryList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List trusted registries", Example: "  patch-git registry list", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			pins, err := client.Box.Pins()
			if err != nil {
				return err
			}
			type row struct {
				Name     spec.RegistryName `json:"name"`
				Location string            `json:"location"`
				Mirrors  []string          `json:"mirrors,omitempty"`
				Trust    string            `json:"trust"`
				Key      string            `json:"key"`
				Seq      int64             `json:"seq"`
				Time     string            `json:"time,omitempty"`
			}
			rows := []row{}
			for _, p := range pins {
				r := row{p.Name, p.Location, p.Mirrors, p.Trust.Kind, p.Trust.Digest().String(), 0, ""}
				if h, ok, err := p.LastHead(); err == nil && ok {
					r.Seq, r.Time = h.Seen().Seq, h.Seen().Time
				}
				rows = append(rows, r)
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "registries": rows})
			}
			if len(rows) == 0 {
				a.out.say("no registry is added; 'patch-git registry add' adds one")
			}
			var lines [][]string
			for _, r := range rows {
				lines = append(lines, []string{a.out.bold(string(r.Name)), safe(r.Location), r.Key[:19] + "…", "head of " + r.Time})
			}
			a.out.table(lines)
			return nil
		},
	}
}

func (a *app) registryRemove() *cobra.Command {
	return &cobra.Command{
		Use: "remove owner/name", Short: "Stop trusting a registry",
		Long:    "Stop trusting a registry. Tools that were installed from it stay, but do not run until it is added again.",
		Example: "  patch-git registry remove patch-cat/patch-git",
		Args:    exactly("owner/name"), ValidArgsFunction: a.completeRegistries,
		RunE: func(c *cobra.Command, args []string) error {
			name, err := registryFlag(args[0])
			if err != nil {
				return err
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			if err := client.Box.RemovePin(c.Context(), name); err != nil {
				return err
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "removed": name})
			}
			a.out.printf("%s is not trusted any more\n", name)
			return nil
		},
	}
}

func (a *app) registryPublish() *cobra.Command {
	var with func() contribute.Signing
	c := &cobra.Command{
		Use:   "publish folder",
		Short: "Check, sign and publish whatever in a registry's folder is not published yet",
		Long: `Compare tools/ with published/, check every new version, sign and log the ones
that pass, apply yanks and revocations of tool.yaml, and move the head. A
publication that was cut short is finished by the same command.

A registry that its workflow signs is published in a GitHub job with the
permission 'id-token: write'. What is signed is held against registry.yaml before
anything is written: a job of another repository, branch, workflow file or
trigger publishes nothing.`,
		Example: `  patch-git registry publish ./registry
  patch-git registry publish .    in .github/workflows/publish.yml`,
		Args: exactly("folder"),
		RunE: func(c *cobra.Command, args []string) error {
			w, err := a.workshop()
			if err != nil {
				return err
			}
			done, err := w.PublishTree(c.Context(), a.path(args[0]), with())
			return a.published(done, err)
		},
	}
	with = a.signingFlags(c)
	return c
}

// published prints what a publication did; findings are shown also when it refused.
func (a *app) published(done *contribute.Published, err error) error {
	if done != nil && len(done.Reports) > 0 && !a.json {
		for _, r := range done.Reports {
			a.printFindings(r.File, r.Findings)
		}
	}
	if a.json && done != nil && (err == nil || len(done.Reports) > 0) {
		docErr := a.out.document(struct {
			Schema int `json:"schema"`
			*contribute.Published
		}{1, done})
		return cmp.Or(err, docErr)
	}
	if err != nil {
		return err
	}
	for _, r := range done.Accepted {
		a.out.printf("%s %s\n", a.out.green("accepted"), a.out.bold(r))
	}
	for _, r := range done.Withdrawn {
		a.out.printf("%s\n", safe(r))
	}
	if !done.New {
		a.out.printf("nothing new; %s stays at head %d\n", done.Registry, done.Head.Seq)
		return nil
	}
	a.out.printf("%s head %d of %s: %d log entries, root %s\n", a.out.green("published"), done.Head.Seq, done.Registry, done.Head.Log.Size, done.Head.Log.Root.Short())
	return nil
}
