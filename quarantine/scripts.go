package quarantine

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// ScriptPython is the version of Python whose parser reads the scripts of skills,
// which declare none: the oldest that runs tools, so that it is there wherever
// they do.
const ScriptPython = "3.9"

// ScriptFacts is what an interpreter said of one script of a skill.
type ScriptFacts struct {
	Path  string
	Facts *Facts
	Err   error
}

// InspectScripts asks p about the Python scripts of a release, for
// [Subject].Scripts. Only skills have any. An error is the first of those that mean
// that nobody could tell, and stands with its script as well.
func InspectScripts(ctx context.Context, p Parser, r *spec.Release) ([]ScriptFacts, error) {
	if r.Tool.Format != spec.FormatSkill {
		return nil, nil
	}
	var out []ScriptFacts
	var first error
	for _, f := range r.Files {
		if fileKindOf(f) != pythonScript || len(out) == limits.SkillScripts || len(f.Data) > limits.ToolFile {
			continue // more, or larger ones, are errors of the shape
		}
		s := ScriptFacts{Path: f.Path}
		facts, err := p.Facts(ctx, f.Data)
		if err != nil {
			if s.Err = err; first == nil {
				first = err
			}
		} else {
			s.Facts = &facts
		}
		out = append(out, s)
		if ctx.Err() != nil {
			return out, fault.New(fault.Interrupted, "facts", "inspecting scripts: %w", ctx.Err())
		}
	}
	return out, first
}

// fileKind is what a file of a skill is to the rules.
type fileKind int

const (
	document     fileKind = iota // text that its reader reads
	pythonScript                 // a program that CPython's parser reads
	otherScript                  // a program that nothing here can read
	dataFile                     // what programs read
)

// fileKindOf tells by the first line and by the name: hosts start a file by either.
func fileKindOf(f spec.File) fileKind {
	first, _, _ := bytes.Cut(f.Data[:min(len(f.Data), 256)], []byte("\n"))
	if program, ok := bytes.CutPrefix(first, []byte("#!")); ok {
		if bytes.Contains(program, []byte("python")) || bytes.Contains(program, []byte("uv run")) {
			return pythonScript
		}
		return otherScript
	}
	switch ext := strings.ToLower(path.Ext(f.Path)); ext {
	case ".py", ".pyw", ".pyi":
		return pythonScript
	case ".md", ".txt", ".org", ".rst", ".adoc", ".mdx", "":
		if ext == "" && strings.HasPrefix(f.Path, "scripts/") {
			return otherScript
		}
		return document
	case ".json", ".yaml", ".yml", ".toml", ".csv", ".tsv", ".xml", ".xsd", ".svg", ".html", ".css", ".ini", ".tmpl", ".tpl", ".j2", ".tex", ".bib", ".sql", ".graphql", ".proto", ".lock", ".po", ".srt":
		return dataFile
	}
	return otherScript // whatever its language is, nobody here reads it
}

// checkScripts judges the programs of a skill: those in Python by the rules for
// Python, without those about main() and imports, which a script does not have or
// is; of all others the text alone was read, and a finding says so.
func checkScripts(c *collector) {
	if c.tool.Format != spec.FormatSkill {
		return
	}
	facts := map[string]*ScriptFacts{}
	for i := range c.Scripts {
		facts[c.Scripts[i].Path] = &c.Scripts[i]
	}
	count := 0
	for _, f := range c.Release.Files {
		if spec.CheckPath(f.Path) != nil {
			continue // an error of its own
		}
		switch fileKindOf(f) {
		case otherScript:
			c.add(unreadScript, at{file: f.Path}, "the file is %s", languageOf(f))
		case pythonScript:
			if count++; count > limits.SkillScripts {
				c.add(shape, at{file: f.Path}, "the skill has more than %d Python scripts", limits.SkillScripts)
				continue
			}
			c.pythonScript(f, facts[f.Path])
		}
	}
}

// languageOf says what a program is written in, as its name tells.
func languageOf(f spec.File) string {
	known := map[string]string{
		".sh": "a shell script", ".bash": "a shell script", ".zsh": "a shell script", ".fish": "a shell script", ".ps1": "a PowerShell script",
		".bat": "a batch file", ".cmd": "a batch file", ".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript", ".ts": "TypeScript", ".tsx": "TypeScript", ".jsx": "JavaScript",
		".rb": "Ruby", ".pl": "Perl", ".php": "PHP", ".lua": "Lua", ".go": "Go", ".rs": "Rust", ".swift": "Swift", ".r": "R", ".applescript": "AppleScript", ".ipynb": "a notebook",
	}
	if words := known[strings.ToLower(path.Ext(f.Path))]; words != "" {
		return words
	}
	return "a program, or of no kind that is known here"
}

// pythonScript judges one of them.
func (c *collector) pythonScript(f spec.File, told *ScriptFacts) {
	sub := &collector{Subject: &Subject{Release: c.Release}, tool: scriptTool(c.tool), main: f.Path, source: f.Data}
	if told != nil {
		sub.Facts, sub.FactsErr = told.Facts, told.Err
	}
	checkBytes(sub)
	if sub.readable() {
		checkIdentifiers(sub)
		checkThreats(sub)
		checkBlockPackages(sub)
		if c.tool.Skill != nil {
			checkDeclared(sub, c.tool)
		}
	}
	// A script works when it is started, which is what importing one does.
	sub.found = slices.DeleteFunc(sub.found, func(f spec.Finding) bool { return f.ID == importReach.ID })
	c.found = append(c.found, sub.found...)
	c.unchecked = append(c.unchecked, sub.unchecked...)
}

// scriptTool stands for the skill where rules ask what a manifest declares: native
// and generated code cannot be declared by a skill, so they are found in any.
func scriptTool(t *spec.Tool) *spec.Tool {
	one := *t
	one.Needs = nil
	return &one
}

// checkDeclared holds what a script can do against what the skill says of itself
// [SK-35]. Reading and writing within the work of its user is what skills are for.
func checkDeclared(c *collector, t *spec.Tool) {
	in := Infer(c.Facts, blockPackages(c.source))
	use, network := in.Uses[CapabilityNetwork]
	switch {
	case !network:
	case t.Skill.ManifestVersion == "":
		c.add(undeclaredScript, c.inMain(use.Place), "%s uses the network, and the skill declares nothing", shows(use))
	case !t.Skill.Execution.Network:
		c.addAs(undeclaredScript, bad, c.inMain(use.Place), "write execution: {network: true}, or remove what names it", "%s uses the network, and the skill says that it does not", shows(use))
	}
	if network && in.Has(CapabilityProcess) {
		c.add(undeclaredScript, c.inMain(use.Place), "the script uses the network and starts other programs")
	}
}

// checkBlockPackages holds the packages of a script block to the known names:
// runners such as uv install them without a word.
func checkBlockPackages(c *collector) {
	for _, name := range blockPackages(c.source) {
		if name = normalName(requirementName(name)); knownPackage(name) {
			continue
		}
		if near, how := nearPackage(name); near != "" {
			c.add(lookalike, at{file: c.main}, "the script block asks for the package %s, which is not known, but %q is: %s", spec.Quote(name), near, how)
			continue
		}
		c.add(unknownPackage, at{file: c.main}, "the script block asks for the package %s, which is none of the known ones", spec.Quote(name))
	}
}

// blockPackages are the dependencies that a script block states.
func blockPackages(source []byte) []string {
	block, found, err := ReadScript(source)
	if !found || err != nil {
		return nil
	}
	return block.Dependencies
}
