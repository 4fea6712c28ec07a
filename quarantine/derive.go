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

// Lacking returns the top-level modules that a source imports and that neither
// Python nor a declared package brings, as far as names tell.
func Lacking(f *Facts, packages []string) []string {
	var lacking []string
	provided, seen := providedModules(packages), map[string]bool{}
	for _, i := range f.Imports {
		top, _, _ := strings.Cut(i.Module, ".")
		if !i.Typing && i.Level == 0 && !i.Stdlib && !i.Optional && !provided.has(i.Module) && !seen[top] {
			seen[top] = true
			lacking = append(lacking, top)
		}
	}
	return lacking
}
