package quarantine

import (
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
)

// Script is what inline script metadata (PEP 723) says that a manifest says too.
type Script struct {
	Dependencies   []string
	RequiresPython string
}

// ReadScript reads the script block of a source; found is false where it has
// none. A block that other runners would read in another way is an error.
func ReadScript(source []byte) (s Script, found bool, err error) {
	lines := strings.Split(string(source), "\n")
	for i, line := range lines {
		if strings.TrimRight(line, "\r \t") != "# /// script" {
			continue
		}
		if found {
			return Script{}, true, fault.New(fault.Findings, "script_block", "line %d begins a second script block", i+1)
		}
		found = true
		content, ok := scriptContent(lines[i+1:])
		if !ok {
			return Script{}, true, fault.New(fault.Findings, "script_block", "the script block of line %d is not closed", i+1)
		}
		meta, err := readScript(content)
		if err != nil {
			return Script{}, true, fault.New(fault.Findings, "script_block", "the script block of line %d is not readable: %w", i+1, err)
		}
		s = Script{Dependencies: meta.dependencies, RequiresPython: meta.requiresPython}
	}
	return s, found, nil
}

// Allows tells whether a minor version of Python, such as "3.12", satisfies the
// block; one without a word about it allows all.
func (s Script) Allows(minor string) (bool, error) {
	if s.RequiresPython == "" {
		return true, nil
	}
	return allowsPython(s.RequiresPython, minor)
}

// Needs are what the imports of a source ask of its manifest.
type Needs struct {
	Network  []string // modules that open connections
	Packages []string // top-level modules that no declared package brings
}

// NeedsOf reads them from the facts of a source, given the packages that its
// manifest declares.
func NeedsOf(f *Facts, packages []string) Needs {
	var n Needs
	provided, seen := providedModules(packages), map[string]bool{}
	for _, i := range f.Imports {
		top, _, _ := strings.Cut(i.Module, ".")
		if i.Typing || i.Level > 0 || seen[i.Module] {
			continue
		}
		seen[i.Module] = true
		if usesNetwork(i.Module, i.Name) {
			n.Network = append(n.Network, i.Module)
		}
		if !i.Stdlib && !i.Optional && !provided.has(i.Module) && !seen["/"+top] {
			seen["/"+top] = true
			n.Packages = append(n.Packages, top)
		}
	}
	return n
}
