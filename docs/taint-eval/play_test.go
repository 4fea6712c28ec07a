package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestScore: each policy holds of a few traces what it must, and no more.
func TestScore(t *testing.T) {
	s, err := load("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		policy      policy
		held, asked int
	}{
		"values":       {policy{}, 2, 2},
		"rule":         {policy{irreversible: true}, 3, 2},
		"typed":        {policy{prompt: true}, 2, 1},
		"contents":     {policy{contents: true}, 1, 2},
		"nobody":       {policy{nobody: true}, 2, 3},
		"base64":       {policy{encode: encodings[4].of}, 2, 2},
		"never":        {policy{encode: encodings[len(encodings)-1].of}, 0, 2},
		"never, rule":  {policy{encode: encodings[len(encodings)-1].of, irreversible: true}, 1, 2},
		"letter apart": {policy{encode: encodings[2].of}, 2, 2},
	} {
		r := s.score(tt.policy, nil)
		if r.attacks != 3 || r.benign != 4 || r.held != tt.held || r.asked != tt.asked {
			t.Errorf("%s: got %+v, want %d held, %d asked", name, r, tt.held, tt.asked)
		}
	}
}

// TestPublish: figures come between their marks, and a document without marks is
// left alone. Without traces nothing is measured, and that is no failure.
func TestPublish(t *testing.T) {
	path := filepath.Join(t.TempDir(), "doc.md")
	const before = "a\n<!-- figures -->\nold\n<!-- end of figures -->\nb\n"
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := publish(path, "new\n"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if want := strings.Replace(before, "old", "new", 1); err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
	if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := publish(path, "new\n"); err == nil {
		t.Error("a document without marks is written")
	}
	if err := run(options{data: filepath.Join(t.TempDir(), "none"), check: true}); err != nil {
		t.Error(err)
	}
	if err := run(options{data: t.TempDir()}); err == nil {
		t.Error("a folder without traces is measured")
	}
}
