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

// TestByEngine: a command of the engine is one of the image, with our options and never
// those that it came with.
func TestByEngine(t *testing.T) {
	run := containerRun("/usr/bin/docker", &spec.Deployment{}, false)
	p := &Prefix{Engine: "/usr/bin/docker", Image: "x@sha256:1", Run: run}
	of := func(image string, more ...string) []string { return append(append(slices.Clone(run), image), more...) }
	for name, c := range map[string]struct{ command, want []string }{
		"a server's":          {[]string{"docker", "run", "-i", "--rm", "-e", "KEY", "x@sha256:1", "serve", "--all"}, of("x@sha256:1", "serve", "--all")},
		"by podman":           {[]string{"podman", "run", "x@sha256:1"}, of("x@sha256:1")},
		"with rights":         {[]string{"docker", "run", "--privileged", "-v", "/:/host", "--network=host", "x@sha256:1"}, of("x@sha256:1")},
		"with rights, behind": {[]string{"docker", "run", "x@sha256:1", "--privileged"}, of("x@sha256:1", "--privileged")},
		"a look":              {[]string{"docker", "image", "inspect", "x@sha256:1"}, []string{"/usr/bin/docker", "image", "inspect", "--format={{.Id}}", "x@sha256:1"}},
		// The twins are commands in the container, whatever they are called.
		"of another image":     {[]string{"docker", "run", "y@sha256:1"}, append(slices.Clone(run), "--entrypoint=docker", "x@sha256:1", "run", "y@sha256:1")},
		"a look at another":    {[]string{"docker", "image", "inspect", "y"}, append(slices.Clone(run), "--entrypoint=docker", "x@sha256:1", "image", "inspect", "y")},
		"another of its verbs": {[]string{"docker", "rm", "x@sha256:1"}, append(slices.Clone(run), "--entrypoint=docker", "x@sha256:1", "rm", "x@sha256:1")},
		"another program":      {[]string{"dockerx", "run", "x@sha256:1"}, append(slices.Clone(run), "--entrypoint=dockerx", "x@sha256:1", "run", "x@sha256:1")},
	} {
		if got := p.inside(c.command); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
