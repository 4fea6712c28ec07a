package toolbox_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
)

// TestKilledBetweenFileAndIndex: makeCurrent writes tools/echo_text.py and then
// the index. Whoever comes between the two, or after a kill there, meets the
// file of one version under the index of another.
func TestKilledBetweenFileAndIndex(t *testing.T) {
	s := newScene(t)
	old := s.install("1.0.0")
	index, err := os.ReadFile(s.paths.Index())
	if err != nil {
		t.Fatal(err)
	}
	s.install("1.2.0")
	s.rewrite(s.paths.Index(), func([]byte) []byte { return index })
	r, err := s.box.Find(spec.Ref{Name: "echo_text"})
	if err != nil || r != old {
		t.Fatalf("the index names %v, %v", r, err)
	}
	if _, err := s.box.Load(r, s.policy()); err != nil {
		t.Errorf("the version of the index, with the other one's file in tools/: %v", err)
	}
	s.rewrite(s.paths.Tool("echo_text"), func(b []byte) []byte { return append(b, "import os\n"...) })
	if _, err := s.box.Load(r, s.policy()); fault.KindOf(err) != fault.NotVerified {
		t.Errorf("bytes of no version at all: %v", err)
	}
}

// TestKilledWhileRemoving: the receipt goes first, the index last.
func TestKilledWhileRemoving(t *testing.T) {
	s := newScene(t)
	old := s.install("1.0.0")
	s.install("1.2.0")
	if err := os.RemoveAll(s.paths.Receipts() + "/echo_text/1.2.0"); err != nil {
		t.Fatal(err)
	}
	r, err := s.box.Find(spec.Ref{Name: "echo_text"})
	if err != nil || r != old {
		t.Fatalf("found %v, %v", r, err)
	}
	if _, err := s.box.Load(r, s.policy()); err != nil {
		t.Errorf("the version that is left: %v", err)
	}
	if list, err := s.box.List(); err != nil || len(list) != 1 || list[0].Current != "1.0.0" {
		t.Errorf("list is %+v, %v", list, err)
	}
	// The same command once more comes to the end: index and tools/ follow.
	if _, err := s.box.Remove(t.Context(), spec.Ref{Name: "echo_text", Version: "1.2.0"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("removed again: %v", err)
	}
	if b, err := os.ReadFile(s.paths.Index()); err != nil || bytes.Contains(b, []byte("1.2.0")) || !bytes.Contains(b, []byte("1.0.0")) {
		t.Errorf("the index is %s, %v", b, err)
	}
	// And where it was the only version, nothing is left of the tool.
	if err := os.RemoveAll(s.paths.Receipts() + "/echo_text/1.0.0"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.box.Remove(t.Context(), spec.Ref{Name: "echo_text"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("removed again: %v", err)
	}
	if b, err := os.ReadFile(s.paths.Index()); err != nil || bytes.Contains(b, []byte("echo_text")) {
		t.Errorf("the index is %s, %v", b, err)
	}
	if _, err := os.Stat(s.paths.Tool("echo_text")); err == nil {
		t.Error("tools/ still has its file")
	}
}

// TestReplacedMeanwhile: while another process changes the current version, the
// file and the index of it do not agree; who reads then waits and reads again.
func TestReplacedMeanwhile(t *testing.T) {
	s := newScene(t)
	r := s.install("1.0.0")
	good, err := os.ReadFile(s.paths.Tool("echo_text"))
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := durable.Lock(t.Context(), s.paths.Lock(), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	s.rewrite(s.paths.Tool("echo_text"), func([]byte) []byte { return []byte("# a version that was removed\n") })
	loaded := make(chan error, 1)
	go func() {
		_, err := s.box.Load(r, s.policy())
		loaded <- err
	}()
	select {
	case err := <-loaded:
		t.Fatalf("it did not wait for the writer: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	s.rewrite(s.paths.Tool("echo_text"), func([]byte) []byte { return good })
	unlock()
	if err := <-loaded; err != nil {
		t.Errorf("after the writer: %v", err)
	}
}

// TestRemovedMeanwhile: a release that another process removes after it was
// found is not installed; that is no verdict over its content.
func TestRemovedMeanwhile(t *testing.T) {
	s := newScene(t)
	r := s.install("1.0.0")
	if _, err := s.box.Remove(t.Context(), spec.Ref{Name: "echo_text"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.box.Load(r, s.policy()); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
}

// TestCheckedMeanwhile: what was found of a release that another process removed
// is not kept, and makes no folder that no command would clear away.
func TestCheckedMeanwhile(t *testing.T) {
	for _, removed := range []bool{true, false} {
		s := newScene(t)
		r := s.install("1.0.0")
		if removed {
			if _, err := s.box.Remove(t.Context(), spec.Ref{Name: "echo_text"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.box.KeepRecheck(t.Context(), r, toolbox.Recheck{Rules: 1}); err != nil {
			t.Errorf("removed %t: %v", removed, err)
		}
		if _, ok, err := s.box.Recheck(r); err != nil || ok == removed {
			t.Errorf("removed %t: it is kept: %t, %v", removed, ok, err)
		}
		if _, err := os.Stat(s.paths.Receipts() + "/echo_text/1.0.0"); (err == nil) == removed {
			t.Errorf("removed %t: the folder: %v", removed, err)
		}
	}
}

// TestAddingAgainKeepsTheHead: a registry that is added a second time cannot
// bring an older head with it, or one of a fork.
func TestAddingAgainKeepsTheHead(t *testing.T) {
	s := newScene(t)
	s.verified("1.0.0")
	pin, err := s.box.Pin("demo/tools")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.box.Advance(t.Context(), pin, s.chain()); err != nil {
		t.Fatal(err)
	}
	fork := s.fork()
	again := toolbox.Pin{Name: pin.Name, Location: "elsewhere", Trust: pin.Trust, HeadEvidence: fork.HeadEvidence, Head: fork.Head, Revoked: fork.Revoked}
	if err := s.box.AddPin(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	got, err := s.box.Pin("demo/tools")
	if err != nil || string(got.Head) != string(s.chain().Head) || got.Location != "elsewhere" {
		t.Errorf("the pin is at %q, its head is not the one that was seen: %v", got.Location, err)
	}
}
