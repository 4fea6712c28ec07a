package contribute

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// SmokeKey is the extension of a manifest that has the arguments of a call that
// anybody can make, without network and without files.
const SmokeKey = "x-smoke"

// Tried is what was tried of a proposed tool.
type Tried struct {
	Tool        *spec.Tool `json:"-"`
	Name        string     `json:"tool"`
	Python      string     `json:"python"`
	Driver      string     `json:"sandbox"`
	NotEnforced []string   `json:"not_enforced,omitempty"`
	Called      bool       `json:"called"` // and not only imported
	DurationMS  int64      `json:"duration_ms"`
}

//go:embed try_import.py
var importScript []byte

// Try runs a proposed tool in the sandbox, without network and without any file
// of this machine: it is imported, and called where its manifest has an example.
// It is the one thing here that runs contributed code, so it first shows that
// the sandbox stops what must be stopped, and does nothing where that fails.
//
// What comes out counts against the tool only. A tool knows that it is tried.
func (w *Workshop) Try(ctx context.Context, files []spec.File) (*Tried, error) {
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
	var closure *ledger.Closure
	if len(tool.Runtime.Packages) > 0 {
		if closure, _, err = w.resolve(ctx, tool); err != nil {
			return nil, err
		}
	}
	env, _, release, err := pythons.Use(ctx, in, closure, pyenv.InstallOptions{})
	if err != nil {
		return nil, err
	}
	defer release()
	out := &Tried{Tool: tool, Name: string(tool.Name) + "@" + string(tool.Version), Python: in.Version, Driver: box.Driver()}
	// A line of our own at the end of the output tells an import that came to
	// its end from one that left by itself.
	args, err := json.Marshal(map[string]string{"source": string(source)})
	if err != nil {
		return nil, err
	}
	ran, err := w.tryOnce(ctx, pythons, box, in, env, importScript, args)
	if err != nil {
		return nil, err
	}
	out.add(ran)
	if !bytes.Equal(bytes.TrimSpace(lastLine(ran.Stdout)), []byte("imported")) {
		return out, failed("trial_import", "importing it did not come to an end", ran)
	}
	example, ok := tool.Extensions[SmokeKey]
	if !ok {
		return out, nil
	}
	if args, err = manifest.Arguments(tool, example); err != nil {
		return out, fault.New(fault.Findings, "trial_example", "%s does not fit the inputs: %w", SmokeKey, err)
	}
	if ran, err = w.tryOnce(ctx, pythons, box, in, env, source, args); err != nil {
		return out, err
	}
	out.add(ran)
	if ran.Exit != 0 || ran.StdoutCut {
		return out, failed("trial_call", "the call of "+SmokeKey+" failed", ran)
	}
	if err := manifest.Result(tool, lastLine(ran.Stdout)); err != nil {
		return out, fault.New(fault.ToolFailed, "trial_result", "the call of %s: %w", SmokeKey, err)
	}
	out.Called = true
	return out, nil
}

// tryOnce runs one program with the packages of the tool.
func (w *Workshop) tryOnce(ctx context.Context, pythons *pyenv.Pythons, box *sandbox.Sandbox, in *pyenv.Interpreter, env pyenv.Env, source, args []byte) (sandbox.Outcome, error) {
	program, err := pythons.Prepare(ctx, in, source)
	if err != nil {
		return sandbox.Outcome{}, err
	}
	return box.Run(ctx, program.Job(pyenv.Call{Args: args, Env: env, Limits: sandbox.Limits{Wall: limits.RunTime}}))
}

func (t *Tried) add(out sandbox.Outcome) {
	t.DurationMS += out.Duration.Round(time.Millisecond).Milliseconds()
	t.NotEnforced = out.NotEnforced
}

// failed says how a program of a tool ended. Its words are the tool's own.
func failed(reason, what string, out sandbox.Outcome) error {
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
	}
	tail := strings.Split(strings.TrimSpace(string(out.Stderr)), "\n")
	tail = tail[max(0, len(tail)-tryTail):]
	return fault.New(fault.ToolFailed, reason, "%s: %s\n  %s", what, how, strings.Join(tail, "\n  "))
}

// tryTail is how many lines of a tool's talk are repeated.
const tryTail = 12

// lastLine is the result of a tool: the last line of its output [C-3].
func lastLine(stdout []byte) []byte {
	text := bytes.TrimRight(stdout, " \t\r\n")
	return text[bytes.LastIndexByte(text, '\n')+1:]
}
