package quarantine

import (
	"context"
	_ "embed" // the Python program
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

//go:embed python_tree.py
var pythonTree string

//go:embed python_patterns.py
var pythonPatterns string

//go:embed python_scope.py
var pythonScope string

//go:embed python_bindings.py
var pythonBindings string

//go:embed python_decode.py
var pythonDecode string

//go:embed python_meanings.py
var pythonMeanings string

//go:embed python_fold.py
var pythonFold string

//go:embed python_tables.py
var pythonTables string

//go:embed python_flow.py
var pythonFlow string

//go:embed python_texts.py
var pythonTexts string

//go:embed python_harm.py
var pythonHarm string

//go:embed python_threats.py
var pythonThreats string

//go:embed python_reach.py
var pythonReach string

//go:embed python_purity.py
var pythonPurity string

//go:embed python_names.py
var pythonNames string

//go:embed python_references.py
var pythonReferences string

//go:embed python_facts.py
var pythonFacts string

// ProgramSource returns the Python program that prints [Facts] about a file:
//
//	python3 -I -S -B program.py FILE      (standard input without FILE)
//
// It needs Python 3.8 or later and nothing but the standard library, reads one
// file, writes one line to standard output and executes nothing of what it
// reads. CPython's parser is C that takes hostile input, so run it only in a
// sandbox with limits on time and memory, and with the minor version that will
// run the tool, because versions disagree about syntax.
func ProgramSource() []byte {
	return []byte(strings.Join([]string{pythonTree, pythonPatterns, pythonScope, pythonPurity, pythonBindings, pythonDecode, pythonMeanings, pythonFold, pythonNames, pythonReferences, pythonTables, pythonFlow, pythonTexts, pythonHarm, pythonThreats, pythonReach, pythonFacts}, "\n\n"))
}

// Feed returns the program as a script for python3 -I -S -B -c and what it
// reads: itself and then the source. It is longer than one argument may be.
func Feed(source []byte) (script string, input []byte) {
	program := ProgramSource()
	script = "import sys; exec(compile(sys.stdin.buffer.read(" + strconv.Itoa(len(program)) + "), 'program.py', 'exec'))"
	return script, append(program, source...)
}

// Parser asks CPython about a source.
type Parser interface {
	// Facts runs the program of [ProgramSource] over source and returns what
	// [ParseFacts] reads from its output. A source that does not parse is a
	// fact, not an error; an error means that nobody could tell: no
	// interpreter, no sandbox, a limit hit, output that is no facts.
	Facts(ctx context.Context, source []byte) (Facts, error)
}

// Inspect asks p about the main file of a release, for [Subject]. It returns
// nil without an error when the format is not Python, and does not ask about a
// file that is too large to be accepted anyway.
func Inspect(ctx context.Context, p Parser, r *spec.Release) (*Facts, error) {
	source := r.Main()
	switch {
	case r.Tool.Format != spec.FormatPatch:
		return nil, nil
	case source == nil:
		return nil, fault.New(fault.Unavailable, "facts", "the release has no %s to parse", r.Tool.Format.MainFile())
	case len(source) > limits.ToolFile:
		return nil, fault.New(fault.Unavailable, "facts", "the source has %d bytes, the parser takes %d", len(source), limits.ToolFile)
	}
	facts, err := p.Facts(ctx, source)
	if err != nil {
		return nil, err
	}
	return &facts, nil
}
