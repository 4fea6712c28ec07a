package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/ahead"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/skillplan"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// planFlags are those of skill run-plan.
type planFlags struct {
	inputs, env []string
	base        string
	trace       string
	elevate     bool
	reviewed    bool
}

func (a *app) skillRunPlan() *cobra.Command {
	var f planFlags
	c := &cobra.Command{
		Use: "run-plan (folder | name[@version]) [flags] [-- command...]", Short: "Plan a run of a skill, and run a command under the plan",
		Long: `Map inputs to what the skill declares, check them against their schemas, resolve the
paths, and look for the commands, files and environment variables that the skill asks
for. All that speaks against a run is shown at once, and then nothing runs: the exit
code is 3, or 7 where nobody could tell.

A command behind -- runs under the plan, in the sandbox: it can write in the repository,
or else in the working directory, and reads the skill's folder. Its network follows the
skill's hint. Inputs are in its environment as SKILL_INPUT_NAME and, all of them, as JSON
in SKILL_INPUTS. The skill's timeout ends it with all that it started. Sensitive values
are struck from what is shown and from the trace, in their usual encodings too. Outputs
that are missing afterwards are a warning.`,
		Example: `  patch-git skill run-plan ./work-log --input day=2026-11-22
  patch-git skill run-plan work-log --input day=2026-11-22 --json
  patch-git skill run-plan ./work-log --input day=2026-11-22 -- python3 scripts/log.py`,
		RunE: func(c *cobra.Command, args []string) error {
			n := c.ArgsLenAtDash()
			if n < 0 {
				n = len(args)
			}
			if n != 1 {
				return usage("%s takes one skill, and a command behind --", c.CommandPath()).Hint("%s", c.UseLine())
			}
			if c.ArgsLenAtDash() >= 0 && len(args) == n {
				return usage("there is no command behind --")
			}
			if len(args) == n && (f.trace != "" || f.elevate) {
				return usage("--trace and --elevate are of a command, which stands behind --")
			}
			return a.runPlan(c.Context(), &f, args[0], args[n:])
		},
	}
	c.Flags().StringArrayVarP(&f.inputs, "input", "i", nil, "an input of the skill, as `NAME=VALUE`; JSON where its schema wants no string")
	c.Flags().StringArrayVar(&f.env, "env", nil, "an environment variable, as `NAME=VALUE`")
	c.Flags().StringVar(&f.base, "base-dir", "", "the working `folder` of the plan (default: this one)")
	c.Flags().StringVar(&f.trace, "trace", "", "write what happened into a new `file`, without what is sensitive")
	c.Flags().BoolVar(&f.elevate, "elevate", false, "let the trace become material for other skills")
	c.Flags().BoolVar(&f.reviewed, "reviewed", false, "say that you reviewed the trace of a sensitive skill")
	_ = c.MarkFlagDirname("base-dir")
	return c
}

func (a *app) runPlan(ctx context.Context, f *planFlags, arg string, argv []string) error {
	tool, root, done, err := a.skillTool(ctx, arg)
	if err != nil {
		return err
	}
	defer done()
	p, err := a.plan(ctx, f, tool, root)
	if err != nil {
		return err
	}
	if err := skillplan.Elevation(p, f.elevate, f.reviewed); err != nil {
		return err
	}
	if !p.OK() || len(argv) == 0 {
		if a.json {
			if err := a.out.document(map[string]any{"schema": 1, "ok": p.OK(), "plan": p}); err != nil {
				return err
			}
		} else {
			a.printPlan(p)
		}
		return p.Err()
	}
	box, err := a.box(ctx)
	if err != nil {
		return err
	}
	if !a.json {
		a.warnPlan(p)
	}
	ran, err := p.Run(ctx, box, argv)
	if err != nil {
		return err
	}
	if f.trace != "" {
		t, err := skillplan.NewTrace(p, ran, f.elevate, f.reviewed)
		if err != nil {
			return err
		}
		if err := skillplan.WriteTrace(a.path(f.trace), t); err != nil {
			return err
		}
	}
	if a.json {
		if err := a.out.document(map[string]any{"schema": 1, "ok": ran.Err() == nil, "plan": p, "run": ran}); err != nil {
			return err
		}
		return ran.Err()
	}
	a.out.printf("%s", safe(ran.Stdout))
	if ran.Stderr != "" {
		a.out.say("%s", strings.TrimSuffix(safe(ran.Stderr), "\n"))
	}
	for _, m := range ran.Missing {
		a.warn("the output " + safe(m) + " is not there")
	}
	return ran.Err()
}

// skillTool reads the skill of a folder, leniently, or of an installed release, whose
// verified files are put into a folder that done removes.
func (a *app) skillTool(ctx context.Context, arg string) (tool *spec.Tool, root string, done func(), err error) {
	done = func() {}
	if a.isFolder(arg) {
		s, err := a.readSkill(arg, manifest.Lenient)
		if err != nil {
			return nil, "", done, err
		}
		if !s.ok() {
			a.printFindings(s.shown, s.findings, []spec.File{{Path: s.shown, Data: s.data}})
			return nil, "", done, s.unreadable()
		}
		return &s.doc.Tool, s.root, done, nil
	}
	v, err := a.releasedSkill(ctx, arg)
	if err != nil {
		return nil, "", done, err
	}
	dir, err := os.MkdirTemp("", "patch-git-skill-")
	if err != nil {
		return nil, "", done, durable.Classify("make", "a folder for the skill", err)
	}
	done = func() { _ = os.RemoveAll(dir) }
	r, err := durable.OpenRoot(dir)
	if err != nil {
		return nil, "", done, err
	}
	defer func() { _ = r.Close() }()
	for _, file := range releaseFiles(v) {
		if err := r.WriteFile(file.Path, file.Data, 0o644); err != nil {
			return nil, "", done, err
		}
	}
	return v.Tool(), dir, done, nil
}

// plan makes the plan of a skill.
func (a *app) plan(ctx context.Context, f *planFlags, tool *spec.Tool, root string) (*skillplan.Plan, error) {
	inputs, err := given("input", f.inputs)
	if err != nil {
		return nil, err
	}
	env, err := given("env", f.env)
	if err != nil {
		return nil, err
	}
	dir := a.host.Dir
	if f.base != "" {
		dir = a.path(f.base)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, durable.Classify("look at", dir, err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, durable.Classify("look at", root, err)
	}
	return skillplan.Make(ctx, skillplan.Request{
		Tool: tool, Root: root, Dir: real, Inputs: inputs, Env: env, Lookup: a.lookupEnv,
		Box: func() (skillplan.Runner, error) { return a.box(ctx) },
	})
}

func (a *app) lookupEnv(name string) (string, bool) {
	if a.host.LookupEnv != nil {
		return a.host.LookupEnv(name)
	}
	value := a.host.Getenv(name)
	return value, value != ""
}

func (a *app) box(ctx context.Context) (*sandbox.Sandbox, error) {
	return sandbox.Open(ctx, ahead.Options(a.host.Paths, a.host.Now))
}

// printPlan prints a plan: what would run first, then what speaks against it.
func (a *app) printPlan(p *skillplan.Plan) {
	a.out.printf("%s %s\n", a.out.bold(safe(p.Skill)), safe(p.Version))
	for _, in := range p.Inputs {
		if in.Value == nil {
			a.out.printf("  input    %s (%s)\n", safe(in.Name), in.From)
			continue
		}
		a.out.printf("  input    %s = %s (%s)\n", safe(in.Name), oneLine(safe(string(in.Value))), in.From)
	}
	for _, e := range p.Env {
		a.out.printf("  env      %s %s\n", safe(e.Name), map[bool]string{true: "is set", false: "is not set"}[e.Set])
	}
	for _, c := range p.Commands {
		a.out.printf("  command  %s %s\n", safe(c.Cmd), oneLine(safe(strings.TrimSpace(c.Version+" "+c.Path))))
	}
	for _, file := range p.Files {
		a.out.printf("  file     %s in %s\n", safe(file.Path), file.Base)
	}
	for _, o := range p.Outputs {
		a.out.printf("  output   %s in %s\n", oneLine(safe(o.Path)), o.Base)
	}
	if p.Timeout > 0 {
		a.out.printf("  timeout  %v s\n", p.Timeout)
	}
	if p.Edition != "" {
		h := p.Hints
		var says []string
		for _, hint := range []struct {
			word string
			on   bool
		}{{"idempotent", h.Idempotent}, {"destructive", h.Destructive}, {"network", h.Network}, {"interactive", h.Interactive}, {"sensitive", h.Sensitive}} {
			if on := hint.on; on {
				says = append(says, hint.word)
			}
		}
		if says != nil {
			a.out.printf("  hints    %s (of its author; nothing holds the skill to them)\n", strings.Join(says, ", "))
		}
	}
	a.printProblems(p)
}

func (a *app) printProblems(p *skillplan.Plan) {
	for _, b := range p.Problems {
		kind := "error"
		if b.Untold {
			kind = "could not tell"
		}
		a.out.printf("%s\n", a.out.red(oneLine(safe(kind+": "+b.Message+" ["+b.Code+", rule "+string('0'+rune(b.Rule))+"]"))))
	}
	for _, w := range p.Warnings {
		a.out.printf("%s\n", oneLine(safe("warning: "+w.Message+" ["+w.Code+"]")))
	}
	if p.OK() {
		a.out.printf("%s\n", a.out.green("nothing speaks against a run"))
	}
}

func (a *app) warnPlan(p *skillplan.Plan) {
	for _, w := range p.Warnings {
		a.warn(oneLine(safe(w.Message)))
	}
}

// skillProblems is the error of several skills that were checked.
func skillProblems(bad, untold, all int) error {
	switch {
	case bad > 0:
		return fault.New(fault.Findings, "findings", "%d of %d skills have problems", bad, all)
	case untold > 0:
		return fault.New(fault.Unavailable, "untold", "nobody could tell about %d of %d skills", untold, all)
	}
	return nil
}
