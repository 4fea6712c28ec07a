package provision

import (
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// TestNamed: the name stands among the engine's own options, whatever the command says,
// and what is no container's command stays as it is.
func TestNamed(t *testing.T) {
	run := containerRun("/usr/bin/docker", &spec.Deployment{}, false)
	p := &Prefix{Engine: "/usr/bin/docker", Image: "x@sha256:1", Run: run}
	got := p.Named(p.inside([]string{"/srv", "--name=other"}), "mine")
	if want := append([]string{"/usr/bin/docker", "run", "--name=mine"}, run[2:]...); !slices.Equal(got[:len(want)], want) || got[len(got)-1] != "--name=other" {
		t.Errorf("%q", got)
	}
	if end := p.End("mine"); !slices.Equal(end, []string{"/usr/bin/docker", "rm", "--force", "--volumes", "mine"}) {
		t.Errorf("%q", end)
	}
	plain := []string{"/bin/mail", "run"}
	if got := (&Prefix{}).Named(plain, "mine"); !slices.Equal(got, plain) {
		t.Errorf("the twin, of no container: %q", got)
	}
}
