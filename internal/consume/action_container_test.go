package consume

import (
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/internal/invoke"
	"github.com/patch-cat/patch-git/internal/provision"
	"github.com/patch-cat/patch-git/spec"
)

// TestContainedNetwork: an action of a container that declares no network, and whose
// answer is labelled and consented to so, has none although another action has one.
func TestContainedNetwork(t *testing.T) {
	tool := &spec.Tool{Name: "mail", Deployment: &spec.Deployment{Command: []string{"/mail"}}}
	prefix := &provision.Prefix{
		Engine: "/engine/podman", Image: "x@sha256:1", Run: []string{"/engine/podman", "run", "--rm"},
		Command: []string{"/engine/podman", "run", "--rm", "--entrypoint=/mail", "x@sha256:1"},
	}
	for _, network := range []bool{false, true} {
		view := *tool
		view.Capabilities.Network = network
		k := &call{s: &Subject{Tool: &view}, said: &invoke.Call{Argv: []string{"/mail", "read"}}, deployed: deployed{prefix: prefix}}
		argv := (&action{tool: tool}).argv(k)
		if slices.Contains(argv, "--network=none") == network || argv[len(argv)-1] != "read" {
			t.Errorf("network %v: %q", network, argv)
		}
	}
}
