package consume

import (
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
	return c.operateOn(s, op)
}

// operateOn is operate for an operation that its tool need not list.
func (c *Client) operateOn(s *Subject, op *spec.Operation) error {
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
	v.Inputs = manifest.OperationInputs(op)
	v.Output = spec.Output{Type: manifest.OperationResult(op)}
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
