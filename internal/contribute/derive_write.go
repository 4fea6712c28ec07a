package contribute

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
)

// deriving is a tool under construction.
type deriving struct {
	sig   *signature
	doc   docstring
	tool  spec.Tool
	out   *Derived
	asked []question
}

// question stands in the manifest below the first line that begins so.
type question struct{ below, text string }

// ask marks what could not be derived. below begins a line of the manifest.
func (d *deriving) ask(below, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	d.asked = append(d.asked, question{below, text})
	d.out.Questions = append(d.out.Questions, text)
}

func (d *deriving) tell(format string, args ...any) {
	d.out.Told = append(d.out.Told, fmt.Sprintf(format, args...))
}

// describe takes the description that was given, else that of the docstrings.
func (d *deriving) describe(given string) {
	d.doc = parseDocstring(d.sig.Doc)
	d.tool.Description = given
	if given == "" {
		d.tool.Description = d.doc.summary
	}
	if d.tool.Description == "" && d.sig.ModuleDoc != "" {
		d.tool.Description = parseDocstring(d.sig.ModuleDoc).summary
		d.tell("the description is that of the file; %s has no docstring", d.sig.Function)
	}
	if d.tool.Description == "" {
		d.ask("# description:", "what does the tool do? One sentence: what goes in and what comes out")
	}
}

// inputs makes one of each parameter.
func (d *deriving) inputs() {
	for _, p := range d.sig.Params {
		if p.Kind == "var_positional" || p.Kind == "var_keyword" {
			d.tell("what %s collects is left out; no input can be that", spec.Quote(p.Name))
			continue
		}
		in := spec.Input{Name: p.Name, Required: !p.HasDefault, Description: d.doc.params[p.Name]}
		below := "#   - name: " + p.Name
		if p.Schema == nil || p.Schema.Type == spec.TypeNull {
			what := "it has no annotation"
			if p.Annotation != "" {
				what = "its annotation is " + spec.Quote(p.Annotation)
			}
			d.ask(below, "of what type is %s? string, number, integer, boolean, array or object; %s", p.Name, what)
		} else {
			in.Type = p.Schema.Type
			if p.Schema.Items != nil {
				in.Items = oneLineJSON(p.Schema.Items)
			}
			if p.Annotation == "" {
				d.tell("%s is of type %s, as its default is", p.Name, in.Type)
			}
		}
		switch {
		case p.HasDefault && p.Default == "":
			in.Required = true
			d.ask(below, "what is the default of %s? In the source it is %s; with one, write required: false and default:", p.Name, spec.Quote(p.DefaultText))
		case p.HasDefault:
			in.Default = json.RawMessage(p.Default)
		}
		if in.Description == "" {
			d.ask(below, "what is %s? One sentence, as description:", p.Name)
		}
		d.tool.Inputs = append(d.tool.Inputs, in)
	}
}

// output is what the function returns.
func (d *deriving) output() {
	d.tool.Output.Description = d.doc.returns
	r := d.sig.Returns
	if r == nil {
		what := "the function does not say"
		if d.sig.ReturnText != "" {
			what = "its annotation is " + spec.Quote(d.sig.ReturnText)
		}
		d.ask("# outputs:", "of what type is the result? string, number, integer, boolean, array, object or null; %s", what)
		return
	}
	d.tool.Output.Type = r.Type
	if r.Items != nil {
		d.tool.Output.Items = oneLineJSON(r.Items)
	}
}

func oneLineJSON(v any) json.RawMessage { return bytes.TrimSpace(ledger.Encode(v)) }

// packages takes those of the script block. Only an exact version says what
// will run; which one is for the author to say.
func (d *deriving) packages(s quarantine.Script, found bool) {
	if !found {
		return
	}
	pin := regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?==[A-Za-z0-9][A-Za-z0-9.!+_-]*$`)
	for _, p := range s.Dependencies {
		if plain := strings.ReplaceAll(p, " ", ""); pin.MatchString(plain) {
			d.tool.Runtime.Packages = append(d.tool.Runtime.Packages, plain)
			continue
		}
		d.ask("# runtime:", "which version of %s? Pin it here and in the script block, as in name==1.2.3", spec.Quote(p))
	}
	d.tell("packages and Python %s are those of the script block", d.tool.Runtime.PythonVersion)
}

// needs reads from the imports and calls what the tool will have to be allowed.
func (d *deriving) needs(f *quarantine.Facts) {
	in := quarantine.Infer(f, d.tool.Runtime.Packages)
	named := func(c quarantine.Capability) string { return spec.Quote(in.Uses[c].Name) }
	if in.Has(quarantine.CapabilityNetwork) {
		d.tool.Capabilities.Network = true
		d.tell("it asks for the network, because it names %s", named(quarantine.CapabilityNetwork))
	}
	switch {
	case in.Has(quarantine.CapabilityWrite):
		d.tool.Capabilities.Filesystem = spec.FilesystemReadWrite
	case in.Has(quarantine.CapabilityRead) && d.tool.Capabilities.Filesystem == spec.FilesystemNone:
		d.tool.Capabilities.Filesystem = spec.FilesystemReadOnly
	}
	for _, need := range spec.Needs() {
		if in.Has(quarantine.Capability(need)) {
			d.tool.Needs = append(d.tool.Needs, need)
			d.tell("it says %s in x-needs, because it names %s", need, named(quarantine.Capability(need)))
		}
	}
	for _, p := range quarantine.Lacking(f, d.tool.Runtime.Packages) {
		if !slices.ContainsFunc(d.out.Questions, func(q string) bool { return strings.Contains(q, `"`+p) }) {
			d.ask("# runtime:", "which package, in which version, brings the module %s? As in packages: [\"%s==1.2.3\"]", spec.Quote(p), p)
		}
	}
	if d.tool.Capabilities.Filesystem != spec.FilesystemNone {
		d.tell("it asks for files (%s), because of what it calls; say none where it needs none of the user's", d.tool.Capabilities.Filesystem)
	}
	if d.sig.Decorated {
		d.tell("%s has a decorator, which may change how it is called", d.sig.Function)
	}
}

// write is the manifest with its questions, the source without what only ran it
// as a script, and a main that calls the function.
func (d *deriving) write(source []byte) []byte {
	var b bytes.Buffer
	for line := range strings.Lines(string(invite(manifest.Print(&d.tool), &d.tool))) {
		b.WriteString(line)
		for _, q := range d.asked {
			if text := unquoted(strings.TrimSuffix(line, "\n")); text == q.below || q.below == "# description:" && strings.HasPrefix(text, q.below) {
				indent := "  "
				if q.below == "# description:" {
					indent = ""
				} else if strings.HasPrefix(q.below, "#   -") {
					indent = "    "
				}
				b.WriteString("# " + indent + "# QUESTION: " + q.text + "\n")
			}
		}
	}
	b.WriteString("\n" + d.body(source))
	return b.Bytes()
}

// unquoted is a line of the manifest with the name of an input as it is: YAML
// needs quotes for one like no or on.
func unquoted(line string) string {
	const key = "#   - name: "
	if name, ok := strings.CutPrefix(line, key); ok {
		return key + strings.Trim(name, `"`)
	}
	return line
}

// body is the source, and below it how it is called as a tool.
func (d *deriving) body(source []byte) string {
	var kept []string
	for i, line := range strings.Split(strings.TrimSuffix(string(source), "\n"), "\n") {
		guarded := slices.ContainsFunc(d.sig.Guards, func(g [2]int) bool { return g[0] <= i+1 && i+1 <= g[1] })
		if !guarded && (i > 0 || !strings.HasPrefix(line, "#!")) {
			kept = append(kept, line)
		}
	}
	if len(d.sig.Guards) > 0 {
		d.tell("what ran under __name__ == \"__main__\" is left out")
	}
	text := strings.TrimRight(strings.Join(kept, "\n"), "\n") + "\n"
	if d.sig.Function != "main" {
		text += d.main()
	}
	return text + scriptGuard
}

// main calls the function with what the inputs are.
func (d *deriving) main() string {
	var params, args []string
	for _, p := range d.sig.Params {
		if p.Kind == "var_positional" || p.Kind == "var_keyword" {
			continue
		}
		param := p.Name
		if p.HasDefault && p.Default != "" {
			param += "=" + p.DefaultText
		} else if slices.ContainsFunc(params, func(s string) bool { return strings.Contains(s, "=") }) && !slices.Contains(params, "*") {
			params = append(params, "*") // no plain parameter may follow one with a default
		}
		params = append(params, param)
		if p.Kind == "positional_only" || p.Kind == "plain" {
			args = append(args, p.Name)
		} else {
			args = append(args, p.Name+"="+p.Name)
		}
	}
	call := d.sig.Function + "(" + strings.Join(args, ", ") + ")"
	head := "\n\n"
	if d.sig.Async {
		call, head = "asyncio.run("+call+")", "\n\nimport asyncio\n\n\n"
	}
	return head + "def main(" + strings.Join(params, ", ") + "):\n    return " + call + "\n"
}

const scriptGuard = `

if __name__ == "__main__":
    import json
    import sys

    print(json.dumps(main(**json.loads(sys.stdin.read()))))
`
