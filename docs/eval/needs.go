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
	n := needs{packages: packagesOf(quarantine.Lacking(f, nil))}
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

// packagesOf names the packages that an honest author would declare for modules;
// the modules that the data import under another name than that of their package.
func packagesOf(modules []string) []string {
	var packages []string
	for _, m := range modules {
		name := strings.ToLower(m)
		switch m {
		case "PIL":
			name = "pillow"
		case "bs4":
			name = "beautifulsoup4"
		case "yaml":
			name = "pyyaml"
		case "cv2":
			name = "opencv-python"
		case "sklearn":
			name = "scikit-learn"
		case "docx", "pptx", "dotenv", "dateutil":
			name = "python-" + m
		case "fitz":
			name = "pymupdf"
		}
		packages = append(packages, name)
	}
	return packages
}

func (n needs) has(capability string) bool { return slices.Contains(n.uses, capability) }

// declare writes them into a tool's manifest, as an honest author would.
func (n needs) declare(t *spec.Tool) {
	for _, p := range n.packages {
		t.Runtime.Packages = append(t.Runtime.Packages, p+"==1.0.0")
	}
	t.Capabilities.Network = n.has("network")
	switch {
	case n.has("write"):
		t.Capabilities.Filesystem = spec.FilesystemReadWrite
	case n.has("read"):
		t.Capabilities.Filesystem = spec.FilesystemReadOnly
	}
	for _, need := range spec.Needs() {
		if n.has(need) {
			t.Needs = append(t.Needs, need)
		}
	}
}
