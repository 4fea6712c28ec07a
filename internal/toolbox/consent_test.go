package toolbox_test

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
)

var net = spec.Permissions{Network: true, Filesystem: spec.FilesystemReadOnly}

func (s *scene) consents(r toolbox.Receipt) (out []spec.Version) {
	s.t.Helper()
	list, err := s.box.Consents(r)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range list {
		out = append(out, c.Version)
	}
	return out
}

func (s *scene) agree(r toolbox.Receipt) {
	s.t.Helper()
	if err := s.box.Agree(r, net, "", false); err != nil {
		s.t.Fatal(err)
	}
}

func TestConsentIsBoundToTheContent(t *testing.T) {
	s := newScene(t)
	r := s.install("1.0.0")
	if got := s.consents(r); got != nil {
		t.Fatalf("consent before anybody agreed: %v", got)
	}
	s.agree(r)
	list, err := s.box.Consents(r)
	if err != nil || len(list) != 1 || !list[0].Permissions.Network || list[0].Permissions.Filesystem != spec.FilesystemReadOnly {
		t.Errorf("consent is %+v, %v", list, err)
	}
	other := r
	other.Release = spec.DigestOf([]byte("x"))
	if got := s.consents(other); got != nil {
		t.Error("the consent serves another content")
	}
	if gone, err := s.box.Disagree(spec.Ref{Name: r.Name}); err != nil || !slices.Equal(gone, []spec.Version{"1.0.0"}) {
		t.Errorf("taken back from %v, %v", gone, err)
	}
	if got := s.consents(r); got != nil {
		t.Errorf("consent after it was taken back: %v", got)
	}
}

// TestConsentsOfOtherVersions: they count for the next version where the same
// registry, with the same signer, has it; each case takes one of these away.
func TestConsentsOfOtherVersions(t *testing.T) {
	s := newScene(t)
	old, mid := s.install("1.0.0"), s.install("1.1.0")
	s.agree(old)
	s.agree(mid)
	next := s.install("2.0.0")
	want := []spec.Version{"1.1.0", "1.0.0"}
	if got := s.consents(next); !slices.Equal(got, want) {
		t.Fatalf("for the next version count %v, want %v", got, want)
	}
	if got := s.consents(mid); !slices.Equal(got, want) {
		t.Errorf("for the one between count %v, want %v", got, want)
	}
	// A tool of the same name from elsewhere.
	foreign := next
	foreign.Registry = "other/tools"
	if list, err := s.box.Consents(foreign); err == nil {
		t.Errorf("a registry that is not trusted has %v", list)
	}
	file := s.receipt("../1.1.0/consent.json")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"damaged":             good[:len(good)/2],
		"of another release":  bytes.ReplaceAll(good, []byte(mid.Release.Hex()), []byte(old.Release.Hex())),
		"of a later program":  bytes.Replace(good, []byte(`"schema": 2`), []byte(`"schema": 3`), 1),
		"of an older program": bytes.Replace(good, []byte(`"schema": 2`), []byte(`"schema": 1`), 1),
	} {
		if bytes.Equal(good, bad) {
			t.Fatalf("%s changes nothing", name)
		}
		if err := os.WriteFile(file, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := s.consents(next); !slices.Equal(got, []spec.Version{"1.0.0"}) {
			t.Errorf("%s: %v count", name, got)
		}
	}
	// The older program asked without a word about files.
	if err := os.WriteFile(file, bytes.Replace(good, []byte(`"schema": 2`), []byte(`"schema": 1`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := s.box.Consents(mid)
	if err != nil || len(list) != 2 || !list[0].Permissions.Network || list[0].Permissions.Filesystem != spec.FilesystemNone {
		t.Errorf("of an older program: %+v, %v", list, err)
	}
	if err := os.WriteFile(file, good, 0o600); err != nil {
		t.Fatal(err)
	}
	// Another key signs for the registry of that name now.
	pin, err := s.box.Pin(s.doc.Name)
	if err != nil {
		t.Fatal(err)
	}
	key, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	changed := pin
	changed.Trust = key.Trust()
	if err := s.box.ChangePin(t.Context(), pin, changed); err != nil {
		t.Fatal(err)
	}
	if got := s.consents(next); got != nil {
		t.Errorf("with another signer %v count", got)
	}
	if got := s.consents(mid); !slices.Equal(got, []spec.Version{"1.1.0"}) {
		t.Errorf("for the very content %v count", got)
	}
}

func TestAllAgreed(t *testing.T) {
	s := newScene(t)
	s.install("1.0.0")
	s.agree(s.install("1.1.0"))
	list, err := s.box.AllAgreed()
	if err != nil || len(list) != 1 || list[0].Version != "1.1.0" || list[0].Registry != "demo/tools" {
		t.Errorf("%+v, %v", list, err)
	}
	// What 1.0.0 would run by is the word for 1.1.0, which stays.
	if gone, err := s.box.Disagree(spec.Ref{Name: "echo_text", Version: "1.0.0"}); err != nil || len(gone) != 1 {
		t.Errorf("taken back from %v, %v", gone, err)
	}
	if list, err := s.box.AllAgreed(); err != nil || len(list) != 1 || list[0].Version != "1.1.0" {
		t.Errorf("%+v, %v", list, err)
	}
	if gone, err := s.box.Disagree(spec.Ref{Name: "echo_text", Version: "1.1.0"}); err != nil || len(gone) != 1 {
		t.Errorf("taken back from %v, %v", gone, err)
	}
}

// TestTakenBackIsAskedAgain: a version that was taken back does not run by the word
// for another one, and what rested on it does not either.
func TestTakenBackIsAskedAgain(t *testing.T) {
	s := newScene(t)
	first, second, third, own := s.install("1.0.0"), s.install("1.1.0"), s.install("1.2.0"), s.install("1.3.0")
	s.agree(first)
	for r, from := range map[toolbox.Receipt]spec.Version{second: "1.0.0", third: "1.1.0"} {
		if err := s.box.Agree(r, net, from, false); err != nil {
			t.Fatal(err)
		}
	}
	s.agree(own)
	gone, err := s.box.Disagree(spec.Ref{Name: "echo_text", Version: "1.0.0"})
	if err != nil || !slices.Equal(gone, []spec.Version{"1.0.0", "1.1.0", "1.2.0"}) {
		t.Errorf("taken back from %v, %v", gone, err)
	}
	if got := s.consents(first); got != nil {
		t.Errorf("for what was taken back count %v", got)
	}
	// The twins: one that was agreed to for itself, and another that may carry its word.
	want := []spec.Version{"1.3.0"}
	if got := s.consents(own); !slices.Equal(got, want) {
		t.Errorf("for what was not taken back count %v", got)
	}
	if got := s.consents(third); !slices.Equal(got, want) {
		t.Errorf("for the one before it count %v", got)
	}
	if gone, err := s.box.Disagree(spec.Ref{Name: "echo_text", Version: "1.0.0"}); err != nil || gone != nil {
		t.Errorf("taken back twice from %v, %v", gone, err)
	}
	// Agreeing again is agreeing, and forgetting all of it leaves no mark.
	s.agree(first)
	if got := s.consents(first); !slices.Equal(got, []spec.Version{"1.0.0", "1.3.0"}) {
		t.Errorf("after a new yes count %v", got)
	}
	if _, err := s.box.Disagree(spec.Ref{Name: "echo_text", Version: "1.0.0"}); err != nil {
		t.Fatal(err)
	}
	if gone, err := s.box.Disagree(spec.Ref{Name: "echo_text"}); err != nil || !slices.Equal(gone, want) {
		t.Errorf("all of it: %v, %v", gone, err)
	}
	s.agree(own)
	if got := s.consents(first); !slices.Equal(got, want) {
		t.Errorf("after all was forgotten count %v", got)
	}
}
