package consume

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// Subject is a tool that is about to run: verified and installed, or a file of
// the user's own.
type Subject struct {
	Tool     *spec.Tool
	Main     []byte
	Ref      spec.Ref // pinned; zero for a local file
	Registry spec.RegistryName
	Closure  *ledger.Closure
	// Operation is which one of several the subject is; "" of a Patch tool, which is one.
	// Tool is then the operation seen as a tool: its inputs, and what it alone may do.
	Operation string

	// program is what it runs as; nil runs as nothing. kind is how its operation is
	// invoked, "" of a Patch tool.
	program  program
	kind     spec.InvocationKind
	deployed func(context.Context) (deployed, error) // of an install manifest; nil refuses its actions
	net      []string                                // what the person let the tool reach when it was installed
	// examine holds the release against the rules of this program; nil refuses.
	examine func(context.Context) error
	revoked error // why it must not run, nil where it may
	consent consents
	digest  spec.Digest // of Main, where it is known
	reads   []string    // the files that all of this was found out from
	size    int64       // of what is held, in bytes
	calls   *manifest.Calls

	// parsedBy refuses the interpreter of a run, by its version, where what it makes
	// of the source is refused; nil where nobody checks.
	parsedBy func(ctx context.Context, python string) error
}

// RunOptions say how a run is to happen.
type RunOptions struct {
	Read, Write []string // paths granted by name
	Net         []string // HOST[:PORT], beyond the internet, granted by name
	Agree       bool     // the person agrees to what the tool may do, for this version, now and later
	Secrets     bool     // the person gives this one run the secrets that its arguments name, and what other programs obey
	Confirm     bool     // the person confirms this one run
	Limits      sandbox.Limits
	HostApp     string // who asks: "cli"
	Claims      Claims // what the request says of itself
	// Step, where it is not nil, hears the name of each stage as it begins, in their
	// order; it must not wait.
	Step     func(stage string)
	Session  *Session       // the conversation that asks; nil is a person
	Approved approval.Grant // a person's word for exactly this call; the zero value is none
	Driver   string         // the only sandbox driver allowed, one of sandbox.DriverNames; "" takes the first that works

	UnsafeNoSandbox  bool
	UnsafeRunRevoked bool

	warm   *Warm         // of a process that lives on, else nil
	replay audit.RunID   // that is run again, "" for a call of its own
	became *audit.Record // gets the record of the run, where somebody wants to compare
}

// Ran is what became of a run.
type Ran struct {
	RunID       audit.RunID       `json:"run_id"`
	Tool        string            `json:"tool"`
	Operation   string            `json:"operation,omitempty"`
	Release     spec.Digest       `json:"release,omitzero"`
	Registry    spec.RegistryName `json:"registry,omitempty"`
	Result      json.RawMessage   `json:"result"`
	Format      spec.OutputFormat `json:"format,omitempty"` // of the answer of an action
	Bytes       []byte            `json:"-"`                // the answer as it came, of the formats text and binary
	Attempts    int               `json:"attempts,omitempty"`
	Status      int               `json:"http_status,omitempty"`
	Driver      string            `json:"sandbox"`
	NotEnforced []string          `json:"not_enforced,omitempty"`
	Grants      []audit.Grant     `json:"grants,omitempty"`
	Hidden      []string          `json:"hidden,omitempty"` // paths in the grants that the tool could not see
	AllowNet    []string          `json:"allow_net,omitempty"`
	Python      string            `json:"python,omitempty"`
	Notes       []string          `json:"notes,omitempty"`
	StdoutNoise bool              `json:"stdout_noise,omitempty"`
	DurationMS  int64             `json:"duration_ms"`
	Warm        bool              `json:"warm,omitempty"` // the interpreter was booted ahead
	Trust       Trust             `json:"trust"`
	Sources     []audit.RunID     `json:"sources,omitempty"` // runs whose output is in the inputs, where it was seen
	Stderr      string            `json:"-"`
}

// Local makes the subject of a Patch file of the user's own. It is not
// verified by anybody, and runs in the same sandbox.
func Local(file string, data []byte) (*Subject, []spec.Finding, error) {
	doc, findings := manifest.Read(file, data, manifest.Lenient)
	if doc == nil || spec.Blocking(findings) {
		return nil, findings, fault.New(fault.Findings, "manifest", "the manifest of %s is invalid", spec.Quote(file)).
			Hint("patch-git check %s", file)
	}
	if err := Runnable(&doc.Tool); err != nil {
		return nil, findings, err
	}
	if len(doc.Tool.Runtime.Packages) > 0 {
		return nil, findings, fault.New(fault.Unavailable, "no_closure", "%s needs packages, which are resolved when it is published", spec.Quote(file)).
			Hint("publish it to a registry of your own: patch-git publish %s --to <folder>", file)
	}
	s := &Subject{Tool: &doc.Tool, Main: data, consent: fleeting{}, examine: func(context.Context) error { return nil }}
	if doc.Tool.Format == spec.FormatPatch {
		s.program = python{}
	}
	return s, findings, (*Client)(nil).whole(s)
}

// bounds are the limits as the record has them: what was asked for, else what
// the sandbox takes.
func bounds(l sandbox.Limits) audit.Limits {
	return audit.Limits{
		TimeMS: cmp.Or(l.Wall, limits.RunTime).Milliseconds(), Memory: cmp.Or(l.Memory, limits.RunMemory),
		Processes: int64(cmp.Or(l.Processes, limits.RunProcesses)), Files: int64(cmp.Or(l.OpenFiles, limits.RunFiles)),
		FileSize: cmp.Or(l.FileSize, limits.RunFileSize), Scratch: cmp.Or(l.Scratch, limits.RunScratch),
	}
}

// start is the step that everything before is about. The tool starts only after
// the intent was recorded.
func (k *call) start(ctx context.Context) (string, error) {
	if err := k.through(); err != nil {
		return "", err
	}
	rec, g := &k.rec, k.grants
	rec.Sandbox.Internet = k.s.Tool.Capabilities.Network
	if err := k.s.program.prepare(ctx, k); err != nil {
		return "", err
	}
	if err := g.make(); err != nil {
		return "", err
	}
	rec.Sandbox.Grants, rec.Sandbox.Hidden = g.record()
	if k.o.UnsafeNoSandbox {
		rec.Sandbox.Hidden = nil // nothing is
	}
	k.begin(ctx)
	return "", k.s.program.run(ctx, k)
}

// result reads what the tool answered.
func (k *call) result(python audit.Python) error {
	s, rec, out := k.s, &k.rec, &k.out
	out.NotEnforced = append(out.NotEnforced, k.grants.notes...)
	rec.Sandbox.Driver, rec.Sandbox.NotEnforced = out.Driver, out.NotEnforced
	rec.ExitCode, rec.DurationMS = out.Exit, out.Duration.Milliseconds()
	line, noise := lastLine(out.Stdout)
	rec.StdoutNoise = noise
	if err := failure(s.Tool, *out); err != nil {
		return err
	}
	if !bytes.Equal(k.heard.line, line) || len(line) == 0 {
		k.heard = answered(s.Tool, line)
	}
	if k.heard.wrong != nil {
		return withStderr(k.heard.wrong, *out)
	}
	k.ran = &Ran{
		Tool: s.Tool.Name.String() + "@" + s.Tool.Version.String(), Release: s.Ref.Digest, Registry: s.Registry, Result: line,
		Driver: out.Driver, NotEnforced: out.NotEnforced, Grants: rec.Sandbox.Grants, Hidden: rec.Sandbox.Hidden, AllowNet: rec.Sandbox.AllowNet, Python: python.Version, StdoutNoise: noise,
		DurationMS: out.Duration.Milliseconds(), Warm: out.Warm, Stderr: string(out.Stderr),
	}
	if python.Note != "" {
		k.ran.Notes = append(k.ran.Notes, python.Note)
	}
	return nil
}

// answer is the line of a tool's result, and what is wrong with it.
type answer struct {
	line  json.RawMessage
	wrong error
}

func answered(t *spec.Tool, line json.RawMessage) answer {
	return answer{line, manifest.Result(t, line)}
}

// hear looks at what a tool said while it ends, which it takes as long for: mostly that
// is its answer, and result finds out whether it was. Whoever looks at it stumbles there,
// where a server goes on without the call, and not here, where nobody would catch it.
func (k *call) hear(stdout []byte) {
	defer func() {
		if recover() != nil {
			k.heard = answer{}
		}
	}()
	line, _ := lastLine(stdout)
	k.heard = answered(k.s.Tool, line)
	if run, err := k.begun(); err == nil && k.heard.wrong == nil {
		run.Foresee(line)
	}
}

// failure explains a tool that did not come to its end.
func failure(t *spec.Tool, out sandbox.Outcome) error {
	say := func(reason, format string, args ...any) error {
		return withStderr(fault.New(fault.ToolFailed, reason, format, args...), out)
	}
	switch {
	case out.TimedOut:
		return withStderr(fault.New(fault.ToolFailed, "timeout", "%s did not end in time (%s)", t.Name, out.Duration.Round(time.Millisecond)).
			Hint("give it longer with --timeout"), out)
	case out.OutOfMemory:
		return withStderr(fault.New(fault.ToolFailed, "memory", "%s used more memory than it may", t.Name).Hint("give it more with --memory"), out)
	case out.TooManyProcesses && out.Exit != 0:
		return say("processes", "%s started more processes than it may", t.Name)
	case out.StdoutCut:
		return say("output", "%s wrote more output than it may", t.Name)
	case out.Signal != "":
		return say("signal", "%s was ended by %s", t.Name, out.Signal)
	case out.Exit != 0:
		return say("exit", "%s ended with exit code %d", t.Name, out.Exit)
	}
	return nil
}

// stderrTail is how many lines of a tool's talk an error repeats.
const stderrTail = 5

// withStderr adds the end of what the tool said to the error.
func withStderr(err error, out sandbox.Outcome) error {
	lines := strings.Split(strings.TrimSpace(string(out.Stderr)), "\n")
	if len(lines) > stderrTail {
		lines = lines[len(lines)-stderrTail:]
	}
	if len(lines) == 1 && lines[0] == "" {
		return err
	}
	return fault.New(fault.KindOf(err), fault.ReasonOf(err), "%w\n  %s", err, strings.Join(lines, "\n  "))
}

// lastLine is the result: the last line of stdout that is not empty [C-3].
// noise tells that there was more.
func lastLine(stdout []byte) (line json.RawMessage, noise bool) {
	text := strings.TrimRight(string(stdout), " \t\r\n")
	i := strings.LastIndexByte(text, '\n')
	return json.RawMessage(strings.TrimSpace(text[i+1:])), strings.TrimSpace(text[:max(i, 0)]) != ""
}

func envKeys(env []string) []string {
	var out []string
	for _, e := range env {
		k, _, _ := strings.Cut(e, "=")
		out = append(out, k)
	}
	return out
}
