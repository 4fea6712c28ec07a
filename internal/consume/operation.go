package consume

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// operate makes of the subject of a whole release that of one of its operations.
func (c *Client) operate(s *Subject, name string) error {
	op, ok := s.Tool.Operation(name)
	if !ok {
		return noOperation(s.Tool, name)
	}
	program, err := c.programOf(s, op)
	if err != nil {
		return err
	}
	s.Operation, s.kind, s.program = op.Name, op.Invocation.Kind, program
	s.Tool = View(s.Tool, op)
	return nil
}

// programOf is what an operation runs as.
func (c *Client) programOf(s *Subject, op *spec.Operation) (program, error) {
	switch op.Invocation.Kind {
	case spec.InvokeSubcommand, spec.InvokeStdinJSON, spec.InvokeHTTP, spec.InvokeMCPTool:
		if s.Tool.Deployment == nil {
			break
		}
		return newAction(c, s, op), nil
	case spec.InvokeArcade:
		if s.Tool.Arcade == nil {
			break
		}
		return newEngine(s.Tool, op), nil
	}
	return nil, fault.New(fault.Findings, "invocation", "%s %s is invoked by %s, which this program cannot do", s.Tool.Name, op.Name, spec.Quote(string(op.Invocation.Kind)))
}

func noOperation(t *spec.Tool, name string) error {
	var names []string
	for _, op := range t.Operations {
		names = append(names, op.Name)
	}
	e := fault.New(fault.NotFound, "no_action", "%s has no action %s", t.Name, spec.Quote(name))
	if like := manifest.Nearest(name, names); like != "" {
		e = e.Hint("did you mean %s?", like)
	}
	return e.Hint("patch-git call %s lists its actions", t.Name)
}

// View is an operation seen as a tool of its own: its inputs, and no more of what the
// tool may do than the operation uses. Every step of the stack goes by it.
//
// What an operation uses are the scopes that it names, all declared ones where it
// names none [TI-P30]. A name that is not declared is no scope, and gives nothing.
func View(t *spec.Tool, op *spec.Operation) *spec.Tool {
	v := *t
	v.Operations = []spec.Operation{*op}
	v.Description = op.Summary
	v.Inputs = inputs(op)
	v.Output = spec.Output{Type: outputType(op)}
	v.Examples = nil
	v.Capabilities.HumanConfirm = op.Effects == spec.EffectsDestructive
	if t.Deployment != nil {
		d := *t.Deployment
		d.Scopes = used(t.Deployment.Scopes, op.ScopesUsed)
		v.Deployment = &d
		v.Capabilities.Network = op.Invocation.Kind == spec.InvokeHTTP || d.Kind == "mcp-http" || slices.ContainsFunc(d.Scopes, remote)
		v.Capabilities.Filesystem = files(d.Scopes)
	}
	return &v
}

// used are the scopes of an operation.
func used(all []spec.Scope, names []string) (list []spec.Scope) {
	if len(names) == 0 {
		return all
	}
	for _, s := range all {
		if slices.Contains(names, s.Resource) {
			list = append(list, s)
		}
	}
	return list
}

// remote tells whether a scope is about anything but this machine's files and
// processes: a vendor's resource is reached over the network.
func remote(s spec.Scope) bool {
	head, _, _ := strings.Cut(s.Resource, ".")
	return head != "fs" && head != "local" && head != "process"
}

// files is how much of the user's files the scopes ask for.
func files(list []spec.Scope) spec.Filesystem {
	most := spec.FilesystemNone
	for _, s := range list {
		if head, _, _ := strings.Cut(s.Resource, "."); head != "fs" {
			continue
		}
		for _, verb := range s.Actions {
			want := spec.FilesystemReadWrite
			if verb == "read" || verb == "execute" {
				want = spec.FilesystemReadOnly
			}
			if rank(want) > rank(most) {
				most = want
			}
		}
	}
	return most
}

// inputs are the members that the schema of an operation names, in the order of their
// names: what people and models are told of, flags are made of, and the steps of the
// stack look at one by one. The schema itself decides what fits.
func inputs(op *spec.Operation) []spec.Input {
	var root struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(op.Input, &root) != nil {
		return nil
	}
	var list []spec.Input
	for _, name := range slices.Sorted(maps.Keys(root.Properties)) {
		var p struct {
			Type        any             `json:"type"`
			Description string          `json:"description"`
			Default     json.RawMessage `json:"default"`
			TaintedOK   bool            `json:"x-tainted-ok"`
		}
		_ = json.Unmarshal(root.Properties[name], &p) // "true" is a schema too, and says nothing
		list = append(list, spec.Input{
			Name: name, Type: typeOf(p.Type), Description: p.Description, Default: p.Default, TaintedOK: p.TaintedOK,
			Required: slices.Contains(root.Required, name),
		})
	}
	return list
}

// typeOf is the one type that a schema names, null beside it or not; "" where it names
// none or several.
func typeOf(t any) spec.Type {
	if one, ok := t.(string); ok {
		return spec.Type(one)
	}
	list, _ := t.([]any)
	list = slices.DeleteFunc(slices.Clone(list), func(v any) bool { return v == "null" })
	if len(list) == 1 {
		one, _ := list[0].(string)
		return spec.Type(one)
	}
	return ""
}

// outputType is what the result of an operation is as JSON, see invoke.Answer.
func outputType(op *spec.Operation) spec.Type {
	if op.Output == nil {
		return spec.TypeString
	}
	switch op.Output.Format {
	case spec.OutputNDJSON:
		return spec.TypeArray
	case spec.OutputText:
		return spec.TypeString
	case spec.OutputBinary:
		return spec.TypeObject
	case spec.OutputNone:
		return spec.TypeNull
	}
	var schema struct {
		Type any `json:"type"`
	}
	_ = json.Unmarshal(op.Output.Schema, &schema)
	return typeOf(schema.Type)
}
