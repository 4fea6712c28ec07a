package audit

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/patch-cat/patch-git/spec"
)

// line is a record on its way to being one line of JSON. The bytes are those that
// package encoding/json writes without escaping for HTML, to the last one, because a
// digest is made of them. That package finds out by reflection what stands here, which
// takes four times as long in a server that was idle, twice in every call. What is
// rare is left to it: odd says so.
type line struct {
	b   []byte
	odd bool // what is in b counts for nothing
}

// appendRecord writes a record; false is for encoding/json to do, or to say why not.
func appendRecord(b []byte, r *Record) ([]byte, bool) {
	l := line{b: b}
	l.object("", func() { l.record(r) })
	return append(l.b, '\n'), !l.odd
}

func (l *line) record(r *Record) {
	l.text("schema_version", r.Schema)
	if r.Seq != 0 {
		l.name("seq")
		l.b = strconv.AppendUint(l.b, r.Seq, 10)
	}
	l.digest("prev", r.Prev)
	l.text("run_id", string(r.RunID))
	l.text("status", string(r.Status))
	l.time("ran_at", r.StartedAt)
	if !r.EndedAt.IsZero() {
		l.time("ended_at", r.EndedAt)
	}
	l.number("duration_ms", r.DurationMS)
	l.object("tool", func() { l.tool(&r.Tool) })
	if o := r.Operation; o != nil {
		l.object("operation", func() { l.operation(o) })
	}
	l.some("registry", r.Registry)
	l.object("sandbox", func() { l.sandbox(&r.Sandbox) })
	l.object("trigger", func() { l.trigger(&r.Trigger) })
	list(l, "stages", r.Stages, l.stage)
	list(l, "parents", r.Parents, func(id *RunID) { l.string(string(*id)) })
	if t := r.Taint; t != nil {
		l.object("taint", func() {
			l.text("output", t.Output)
			list(l, "inputs", t.Inputs, l.tainted)
		})
	}
	if a := r.Approval; a != nil {
		l.object("approval", func() {
			l.text("id", a.ID)
			l.text("approved_via", a.Via)
			l.time("approved_at", a.At)
		})
	}
	l.some("replay_of", string(r.Replay))
	l.json("inputs", r.Inputs)
	l.json("output", r.Output)
	l.yes("redacted", r.Redacted)
	l.yes("inputs_redacted", r.InputsRedacted)
	if r.Replayable != nil {
		l.bool("replayable", *r.Replayable)
	}
	l.some("output_hmac", r.OutputCode)
	list(l, "network", r.Network, l.reached)
	l.count("network_more", int64(r.NetworkMore))
	list(l, "capability_assertions", r.Assertions, l.assertion)
	l.digest("stdout_sha256", r.StdoutSHA256)
	l.digest("stderr_sha256", r.StderrSHA256)
	l.yes("stdout_noise", r.StdoutNoise)
	l.number("exit_code", int64(r.ExitCode))
	if f := r.Error; f != nil {
		l.object("error", func() {
			l.text("kind", f.Kind)
			l.some("reason", f.Reason)
			l.text("message", f.Message)
		})
	}
	l.some("key", r.Key)
	l.some("sig", r.Signature)
}

func (l *line) tool(t *Tool) {
	l.text("name", string(t.Name))
	l.some("version", string(t.Version))
	l.digest("release_sha256", t.Release)
	l.digest("source_sha256", t.Source)
}

func (l *line) operation(o *Operation) {
	l.text("name", o.Name)
	l.text("invocation", o.Kind)
	l.digest("install_sha256", o.Install)
	l.count("attempts", int64(o.Attempts))
	l.count("http_status", int64(o.Status))
}

func (l *line) sandbox(s *Sandbox) {
	l.some("driver", s.Driver)
	l.texts("not_enforced", s.NotEnforced)
	l.object("capabilities", func() { l.permissions(&s.Capabilities) })
	l.bool("allow_internet_access", s.Internet)
	list(l, "grants", s.Grants, l.grant)
	l.texts("allow_net", s.AllowNet)
	l.texts("hidden", s.Hidden)
	if m := s.Limits; m != (Limits{}) {
		l.object("limits", func() {
			l.count("time_ms", m.TimeMS)
			l.count("memory_bytes", m.Memory)
			l.count("processes", m.Processes)
			l.count("open_files", m.Files)
			l.count("file_bytes", m.FileSize)
			l.count("scratch_bytes", m.Scratch)
		})
	}
	if p := s.Python; p != (Python{}) {
		l.object("python", func() {
			l.some("version", p.Version)
			l.some("path", p.Path)
			l.some("note", p.Note)
		})
	}
	l.texts("packages_installed", s.Packages)
	l.texts("envs_keys", s.EnvKeys)
}

func (l *line) permissions(p *spec.Permissions) {
	l.bool("network", p.Network)
	l.text("filesystem", string(p.Filesystem))
	l.bool("human_confirm", p.HumanConfirm)
	l.texts("needs", p.Needs)
	l.texts("external_auth", p.ExternalAuth)
	l.texts("scopes", p.Scopes)
	l.texts("secrets", p.Secrets)
	l.some("installs", p.Installs)
	l.texts("servers", p.Servers)
}

func (l *line) grant(g *Grant) {
	l.object("", func() {
		l.text("path", g.Path)
		l.yes("write", g.Write)
		l.some("from", string(g.From))
		l.yes("secret", g.Secret)
	})
}

func (l *line) trigger(t *Trigger) {
	l.some("session", t.Session)
	l.some("mcp_client_version", t.MCPVersion)
	l.some("traceparent", t.TraceParent)
	l.some("host_app", t.HostApp)
	l.some("mcp_client_name", t.MCPClient)
	l.some("user", t.User)
	l.some("user_prompt_hash", t.PromptHash)
}

func (l *line) stage(s *Stage) {
	l.object("", func() {
		l.text("name", s.Name)
		l.text("verdict", s.Verdict)
		l.some("reason", s.Reason)
	})
}

func (l *line) tainted(t *TaintedInput) {
	l.object("", func() {
		l.text("input", t.Input)
		l.some("path", t.Path)
		l.text("how", t.How)
		l.some("source", string(t.Source))
	})
}

func (l *line) reached(r *Reached) {
	l.object("", func() {
		l.text("network", r.Network)
		l.text("address", r.Address)
		l.number("times", int64(r.Times))
		l.text("verdict", r.Verdict)
	})
}

func (l *line) assertion(a *Assertion) {
	l.object("", func() {
		l.text("capability", a.Capability)
		l.text("declared", a.Declared)
		l.text("given", a.Given)
		l.bool("enforced", a.Enforced)
		l.some("by", a.By)
	})
}

// name begins a member; "" is none of an object.
func (l *line) name(s string) {
	if s == "" {
		return
	}
	if l.b[len(l.b)-1] != '{' {
		l.b = append(l.b, ',')
	}
	l.b = append(append(append(l.b, '"'), s...), '"', ':')
}

func (l *line) object(name string, members func()) {
	l.name(name)
	l.b = append(l.b, '{')
	members()
	l.b = append(l.b, '}')
}

// list writes an array, nothing where it is empty.
func list[T any](l *line, name string, all []T, one func(*T)) {
	if len(all) == 0 {
		return
	}
	l.name(name)
	for i := range all {
		l.b = append(l.b, "[,"[min(i, 1)])
		one(&all[i])
	}
	l.b = append(l.b, ']')
}

func (l *line) texts(name string, all []string) {
	list(l, name, all, func(s *string) { l.string(*s) })
}

func (l *line) text(name, s string) {
	l.name(name)
	l.string(s)
}

// some is text, nothing where it is empty.
func (l *line) some(name, s string) {
	if s != "" {
		l.text(name, s)
	}
}

// string writes a text. One with anything to escape is encoding/json's.
func (l *line) string(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			l.escaped(s)
			return
		}
	}
	l.b = append(append(append(l.b, '"'), s...), '"')
}

func (l *line) escaped(s string) {
	buffer := bytes.NewBuffer(l.b)
	enc := json.NewEncoder(buffer)
	enc.SetEscapeHTML(false)
	l.odd = enc.Encode(s) != nil || l.odd
	l.b = bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

func (l *line) number(name string, n int64) {
	l.name(name)
	l.b = strconv.AppendInt(l.b, n, 10)
}

// count is number, nothing where it is 0.
func (l *line) count(name string, n int64) {
	if n != 0 {
		l.number(name, n)
	}
}

func (l *line) bool(name string, is bool) {
	l.name(name)
	l.b = strconv.AppendBool(l.b, is)
}

// yes is bool, nothing where it is false.
func (l *line) yes(name string, is bool) {
	if is {
		l.bool(name, true)
	}
}

// digest writes one, nothing where it is zero.
func (l *line) digest(name string, d spec.Digest) {
	if !d.IsZero() {
		l.text(name, d.Hex())
	}
}

func (l *line) time(name string, t time.Time) {
	l.name(name)
	b, err := t.AppendText(append(l.b, '"'))
	if err != nil {
		l.odd = true
		return
	}
	l.b = append(b, '"')
}

// json writes JSON without white space between its tokens, nothing where there is none.
func (l *line) json(name string, raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	l.name(name)
	buffer := bytes.NewBuffer(l.b)
	if json.Compact(buffer, raw) != nil {
		l.odd = true
		return
	}
	l.b = buffer.Bytes()
}
