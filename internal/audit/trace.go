package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"sort"
	"strings"
	"sync"
	"time"
)

// Span is a run as a trace tells it to somebody else. What is not known to be
// harmless is not in it: no output, no error message, no path, no name of a user.
// Names of attributes are those of OpenTelemetry's conventions where it has one,
// and begin with "patch." otherwise.
type Span struct {
	TraceID    string         `json:"traceId"`
	SpanID     string         `json:"spanId"`
	Parent     string         `json:"parentSpanId,omitempty"`
	Name       string         `json:"name"`
	Kind       string         `json:"kind"` // "SERVER" for a call of an AI host, "INTERNAL" for one of a person
	Start      time.Time      `json:"startTime"`
	End        time.Time      `json:"endTime,omitzero"`
	Status     string         `json:"status"` // "OK", "ERROR" or "UNSET" for a run without an end
	Attributes map[string]any `json:"attributes"`
	Links      []SpanLink     `json:"links,omitempty"` // runs whose output is in the inputs
}

// SpanLink names another span.
type SpanLink struct {
	TraceID string `json:"traceId"`
	SpanID  string `json:"spanId"`
}

// Tracer makes spans. In one trace the same value has the same code and nobody
// without the tracer's key can tell whose it is; another tracer gives it another.
type Tracer struct {
	// Key is of this export alone and should be thrown away after it.
	Key []byte
	// Inputs has inputs told as they are recorded, without the secrets that were
	// found in them. Otherwise a code stands for each.
	Inputs bool
}

// redacted stands for a value that a trace does not tell.
func (t Tracer) redacted(value []byte) string {
	return "[REDACTED:hmac:" + hex.EncodeToString(code(t.Key, value)[:4]) + "]"
}

// traceParent is the one form of W3C's header that is read.
var traceParent = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$`) })

// ids are those of a run's span. A run that names no trace is one of its own.
func ids(id RunID, claimed string) (trace, span, parent string) {
	sum := sha256.Sum256([]byte(id))
	trace, span = hex.EncodeToString(sum[:16]), hex.EncodeToString(sum[16:24])
	if m := traceParent().FindStringSubmatch(claimed); m != nil && strings.Trim(m[1], "0") != "" && strings.Trim(m[2], "0") != "" {
		return m[1], span, m[2]
	}
	return trace, span, ""
}

// Span tells a run.
func (t Tracer) Span(r *Record) Span {
	s := Span{Name: "tools/call " + string(r.Tool.Name), Kind: "INTERNAL", Start: r.StartedAt, End: r.EndedAt, Status: "UNSET", Attributes: map[string]any{}}
	s.TraceID, s.SpanID, s.Parent = ids(r.RunID, r.Trigger.TraceParent)
	if r.Trigger.Session != "" || r.Trigger.MCPClient != "" {
		s.Kind = "SERVER"
	}
	for _, p := range r.Parents {
		trace, span, _ := ids(p, "")
		s.Links = append(s.Links, SpanLink{trace, span})
	}
	switch {
	case r.Status == Succeeded:
		s.Status = "OK"
	case r.Error != nil:
		s.Status = "ERROR"
	}
	t.call(&s, r)
	t.sandbox(&s, r)
	t.inputs(&s, r)
	return s
}

// set adds an attribute unless it says nothing.
func (s *Span) set(name string, value any) {
	if value != "" {
		s.Attributes[name] = value
	}
}

func (t Tracer) call(s *Span, r *Record) {
	s.set("gen_ai.operation.name", "execute_tool")
	s.set("gen_ai.tool.name", string(r.Tool.Name))
	s.set("gen_ai.tool.type", "function")
	s.set("gen_ai.tool.call.id", string(r.RunID))
	s.set("patch.tool.version", string(r.Tool.Version))
	s.set("patch.tool.release", r.Tool.Release.String())
	s.set("patch.tool.source", r.Tool.Source.String())
	s.set("patch.run.status", string(r.Status))
	s.set("patch.run.exit_code", r.ExitCode)
	s.set("patch.run.duration_ms", r.DurationMS)
	if r.Replay != "" {
		s.set("patch.run.replay_of", string(r.Replay))
	}
	if s.Kind == "SERVER" {
		s.set("mcp.method.name", "tools/call")
	}
	if r.Trigger.Session != "" {
		s.set("mcp.session.id", t.redacted([]byte(r.Trigger.Session)))
	}
	if r.Error != nil {
		s.set("error.type", r.Error.Kind)
		s.set("patch.error.reason", r.Error.Reason)
	}
	for _, g := range r.Stages {
		s.set("patch.stage."+g.Name, g.Verdict)
	}
	if r.Taint != nil {
		s.set("patch.output.trust", r.Taint.Output)
		s.set("patch.taint.inputs", len(r.Taint.Inputs))
	}
	if r.Approval != nil {
		s.set("patch.approved_via", r.Approval.Via)
	}
}

func (t Tracer) sandbox(s *Span, r *Record) {
	s.set("patch.sandbox.driver", r.Sandbox.Driver)
	s.set("patch.sandbox.network", r.Sandbox.Internet)
	s.set("patch.sandbox.filesystem", string(r.Sandbox.Capabilities.Filesystem))
	s.set("patch.sandbox.not_enforced", len(r.Sandbox.NotEnforced))
	s.set("patch.sandbox.python", r.Sandbox.Python.Version)
	var paths []string
	for _, g := range r.Sandbox.Grants {
		paths = append(paths, t.redacted([]byte(g.Path)))
	}
	if len(paths) > 0 {
		s.set("patch.sandbox.grants", paths)
	}
	s.set("patch.network.places", len(r.Network))
}

// inputs names the inputs, which the manifest tells everybody, and tells their
// values only where that was asked for. What an operation is given may have names that
// whoever called it chose: a code stands for those, too.
func (t Tracer) inputs(s *Span, r *Record) {
	var values map[string]json.RawMessage
	if json.Unmarshal(r.Inputs, &values) != nil {
		return
	}
	if t.Inputs {
		s.set("gen_ai.tool.call.arguments", string(r.Inputs))
		return
	}
	names := make([]string, 0, len(values))
	for n := range values {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		told := n
		if r.Operation != nil {
			told = t.redacted([]byte(n))
		}
		s.set("patch.input."+told, t.redacted(values[n]))
	}
}
