package toolbox_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// TestStamp: whoever writes to a file of a version changes its stamp, were it one
// byte in place, and who reads does not.
func TestStamp(t *testing.T) {
	s := newScene(t)
	s.install("1.0.0")
	dir := filepath.Join(s.paths.Receipts(), "echo_text", "1.0.0")
	for _, file := range []string{
		filepath.Join(dir, "receipt.json"), filepath.Join(dir, ledger.ReleaseFileName), filepath.Join(dir, ledger.EvidenceFileName),
		filepath.Join(dir, ledger.ProofFileName), s.paths.Tool("echo_text"),
	} {
		before := s.box.Stamp("echo_text", "1.0.0")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if s.box.Stamp("echo_text", "1.0.0") != before {
			t.Errorf("reading %s changed the stamp", file)
		}
		s.rewrite(file, func(b []byte) []byte { return flipMiddle(bytes.Clone(b)) })
		if s.box.Stamp("echo_text", "1.0.0") == before {
			t.Errorf("writing %s did not", file)
		}
		s.rewrite(file, func([]byte) []byte { return data })
	}
	glimpse := s.box.Glimpse("echo_text", "1.0.0")
	if err := os.Remove(s.paths.Tool("echo_text")); err != nil {
		t.Fatal(err)
	}
	if s.box.Glimpse("echo_text", "1.0.0") == glimpse {
		t.Error("a tool that is gone looks as before")
	}
}

// TestStampOfRules: a pin that moved, one that is gone and the configuration count.
func TestStampOfRules(t *testing.T) {
	s := newScene(t)
	seen := map[[32]byte]bool{}
	look := func(what string) {
		t.Helper()
		stamp, err := s.box.StampOfRules()
		if err != nil || seen[stamp] {
			t.Errorf("%s: the stamp is one of before, %v", what, err)
		}
		seen[stamp] = true
	}
	look("nothing")
	s.pin()
	look("a registry")
	if err := os.WriteFile(s.paths.Config(), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	look("a configuration")
	if err := s.box.RemovePin(context.Background(), "demo/tools"); err != nil {
		t.Fatal(err)
	}
	look("none any more")
}

// TestGlance: what the index says is believed as long as nobody wrote to it, and a
// damaged one is not remembered.
func TestGlance(t *testing.T) {
	s := newScene(t)
	current := func(want spec.Version) {
		t.Helper()
		list, err := s.box.Glance()
		if err != nil || len(list) != 1 || list[0].Name != "echo_text" || list[0].Current != want {
			t.Errorf("%+v, %v, want %s", list, err, want)
		}
	}
	s.install("1.0.0")
	current("1.0.0")
	s.install("1.1.0")
	current("1.1.0")
	s.rewrite(s.paths.Index(), func([]byte) []byte { return []byte("{") })
	current("1.1.0")
	if _, err := s.box.Remove(context.Background(), spec.Ref{Name: "echo_text", Version: "1.1.0"}); err != nil {
		t.Fatal(err)
	}
	current("1.0.0")
}
