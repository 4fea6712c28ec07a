package toolbox_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/registry"
)

// TestChangePin: the signer is replaced only where the pin is still the one
// that the new head was held against.
func TestChangePin(t *testing.T) {
	s := newScene(t)
	last, err := s.box.Pin(s.doc.Name)
	if err != nil {
		t.Fatal(err)
	}
	other, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	next := last
	next.Trust = other.Trust()

	s.seal(registry.Batch{Accept: []registry.Acceptance{acceptance("1.0.0")}})
	if err := s.box.Advance(t.Context(), last, s.chain()); err != nil {
		t.Fatal(err)
	}
	moved, err := s.box.Pin(s.doc.Name)
	if err != nil || bytes.Equal(moved.Head, last.Head) {
		t.Fatalf("the head did not move: %v", err)
	}
	if err := s.box.ChangePin(t.Context(), last, next); fault.KindOf(err) != fault.Unavailable || fault.ReasonOf(err) != toolbox.ReasonMoved {
		t.Errorf("a head that moved: %v", err)
	}
	if p, err := s.box.Pin(s.doc.Name); err != nil || !p.SameTrust(moved) || !bytes.Equal(p.Head, moved.Head) {
		t.Errorf("a refusal changed the pin: %v", err)
	}
	next.Head, next.HeadEvidence = moved.Head, moved.HeadEvidence
	if err := s.box.ChangePin(t.Context(), moved, next); err != nil {
		t.Fatalf("the same, from the pin as it is: %v", err)
	}
	if p, err := s.box.Pin(s.doc.Name); err != nil || !p.SameTrust(next) {
		t.Errorf("the pin did not change: %v", err)
	}

	// One that was removed meanwhile is not brought back.
	if err := s.box.RemovePin(t.Context(), s.doc.Name); err != nil {
		t.Fatal(err)
	}
	if err := s.box.ChangePin(t.Context(), next, moved); fault.ReasonOf(err) != toolbox.ReasonMoved {
		t.Errorf("a pin that is gone: %v", err)
	}
	if left, err := s.box.Pins(); err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestLargePin: what a registry may publish and a Sigstore instance may have can
// be read back once it is kept, and takes no other registry with it.
func TestLargePin(t *testing.T) {
	s := newScene(t)
	large := toolbox.Pin{
		Name: "large/tools", Location: "/large", Trust: s.doc.Trust,
		TrustedRoot: make([]byte, limits.TrustedRoot), SigningConfig: make([]byte, limits.TrustedRoot),
		HeadEvidence: make([]byte, limits.Bundle), Head: make([]byte, limits.Document), Revoked: make([]byte, limits.Document),
	}
	for range 8 {
		large.Mirrors = append(large.Mirrors, "https://"+strings.Repeat("x", 8000))
	}
	if err := s.box.AddPin(t.Context(), large); err != nil {
		t.Fatal(err)
	}
	if p, err := s.box.Pin(large.Name); err != nil || !bytes.Equal(p.Revoked, large.Revoked) {
		t.Errorf("kept is %.100v, %v", p, err)
	}
	if all, err := s.box.Pins(); err != nil || len(all) != 2 {
		t.Errorf("%d registries, %v", len(all), err)
	}
}
