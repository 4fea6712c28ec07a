package quarantine

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/patch-cat/patch-git/spec"
)

// Observation is one thing that a tool was seen to reach for in the trial,
// whether or not it got it.
type Observation struct {
	Uses string `json:"uses"`           // network, read, write, process, environment, native or dynamic
	What string `json:"what"`           // the path, address, program or function; foreign text
	When string `json:"when"`           // import or call
	By   string `json:"by,omitempty"`   // a package's file, where none of the tool's own code was at it
	Line int    `json:"line,omitempty"` // of the tool's main file; 0 where nobody can tell
}

// Undeclared returns a finding for each observation that the manifest does not
// declare [DYN-001]. What a package does on its own account with variables, native
// or generated code is how packages are made, and the allow-list of packages
// answers for it; what it reaches outside counts for the tool.
func Undeclared(tool *spec.Tool, seen []Observation) []spec.Finding {
	c := &collector{Subject: &Subject{}, tool: tool, main: tool.Format.MainFile()}
	for _, o := range seen {
		if Declares(tool, o.Uses) || o.By != "" && slices.Contains([]string{"environment", "native", "dynamic"}, o.Uses) {
			continue
		}
		where := at{file: c.main, line: o.Line}
		deed, declare := deeds[o.Uses], ""
		switch o.Uses {
		case "network":
			declare = "capabilities.network: true"
		case "read":
			declare = "capabilities.filesystem: read-only"
		case "write":
			declare = "capabilities.filesystem: read-write"
		default:
			declare = NeedsKey + ": [" + o.Uses + "]"
		}
		when := map[string]string{"import": "when it was imported", "call": "in the call of x-smoke"}[o.When]
		by := ""
		if o.By != "" {
			by = ", by " + spec.Quote(o.By)
		}
		c.addAs(undeclaredDeed, bad, where, "declare "+declare+", or remove what does it",
			"the tool %s %s %s%s, and its manifest does not declare that", deed, spec.Quote(o.What), when, by)
	}
	return c.finish()
}

// deeds are what it is called to use a capability.
var deeds = map[string]string{
	"network": "reached for the network:", "read": "read", "write": "changed or made", "process": "started or signalled a process:",
	"environment": "read its environment:", "native": "called native code:", "dynamic": "made code or looked into the interpreter:",
}

// NeedsKey is the extension of a manifest that declares what else a tool uses.
const NeedsKey = "x-needs"

// Declares tells whether a manifest declares a capability.
func Declares(tool *spec.Tool, capability string) bool {
	switch files := cmp.Or(tool.Capabilities.Filesystem, spec.FilesystemNone); capability {
	case "network":
		return tool.Capabilities.Network
	case "read":
		return files != spec.FilesystemNone
	case "write":
		return files == spec.FilesystemReadWrite
	}
	var needs []string
	if raw, ok := tool.Extensions[NeedsKey]; !ok || json.Unmarshal(raw, &needs) != nil {
		return false
	}
	return slices.Contains(needs, capability)
}

// Failed is the finding for a trial that did not come to its end [DYN-002]. seen
// is what was seen, one clause.
func Failed(tool *spec.Tool, seen string) spec.Finding {
	c := &collector{Subject: &Subject{}, tool: tool, main: tool.Format.MainFile()}
	c.add(failedTrial, at{file: c.main}, "%s", seen)
	return c.found[0]
}

// SelfTest is the rule that an error names where no tool is tried because the
// sandbox or the recorder failed the test before it.
const SelfTest = "DYN-003"
