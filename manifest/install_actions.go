package manifest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/spec"
)

// readTime is how long one match of a pattern may take while a file is read.
const readTime = 20 * time.Millisecond

// What a check spends on patterns counts as slowSchemas schemas for each slowPatterns.
const (
	slowPatterns = time.Millisecond
	slowSchemas  = 15
)

// actions looks at each action: its name, its schemas, its templates, its examples.
func (in *installReader) actions() {
	seen := map[string]bool{}
	for i, n := range in.root.get("actions").list() {
		op := &in.tool.Operations[i]
		if seen[op.Name] {
			in.addCode(installTwice, "duplicate-action", n.get("name").at, "two actions have the name %s", op.Name)
		}
		seen[op.Name] = true
		where := fmt.Sprintf("/actions/%d", i)
		in.schemaOf(n.get("input"), where+"/input", "input")
		in.schemaOf(n.get("output").child("schema"), where+"/output/schema", "output")
		if v := n.get("input"); v != nil && in.usable(v) {
			if in.closes(op, v) {
				in.add(installClosed, v.at, "the input of action %s takes no members but those that its schema names", op.Name)
			}
		}
		in.templates(op, n)
		in.examplesOf(op, n)
	}
}

// schemaOf looks at a schema that the manifest carries.
func (in *installReader) schemaOf(n *node, where, which string) {
	if n == nil {
		return
	}
	count, good := lintSchema(n, where, &in.patterns, func(code string, at pos, where, message string) {
		if which == "output" {
			code = "output" + strings.TrimPrefix(code, "input")
		}
		in.addCode(installSchema, code, at, "%s: %s", shownPointer(where), message)
	})
	if in.sizes == nil {
		in.sizes = map[*node]int{}
	}
	if in.sizes[n] = count; !good {
		in.sizes[n] = unusable
	}
}

const unusable = -1

// usable tells whether a schema passed.
func (in *installReader) usable(n *node) bool { return in.sizes[n] != unusable }

// held is a schema of an action, made when something is to be held against it.
type held struct {
	in     *installReader
	node   *node // nil: the action takes nothing
	schema *OperationSchema
	quick  *quick
	tried  bool
}

func (in *installReader) hold(n *node, s *OperationSchema) *held {
	return &held{in: in, node: n, schema: s}
}

// problem holds a value against the schema: "" where it fits. told is false where
// the schema is unusable, which was reported, or too much for a reading.
func (h *held) problem(value *node, at pos, what string) (problem string, told bool) {
	in := h.in
	cost := 1
	if h.node != nil {
		if !in.usable(h.node) {
			return "", false
		}
		cost += in.sizes[h.node]
	}
	switch {
	case h.tried:
	case h.node == nil:
		h.quick = &quick{types: []string{"object"}, other: &quick{never: true}, count: bounds{0, -1}}
	default:
		h.tried = true
		if h.quick = quickly(h.node, &in.patterns); h.quick != nil && h.schema.Closed {
			h.quick.other = &quick{never: true}
		}
	}
	if h.quick != nil && h.quick.fits(value, &in.steps) {
		return "", true
	}
	if h.schema.compiled != nil {
		cost = 0
	}
	if h.quick != nil && in.steps < 0 {
		in.left = 0 // the library would take longer
	}
	if in.left -= cost; in.left < 0 {
		in.add(installUntold, at, "%s was not held against its schema: the schemas of this file cost too much together", what)
		return "", false
	}
	if err := h.schema.Err(); err != nil {
		in.addCode(installSchema, codeSchemaInvalid, at, "the schema for %s cannot be used: %s", what, err)
		return "", false
	}
	h.schema.patterns.reading = true
	problems := h.schema.Check(value.json())
	in.left -= int(h.schema.patterns.matching / slowPatterns * slowSchemas)
	switch {
	case len(problems) == 0:
		return "", true
	case h.schema.patterns.spent.Load() || h.schema.patterns.steps > readSteps:
		in.left, in.steps = -1, 0 // not even what is compiled by now
		in.add(installUntold, at, "%s was not held against its schema: that takes too long", what)
		return "", false
	}
	return problems[0].String(), true
}

func (in *installReader) examplesOf(op *spec.Operation, n *node) {
	input, output := in.hold(n.get("input"), OperationInput(op)), (*held)(nil)
	if s := OperationOutput(op); s != nil {
		output = in.hold(n.get("output").get("schema"), s)
	}
	for k, e := range n.get("examples").list() {
		what := fmt.Sprintf("example %d of action %s", k+1, op.Name)
		check := func(h *held, value *node, side string) {
			if problem, told := h.problem(value, value.at, what); told && problem != "" {
				in.add(installExample, value.at, "the %s of %s does not fit: %s", side, what, problem)
			}
		}
		if v := e.get("input"); v != nil {
			check(input, v, "input")
		}
		if v := e.get("output"); v != nil && output != nil {
			values := []*node{v}
			if op.Output.Format == spec.OutputNDJSON && v.kind == kindArray {
				values = v.items // the records [TI-P27]
			}
			for _, v := range values {
				check(output, v, "output")
			}
		}
	}
}

// templates looks at the tokens of an action by the table of C-25.
func (in *installReader) templates(op *spec.Operation, n *node) {
	i := n.get("invocation")
	for _, item := range i.get("argv_template").list() {
		in.template(op, n, item, "secret-in-argv", "the arguments of a program, which other programs can read")
	}
	if v := i.get("path"); v != nil {
		in.template(op, n, v, "secret-in-path", "an address, which logs keep")
	}
	if v := i.get("headers"); v != nil {
		for _, m := range v.members {
			in.template(op, n, m.value, "", "")
		}
	}
}

// template looks at the tokens of one text; with a code no secret may stand in it.
func (in *installReader) template(op *spec.Operation, action, n *node, secret, place string) {
	say := func(code, format string, args ...any) { in.addCode(installTemplate, code, n.at, format, args...) }
	found := tokens(n.text)
	if len(found) > maxTokens {
		say("template-too-long", "a text of action %s has more than %d tokens", op.Name, maxTokens)
		return
	}
	for _, t := range found {
		switch {
		case !t.good || t.source == "":
			say("template-token-unknown", "token %s of action %s is unknown", spec.Quote(t.text), op.Name)
		case t.source == "env":
			e := in.variable(t.path[0])
			switch {
			case e == nil:
				say("template-env-undeclared", "token %s of action %s names a variable that env does not declare", spec.Quote(t.text), op.Name)
			case e.Secret && secret != "":
				in.addCode(installSecret, secret, n.at, "action %s puts the secret %s into %s", op.Name, e.Name, place)
			}
		case action.get("input") == nil:
			say("template-input-undeclared", "token %s of action %s names an input, and the action takes none", spec.Quote(t.text), op.Name)
		case !in.declares(op, action.get("input"), t.path):
			say("template-input-undeclared", "token %s of action %s names an input that its schema does not have", spec.Quote(t.text), op.Name)
		}
	}
}

func (in *installReader) variable(name string) *spec.EnvVar {
	env := in.tool.Deployment.Env
	if i := slices.IndexFunc(env, func(e spec.EnvVar) bool { return e.Name == name }); i >= 0 {
		return &env[i]
	}
	return nil
}

// closes tells whether the input of an action is closed at its root. It is asked for
// every token of a template, and read once.
func (in *installReader) closes(op *spec.Operation, schema *node) bool {
	closed, known := in.closed[schema]
	if !known {
		_, closed = closeRoot(op.Input)
		if in.closed == nil {
			in.closed = map[*node]bool{}
		}
		in.closed[schema] = closed
	}
	return closed
}

// declares tells whether a schema may have a value at the path. Only what certainly
// has none is refused: a closed root without that property.
func (in *installReader) declares(op *spec.Operation, schema *node, path []string) bool {
	if !in.closes(op, schema) {
		open := schema.get("additionalProperties")
		for _, m := range schema.members {
			if openers[m.name] && m.name != "additionalProperties" {
				return true
			}
		}
		if open == nil || open.kind != kindBoolean || open.text == "true" {
			return true
		}
	}
	return schema.get("properties").child(path[0]) != nil
}

// plain warns of tokens where nothing is filled in.
func (in *installReader) plain(n *node, where string) {
	if n == nil {
		return
	}
	if n.kind == kindString && len(tokens(n.text)) > 0 {
		in.addCode(installOddTemplate, "template-not-here", n.at, "token %s stands in %s, where nothing is filled in", spec.Quote(tokens(n.text)[0].text), where)
	}
	for _, item := range n.items {
		in.plain(item, where)
	}
	for _, m := range n.members {
		in.plain(m.value, where)
	}
}
