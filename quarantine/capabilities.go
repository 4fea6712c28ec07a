package quarantine

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// checkCapabilities compares what the code shows with what the manifest
// declares, in both directions.
func checkCapabilities(c *collector) {
	c.inferred = Infer(c.Facts, c.tool.Runtime.Packages)
	in := c.inferred
	for _, can := range allCapabilities {
		if use, ok := in.Uses[can]; ok && !declares(c.tool, can) {
			c.addAs(undeclared, bad, c.inMain(use.Place), declaration(can), "%s %s", shows(use), ability(can))
		}
	}
	for _, ref := range in.Unclassified {
		top, _, _ := strings.Cut(ref.Name, ".")
		c.add(unclassified, c.inMain(ref.Place), "what the module %s can do is not known", spec.Quote(top))
	}
	checkUnused(c, in)
	use := in.Uses[CapabilityNetwork]
	switch {
	case !in.Has(CapabilityNetwork):
	case in.Has(CapabilityProcess):
		c.add(toxic, c.inMain(use.Place), "the code uses the network and starts other programs")
	case in.Has(CapabilityRead):
		c.add(toxic, c.inMain(use.Place), "the code reads files and uses the network")
	}
}

// checkUnused finds what is declared for nothing. Where some of the code cannot
// be judged, nobody can say so.
func checkUnused(c *collector, in Inferred) {
	if len(in.Unclassified) > 0 || in.Has(CapabilityDynamic) || in.Has(CapabilityNative) {
		return
	}
	manifest := at{file: c.main}
	if c.tool.Capabilities.Network && !in.Has(CapabilityNetwork) {
		c.addAs(unused, warn, manifest, "write network: false", "the manifest declares the network")
	}
	switch files := c.tool.Capabilities.Filesystem; {
	case files == spec.FilesystemReadWrite && in.Has(CapabilityRead) && !in.Has(CapabilityWrite):
		c.addAs(unused, warn, manifest, "write filesystem: read-only", "the manifest declares that files are written")
	case (files == spec.FilesystemReadWrite || files == spec.FilesystemReadOnly) && !in.Has(CapabilityRead) && !in.Has(CapabilityWrite):
		c.addAs(unused, warn, manifest, "write filesystem: none", "the manifest declares files")
	}
	for _, need := range c.tool.Needs {
		if !in.Has(Capability(need)) {
			c.addAs(unused, warn, manifest, "remove "+need+" from x-needs", "the manifest declares %s in x-needs", spec.Quote(need))
		}
	}
}

// declares tells whether the manifest says that the tool may do that.
func declares(t *spec.Tool, can Capability) bool {
	files := t.Capabilities.Filesystem
	switch can {
	case CapabilityNetwork:
		return t.Capabilities.Network
	case CapabilityRead:
		return files == spec.FilesystemReadOnly || files == spec.FilesystemReadWrite
	case CapabilityWrite:
		return files == spec.FilesystemReadWrite
	}
	return slices.Contains(t.Needs, string(can))
}

func declaration(can Capability) string {
	switch can {
	case CapabilityNetwork:
		return "declare network: true, or remove what names it"
	case CapabilityRead:
		return "declare filesystem: read-only, or remove what names it"
	case CapabilityWrite:
		return "declare filesystem: read-write, or remove what names it"
	}
	return "add " + string(can) + " to x-needs, as in x-needs: [" + string(can) + "], or remove what names it"
}

// ability is what a capability is in a sentence about the thing that shows it.
func ability(can Capability) string {
	switch can {
	case CapabilityNetwork:
		return "uses the network"
	case CapabilityRead:
		return "reads files"
	case CapabilityWrite:
		return "writes files"
	case CapabilityProcess:
		return "starts or steers other programs"
	case CapabilityEnvironment:
		return "reads the environment: variables, the user, the machine"
	case CapabilityNative:
		return "runs machine code"
	}
	return "makes code, or leads to code, that cannot be told from the source"
}

// shows says what names a capability and how.
func shows(use Reference) string {
	name := spec.Quote(strings.TrimPrefix(strings.TrimPrefix(use.Name, "builtins."), "?."))
	switch {
	case use.Name == "?":
		return "an attribute whose name is worked out at run time"
	case use.How == "computed":
		return "an attribute of " + spec.Quote(strings.TrimSuffix(use.Name, ".?")) + " whose name is worked out at run time"
	case strings.HasPrefix(use.Name, "?."):
		return "the attribute " + name + " of something"
	case use.How == "star":
		return "all of the module " + name
	}
	return name
}
