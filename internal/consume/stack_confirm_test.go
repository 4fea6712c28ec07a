package consume

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/taint"
)

// confirm asks for an action to be run, as a model does.
func (c conversation) confirm(id approval.ID) (*Ran, error) {
	return c.client.Confirm(c.t.Context(), id, RunOptions{Session: c.Session})
}

// TestConfirm: the id of an action runs nothing, a person's word runs it once.
func TestConfirm(t *testing.T) {
	s, _ := pulled(t, kind{name: "say_asking", confirm: "true"}.source())
	conv := converse(s)
	_, err := conv.call("say_asking", "a")
	id := heldOf(err).Action
	for range 3 { // however often a model asks
		if ran, err := conv.confirm(id); heldOf(err) == nil || heldOf(err).Action != id {
			t.Fatalf("by its id alone: %+v, %v", ran, err)
		}
	}
	if _, err := conv.confirm("aaaaaaaaaaaaaaaa"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an id of nothing: %v", err)
	}
	if _, err := conv.confirm("../../key"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("no id: %v", err)
	}
	s.decide(err, true, false)
	if ran, err := converse(s).confirm(id); fault.ReasonOf(err) != "approval_session" {
		t.Errorf("by another conversation: %+v, %v", ran, err)
	}
	if ran, err := s.client.Confirm(t.Context(), id, RunOptions{}); fault.ReasonOf(err) != "approval_session" {
		t.Errorf("by none: %+v, %v", ran, err)
	}
	ran, err := conv.confirm(id)
	if err != nil || string(ran.Result) != `{"text": "A"}` {
		t.Fatalf("approved: %+v, %v", ran, err)
	}
	rec := s.last()
	if rec.Approval == nil || rec.Approval.ID != string(id) || rec.Approval.Via != "terminal" || trace(rec) != allStages {
		t.Errorf("the record is %s, %+v", trace(rec), rec.Approval)
	}
	if ran, err := conv.confirm(id); fault.ReasonOf(err) != "approval_used" {
		t.Errorf("once more: %+v, %v", ran, err)
	}
	// The very same call is asked about anew.
	if _, err := conv.call("say_asking", "a"); !isHeld(err) || heldOf(err).Action == id {
		t.Errorf("the next call: %v", err)
	}
}

// TestDenied: no is no, and asking again is no new question.
func TestDenied(t *testing.T) {
	s, _ := pulled(t, kind{name: "say_asking", confirm: "true"}.source())
	conv := converse(s)
	_, err := conv.call("say_asking", "a")
	id := s.decide(err, false, false)
	before := s.records()
	for name, f := range map[string]func() (*Ran, error){
		"confirm":     func() (*Ran, error) { return conv.confirm(id) },
		"call it new": func() (*Ran, error) { return conv.call("say_asking", "a") },
	} {
		if ran, err := f(); fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != "approval_denied" {
			t.Errorf("%s: %+v, %v", name, ran, err)
		}
	}
	if s.records() != before+1 {
		t.Error("the call that was refused is not on record, or the question is")
	}
}

// TestCalledAgain: who calls the same tool with the same arguments after a person
// said yes to that gets it, once.
func TestCalledAgain(t *testing.T) {
	s, _ := pulled(t, kind{name: "say_asking", confirm: "true"}.source())
	conv := converse(s)
	_, err := conv.call("say_asking", "a")
	id := s.decide(err, true, false)
	if ran, err := conv.call("say_asking", "b"); !isHeld(err) {
		t.Errorf("other arguments: %+v, %v", ran, err)
	}
	if ran, err := converse(s).call("say_asking", "a"); !isHeld(err) {
		t.Errorf("another conversation: %+v, %v", ran, err)
	}
	if ran, err := conv.call("say_asking", "a"); err != nil || s.last().Approval.ID != string(id) {
		t.Fatalf("the twin: %+v, %v", ran, err)
	}
	if _, err := conv.call("say_asking", "a"); !isHeld(err) {
		t.Errorf("a second time: %v", err)
	}
}

// TestApprovalIsForOneThing: whatever changed between the word and the run, the word
// was not for it.
func TestApprovalIsForOneThing(t *testing.T) {
	s, _ := pulled(t, kind{name: "say_asking", confirm: "true"}.source())
	visible := s.client.Host.Paths.Tool("say_asking")
	for name, c := range map[string]struct {
		change func(conversation) func()
		reason string
	}{
		"the file of the tool": {func(conversation) func() {
			old, err := os.ReadFile(visible)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(visible, append(slices.Clone(old), "print('more')\n"...), 0o600); err != nil {
				t.Fatal(err)
			}
			return func() { _ = os.WriteFile(visible, old, 0o600) }
		}, "binding:file"},
		"a value that was read since": {func(c conversation) func() {
			c.Taint.Untrusted(taint.Source{Run: "n9", Tool: "mail"}, json.RawMessage(`["a rather long value to pass on"]`))
			return func() {}
		}, "approval_changed"},
		"nothing": {func(conversation) func() { return func() {} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			conv := converse(s)
			_, err := conv.call("say_asking", "a rather long value to pass on")
			id := s.decide(err, true, false)
			undo := c.change(conv)
			ran, err := conv.confirm(id)
			undo()
			if fault.ReasonOf(err) != c.reason || (err == nil) != (c.reason == "") {
				t.Errorf("got %+v, %v", ran, err)
			}
		})
	}
}

// TestForgedGrant: a grant is made by the store alone, and one for another call is
// none.
func TestForgedGrant(t *testing.T) {
	s, _ := pulled(t, kind{name: "say_asking", confirm: "true"}.source())
	conv := converse(s)
	_, err := conv.call("say_asking", "a")
	id := s.decide(err, true, false)
	store, err := s.client.Approvals()
	if err != nil {
		t.Fatal(err)
	}
	grant, err := store.Take(t.Context(), id, conv.ID)
	if err != nil {
		t.Fatal(err)
	}
	if ran, err := conv.callWith("say_asking", text("b"), RunOptions{Approved: grant}); fault.ReasonOf(err) != "approval_changed" {
		t.Errorf("for other arguments: %+v, %v", ran, err)
	}
	if ran, err := converse(s).callWith("say_asking", text("a"), RunOptions{Approved: grant}); fault.ReasonOf(err) != "approval_changed" {
		t.Errorf("in another conversation: %+v, %v", ran, err)
	}
	if ran, err := conv.callWith("say_asking", text("a"), RunOptions{Approved: approval.Grant{}}); !isHeld(err) {
		t.Errorf("the zero value: %+v, %v", ran, err)
	}
	if _, err := conv.callWith("say_asking", text("a"), RunOptions{Approved: grant}); err != nil {
		t.Errorf("the twin: %v", err)
	}
}

// TestRacedConfirm: of many that confirm at the same time one runs the action.
func TestRacedConfirm(t *testing.T) {
	s, _ := pulled(t, kind{name: "say_asking", confirm: "true"}.source())
	conv := converse(s)
	_, err := conv.call("say_asking", "a")
	id := s.decide(err, true, false)
	var ran, used atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			switch _, err := conv.confirm(id); {
			case err == nil:
				ran.Add(1)
			case fault.ReasonOf(err) == "approval_used":
				used.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if ran.Load() != 1 || used.Load() != 7 {
		t.Errorf("%d ran, %d were refused", ran.Load(), used.Load())
	}
}

// TestExpired: a word that comes, or is used, too late.
func TestExpired(t *testing.T) {
	s, _ := pulled(t, kind{name: "say_asking", confirm: "true"}.source())
	conv := converse(s)
	_, err := conv.call("say_asking", "a")
	id := s.decide(err, true, false)
	now := s.client.Host.Now
	s.client.Host.Now = func() time.Time { return now().Add(time.Hour) }
	if ran, err := conv.confirm(id); fault.ReasonOf(err) != "approval_expired" {
		t.Errorf("an hour later: %+v, %v", ran, err)
	}
	s.client.Host.Now = now
	if _, err := conv.confirm(id); err != nil {
		t.Errorf("the twin: %v", err)
	}
}

// TestRemembered: a value that a person said yes to is not asked about for this input
// of this tool again, and makes nothing else pass.
func TestRemembered(t *testing.T) {
	s, _ := pulled(t, kind{name: "say_plain"}.source(), kind{name: "say_other"}.source())
	read := func() conversation {
		conv := converse(s)
		conv.Taint.Untrusted(taint.Source{Run: "n1", Tool: "mail"}, json.RawMessage(`["bob at the office dot example", "eve at the office dot example"]`))
		return conv
	}
	conv := read()
	_, err := conv.call("say_plain", "bob at the office dot example")
	id := s.decide(err, true, true)
	if _, err := conv.confirm(id); err != nil || s.last().Approval == nil || s.last().Approval.ID != string(id) || s.last().Approval.Via != "terminal" {
		t.Errorf("the action itself: %v, %+v", err, s.last().Approval)
	}
	next := read()
	ran, err := next.call("say_plain", "bob at the office dot example")
	if err != nil || ran.Trust != Derived || s.last().Approval == nil || s.last().Approval.Via != "remembered" || s.last().Approval.ID != string(id) || s.last().Approval.At.IsZero() {
		t.Errorf("what a person said yes to: %+v, %v, %+v", ran, err, s.last().Approval)
	}
	if _, err := next.call("say_plain", "eve at the office dot example"); !isHeld(err) {
		t.Errorf("another value: %v", err)
	}
	if _, err := next.call("say_other", "bob at the office dot example"); !isHeld(err) {
		t.Errorf("another tool: %v", err)
	}
}

// TestHostsWord: what an AI host says of its user is good for one run, and not for
// what its model may have been led to.
func TestHostsWord(t *testing.T) {
	s, _ := pulled(t, kind{name: "say_asking", confirm: "true"}.source(), kind{name: "read_web", network: "true", answer: `{"text": "fetched"}`}.source())
	conv := converse(s)
	elicit := func(err error) error {
		t.Helper()
		store, storeErr := s.client.Approvals()
		if storeErr != nil {
			t.Fatal(storeErr)
		}
		_, err = store.Decide(t.Context(), heldOf(err).Action, true, approval.ViaElicitation, false)
		return err
	}
	_, held := conv.call("read_web", "a")
	if got := kindsOf(held); !slices.Equal(got, []string{approval.KindConsent}) || !strings.Contains(held.Error(), "good for this version") {
		t.Fatalf("held for %v: %v", got, held)
	}
	if err := elicit(held); err != nil {
		t.Fatal(err)
	}
	if _, err := conv.confirm(heldOf(held).Action); err != nil {
		t.Fatal(err)
	}
	_, again := conv.call("read_web", "b")
	if !isHeld(again) {
		t.Errorf("the host agreed for good: %v", again)
	}
	// The same from a person lasts.
	s.decide(again, true, false)
	if _, err := conv.confirm(heldOf(again).Action); err != nil {
		t.Fatal(err)
	}
	if _, err := conv.call("read_web", "c"); err != nil {
		t.Errorf("the person's word did not last: %v", err)
	}
	// The conversation has read something by now.
	_, irreversible := conv.call("say_asking", "a")
	if !slices.Contains(kindsOf(irreversible), approval.KindIrreversible) {
		t.Fatal(irreversible)
	}
	if err := elicit(irreversible); fault.ReasonOf(err) != "approval_channel" {
		t.Errorf("the host's word for what cannot be taken back: %v", err)
	}
}

// TestFilesByName: no consent to a tool is one to the files that a model thinks of.
func TestFilesByName(t *testing.T) {
	source := strings.ReplaceAll(kind{name: "read_one", files: "read-only", answer: `{"text": open(args["text_path"]).read()}`}.source(), "name: text\n", "name: text_path\n")
	s, refs := pulled(t, source)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one.txt", "two.txt"} {
		if err := os.WriteFile(dir+"/"+name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := func(name string) json.RawMessage {
		data, err := json.Marshal(map[string]string{"text_path": dir + "/" + name})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	// A person agreed to it at the command line.
	subject, err := s.client.Installed(t.Context(), refs[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.Run(t.Context(), subject, args("one.txt"), RunOptions{Agree: true}); err != nil {
		t.Fatal(err)
	}
	conv := converse(s)
	_, held := conv.callWith("read_one", args("two.txt"), RunOptions{})
	if got := kindsOf(held); !slices.Equal(got, []string{approval.KindFiles}) || !strings.Contains(held.Error(), "two.txt") {
		t.Fatalf("held for %v: %v", got, held)
	}
	s.decide(held, true, false)
	ran, err := conv.confirm(heldOf(held).Action)
	if err != nil || string(ran.Result) != `{"text": "two.txt"}` || ran.Trust != Untrusted {
		t.Errorf("approved: %+v, %v", ran, err)
	}
	if _, err := conv.callWith("read_one", args("one.txt"), RunOptions{}); !isHeld(err) {
		t.Errorf("another file: %v", err)
	}
}
