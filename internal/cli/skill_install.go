package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/aihost"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// placeFlags say for which host and for whom.
type placeFlags struct {
	host          string
	project, user bool
}

func (f *placeFlags) add(c *cobra.Command, flag string) {
	c.Flags().StringVar(&f.host, flag, "", "the AI `host`: claude-code, cursor or codex")
	c.Flags().BoolVar(&f.project, "project", false, "for whoever works in this folder")
	c.Flags().BoolVar(&f.user, "user", false, "for you, in all folders (default)")
	_ = c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, id := range aihost.SkillHosts() {
			out = append(out, string(id))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	})
}

func (a *app) placeOf(f *placeFlags, flag string) (aihost.SkillPlace, error) {
	switch {
	case f.host == "":
		return aihost.SkillPlace{}, usage("say for which host: --%s claude-code, cursor or codex", flag).Hint("--%s claude-code", flag)
	case f.project && f.user:
		return aihost.SkillPlace{}, usage("--project and --user contradict each other")
	}
	scope := aihost.User
	if f.project {
		scope = aihost.Project
	}
	return aihost.SkillsOf(a.host, aihost.ID(f.host), scope)
}

func (a *app) skillInstall() *cobra.Command {
	var f placeFlags
	var dry bool
	c := &cobra.Command{
		Use: "install (name[@version] | folder) --to host", Short: "Put a skill where an AI host looks for skills",
		Long: `A name is that of a skill which was pulled from a registry: it is verified again, and
its verified files are installed. A folder is installed as it is; nobody has verified it.

The skill becomes a folder of its name with a receipt in it. A folder without one was
made by somebody else and is never touched; one that was changed since is not replaced.
'patch-git skill remove' undoes it.`,
		Example: `  patch-git pull work_log
  patch-git skill install work-log --to claude-code
  patch-git skill install ./work-log --to codex --project --dry-run`,
		Args: exactly("skill"),
		RunE: func(c *cobra.Command, args []string) error {
			place, err := a.placeOf(&f, "to")
			if err != nil {
				return err
			}
			return a.installSkill(c.Context(), place, args[0], dry)
		},
	}
	f.add(c, "to")
	c.Flags().BoolVar(&dry, "dry-run", false, "show what would be written, and write nothing")
	return c
}

func (a *app) installSkill(ctx context.Context, place aihost.SkillPlace, arg string, dry bool) error {
	var files []spec.File
	var r aihost.Receipt
	if a.isFolder(arg) {
		s, err := a.readSkill(arg, manifest.Lenient)
		if err != nil {
			return err
		}
		if !s.ok() {
			a.printFindings(s.shown, s.findings, []spec.File{{Path: s.shown, Data: s.data}})
			return s.unreadable()
		}
		if files, err = s.files(); err != nil {
			return err
		}
		r = aihost.Receipt{Skill: s.doc.Tool.Skill.Name, Version: s.doc.Tool.Version}
		a.warn("nobody has verified " + safe(arg) + ": a skill tells a model what to do, so read it first")
	} else {
		v, err := a.releasedSkill(ctx, arg)
		if err != nil {
			return err
		}
		files = releaseFiles(v)
		r = aihost.Receipt{Skill: strings.ReplaceAll(string(v.Ref().Name), "_", "-"), Version: v.Ref().Version, Registry: v.Registry()}
	}
	if err := manifest.SkillName(r.Skill); err != nil {
		return fault.New(fault.Findings, "bad_name", "%w", err).Hint("hosts look for skills in folders of their names")
	}
	at := filepath.Join(place.Dir(), r.Skill)
	replaced := false
	if !dry {
		var err error
		if replaced, err = aihost.InstallSkill(place, r, files); err != nil {
			return err
		}
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Path)
	}
	if a.json {
		return a.out.document(map[string]any{
			"schema": 1, "skill": r.Skill, "version": r.Version, "registry": r.Registry, "host": place.Host, "scope": place.Scope,
			"folder": at, "files": names, "written": !dry, "replaced": replaced,
		})
	}
	what := "installed"
	switch {
	case dry:
		what = "would install"
	case replaced:
		what = "replaced"
	}
	a.out.printf("%s %s %s in %s\n", what, a.out.bold(safe(r.Skill)), safe(string(r.Version)), pathOf(at))
	if dry {
		for _, n := range names {
			a.out.printf("  %s\n", safe(n))
		}
	}
	return nil
}

func (a *app) skillRemove() *cobra.Command {
	var f placeFlags
	var force bool
	c := &cobra.Command{
		Use: "remove name --from host", Short: "Take a skill away from an AI host again",
		Example: "  patch-git skill remove work-log --from claude-code",
		Args:    exactly("name"),
		RunE: func(_ *cobra.Command, args []string) error {
			place, err := a.placeOf(&f, "from")
			if err != nil {
				return err
			}
			if err := manifest.SkillName(args[0]); err != nil {
				return usage("%w", err)
			}
			r, err := aihost.RemoveSkill(place, args[0], force)
			if err != nil {
				return err
			}
			at := filepath.Join(place.Dir(), r.Skill)
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "skill": r.Skill, "host": place.Host, "scope": place.Scope, "folder": at, "removed": true})
			}
			a.out.printf("removed %s from %s\n", safe(r.Skill), pathOf(place.Dir()))
			return nil
		},
	}
	f.add(c, "from")
	c.Flags().BoolVar(&force, "force", false, "remove it even if it was changed since it was installed")
	return c
}
