package approval_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
)

// desk is a store with a clock that a test turns.
type desk struct {
	*approval.Store
	t     *testing.T
	paths paths.Paths
	now   time.Time
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, paths: paths.Paths{Root: t.TempDir()}, now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}
	d.Store = d.again()
	return d
}

// again is the store as another process opens it.
func (d *desk) again() *approval.Store {
	return approval.Open(d.paths, func() time.Time { return d.now })
}

// remembers tells whether a value needs no further word.
func remembers(s *approval.Store, tool spec.Ref, source spec.Digest, input, value string) bool {
	_, ok := s.Recall(tool, source, input, value)
	return ok
}

// action is a call that waits because of a recipient who came from a web page.
func action() approval.Action {
	return approval.Action{
		Tool:   spec.Ref{Name: "send_mail", Version: "1.0.0", Digest: spec.DigestOf([]byte("release"))},
		Source: spec.DigestOf([]byte("source")), Session: "s1", Client: "host",
		Arguments: json.RawMessage(`{"body":"hi","to":"bob@example.com"}`),
		Reasons: []approval.Reason{{
			Kind: approval.KindTainted, Text: "to came from r1", Input: "to", Path: "/to", Value: "bob@example.com", Source: "r1",
		}},
	}
}

// confirmed is one that waits because the tool asks each time.
func confirmed() approval.Action {
	a := action()
	a.Reasons = []approval.Reason{{Kind: approval.KindConfirm, Text: "it asks each time"}}
	return a
}

func (d *desk) hold(a approval.Action) approval.Entry {
	d.t.Helper()
	e, err := d.Hold(d.t.Context(), a)
	if err != nil {
		d.t.Fatal(err)
	}
	return e
}

func (d *desk) decide(id approval.ID, yes, remember bool) {
	d.t.Helper()
	if _, err := d.Decide(d.t.Context(), id, yes, approval.ViaTerminal, remember); err != nil {
		d.t.Fatal(err)
	}
}

// refused holds an error against its reason.
func refused(t *testing.T, err error, kind fault.Kind, reason string) {
	t.Helper()
	if fault.KindOf(err) != kind || fault.ReasonOf(err) != reason || err == nil {
		t.Errorf("got %v (%v, %q), want %v, %q", err, fault.KindOf(err), fault.ReasonOf(err), kind, reason)
	}
}

// file is where an entry lies.
func (d *desk) file(id approval.ID) string {
	return filepath.Join(d.paths.Approvals(), "action", string(id))
}

// TestOneApprovalIsOneRun: held, approved, taken, in three processes, and no more.
func TestOneApprovalIsOneRun(t *testing.T) {
	d := newDesk(t)
	a := action()
	e := d.hold(a)
	if e.State != approval.Pending || !e.Until.Equal(d.now.Add(limits.ApprovalWait)) {
		t.Errorf("held as %+v", e)
	}
	_, err := d.Take(t.Context(), e.ID, "s1")
	refused(t, err, fault.Denied, "approval_pending")
	d.decide(e.ID, true, false)
	g, err := d.again().Take(t.Context(), e.ID, "s1")
	if err != nil || !g.OK() || g.ID() != e.ID || g.Via() != approval.ViaTerminal || !g.At().Equal(d.now) {
		t.Fatalf("%+v, %v", g, err)
	}
	if err := g.Covers(a); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(d.file(e.ID)); err != nil || strings.Contains(string(data), "bob@") {
		t.Errorf("the arguments stay when nobody needs them: %s, %v", data, err)
	}
	for range 2 {
		_, err = d.again().Take(t.Context(), e.ID, "s1")
		refused(t, err, fault.Denied, "approval_used")
	}
	_, err = d.Decide(t.Context(), e.ID, true, approval.ViaTerminal, false)
	refused(t, err, fault.Denied, "approval_used")
}

// TestRace: of many processes that take one approval, one gets it.
func TestRace(t *testing.T) {
	d := newDesk(t)
	e := d.hold(action())
	d.decide(e.ID, true, false)
	var won, lost atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		s := d.again()
		all.Go(func() {
			switch _, err := s.Take(t.Context(), e.ID, "s1"); {
			case err == nil:
				won.Add(1)
			case fault.ReasonOf(err) == "approval_used":
				lost.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || lost.Load() != 15 {
		t.Errorf("%d got it, %d were refused", won.Load(), lost.Load())
	}
}

// TestDecideRace: of a yes and a no at the same time, one counts.
func TestDecideRace(t *testing.T) {
	d := newDesk(t)
	e := d.hold(action())
	var counted atomic.Int32
	var all sync.WaitGroup
	for i := range 8 {
		s := d.again()
		all.Go(func() {
			if _, err := s.Decide(t.Context(), e.ID, i%2 == 0, approval.ViaPage, false); err == nil {
				counted.Add(1)
			}
		})
	}
	all.Wait()
	if counted.Load() != 1 {
		t.Errorf("%d decisions counted", counted.Load())
	}
}

// TestNotTaken: each attack beside its twin, the approval as it was given.
func TestNotTaken(t *testing.T) {
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	edit := func(from, to string) func(*testing.T, *desk, approval.ID) {
		return func(t *testing.T, d *desk, id approval.ID) {
			old, err := os.ReadFile(d.file(id))
			must(t, err)
			data := strings.Replace(string(old), from, to, 1)
			if data == string(old) {
				t.Fatalf("%s has no %s", old, from)
			}
			must(t, os.WriteFile(d.file(id), []byte(data), 0o600))
		}
	}
	for name, c := range map[string]struct {
		undecided, no bool
		do            func(t *testing.T, d *desk, id approval.ID)
		session       string
		kind          fault.Kind
		reason        string
	}{
		"the twin":            {},
		"nobody decided":      {undecided: true, kind: fault.Denied, reason: "approval_pending"},
		"a person said no":    {no: true, kind: fault.Denied, reason: "approval_denied"},
		"another session":     {session: "s2", kind: fault.Denied, reason: "approval_session"},
		"no session":          {session: "-", kind: fault.Denied, reason: "approval_session"},
		"forged: the state":   {undecided: true, do: edit(`"pending"`, `"approved"`), kind: fault.NotVerified, reason: "approval_damaged"},
		"changed: arguments":  {do: edit("bob@example.com", "eve@example.com"), kind: fault.NotVerified, reason: "approval_damaged"},
		"changed: one space":  {do: edit(`{"id"`, `{ "id"`), kind: fault.NotVerified, reason: "approval_damaged"},
		"stretched":           {do: edit("2026", "2027"), kind: fault.NotVerified, reason: "approval_damaged"},
		"expired":             {do: func(_ *testing.T, d *desk, _ approval.ID) { d.now = d.now.Add(limits.ApprovalGood + time.Second) }, kind: fault.Denied, reason: "approval_expired"},
		"waited for too long": {undecided: true, do: func(_ *testing.T, d *desk, _ approval.ID) { d.now = d.now.Add(limits.ApprovalWait + time.Second) }, kind: fault.Denied, reason: "approval_expired"},
		"the clock set back":  {do: func(_ *testing.T, d *desk, _ approval.ID) { d.now = d.now.Add(-time.Minute) }, kind: fault.Denied, reason: "approval_expired"},
		"an approval of another action under this name": {undecided: true, do: func(t *testing.T, d *desk, id approval.ID) {
			other := action()
			other.Arguments = json.RawMessage(`{"to":"alice@example.com"}`)
			o := d.hold(other)
			d.decide(o.ID, true, false)
			must(t, os.Rename(d.file(o.ID), d.file(id)))
		}, kind: fault.NotVerified, reason: "approval_damaged"},
		"an approval of another user": {undecided: true, do: func(t *testing.T, d *desk, id approval.ID) {
			other := newDesk(t)
			must(t, os.MkdirAll(filepath.Dir(other.file(id)), 0o700))
			o := other.hold(action())
			other.decide(o.ID, true, false)
			must(t, os.Rename(other.file(o.ID), d.file(id)))
		}, kind: fault.NotVerified, reason: "approval_damaged"},
		"a link": {do: func(t *testing.T, d *desk, id approval.ID) {
			must(t, os.Rename(d.file(id), d.file(id)+"x"))
			must(t, os.Symlink(d.file(id)+"x", d.file(id)))
		}, kind: fault.NotVerified, reason: "approval_damaged"},
		"replayed: the file put back": {do: func(t *testing.T, d *desk, id approval.ID) {
			old, err := os.ReadFile(d.file(id))
			must(t, err)
			_, err = d.Take(t.Context(), id, "s1")
			must(t, err)
			must(t, os.WriteFile(d.file(id), old, 0o600))
		}, kind: fault.Denied, reason: "approval_used"},
		"another key": {do: func(t *testing.T, d *desk, _ approval.ID) {
			must(t, os.Remove(filepath.Join(d.paths.Approvals(), "key")))
			d.Store = d.again()
		}, kind: fault.NotVerified, reason: "approval_damaged"},
		"gone": {do: func(t *testing.T, d *desk, id approval.ID) { must(t, os.Remove(d.file(id))) }, kind: fault.NotFound, reason: "no_approval"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			e := d.hold(action())
			if !c.undecided {
				d.decide(e.ID, !c.no, false)
			}
			if c.do != nil {
				c.do(t, d, e.ID)
			}
			before, _ := os.ReadFile(d.file(e.ID))
			session := "s1"
			switch c.session {
			case "":
			case "-":
				session = ""
			default:
				session = c.session
			}
			g, err := d.Take(t.Context(), e.ID, session)
			if c.reason == "" {
				if err != nil || !g.OK() {
					t.Fatal(err)
				}
				return
			}
			refused(t, err, c.kind, c.reason)
			if g.OK() || g.Covers(action()) == nil {
				t.Error("there is a grant all the same")
			}
			if after, _ := os.ReadFile(d.file(e.ID)); string(after) != string(before) {
				t.Error("the refusal changed the file")
			}
		})
	}
}

// TestCovers: a grant is for the action that the person saw, and no other.
func TestCovers(t *testing.T) {
	d := newDesk(t)
	e := d.hold(action())
	d.decide(e.ID, true, false)
	g, err := d.Take(t.Context(), e.ID, "s1")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*approval.Action){
		"the arguments": func(a *approval.Action) { a.Arguments = json.RawMessage(`{"body":"hi","to":"eve@example.com"}`) },
		"their order":   func(a *approval.Action) { a.Arguments = json.RawMessage(`{"to":"bob@example.com","body":"hi"}`) },
		"the release":   func(a *approval.Action) { a.Tool.Digest = spec.DigestOf([]byte("newer")) },
		"the version":   func(a *approval.Action) { a.Tool.Version = "1.0.1" },
		"the tool":      func(a *approval.Action) { a.Tool.Name = "send_post" },
		"the source":    func(a *approval.Action) { a.Source = spec.DigestOf([]byte("edited")) },
		"the session":   func(a *approval.Action) { a.Session = "s2" },
		"one more reason": func(a *approval.Action) {
			a.Reasons = append(a.Reasons, approval.Reason{Kind: approval.KindSecret, Text: "x"})
		},
		"one more value": func(a *approval.Action) {
			a.Reasons = append(a.Reasons, approval.Reason{Kind: approval.KindTainted, Text: "x", Input: "body", Path: "/body", Value: "hi"})
		},
	} {
		a := action()
		change(&a)
		err := g.Covers(a)
		if fault.ReasonOf(err) != "approval_changed" || fault.KindOf(err) != fault.Denied {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*approval.Action){
		"nothing":       func(*approval.Action) {},
		"a newer run":   func(a *approval.Action) { a.Reasons[0].Source, a.Reasons[0].Text = "r2", "to came from r2" },
		"fewer reasons": func(a *approval.Action) { a.Reasons = nil },
	} {
		a := action()
		change(&a)
		if err := g.Covers(a); err != nil {
			t.Errorf("the twin, %s: %v", name, err)
		}
	}
	refused(t, approval.Grant{}.Covers(action()), fault.Denied, "approval_missing")
}

// TestAskedOnce: calling again asks nobody again, and after a no it wears nobody
// down; a new reason, another argument or session is another question.
func TestAskedOnce(t *testing.T) {
	d := newDesk(t)
	e := d.hold(action())
	if again := d.hold(action()); again.ID != e.ID {
		t.Error("the same call is held twice")
	}
	d.decide(e.ID, false, false)
	if again := d.hold(action()); again.ID != e.ID || again.State != approval.Denied {
		t.Errorf("after a no it is %+v", again)
	}
	for name, change := range map[string]func(*approval.Action){
		"session":  func(a *approval.Action) { a.Session = "s2" },
		"argument": func(a *approval.Action) { a.Arguments = json.RawMessage(`{}`) },
		"reason":   func(a *approval.Action) { a.Reasons = append(a.Reasons, approval.Reason{Kind: "secret", Text: "x"}) },
	} {
		a := action()
		change(&a)
		if d.hold(a).ID == e.ID {
			t.Errorf("another %s is the same question", name)
		}
	}
	d.now = d.now.Add(limits.ApprovalWait + time.Second)
	if again := d.hold(action()); again.ID == e.ID || again.State != approval.Pending {
		t.Errorf("after a while it is %+v", again)
	}
}

// TestTooMany: one session cannot fill the list, and all together cannot.
func TestTooMany(t *testing.T) {
	d := newDesk(t)
	hold := func(session string, n int) error {
		a := action()
		a.Session, a.Arguments = session, json.RawMessage(`{"n":`+strings.Repeat("1", n+1)+`}`)
		_, err := d.Hold(t.Context(), a)
		return err
	}
	for n := range limits.ApprovalsOfOne {
		if err := hold("s1", n); err != nil {
			t.Fatal(err)
		}
	}
	refused(t, hold("s1", limits.ApprovalsOfOne), fault.Denied, "too_many_held")
	if err := hold("s2", 0); err != nil {
		t.Errorf("the twin, another session: %v", err)
	}
	d.now = d.now.Add(limits.ApprovalWait + time.Second)
	if err := hold("s1", limits.ApprovalsOfOne); err != nil {
		t.Errorf("after they ran out: %v", err)
	}
}

// TestManyNoes: with other arguments each time, a person is not asked for ever.
func TestManyNoes(t *testing.T) {
	d := newDesk(t)
	hold := func(session, tool string, n int) (approval.Entry, error) {
		a := action()
		a.Session, a.Tool.Name, a.Arguments = session, spec.Name(tool), json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))
		return d.Hold(t.Context(), a)
	}
	for n := range limits.ApprovalsDenied {
		e, err := hold("s1", "send_mail", n)
		if err != nil {
			t.Fatal(err)
		}
		d.decide(e.ID, false, false)
	}
	_, err := hold("s1", "send_mail", 100)
	refused(t, err, fault.Denied, "approval_denied")
	for _, twin := range [][2]string{{"s2", "send_mail"}, {"s1", "send_post"}} {
		if _, err := hold(twin[0], twin[1], 101); err != nil {
			t.Errorf("the twin, %v: %v", twin, err)
		}
	}
	d.now = d.now.Add(limits.ApprovalWait + time.Second)
	if _, err := hold("s1", "send_mail", 102); err != nil {
		t.Errorf("after a while: %v", err)
	}
}

// TestThinned: what is over does not pile up, and what waits stays.
func TestThinned(t *testing.T) {
	d := newDesk(t)
	var first approval.Entry
	for n := range limits.ApprovalsKept + 10 {
		a := action()
		a.Session, a.Arguments = fmt.Sprint("s", n), json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))
		e := d.hold(a)
		if n == 0 {
			first = e
		}
		d.now = d.now.Add(limits.ApprovalWait / 2)
	}
	list, damaged, err := d.List()
	if err != nil || len(damaged) != 0 || len(list) > limits.ApprovalsKept+1 {
		t.Errorf("%d are kept, %v, %v", len(list), damaged, err)
	}
	if _, err := d.Get(first.ID); fault.ReasonOf(err) != "no_approval" {
		t.Errorf("the oldest: %v", err)
	}
	if n := len(list); list[n-1].State != approval.Pending || list[n-2].State != approval.Pending {
		t.Errorf("the latest are %+v", list[n-2:])
	}
}

// TestChannels: the host's word is enough for what no attacker's text can have
// brought about, and for nothing else.
func TestChannels(t *testing.T) {
	d := newDesk(t)
	for _, kind := range []string{
		approval.KindTainted, approval.KindIrreversible, approval.KindSecret, approval.KindHidden, "new",
	} {
		a := confirmed()
		a.Session = kind
		a.Reasons = append(a.Reasons, approval.Reason{Kind: kind, Text: kind})
		e := d.hold(a)
		_, err := d.Decide(t.Context(), e.ID, true, approval.ViaElicitation, false)
		refused(t, err, fault.Denied, "approval_channel")
		if got, err := d.Get(e.ID); err != nil || got.State != approval.Pending {
			t.Errorf("%s: %v, %v", kind, got.State, err)
		}
		if _, err := d.Decide(t.Context(), e.ID, false, approval.ViaElicitation, false); err != nil {
			t.Errorf("a no counts by every way: %v", err)
		}
	}
	a := confirmed()
	a.Arguments = json.RawMessage(`{"to":"alice@example.com"}`) // nobody said no to that
	e := d.hold(a)
	for _, via := range []approval.Via{approval.ViaRemembered, "", "model"} {
		_, err := d.Decide(t.Context(), e.ID, true, via, false)
		refused(t, err, fault.Internal, "bad_channel")
	}
	_, err := d.Decide(t.Context(), e.ID, true, approval.ViaElicitation, true)
	refused(t, err, fault.Denied, "approval_channel")
	if got, err := d.Decide(t.Context(), e.ID, true, approval.ViaElicitation, false); err != nil || got.State != approval.Approved {
		t.Errorf("the twin: %+v, %v", got, err)
	}
}

// TestRemembered: a value for one input of one release, for a while.
func TestRemembered(t *testing.T) {
	d := newDesk(t)
	a := action()
	yes := func() bool { return remembers(d.again(), a.Tool, a.Source, "to", "bob@example.com") }
	e := d.hold(a)
	d.decide(e.ID, true, false)
	if yes() {
		t.Error("it is remembered unasked")
	}
	d.now = d.now.Add(limits.ApprovalGood + time.Minute)
	d.decide(d.hold(a).ID, true, true)
	if !yes() {
		t.Fatal("it is not remembered")
	}
	for name, no := range map[string]bool{
		"another value":   remembers(d.Store, a.Tool, a.Source, "to", "eve@example.com"),
		"a part of it":    remembers(d.Store, a.Tool, a.Source, "to", "bob"),
		"another input":   remembers(d.Store, a.Tool, a.Source, "body", "bob@example.com"),
		"another release": remembers(d.Store, spec.Ref{Name: "send_mail", Version: "1.0.1", Digest: spec.DigestOf([]byte("x"))}, a.Source, "to", "bob@example.com"),
		"another source":  remembers(d.Store, a.Tool, spec.DigestOf([]byte("x")), "to", "bob@example.com"),
	} {
		if no {
			t.Errorf("%s is remembered too", name)
		}
	}
	list, damaged, err := d.Remembered()
	if err != nil || len(damaged) != 0 || len(list) != 1 || list[0].Value != `"bob@example.com"` || list[0].Input != "to" ||
		list[0].Via != approval.ViaTerminal || list[0].From == "" || list[0].From == e.ID {
		t.Fatalf("%+v, %v, %v", list, damaged, err)
	}
	_, err = d.Forget(t.Context(), "0123")
	refused(t, err, fault.NotFound, "not_remembered")
	before := d.now
	if d.now = before.Add(limits.Remember + time.Second); yes() {
		t.Error("it is remembered for ever")
	}
	if d.now = before.Add(-time.Hour); yes() {
		t.Error("a clock that was set back gives time")
	}
	d.now = before
	if n, err := d.Forget(t.Context(), list[0].Name); n != 1 || err != nil || yes() {
		t.Errorf("%d, %v", n, err)
	}
}

// TestNothingElseIsRemembered: a tool that asks each time asks each time, and who
// plants a remembered value is not believed.
func TestNothingElseIsRemembered(t *testing.T) {
	d := newDesk(t)
	d.decide(d.hold(confirmed()).ID, true, true)
	if list, _, err := d.Remembered(); len(list) != 0 || err != nil {
		t.Errorf("%+v, %v", list, err)
	}
	d.decide(d.hold(action()).ID, true, true)
	files, err := filepath.Glob(filepath.Join(d.paths.Approvals(), "remembered", "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if i, err := os.Stat(files[0]); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", i.Mode(), err)
	}
	if err := os.WriteFile(files[0], []byte(strings.Replace(string(data), "2026-12", "2036-12", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	a := action()
	if remembers(d.Store, a.Tool, a.Source, "to", "bob@example.com") {
		t.Error("a stretched one is believed")
	}
	if _, damaged, err := d.Remembered(); len(damaged) != 1 || err != nil {
		t.Errorf("%v, %v", damaged, err)
	}
}

// TestNameIsNotRemembered: where the name of a member was read, a yes is for this one
// run. The value beside it was not asked about, and is not let through from then on.
func TestNameIsNotRemembered(t *testing.T) {
	a := action()
	a.Arguments = json.RawMessage(`{"to":{"bob@example.com":"eve@example.com"}}`)
	a.Reasons[0].Path = "/to/bob@example.com"
	d := newDesk(t)
	if a.Rememberable() {
		t.Error("it says that it can be remembered")
	}
	d.decide(d.hold(a).ID, true, true)
	if list, _, err := d.Remembered(); len(list) != 0 || err != nil {
		t.Errorf("%+v, %v", list, err)
	}
	// The twin: the value was asked about; one that was cut for the sentence is whole.
	long := strings.Repeat("eve@example.com ", 40)
	a.Arguments = json.RawMessage(`{"to":{"bob@example.com":"` + long + `"}}`)
	a.Reasons[0].Value = long[:100] + "…"
	d.decide(d.hold(a).ID, true, true)
	if !d.Remembers(a.Tool, a.Source, "to", long) || d.Remembers(a.Tool, a.Source, "to", long[:100]) {
		t.Error("the twin is not remembered")
	}
	// A number is the same in every spelling.
	a.Arguments, a.Reasons[0].Path, a.Reasons[0].Value = json.RawMessage(`{"to":1.50}`), "/to", "1.5"
	d.decide(d.hold(a).ID, true, true)
	if !d.Remembers(a.Tool, a.Source, "to", "1.5") {
		t.Error("a number is not remembered")
	}
}

// TestSealed: a client keeps the state and can only give it back, once.
func TestSealed(t *testing.T) {
	d := newDesk(t)
	id, call := d.hold(confirmed()).ID, spec.DigestOf([]byte("tools/call"))
	seal := func() string {
		text, err := d.Seal(id, "s1", call)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	text := seal()
	if len(text) > limits.SealedState {
		t.Errorf("it has %d bytes", len(text))
	}
	got, err := d.again().Unseal(t.Context(), text, "s1", call)
	if err != nil || got != id {
		t.Fatal(got, err)
	}
	_, err = d.again().Unseal(t.Context(), text, "s1", call)
	refused(t, err, fault.Denied, "approval_used")

	text = seal()
	for i := 0; i < len(text); i += 7 {
		other := []byte(text)
		other[i] ^= 1
		_, err := d.Unseal(t.Context(), string(other), "s1", call)
		refused(t, err, fault.Denied, "state_forged")
	}
	for _, forged := range []string{"", "x", text + "A", text[1:], strings.Repeat("A", limits.SealedState+1)} {
		_, err := d.Unseal(t.Context(), forged, "s1", call)
		refused(t, err, fault.Denied, "state_forged")
	}
	_, err = d.Unseal(t.Context(), text, "s2", call)
	refused(t, err, fault.Denied, "state_other")
	_, err = d.Unseal(t.Context(), text, "s1", spec.DigestOf([]byte("other")))
	refused(t, err, fault.Denied, "state_other")
	d.now = d.now.Add(limits.SealedLife + time.Second)
	_, err = d.Unseal(t.Context(), text, "s1", call)
	refused(t, err, fault.Denied, "state_expired")
	d.now = d.now.Add(-limits.SealedLife)
	if got, err := d.Unseal(t.Context(), text, "s1", call); err != nil || got != id {
		t.Errorf("the twin, in time: %v, %v", got, err)
	}
}

// TestHoldRefuses what no person could decide about.
func TestHoldRefuses(t *testing.T) {
	d := newDesk(t)
	for name, change := range map[string]func(*approval.Action){
		"no tool":      func(a *approval.Action) { a.Tool = spec.Ref{} },
		"no version":   func(a *approval.Action) { a.Tool.Version = "" },
		"no source":    func(a *approval.Action) { a.Source = spec.Digest{} },
		"no session":   func(a *approval.Action) { a.Session = "" },
		"no arguments": func(a *approval.Action) { a.Arguments = nil },
		"null":         func(a *approval.Action) { a.Arguments = json.RawMessage(`null`) },
		"a list":       func(a *approval.Action) { a.Arguments = json.RawMessage(`[]`) },
		"no reason":    func(a *approval.Action) { a.Reasons = nil },
		"no words":     func(a *approval.Action) { a.Reasons[0].Text = "" },
	} {
		a := action()
		change(&a)
		if _, err := d.Hold(t.Context(), a); fault.ReasonOf(err) != "bad_action" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if list, _, err := d.List(); len(list) != 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
	for _, id := range []approval.ID{"", "../../key", "x", "aaaaaaaaaaaaaaa!", "AAAAAAAAAAAAAAAA"} {
		_, err := d.Get(id)
		refused(t, err, fault.NotFound, "no_approval")
	}
}

// TestKeyIsNotShared: who lets others read the key has nothing decided by it.
func TestKeyIsNotShared(t *testing.T) {
	d := newDesk(t)
	e := d.hold(action())
	d.decide(e.ID, true, false)
	key := filepath.Join(d.paths.Approvals(), "key")
	if err := os.Truncate(key, 5); err != nil {
		t.Fatal(err)
	}
	s := d.again()
	_, err := s.Take(t.Context(), e.ID, "s1")
	refused(t, err, fault.NotVerified, "key_damaged")
	_, err = s.Hold(t.Context(), confirmed())
	refused(t, err, fault.NotVerified, "key_damaged")
	_, _, err = s.List()
	refused(t, err, fault.NotVerified, "key_damaged")
	if remembers(s, action().Tool, action().Source, "to", "bob@example.com") {
		t.Error("something is remembered without a key")
	}
}
