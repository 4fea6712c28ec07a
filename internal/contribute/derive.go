package contribute

import (
	"bytes"
	"context"
	_ "embed" // the Python program
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
)

//go:embed signature.py
var signatureProgram string

// Derived is a tool that was made of a Python file.
type Derived struct {
	Source    []byte   `json:"-"`
	Function  string   `json:"function"`
	Told      []string `json:"told"`      // what was derived from other things than the signature
	Questions []string `json:"questions"` // what a person has to answer; they stand in the source, too
}

// signature is what the program of signature.py prints.
type signature struct {
	Schema     int         `json:"schema"`
	Error      string      `json:"error"`
	Line       int         `json:"line"`
	Functions  []string    `json:"functions"`
	Function   string      `json:"function"`
	Found      bool        `json:"found"`
	Async      bool        `json:"async"`
	Decorated  bool        `json:"decorated"`
	Doc        string      `json:"doc"`
	ModuleDoc  string      `json:"module_doc"`
	Params     []parameter `json:"params"`
	Returns    *schema     `json:"returns"`
	ReturnText string      `json:"returns_text"`
	Files      string      `json:"files"`
	Unions     bool        `json:"unions"`
	Names      []string    `json:"names"`
	Guards     [][2]int    `json:"guards"` // lines, both inclusive
}

type parameter struct {
	Name        string  `json:"name"`
	Kind        string  `json:"kind"` // positional_only, plain, keyword_only, var_positional, var_keyword
	Schema      *schema `json:"schema"`
	Annotation  string  `json:"annotation"`
	HasDefault  bool    `json:"has_default"`
	Default     string  `json:"default"`      // JSON; "" where it is no plain value
	DefaultText string  `json:"default_text"` // Python
}

// schema is a type as an annotation tells it.
type schema struct {
	Type  spec.Type `json:"type"`
	Items *schema   `json:"items,omitempty"`
}

// derivePythons are the minor versions that a source is tried with, first to
// last: the lowest that parses it is what the tool declares.
var derivePythons = []string{templatePython, "3.10", "3.11", "3.12", "3.13", "3.14"}

// Derive makes a tool of a Python function, which is parsed in the sandbox and
// never executed, and of the script block (PEP 723) beside it. from is a file,
// or file:function; without a function it is main or the only public one. What
// the source does not tell becomes a question, in the manifest and in Derived.
func (w *Workshop) Derive(ctx context.Context, name spec.Name, description, from string) (*Derived, error) {
	path, function := splitFunction(from)
	source, err := durable.ReadFile(path, limits.ToolFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "no_file", "there is no file %s", spec.Quote(path))
	case err != nil:
		return nil, err
	case frontmatter().Match(source):
		return nil, fault.New(fault.Usage, "exists", "%s has a manifest already", spec.Quote(path)).Hint("patch-git check %s", path)
	}
	script, hasScript, err := quarantine.ReadScript(source)
	if err != nil {
		return nil, err
	}
	minor, sig, err := w.signatureOf(ctx, source, function, script)
	if err != nil {
		return nil, err
	}
	if err := sig.usable(path, function); err != nil {
		return nil, err
	}
	dv := &deriving{out: &Derived{Function: sig.Function, Told: []string{}, Questions: []string{}}, sig: sig}
	dv.tool = spec.Tool{
		Format: spec.FormatPatch, Name: name, Version: "0.1.0",
		Capabilities: spec.Capabilities{Filesystem: spec.Filesystem(sig.Files)},
		Runtime:      spec.Runtime{Language: "python", PythonVersion: minor, Packages: []string{}},
	}
	dv.describe(description)
	dv.inputs()
	dv.output()
	dv.packages(script, hasScript)
	// Whichever Python reads the imports: nothing runs in it.
	facts, err := (parser{w, minor, false}).Facts(ctx, source)
	if err != nil {
		return nil, err
	}
	dv.needs(&facts)
	dv.out.Source = dv.write(source)
	return dv.out, nil
}

// frontmatter is the line that opens a manifest.
func frontmatter() *regexp.Regexp { return regexp.MustCompile(`(?m)^# ---\s*$`) }

// splitFunction separates file:function. A drive letter is no file.
func splitFunction(from string) (path, function string) {
	i := strings.LastIndexByte(from, ':')
	if i < 2 || !isWord(from[i+1:]) {
		return from, ""
	}
	return from[:i], from[i+1:]
}

// isWord is a name that an input can have, and that stands in code and comments
// as it is. Python has more, with other letters.
func isWord(s string) bool { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(s) }

// signatureOf asks the lowest CPython that parses the source and that the script
// block allows.
func (w *Workshop) signatureOf(ctx context.Context, source []byte, function string, script quarantine.Script) (string, *signature, error) {
	var last error
	for _, minor := range derivePythons {
		if ok, err := script.Allows(minor); err != nil {
			return "", nil, fault.New(fault.Findings, "script_block", "requires-python is not readable: %w", err)
		} else if !ok {
			continue
		}
		sig, err := w.readSignature(ctx, source, function, minor)
		switch {
		case err != nil && fault.ReasonOf(err) != "no_python":
			return "", nil, err
		case err == nil && sig.Error == "" && (!sig.Unions || minor != "3.9"):
			return minor, sig, nil
		case err == nil && sig.Error != "":
			err = fault.New(fault.Findings, "python", "line %d does not parse: %s", sig.Line, spec.Quote(sig.Error))
		}
		if err != nil && (last == nil || fault.KindOf(err) == fault.Findings) {
			last = err // the newest Python's word about the source, before that one is missing
		}
	}
	if last == nil {
		last = fault.New(fault.Findings, "script_block", "requires-python is %s, which no version that tools can declare satisfies", spec.Quote(script.RequiresPython))
	}
	return "", nil, last
}

func (w *Workshop) readSignature(ctx context.Context, source []byte, function, minor string) (*signature, error) {
	pythons, box, err := w.pythons(ctx)
	if err != nil {
		return nil, err
	}
	in, err := pythons.Find(ctx, minor, false)
	if err != nil {
		return nil, err
	}
	out, err := box.Run(ctx, in.Script(signatureProgram, slices.Concat([]byte(function+"\n"), source), parseLimits))
	if err != nil {
		return nil, err
	}
	if out.Exit != 0 || out.StdoutCut {
		return nil, fault.New(fault.Unavailable, "facts", "the parser ended with exit code %d %s", out.Exit, out.Signal)
	}
	return parseSignature(out.Stdout, bytes.Count(source, []byte("\n"))+1)
}

// parseSignature reads the program's answer, which parsed hostile text in a
// process of its own: nothing of it is believed that the rest relies on.
func parseSignature(data []byte, lines int) (*signature, error) {
	no := func(format string, args ...any) (*signature, error) {
		return nil, fault.New(fault.Unavailable, "facts", "the parser's answer: "+format, args...)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var s signature
	if err := d.Decode(&s); err != nil {
		return no("%w", err)
	}
	if s.Schema != 1 || !slices.Contains([]string{"", "none", "read-only", "read-write"}, s.Files) {
		return no("it is of another kind")
	}
	if s.Error != "" {
		return &s, nil
	}
	last := 0
	for _, g := range s.Guards {
		if g[0] <= last || g[1] < g[0] || g[1] > lines {
			return no("lines %d to %d are none of the file", g[0], g[1])
		}
		last = g[1]
	}
	for _, p := range s.Params {
		if p.Default != "" && !json.Valid([]byte(p.Default)) {
			return no("the default of %s is no JSON", spec.Quote(p.Name))
		}
		if err := p.Schema.check(0); err != nil {
			return no("%w", err)
		}
	}
	if err := s.Returns.check(0); err != nil {
		return no("%w", err)
	}
	return &s, nil
}

func (t *schema) check(depth int) error {
	switch {
	case t == nil:
		return nil
	case depth > limits.ManifestDepth:
		return errors.New("a type is nested too deeply")
	}
	switch t.Type {
	case spec.TypeString, spec.TypeNumber, spec.TypeInteger, spec.TypeBoolean, spec.TypeArray, spec.TypeObject, spec.TypeNull:
		return t.Items.check(depth + 1)
	}
	return fmt.Errorf("there is no type %s", spec.Quote(string(t.Type)))
}

// usable tells why a function cannot be called as a tool is.
func (s *signature) usable(path, asked string) error {
	no := func(format string, args ...any) *fault.Error {
		return fault.New(fault.Findings, "function", format, args...)
	}
	if !s.Found {
		e := no("%s has no function %s at its top level", spec.Quote(path), spec.Quote(asked))
		if asked == "" {
			e = no("%s does not say which of its functions is the tool", spec.Quote(path))
		}
		for _, f := range s.Functions[:min(len(s.Functions), 5)] {
			e = e.Hint("--from %s:%s", path, f)
		}
		return e
	}
	if s.Function != "main" && slices.Contains(s.Names, "main") {
		return no("the file has a main of its own, and that is how a tool is called").Hint("rename it, or derive the tool from it")
	}
	if !isWord(s.Function) {
		return no("the function %s has letters that no tool's names have", spec.Quote(s.Function))
	}
	for _, p := range s.Params {
		switch {
		case !isWord(p.Name):
			return no("the parameter %s has letters that no input's name has", spec.Quote(p.Name)).Hint("rename the parameter")
		case s.Function == "main" && p.Kind != "plain" && p.Kind != "keyword_only":
			return no("main takes %s, which no input can be", spec.Quote(p.Name)).Hint("give the function another name, and it gets a main of its own")
		case p.Name == s.Function || p.Name == "json" || p.Name == "sys":
			return no("the parameter %s is called like something that main needs", spec.Quote(p.Name)).Hint("rename the parameter")
		}
	}
	if s.Function == "main" && s.Async {
		return no("main is a coroutine").Hint("give the function another name, and it gets a main of its own")
	}
	return nil
}
