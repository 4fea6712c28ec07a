// Package schemas holds the JSON Schemas of the formats that a registry takes.
//
// The files are for people and other programs, too: they are what the program
// itself holds a manifest against, byte for byte. The constraints of the formats
// that others specified are those of their specifications, with their "$id"; the
// words are this project's own. A "$comment" beside a constraint says in plain
// words what it asks for, and is what a refusal repeats.
package schemas

import _ "embed"

var (
	// Install is the Agent Tool Install Manifest, version 0.2 [TI-1…146], in the
	// dialect of 2020-12.
	//
	//go:embed install-manifest-v0.2.json
	Install []byte

	// Arcade is the specified edition of an Arcade tool definition, in the dialect
	// of draft-07. The specification gives it no "$id".
	//
	//go:embed arcade-tool-definition.json
	Arcade []byte

	// Skill is the frontmatter of a SKILL.md by ADR-002 [SK-1…38], as JSON.
	//
	//go:embed skill-frontmatter.json
	Skill []byte

	// Patch is the manifest of a Patch tool as a registry takes it, as JSON.
	//
	//go:embed patch-manifest.json
	Patch []byte
)
