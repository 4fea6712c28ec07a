package manifest

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// smoke looks at how the installation is proved to work [TI-P32…36].
func (in *installReader) smoke() {
	n, d := in.root.get("smoke"), in.tool.Deployment
	switch d.Smoke.Kind {
	case "http":
		in.address("smoke", "url", d.Smoke.URL)
		in.plain(n.get("url"), "the url of the smoke") // [C-26]
		if v := n.get("headers"); v != nil {
			for _, m := range v.members {
				in.smokeTokens(m.value)
			}
		}
		if v := n.get("body"); v != nil {
			in.smokeTokens(v)
		}
	case "shell":
		in.plain(n.get("command"), "the command of the smoke")
	case "mcp-tool-call":
		in.plain(n.get("arguments"), "the arguments of the smoke")
		in.smokeTool(n)
	case "action-call":
		in.plain(n.get("arguments"), "the arguments of the smoke")
		i := slices.IndexFunc(in.tool.Operations, func(op spec.Operation) bool { return op.Name == d.Smoke.Action })
		if i < 0 {
			in.add(installSmokeAction, n.get("action").at, "there is no action %s", d.Smoke.Action)
			break
		}
		in.smokeEffects(i, n.get("action"))
		in.smokeArguments(i, n)
	}
	in.conditions(n.get("success"))
}

// smokeTokens looks at a text of an http smoke, whose tokens are ${NAME} as in
// version 0.1 [TI-P34, C-25].
func (in *installReader) smokeTokens(n *node) {
	for _, t := range tokens(n.text) {
		switch {
		case !t.good || t.source != "":
			in.addCode(installTemplate, "template-token-unknown", n.at, "token %s is unknown here, where ${NAME} stands for a variable", spec.Quote(t.text))
		case in.variable(t.path[0]) == nil:
			in.addCode(installTemplate, "template-env-undeclared", n.at, "token %s names a variable that env does not declare", spec.Quote(t.text))
		}
	}
}

// smokeTool looks at a smoke that calls a tool of an MCP server.
func (in *installReader) smokeTool(n *node) {
	d := in.tool.Deployment
	if !isMCP(d.Kind) {
		in.add(installMCP, n.get("tool_name").at, "the smoke calls a tool of an MCP server, and the runtime is of kind %s", d.Kind)
	}
	i := slices.IndexFunc(in.tool.Operations, func(op spec.Operation) bool {
		return op.Invocation.Kind == spec.InvokeMCPTool && op.Invocation.Tool == d.Smoke.Tool
	})
	if i < 0 {
		return // its server may have it without an action
	}
	in.smokeEffects(i, n.get("tool_name"))
	in.smokeArguments(i, n)
}

func (in *installReader) smokeEffects(i int, at *node) {
	op := in.tool.Operations[i]
	if op.Effects != spec.EffectsNone && op.Effects != spec.EffectsRead {
		in.add(installSmokeEffects, at.at, "the smoke calls %s, whose side_effects are %s", op.Name, op.Effects)
	}
}

func (in *installReader) smokeArguments(i int, n *node) {
	op, schema := &in.tool.Operations[i], in.root.get("actions").items[i].get("input")
	value := &node{kind: kindObject, at: n.at}
	if v := n.get("arguments"); v != nil {
		value = v
	}
	problem, told := in.hold(schema, OperationInput(op)).problem(value, value.at, "the arguments of the smoke")
	if told && problem != "" {
		in.add(installSmokeArguments, value.at, "the arguments do not fit the input of %s: %s", op.Name, problem)
	}
}

// useful are the conditions that a kind of smoke can tell about.
var useful = map[string][]string{
	"shell":         {"exit_code", "stdout_regex"},
	"http":          {"http_status", "body_regex", "json_pointer_equals", "no_error_field"},
	"mcp-tool-call": {"json_pointer_equals", "no_error_field", "body_regex"},
	"action-call":   {"exit_code", "http_status", "stdout_regex", "body_regex", "json_pointer_equals", "no_error_field"},
}

func (in *installReader) conditions(n *node) {
	kind := in.tool.Deployment.Smoke.Kind
	for _, m := range n.members {
		if !slices.Contains(useful[kind], m.name) {
			in.add(installCondition, m.at, "a smoke of kind %s has no %s", kind, m.name)
		}
		switch m.name {
		case "stdout_regex", "body_regex":
			in.regex(m.value, m.name)
		case "json_pointer_equals":
			for _, p := range m.value.members {
				if !isPointer(p.name) {
					in.add(installPointer, p.at, "%s is not a JSON Pointer", spec.Quote(p.name))
				}
				if p.value.kind == kindString {
					in.expectation(p.value)
				}
			}
		}
	}
	if len(n.members) == 0 && kind != "shell" { // the exit code of a shell counts unsaid
		in.add(installCondition, n.at, "the smoke has no condition, so that any answer passes")
	}
}

// expectation looks at an expected text: the specification's own example has a
// token in one, where it documents none.
func (in *installReader) expectation(n *node) {
	for _, t := range tokens(n.text) {
		if t.source == "" && t.good && in.variable(t.path[0]) != nil {
			in.addCode(installOddTemplate, "template-in-json-pointer", n.at, "token %s is filled in here, which the specification does not say", spec.Quote(t.text))
			continue
		}
		in.addCode(installOddTemplate, "template-not-here", n.at, "token %s stands for nothing here", spec.Quote(t.text))
	}
}

// isPointer tells whether s is a JSON Pointer of RFC 6901.
func isPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for i := range len(s) {
		if s[i] == '~' && !strings.HasPrefix(s[i+1:], "0") && !strings.HasPrefix(s[i+1:], "1") {
			return false
		}
	}
	return true
}
