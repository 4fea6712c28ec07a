package skillplan

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// runTime bounds a command whose skill says no timeout.
const runTime = 10 * time.Minute

// Ran is what became of a command, with nothing sensitive in it.
type Ran struct {
	Exit        int      `json:"exit"`
	Signal      string   `json:"signal,omitempty"`
	TimedOut    bool     `json:"timed_out,omitempty"`
	Stdout      string   `json:"stdout"`
	Stderr      string   `json:"stderr"`
	Seconds     float64  `json:"seconds"`
	Missing     []string `json:"missing_outputs"` // that should be there now
	Driver      string   `json:"sandbox"`
	NotEnforced []string `json:"not_enforced,omitempty"`
}

// Run runs a command under the plan, which must be OK: the repository, or else the
// working directory, can be written, the skill's folder can be read, and the network
// is there if the skill's hint says so. Inputs are in the environment, as SKILL_INPUT_
// and the name in capitals, and together as one JSON object in SKILL_INPUTS. The
// timeout ends the whole tree.
func (p *Plan) Run(ctx context.Context, box Runner, argv []string) (*Ran, error) {
	if err := p.Err(); err != nil {
		return nil, err
	}
	if len(argv) == 0 {
		return nil, fault.New(fault.Usage, "usage", "there is no command to run")
	}
	path := argv[0]
	switch {
	case !strings.ContainsRune(path, filepath.Separator):
		if path = p.find(argv[0]); path == "" {
			return nil, fault.New(fault.NotFound, "no_program", "there is no %s in PATH", commandName(argv))
		}
	case !filepath.IsAbs(path):
		path = filepath.Join(p.Dir, path)
	}
	job := sandbox.Job{
		Argv: append([]string{path}, argv[1:]...), Env: p.env(path), Dir: p.Dir, Network: p.Hints.Network,
		Limits: sandbox.Limits{Wall: p.limit(runTime)},
	}
	mounts, err := p.mounts(path)
	if err != nil {
		return nil, err
	}
	job.Mounts = mounts
	out, err := box.Run(ctx, job)
	if err != nil {
		return nil, err
	}
	missing := p.Missing()
	if missing == nil {
		missing = []string{}
	}
	return &Ran{
		Exit: out.Exit, Signal: out.Signal, TimedOut: out.TimedOut, Stdout: p.Strike(string(out.Stdout)), Stderr: p.Strike(string(out.Stderr)),
		Seconds: out.Duration.Seconds(), Missing: missing, Driver: out.Driver, NotEnforced: out.NotEnforced,
	}, nil
}

// Err tells how a command failed, nil where it did not.
func (r *Ran) Err() error {
	switch {
	case r.TimedOut:
		return fault.New(fault.ToolFailed, "timeout", "the command took longer than the skill's timeout, and was ended with all that it had started")
	case r.Exit != 0:
		return fault.New(fault.ToolFailed, "exit", "the command ended with exit code %d %s", r.Exit, r.Signal)
	}
	return nil
}

// mounts are what the command sees: programs, the skill, and where it works.
func (p *Plan) mounts(path string) ([]sandbox.Mount, error) {
	mounts := p.programs(path)
	place := func(dir string, write bool) error {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return fault.New(fault.Unavailable, "file", "looking at %s: %w", spec.Quote(dir), err)
		}
		if slices.ContainsFunc(mounts, func(m sandbox.Mount) bool { return m.Target == dir && m.Write == write }) {
			return nil
		}
		mounts = slices.DeleteFunc(mounts, func(m sandbox.Mount) bool { return m.Target == dir })
		mounts = append(mounts, sandbox.Mount{Source: real, Target: dir, Write: write})
		return nil
	}
	work := p.Dir
	if p.RepoRoot != "" {
		work = p.RepoRoot
	}
	if err := place(work, true); err != nil {
		return nil, err
	}
	if p.Root == work {
		return mounts, nil
	}
	return mounts, place(p.Root, false)
}

// env is the whole environment of the command: what the skill declares, what was
// given with the plan, and the inputs.
func (p *Plan) env(path string) []string {
	env := []string{
		"PATH=" + filepath.Dir(path) + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + sandbox.ScratchDir, "TMPDIR=" + sandbox.ScratchDir, "LANG=C.UTF-8",
		"SKILL_ROOT=" + p.Root,
	}
	ours := len(env)
	for _, name := range sorted(p.given) {
		if !slices.ContainsFunc(env[:ours], func(e string) bool { return strings.HasPrefix(e, name+"=") }) {
			env = append(env, name+"="+p.given[name])
		}
	}
	for _, name := range sorted(p.values) {
		text := string(p.values[name])
		if plain := ""; json.Unmarshal(p.values[name], &plain) == nil {
			text = plain
		}
		if strings.IndexByte(text, 0) < 0 {
			env = append(env, "SKILL_INPUT_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))+"="+text)
		}
	}
	if all, err := json.Marshal(p.values); err == nil {
		env = append(env, "SKILL_INPUTS="+string(all))
	}
	return env
}

func sorted[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Trace is what is written of a run, for those who learn from runs. Nothing that is
// sensitive is in it; of a skill that is sensitive as a whole neither are the streams.
type Trace struct {
	Schema    int    `json:"schema"`
	Plan      *Plan  `json:"plan"`
	Ran       *Ran   `json:"run"`
	Elevation string `json:"elevation"` // "eligible", "blocked" or "reviewed" [SK-37, SK-38]
}

// NewTrace makes the trace of a run. elevate asks that it may become the material of
// other skills; of a sensitive one only somebody who has reviewed it says so.
func NewTrace(p *Plan, r *Ran, elevate, reviewed bool) (*Trace, error) {
	t := &Trace{Schema: 1, Plan: p, Ran: r, Elevation: "eligible"}
	if !p.Hints.Sensitive {
		return t, nil
	}
	kept := *r
	kept.Stdout, kept.Stderr = "", ""
	t.Ran, t.Elevation = &kept, "blocked"
	switch {
	case elevate && !reviewed:
		return nil, Elevation(p, elevate, reviewed)
	case elevate:
		t.Elevation = "reviewed"
	}
	return t, nil
}

// Elevation refuses what is asked of a sensitive skill without review, before
// anything runs [SK-38].
func Elevation(p *Plan, elevate, reviewed bool) error {
	if elevate && !reviewed && p.Hints.Sensitive {
		return fault.New(fault.Denied, "elevation", "the skill %s is sensitive, and its traces are nobody's material without review", spec.Quote(p.Skill)).
			Hint("read the trace, then say --reviewed")
	}
	return nil
}

// WriteTrace writes a trace into a file that only its owner reads.
func WriteTrace(path string, t *Trace) error {
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return fault.New(fault.Internal, "trace", "the trace cannot be written: %w", err)
	}
	// Once more over the whole: what is quoted anew is spelled anew.
	text := t.Plan.Strike(string(data))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fault.New(fault.Unavailable, "file", "write %s: %w", spec.Quote(path), err)
	}
	_, err = f.WriteString(text + "\n")
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fault.New(fault.Unavailable, "file", "write %s: %w", spec.Quote(path), err)
	}
	return nil
}
