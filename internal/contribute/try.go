package contribute

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
)

// SmokeKey is the extension of a manifest that has the arguments of a call that
// anybody can make, without network and without files.
const SmokeKey = "x-smoke"

// Tried is what was tried of a proposed tool, and what it was seen to do.
type Tried struct {
	Tool        *spec.Tool               `json:"-"`
	Name        string                   `json:"tool"`
	Python      string                   `json:"python"`
	Driver      string                   `json:"sandbox"`
	NotEnforced []string                 `json:"not_enforced,omitempty"`
	Called      bool                     `json:"called"` // and not only imported
	DurationMS  int64                    `json:"duration_ms"`
	Seen        []quarantine.Observation `json:"seen"`
	Findings    []spec.Finding           `json:"findings"` // DYN-…
	Unseen      string                   `json:"unseen"`   // what no trial can see
}

// unseen is what goes past the hooks of the interpreter.
const unseen = "the trial does not see what native code and started programs do, files that are only asked about (os.stat), and what a tool does only when it is not tried"

//go:embed try_record.py
var recorder []byte

// Try runs a proposed tool in the sandbox, without network and without any file
// of this machine: it is imported, and called where its manifest has an example.
// What it reaches for is recorded, whether or not it gets it, and compared with
// its manifest. This is the one thing here that runs contributed code, so it
// first shows that the sandbox stops what must be stopped and that the recorder
// sees it, and does nothing where that fails.
//
// What comes out counts against the tool only. A tool knows that it is tried, and
// shares an interpreter with who records it. A record that is not whole is no
// answer, and so an error; what it does show before its end is one.
func (w *Workshop) Try(ctx context.Context, files []spec.File) (*Tried, error) {
	if formats := spec.MainFormats(files); len(formats) == 1 && formats[0] != spec.FormatPatch {
		return nil, fault.New(fault.Usage, "no_trial", "there is nothing to try of a %s: only Patch tools are imported and called", formats[0].Noun())
	}
	main := spec.FormatPatch.MainFile()
	r := spec.Release{Files: files}
	r.Tool.Format = spec.FormatPatch
	doc, findings := manifest.Read(main, r.Main(), manifest.Strict)
	if doc == nil || spec.Blocking(findings) {
		return nil, fault.New(fault.Findings, "manifest", "the manifest is invalid, so there is nothing to try")
	}
	pythons, box, err := w.pythons(ctx)
	if err != nil {
		return nil, err
	}
	return w.try(ctx, pythons, box, &doc.Tool, r.Main())
}

// try is Try by a sandbox.
func (w *Workshop) try(ctx context.Context, pythons *pyenv.Pythons, box *sandbox.Sandbox, tool *spec.Tool, source []byte) (*Tried, error) {
	in, err := pythons.Find(ctx, tool.Runtime.PythonVersion, len(tool.Runtime.Packages) > 0)
	if err != nil {
		return nil, err
	}
	if err := w.mustHold(ctx, box, in); err != nil {
		return nil, err
	}
	return w.attempt(ctx, pythons, box, in, tool, source)
}

// attempt is try where sandbox and recorder passed their test.
func (w *Workshop) attempt(ctx context.Context, pythons *pyenv.Pythons, box *sandbox.Sandbox, in *pyenv.Interpreter, tool *spec.Tool, source []byte) (_ *Tried, err error) {
	var closure *ledger.Closure
	if len(tool.Runtime.Packages) > 0 {
		if closure, _, err = w.resolve(ctx, tool, tool.Runtime.Packages, tool.Runtime.PythonVersion); err != nil {
			return nil, err
		}
	}
	env, _, release, err := pythons.Use(ctx, in, closure, pyenv.InstallOptions{})
	if err != nil {
		return nil, err
	}
	defer release()
	t := &trial{box: box, in: in, env: env, source: source, wall: limits.RunTime, out: &Tried{
		Tool: tool, Name: string(tool.Name) + "@" + string(tool.Version), Python: in.Version, Driver: box.Driver(),
		Seen: []quarantine.Observation{}, Unseen: unseen,
	}}
	damage, err := t.run(ctx)
	if err != nil {
		return nil, err
	}
	t.out.Findings = append(quarantine.Undeclared(tool, t.out.Seen), t.failures...)
	if damage != nil && !spec.Blocking(t.out.Findings) {
		return t.out, fault.New(fault.Unavailable, "record", "nobody can tell what the tool did: the record of its trial is damaged: %w", damage).
			Hint("a tool that leaves descriptors alone that are not its own does not damage it")
	}
	return t.out, nil
}

const (
	mostEvents   = 20_000 // try_record.py has the same number
	recorderLeft = 76     // its exit code where it cannot write
)

// trial is one tool while it is tried.
type trial struct {
	box      *sandbox.Sandbox
	in       *pyenv.Interpreter
	env      pyenv.Env
	source   []byte
	wall     time.Duration
	out      *Tried
	failures []spec.Finding
}

// run imports the tool and calls it. damage says why its record is not whole.
func (t *trial) run(ctx context.Context) (damage, err error) {
	tool := t.out.Tool
	ran, r, err := t.record(ctx, "import", []byte("{}"))
	if err != nil || r.damage != nil {
		return r.damage, err
	}
	if ran.Exit != 0 || !r.ended {
		t.failed("importing it did not come to its end", ran)
		return nil, nil
	}
	example, ok := tool.Extensions[SmokeKey]
	if !ok {
		return nil, nil
	}
	args, err := manifest.Arguments(tool, example)
	if err != nil {
		t.fail("%s does not fit the inputs: %v", SmokeKey, err)
		return nil, nil
	}
	ran, r, err = t.record(ctx, "call", args)
	if err != nil || r.damage != nil {
		return r.damage, err
	}
	if ran.Exit != 0 || ran.StdoutCut || !r.ended {
		t.failed("the call of "+SmokeKey+" failed", ran)
		return nil, nil
	}
	if err := manifest.Result(tool, lastLine(r.stdout)); err != nil {
		t.fail("the call of %s: %v", SmokeKey, err)
		return nil, nil
	}
	t.out.Called = true
	return nil, nil
}

// record runs the tool once and notes what it was seen to do.
func (t *trial) record(ctx context.Context, how string, args []byte) (sandbox.Outcome, record, error) {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	job := t.in.Trial(recorder, how, t.source, args, t.env, key, sandbox.Limits{Wall: t.wall})
	ran, err := t.box.Run(ctx, job)
	if err != nil {
		return ran, record{}, err
	}
	t.out.DurationMS += ran.Duration.Round(time.Millisecond).Milliseconds()
	t.out.NotEnforced = ran.NotEnforced
	r := readRecord(ran.Stdout, key)
	a := around{tool: path.Join(r.scratch, "tool.py"), scratch: r.scratch}
	for _, m := range job.Mounts {
		a.reads = append(a.reads, m.Target)
	}
	t.out.Seen = observe(t.out.Seen, r, a, how)
	switch {
	case ran.TimedOut || ran.OutOfMemory || ran.StdoutCut || ran.Signal != "":
		r.damage = nil // it was ended from outside, which says enough
	case len(r.events) >= mostEvents:
		r.damage = nil
		t.fail("the tool reached for more than %d things", mostEvents)
	case ran.Exit == recorderLeft && !r.ended:
		r.damaged("the recorder could not go on")
	}
	return ran, r, nil
}

func (t *trial) fail(format string, args ...any) {
	t.failures = append(t.failures, quarantine.Failed(t.out.Tool, fmt.Sprintf(format, args...)))
}

// failed says how a program of a tool ended. Its words are the tool's own.
func (t *trial) failed(what string, out sandbox.Outcome) {
	how := fmt.Sprintf("it ended with exit code %d", out.Exit)
	switch {
	case out.TimedOut:
		how = "it did not end in time"
	case out.OutOfMemory:
		how = "it used more memory than it may"
	case out.StdoutCut:
		how = "it wrote more output than it may"
	case out.Signal != "":
		how = "it was ended by " + out.Signal
	case out.Exit == 0:
		how = "it left the interpreter without a word"
	}
	if last := lastLine(bytes.TrimSpace(out.Stderr)); len(last) > 0 {
		how += " (" + spec.Quote(string(last)) + ")"
	}
	t.fail("%s: %s", what, how)
}

// lastLine is the result of a tool: the last line of its output [C-3].
func lastLine(stdout []byte) []byte {
	text := bytes.TrimRight(stdout, " \t\r\n")
	return text[bytes.LastIndexByte(text, '\n')+1:]
}

// Words are the observations for a person, one line each.
func (t *Tried) Words() []string {
	var out []string
	for _, o := range t.Seen {
		by := ""
		if o.By != "" {
			by = " (" + path.Base(o.By) + ")"
		}
		out = append(out, strings.TrimSpace(string(o.Uses)+" "+spec.Quote(o.What))+by+", "+o.When)
	}
	return out
}
