package consume

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// run is a run of a person, who agrees to everything.
func (s *scene) run(ref spec.Ref, said string) *Ran {
	s.t.Helper()
	subject, err := s.client.Installed(s.t.Context(), ref)
	if err != nil {
		s.t.Fatal(err)
	}
	ran, err := s.client.Run(s.t.Context(), subject, text(said), RunOptions{Agree: true, Confirm: true, HostApp: "cli"})
	if err != nil {
		s.t.Fatal(err)
	}
	return ran
}

func (s *scene) replay(id audit.RunID, o RunOptions) (*Replayed, error) {
	return s.client.Replay(s.t.Context(), id, o)
}

// TestReplayOutputs: the three answers, each from a tool that earns it [AR-54…56].
func TestReplayOutputs(t *testing.T) {
	chance := `{"text": time.time_ns()}`
	s, refs := pulled(t,
		kind{name: "say_plain"}.source(), kind{name: "say_when", answer: chance}.source(),
		kind{name: "ask_web", network: "true", answer: chance}.source(), kind{name: "web_fixed", network: "true"}.source())
	for i, want := range []OutputMatch{OutputYes, OutputNo, OutputNA, OutputYes} {
		old := s.run(refs[i], "a")
		r, err := s.replay(old.RunID, RunOptions{Agree: true})
		if err != nil {
			t.Fatal(refs[i], err)
		}
		if r.Status != ReplayRan || !r.SourceMatch || r.OutputMatch != want || r.Of != old.RunID || r.Ran.RunID == old.RunID {
			t.Errorf("%s: %+v", refs[i], r)
		}
		if !r.SandboxMatch.Match || len(r.SandboxMatch.Differences) != 0 {
			t.Errorf("%s: another sandbox: %+v", refs[i], r.SandboxMatch.Differences)
		}
		if rec := s.last(); rec.RunID != r.Ran.RunID || rec.Replay != old.RunID || trace(rec) != allStages {
			t.Errorf("%s: recorded as %s, %+v", refs[i], trace(rec), rec)
		}
		// Nothing more than two runs can show is claimed.
		for _, word := range []string{"equivalen", "proves", "proved", "guarantee", "determinis"} {
			if strings.Contains(strings.ToLower(r.Meaning), word) {
				t.Errorf("%s: it claims too much: %s", refs[i], r.Meaning)
			}
		}
	}
}

// TestReplaySource: what runs is what ran, whatever became of the file since [AR-51,
// AR-52].
func TestReplaySource(t *testing.T) {
	one := kind{name: "say_plain"}
	s, refs := pulled(t, one.source())
	old := s.run(refs[0], "a")
	visible := s.client.Host.Paths.Tool("say_plain")
	source, err := os.ReadFile(visible)
	if err != nil {
		t.Fatal(err)
	}
	want := func(when string, match bool, status ReplayStatus) {
		t.Helper()
		r, err := s.replay(old.RunID, RunOptions{})
		if err != nil {
			t.Fatal(when, err)
		}
		if r.SourceMatch != match || r.Status != status {
			t.Errorf("%s: %+v", when, r)
		}
		ran := status == ReplayRan
		if ran != (r.Ran != nil) || ran != (r.SandboxMatch != nil) || ran != (r.OutputMatch == OutputYes) || ran && string(r.Ran.Result) != `{"text": "A"}` {
			t.Errorf("%s: %+v, %+v", when, r, r.Ran)
		}
		if !ran && !strings.Contains(r.Meaning, "nothing was run") {
			t.Errorf("%s: %s", when, r.Meaning)
		}
	}
	want("as it was", true, ReplayRan)
	if err := os.WriteFile(visible, bytes.Replace(source, []byte("upper"), []byte("lower"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	want("edited", false, ReplayRan)
	if err := os.Remove(visible); err != nil {
		t.Fatal(err)
	}
	want("its file removed", false, ReplayRan)
	if err := os.WriteFile(visible, source, 0o600); err != nil {
		t.Fatal(err)
	}
	next := one
	next.version, next.answer = "1.1.0", `{"text": "another"}`
	s.pull(next.source())
	want("upgraded", false, ReplayRan)

	digest := spec.DigestOf(source).Hex()
	stored := filepath.Join(s.client.Host.Paths.Store(), digest[:2], digest)
	if err := os.Chmod(stored, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stored, bytes.Replace(source, []byte("upper"), []byte("lower"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	want("the store tampered with", false, ReplaySourceChanged)
	if err := os.Remove(stored); err != nil {
		t.Fatal(err)
	}
	want("the store emptied", false, ReplaySourceChanged)
	if err := os.WriteFile(stored, source, 0o600); err != nil {
		t.Fatal(err)
	}
	want("put back", false, ReplayRan)
	if _, err := s.client.Box.Remove(t.Context(), refs[0]); err != nil {
		t.Fatal(err)
	}
	want("removed", false, ReplayMissing)
}

// TestReplaySandbox: what bounded the two runs is measured at both [AR-53].
func TestReplaySandbox(t *testing.T) {
	source := kind{name: "say_plain", files: "read-only"}.source()
	s, refs := pulled(t, source)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	subject, err := s.client.Installed(t.Context(), refs[0])
	if err != nil {
		t.Fatal(err)
	}
	old, err := s.client.Run(t.Context(), subject, text("a"), RunOptions{Read: []string{dir}, Limits: sandbox.Limits{OpenFiles: 99}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.replay(old.RunID, RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m := r.SandboxMatch
	if m.Match || len(m.Differences) != 1 || m.Differences[0].Field != "grants" || !strings.Contains(string(m.Differences[0].Recorded), dir) || string(m.Differences[0].Current) != "null" ||
		!strings.Contains(r.Meaning, "other conditions") {
		t.Errorf("a path that was given then and is not now: %+v", r)
	}
	if r.OutputMatch != OutputYes || m.Current.Limits.Files != 99 || m.Recorded.Limits.Files != 99 {
		t.Errorf("it ran under other limits: %+v", m.Current.Limits)
	}
	if r, err = s.replay(old.RunID, RunOptions{Read: []string{dir}}); err != nil || !r.SandboxMatch.Match {
		t.Errorf("the twin: %+v, %v", r, err)
	}
	// A record that says what was never so is not echoed.
	rec, err := s.client.Journal.Get(old.RunID)
	if err != nil {
		t.Fatal(err)
	}
	rec.Sandbox.Internet, rec.Sandbox.Python.Version = true, "2.7.18"
	m = compare(rec.Sandbox, r.SandboxMatch.Current)
	var fields []string
	for _, d := range m.Differences {
		fields = append(fields, d.Field)
	}
	if m.Match || !slices.Equal(fields, []string{"allow_internet_access", "python"}) {
		t.Errorf("differences are %v", fields)
	}
	if m := compare(audit.Sandbox{}, audit.Sandbox{Driver: "linux"}); m.Match {
		t.Error("a record of nothing matches")
	}
}

// TestReplayNeedsAWord: what needed a person's word needs another one.
func TestReplayNeedsAWord(t *testing.T) {
	s, refs := pulled(t, kind{name: "say_asking", confirm: "true"}.source())
	old := s.run(refs[0], "a")
	if r, err := s.replay(old.RunID, RunOptions{}); fault.ReasonOf(err) != ReasonConfirm {
		t.Errorf("by a person, without a word: %+v, %v", r, err)
	}
	if _, err := s.replay(old.RunID, RunOptions{Confirm: true}); err != nil {
		t.Errorf("the twin: %v", err)
	}
	conv := converse(s)
	again := func() (*Replayed, error) { return s.replay(old.RunID, RunOptions{Session: conv.Session}) }
	r, err := again()
	if !isHeld(err) {
		t.Fatalf("in a conversation: %+v, %v", r, err)
	}
	s.decide(err, true, false)
	if r, err := again(); err != nil || r.OutputMatch != OutputYes || s.last().Approval == nil {
		t.Errorf("after a person's word: %+v, %v", r, err)
	}
	if _, err := again(); !isHeld(err) {
		t.Errorf("once more: %v", err)
	}
	if _, err := s.replay(old.RunID, RunOptions{Session: conv.Session, Confirm: true}); fault.ReasonOf(err) != "unsafe" {
		t.Errorf("a conversation gives itself the word: %v", err)
	}
}

// TestReplayOnlyOfSuccess: nothing else has an output to compare.
func TestReplayOnlyOfSuccess(t *testing.T) {
	s, refs := pulled(t, kind{name: "fail_loud", answer: `sys.exit("no")`}.source(), kind{name: "say_asking", confirm: "true"}.source())
	subject, err := s.client.Installed(t.Context(), refs[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.Run(t.Context(), subject, text("a"), RunOptions{}); err == nil {
		t.Fatal("it did not fail")
	}
	if r, err := s.replay(s.last().RunID, RunOptions{}); fault.ReasonOf(err) != "not_replayable" {
		t.Errorf("a failed one: %+v, %v", r, err)
	}
	if _, err := converse(s).call("say_asking", "a"); !isHeld(err) {
		t.Fatal(err)
	}
	if r, err := s.replay(s.last().RunID, RunOptions{Confirm: true}); fault.ReasonOf(err) != "not_replayable" {
		t.Errorf("a held one: %+v, %v", r, err)
	}
	if r, err := s.replay("20260101-000000-000000-aaaaaaaaaa", RunOptions{}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("none at all: %+v, %v", r, err)
	}
	// A file of one's own leaves no copy.
	own, _, err := Local("own.py", []byte(kind{name: "my_own"}.source()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.Run(t.Context(), own, text("a"), RunOptions{}); err != nil {
		t.Fatal(err)
	}
	if r, err := s.replay(s.last().RunID, RunOptions{}); err != nil || r.Status != ReplayMissing || r.Ran != nil {
		t.Errorf("a file: %+v, %v", r, err)
	}
}

// TestReplayedAsJSON keeps the words of the documents.
func TestReplayedAsJSON(t *testing.T) {
	data, err := json.Marshal(Replayed{Status: ReplayRan, SandboxMatch: &SandboxMatch{}, OutputMatch: OutputNA})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"replay_status":"replayed"`, `"source_match":false`, `"sandbox_match":{"match":false,"recorded":{`, `"output_match":"na_non_deterministic"`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in %s", want, data)
		}
	}
}
