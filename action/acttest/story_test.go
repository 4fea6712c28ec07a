//go:build linux

package acttest

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestStory is all of it: somebody proposes a tool, the workflows review it, a
// maintainer merges it, it is published, and somebody else who knows nobody of
// them finds, verifies and runs it.
func TestStory(t *testing.T) {
	t.Parallel()
	g := newRegistry(t)
	bob := g.sits(t, g.bob)
	bob.does(t, "registry", "add", "https://"+pagesHost+"/tools", "--repository", registryRepo)
	stranger := g.stranger(t)
	stranger.fails(t, 6, "no_tool", "pull", "word_count")

	// A new name: reviewed, tried, and left to a maintainer.
	n := g.publishes(t, bob, g.tool("word_count", "0.1.0"))
	runs := g.settle(t)
	for _, file := range []string{"quarantine.yml", "trial.yml"} {
		if r := played(t, runs, file); r.conclusion() != "success" {
			t.Errorf("%s: %s", file, r.conclusion())
		}
	}
	if got := g.concluded(t, n); got != "success" || g.merged(t, n) {
		t.Fatalf("the check says %q; merged: %v", got, g.merged(t, n))
	}
	if c := g.comments(t, n); len(c) != 1 || !strings.Contains(c[0], "word_count") || !strings.Contains(c[0], "new name") {
		t.Errorf("the comments are %q", c)
	}
	if status := g.merges(t, n); status != http.StatusOK {
		t.Fatalf("the merge: %d", status)
	}
	if r := played(t, g.settle(t), "publish.yml"); r.conclusion() != "success" {
		t.Fatal("it was not published")
	}

	// Somebody else.
	if said := stranger.does(t, "search", "words"); !strings.Contains(said, "word_count") {
		t.Errorf("search finds %q", said)
	}
	stranger.does(t, "pull", "word_count")
	if said := stranger.does(t, "run", "word_count", "--text", "two words"); !strings.Contains(said, `"words": 2`) && !strings.Contains(said, `"words":2`) {
		t.Errorf("the tool says %q", said)
	}
	stranger.does(t, "verify")
	stranger.does(t, "log", "verify")

	// An update by the same owner that asks for no more: nobody has to do
	// anything, and the author sees it arrive.
	g.follows(t, bob, g.tool("word_count", "0.2.0"))
	if n = g.newest(t); !g.merged(t, n) {
		t.Fatal("the update was not merged")
	}
	stranger.does(t, "pull", "word_count@0.2.0")

	// One that asks for more is for a person, at the registry and at the user's.
	n = g.publishes(t, bob, g.tool("word_count", "0.3.0", "network: false", "network: true"))
	g.settle(t)
	if got := g.concluded(t, n); got != "action_required" || g.merged(t, n) {
		t.Errorf("the check says %q; merged: %v", got, g.merged(t, n))
	}
	if status := g.merges(t, n); status != http.StatusMethodNotAllowed {
		t.Errorf("it could be merged past the check: %d", status)
	}
	g.accepts(t, n)
	g.settle(t)
	if got := g.concluded(t, n); got != "success" {
		t.Errorf("a maintainer accepted it, and the check says %q", got)
	}
	if status := g.merges(t, n); status != http.StatusOK {
		t.Errorf("the merge: %d", status)
	}
	g.settle(t)
	stranger.fails(t, 5, "widened", "pull", "word_count@0.3.0")
	stranger.does(t, "pull", "word_count@0.3.0", "--yes")

	// By git, without the site.
	other := g.sits(t, nil)
	other.does(t, "registry", "add", "git+https://"+gitHost+"/"+registryRepo)
	other.does(t, "pull", "word_count@0.2.0")
	if said := other.does(t, "run", "word_count", "--text", "a b c"); !strings.Contains(said, "3") {
		t.Errorf("the tool says %q", said)
	}

	// The owner withdraws a version; who has it does not start it any more.
	bob.does(t, "revoke", "word_count@0.2.0", "--registry", registryRepo, "--reason", "it counts wrongly")
	g.settle(t)
	if n = g.newest(t); !g.merged(t, n) {
		t.Errorf("the revocation waits: %q", g.comments(t, n))
	}
	other.does(t, "search", "words") // a client hears of it as it looks for tools
	other.fails(t, 5, "revoked", "run", "word_count", "--text", "x")
	other.does(t, "log", "verify")
}

// follows has somebody propose a tool and watch it until it can be pulled, while
// the workflows do their work.
func (g *registered) follows(t *testing.T, p person, text string) {
	t.Helper()
	file := p.writes(t, "tool.py", text)
	done := make(chan said, 1)
	go func() { done <- p.types(t, "publish", file, "--registry", registryRepo, "--watch", "--every", "1s") }()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		g.settle(t)
		select {
		case a := <-done:
			if a.exit != 0 {
				t.Fatalf("publish --watch ended with exit code %d:\n%s%s", a.exit, a.stdout, a.stderr)
			}
			return
		default:
		}
	}
	t.Fatal("publish --watch does not end")
}
