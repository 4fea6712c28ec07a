package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/skillplan"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// skillChecked is one skill of the JSON answer.
type skillChecked struct {
	File     string              `json:"file"`
	OK       bool                `json:"ok"`
	Untold   bool                `json:"untold,omitempty"`
	Skill    *spec.Tool          `json:"skill,omitempty"`
	Findings []spec.Finding      `json:"findings"`
	Rules    []skillRule         `json:"rules"`
	Problems []skillplan.Problem `json:"problems"`
	Warnings []skillplan.Problem `json:"warnings"`
}

// skillRule is what became of one of the eight rules of validation.
type skillRule struct {
	Rule  int    `json:"rule"`
	Means string `json:"means"`
	State string `json:"state"` // "ok", "problem", "untold" or "not run"
	Why   string `json:"why,omitempty"`
}

var eightRules = [...]string{
	"the skill exists", "manifest_version is supported", "required inputs are mapped", "inputs fit their schemas",
	"commands and files are there", "required environment variables are set", "optional inputs without a mapping", "sensitive values are struck",
}

func (a *app) skillCheck() *cobra.Command {
	var f planFlags
	var agentskills, lenient bool
	c := &cobra.Command{
		Use: "check [folder | SKILL.md]...", Short: "Check skills by the rules of registries, and by the eight rules of their manifest",
		Long: `Check the frontmatter as a registry does, then what the manifest asks for on this
machine. All problems are shown at once. Which inputs a caller maps is checked where
--input gives some.

With --strict-agentskills the six fields of the published rules are taken and no
others. With --lenient what a host would load is taken, and the rest is warned of.`,
		Example: `  patch-git skill check ./work-log
  patch-git skill check ./work-log --input day=2026-11-22 --json
  patch-git skill check --strict-agentskills skills/*`,
		RunE: func(c *cobra.Command, args []string) error {
			mode := manifest.Strict
			switch {
			case agentskills && lenient:
				return usage("--strict-agentskills and --lenient contradict each other")
			case agentskills:
				mode = manifest.StrictAgentskills
			case lenient:
				mode = manifest.Lenient
			}
			if len(args) == 0 {
				args = []string{"."}
			}
			return a.checkSkills(c.Context(), &f, args, mode)
		},
	}
	c.Flags().BoolVar(&agentskills, "strict-agentskills", false, "take the six fields of the published rules and no others")
	c.Flags().BoolVar(&lenient, "lenient", false, "take what a host would load")
	c.Flags().StringArrayVarP(&f.inputs, "input", "i", nil, "an input of the skill, as `NAME=VALUE`")
	c.Flags().StringArrayVar(&f.env, "env", nil, "an environment variable, as `NAME=VALUE`")
	c.Flags().StringVar(&f.base, "base-dir", "", "the working `folder` (default: this one)")
	_ = c.MarkFlagDirname("base-dir")
	return c
}

func (a *app) checkSkills(ctx context.Context, f *planFlags, args []string, mode manifest.Mode) error {
	all, bad, untold := []skillChecked{}, 0, 0
	var missing error
	for _, arg := range args {
		s, err := a.readSkill(arg, mode)
		if err != nil && len(args) == 1 {
			return err
		} else if err != nil {
			missing = err
			a.printError(err)
			continue
		}
		one, err := a.checkSkill(ctx, f, s)
		if err != nil {
			return err
		}
		all = append(all, *one)
		switch {
		case one.Untold:
			untold++
		case !one.OK:
			bad++
		}
		if !a.json {
			a.printSkill(one, s)
		}
	}
	if a.json {
		if err := a.out.document(map[string]any{"schema": 1, "ok": bad+untold == 0 && missing == nil, "skills": all}); err != nil {
			return err
		}
	}
	if err := skillProblems(bad, untold, len(all)); err != nil {
		return err
	}
	return missing
}

// checkSkill runs the rules that can be run on one skill.
func (a *app) checkSkill(ctx context.Context, f *planFlags, s *skillFolder) (*skillChecked, error) {
	one := &skillChecked{File: s.shown, OK: s.ok(), Findings: s.findings, Problems: []skillplan.Problem{}, Warnings: []skillplan.Problem{}}
	if one.Findings == nil {
		one.Findings = []spec.Finding{}
	}
	for i, means := range eightRules {
		one.Rules = append(one.Rules, skillRule{Rule: i + 1, Means: means, State: "ok"})
	}
	stop := func(from int, why string) {
		for i := from - 1; i < len(one.Rules); i++ {
			one.Rules[i].State, one.Rules[i].Why = "not run", why
		}
	}
	if !one.OK {
		one.Rules[1].State = "problem"
		stop(3, "the frontmatter has errors")
		return one, nil
	}
	one.Skill = &s.doc.Tool
	if s.doc.Tool.Skill.ManifestVersion == "" {
		stop(2, "there is no manifest_version, so the skill declares nothing")
		return one, nil
	}
	p, err := a.plan(ctx, f, one.Skill, s.root)
	if err != nil {
		return nil, err
	}
	mapped := len(f.inputs) > 0 || len(s.doc.Tool.Skill.Required) == 0
	no := false
	for _, b := range p.Problems {
		if b.Code == "missing_input" && !mapped {
			continue
		}
		one.OK, no = false, no || !b.Untold
		one.Problems = append(one.Problems, b)
		if r := &one.Rules[b.Rule-1]; !b.Untold {
			r.State = "problem"
		} else if r.State == "ok" {
			r.State = "untold"
		}
	}
	one.Untold = !one.OK && !no
	for _, w := range p.Warnings {
		if w.Rule != 7 || mapped { // of what is mapped
			one.Warnings = append(one.Warnings, w)
		}
	}
	if !mapped {
		for _, i := range []int{2, 3, 6} {
			one.Rules[i].State, one.Rules[i].Why = "not run", "no --input was given"
		}
	}
	return one, nil
}

func (a *app) printSkill(one *skillChecked, s *skillFolder) {
	a.printFindings(one.File, one.Findings, []spec.File{{Path: s.shown, Data: s.data}})
	for _, b := range one.Problems {
		kind := "error"
		if b.Untold {
			kind = "could not tell"
		}
		a.out.printf("%s\n", a.out.red(oneLine(safe(one.File+": "+kind+": "+b.Message+" ["+b.Code+", rule "+string('0'+rune(b.Rule))+"]"))))
	}
	for _, w := range one.Warnings {
		a.out.printf("%s\n", oneLine(safe(one.File+": warning: "+w.Message+" ["+w.Code+"]")))
	}
	if one.OK {
		a.out.printf("%s  %s\n", a.out.green("ok"), pathOf(one.File))
	}
}
