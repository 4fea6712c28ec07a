package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/contribute"
)

func (a *app) registryCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "registry",
		Short: "Trust registries, make one, publish one",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.registryAdd(), a.registryList(), a.registryRemove(), a.registryInit(), a.registryPublish(), a.registryMirror())
	return c
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
	var uploaded func(*contribute.Workshop) error
	var change bool
	var on contribute.BranchOptions
	c := &cobra.Command{
		Use:   "publish folder",
		Short: "Check, sign and publish whatever in a registry's folder is not published yet",
		Long: `Compare tools/ with published/, check every new version, sign and log the ones
that pass, apply yanks and revocations of tool.yaml, and move the head. A
publication that was cut short is finished by the same command.

A registry that its workflow signs is published in a GitHub job with the
permission 'id-token: write'. What is signed is held against registry.yaml before
anything is written: a job of another repository, branch, workflow file or
trigger publishes nothing.

With --push the published tree is the branch 'published' of a git repository, and the
folder a checkout whose commit is published: what is new becomes one commit, which is
pushed; nothing that is there is replaced. A token for it is read from GITHUB_TOKEN.
--pages also writes what a static host serves: the tree and the web pages.`,
		Example: `  patch-git registry publish ./registry
  patch-git registry publish . --push origin --pages ./site`,
		Args: exactly("folder"),
		RunE: func(c *cobra.Command, args []string) error {
			w, err := a.workshop()
			if err != nil {
				return err
			}
			if err := uploaded(w); err != nil {
				return err
			}
			s := with()
			s.AcceptChange = change
			if c.Flags().Changed("push") {
				on.Dir, on.Signing, on.Token = a.path(args[0]), s, a.host.Getenv("GITHUB_TOKEN")
				return a.publishOnBranch(c.Context(), w, on)
			}
			if on.Site != "" || on.All {
				return usage("--pages and --all are for --push")
			}
			done, err := w.PublishTree(c.Context(), a.path(args[0]), s)
			return a.published(done, err)
		},
	}
	with, uploaded = a.signingFlags(c), uploadedFlag(c)
	c.Flags().BoolVar(&change, "accept-change", false, "build on what another workflow of this repository signed; registry.yaml names another one since")
	c.Flags().StringVar(&on.Remote, "push", "", "publish on the branch 'published' of this repository; 'origin' is the folder's own")
	c.Flags().StringVar(&on.Site, "pages", "", "with --push: write the published tree and its web pages into this folder")
	c.Flags().BoolVar(&on.All, "all", false, "with --push: compare every tool, not only what changed since the last publication")
	return c
}

// publishOnBranch publishes on a branch and prints what it did.
func (a *app) publishOnBranch(ctx context.Context, w *contribute.Workshop, on contribute.BranchOptions) error {
	if on.Remote == "origin" {
		on.Remote = ""
	} else if !strings.Contains(on.Remote, ":") {
		on.Remote = a.path(on.Remote)
	}
	done, err := w.PublishBranch(ctx, on)
	if done == nil || done.Published == nil {
		return err
	}
	if a.json {
		docErr := a.out.document(struct {
			Schema int `json:"schema"`
			*contribute.BranchPublished
		}{1, done})
		return cmp.Or(err, docErr)
	}
	if err := a.published(done.Published, err); err != nil {
		return err
	}
	if done.Commit != done.Base {
		a.out.printf("%s branch published at %s\n", a.out.green("pushed"), done.Commit)
	}
	if s := done.Site; s != nil {
		a.out.printf("%s %d pages and the tree in %s (%d releases audited)\n", a.out.green("wrote"), s.Pages.Pages, safe(s.Dir), s.Audited)
	}
	return nil
}

// published prints what a publication did; findings are shown also when it refused.
func (a *app) published(done *contribute.Published, err error) error {
	if done != nil && len(done.Reports) > 0 && !a.json {
		for _, r := range done.Reports {
			a.printFindings(r.File, r.Findings, r.Files)
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
		for _, p := range done.Packages {
			if p.Tool == r {
				a.out.table(platformRows(p.Platforms, p.Unsupported))
			}
		}
	}
	for _, r := range done.Withdrawn {
		a.out.printf("%s\n", safe(r))
	}
	for _, n := range done.Changed {
		a.out.printf("changed %s\n", n)
	}
	if !done.New {
		a.out.printf("nothing new; %s stays at head %d\n", done.Registry, done.Head.Seq)
		return nil
	}
	a.out.printf("%s head %d of %s: %d log entries, root %s\n", a.out.green("published"), done.Head.Seq, done.Registry, done.Head.Log.Size, done.Head.Log.Root.Short())
	return nil
}
