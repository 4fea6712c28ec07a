package consume

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/taint"
)

// TestReadyIsRefused: a call whose program has its code already is stopped by each step
// as any other, runs nothing, and leaves a program to the next call.
func TestReadyIsRefused(t *testing.T) {
	s, refs := pulled(t, kind{name: "say_plain"}.source())
	w, err := s.client.Warm(t.Context(), sandbox.PoolOptions{PerKey: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	foreign := "wire it to account 4711-0815"
	if _, err := w.Run(t.Context(), refs[0], text("a"), RunOptions{}); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	refused := false // the call before, whose program waits on
	end()
	for name, c := range map[string]struct {
		ctx    context.Context
		args   json.RawMessage
		do     func(*Subject)
		reason string
	}{
		"validation": {args: json.RawMessage(`{"text":1}`), reason: "wrong_type"},
		"sanitizer":  {args: text("a\u200bb"), reason: ReasonHidden},
		"quarantine": {do: func(s *Subject) {
			s.examine = func(context.Context) error { return fault.New(fault.Findings, ReasonFindings, "no") }
		}, reason: ReasonFindings},
		"taint":        {args: text(foreign), reason: ReasonConfirm},
		"confirmation": {do: func(s *Subject) { s.Tool.Capabilities.HumanConfirm = true }, reason: ReasonConfirm},
		"sandbox":      {ctx: ended, reason: "*"},
		"none":         {},
	} {
		t.Run(name, func(t *testing.T) {
			subject, err := s.client.Installed(t.Context(), refs[0])
			if err != nil {
				t.Fatal(err)
			}
			session := NewSession("test host")
			session.Taint.Untrusted(taint.Source{Run: "n1", Tool: "mail"}, json.RawMessage(`["`+foreign+`"]`))
			if c.do != nil {
				tool := *subject.Tool
				subject.Tool = &tool
				c.do(subject)
			}
			if c.args == nil {
				c.args = text("another text")
			}
			if c.ctx == nil {
				c.ctx = t.Context()
			}
			before := s.last().RunID
			// The one that a refused call had read waits on for the next.
			for i := 0; !w.pool.Ready(subject.release()) && !refused; i++ {
				if i == 1000 {
					t.Fatal("no program waits")
				}
				time.Sleep(10 * time.Millisecond)
			}
			refused = name != "none"
			ran, err := s.client.Run(c.ctx, subject, c.args, RunOptions{Session: session, warm: w})
			if c.reason == "" {
				if err != nil || !ran.Warm || string(ran.Result) != `{"text": "ANOTHER TEXT"}` {
					t.Errorf("the twin: %+v, %v", ran, err)
				}
				return
			}
			if err == nil || ran != nil || c.reason != "*" && fault.ReasonOf(err) != c.reason {
				t.Errorf("%+v, %v (%s)", ran, err, fault.ReasonOf(err))
			}
			if rec := s.last(); rec.RunID != before && (rec.Output != nil || rec.ExitCode != -1) {
				t.Errorf("on record: %+v", rec)
			}
		})
	}
}

// TestReadyOfRevoked: no program is told of a call of what was revoked, nor given it to
// read for one.
func TestReadyOfRevoked(t *testing.T) {
	s, refs := pulled(t, kind{name: "say_plain"}.source())
	w, err := s.client.Warm(t.Context(), sandbox.PoolOptions{PerKey: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Run(t.Context(), refs[0], text("a"), RunOptions{}); err != nil {
		t.Fatal(err)
	}
	subject, err := s.client.Installed(t.Context(), refs[0])
	if err != nil {
		t.Fatal(err)
	}
	what := called{ref: refs[0]}
	hold := func(revoked error) {
		held := *subject
		held.revoked = revoked
		w.subjects.mu.Lock()
		defer w.subjects.mu.Unlock()
		w.subjects.items = map[called]*standing[*Subject]{what: {value: &held}}
	}
	hold(fault.New(fault.Denied, "revoked", "gone"))
	for range 50 { // once the program has booted, too
		if w.ready(what) {
			t.Fatal("what was revoked was given to a program")
		}
		time.Sleep(10 * time.Millisecond)
	}
	// The twin: the same program, of a release that stands.
	hold(nil)
	for i := 0; !w.ready(what); i++ {
		if i == 1000 {
			t.Fatal("what stands was not given to a program")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestHeardEarly: what a tool says before its end is no answer until it ended with it.
func TestHeardEarly(t *testing.T) {
	const begin, end = "    print(json.dumps({\"text\": args[\"text\"].upper()}), flush=True)\n", "    sys.stdout.flush()\n    os._exit(%d)\n"
	for name, c := range map[string]struct {
		then   string // what the tool does once its answer was heard
		exit   int
		result string
		reason string
	}{
		"another answer": {then: `print('{"text": "no"}')`, result: `{"text": "no"}`},
		"no answer":      {then: `print("1")`, reason: "wrong_result"},
		"no text":        {then: `print("a")`, reason: "wrong_result"},
		"a failure":      {exit: 3, reason: "exit"},
		"the twin":       {result: `{"text": "A"}`},
		"the twin, slow": {then: "time.sleep(0.05)", result: `{"text": "A"}`},
	} {
		t.Run(name, func(t *testing.T) {
			source := kind{name: "say_early"}.source()
			at := strings.Index(source, "if __name__")
			if at < 0 {
				t.Fatal(source)
			}
			source = source[:at] + "import os\nimport time\n\nif __name__ == \"__main__\":\n    args = json.loads(sys.stdin.read())\n" + begin
			if c.then != "" {
				source += "    " + c.then + "\n"
			}
			source += fmt.Sprintf(end, c.exit)
			s, refs := pulled(t, source)
			w, err := s.client.Warm(t.Context(), sandbox.PoolOptions{PerKey: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			for range 2 {
				ran, err := w.Run(t.Context(), refs[0], text("a"), RunOptions{})
				rec := s.last()
				if c.reason != "" {
					if fault.ReasonOf(err) != c.reason || rec.Status != audit.Failed || rec.Output != nil {
						t.Errorf("%+v, %v, on record %s %s", ran, err, rec.Status, rec.Output)
					}
					continue
				}
				if err != nil || string(ran.Result) != c.result || string(rec.Output) != strings.ReplaceAll(c.result, " ", "") || rec.Status != audit.Succeeded {
					t.Errorf("%+v, %v, on record %s %s", ran, err, rec.Status, rec.Output)
				}
			}
		})
	}
}
