package main

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
)

// needs are what a source is inferred to reach.
type needs struct {
	uses         []string
	unclassified []string
	packages     []string
}

// infer asks the rules what a source reaches, given that its manifest names the
// packages that its imports are of.
func infer(f *quarantine.Facts) needs {
	n := needs{packages: quarantine.NeedsOf(f, nil).Packages}
	found := quarantine.Infer(f, n.packages)
	for c := range found.Uses {
		n.uses = append(n.uses, string(c))
	}
	slices.Sort(n.uses)
	for _, r := range found.Unclassified {
		n.unclassified = append(n.unclassified, r.Name)
	}
	return n
}

func (n needs) has(capability string) bool { return slices.Contains(n.uses, capability) }

// declare writes them into a tool's manifest, as an honest author would.
func (n needs) declare(t *spec.Tool) {
	for _, p := range n.packages {
		t.Runtime.Packages = append(t.Runtime.Packages, strings.ToLower(p)+"==1.0.0")
	}
	t.Capabilities.Network = n.has("network")
	switch {
	case n.has("write"):
		t.Capabilities.Filesystem = spec.FilesystemReadWrite
	case n.has("read"):
		t.Capabilities.Filesystem = spec.FilesystemReadOnly
	}
}
