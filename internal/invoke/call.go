package invoke

import (
	"encoding/json"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Call is what is to be said to a tool; what belongs to other kinds is empty.
type Call struct {
	Kind      spec.InvocationKind
	Argv      []string        // subcommand, stdin-json: the entrypoint and its arguments
	Stdin     []byte          // stdin-json: one JSON object and a line feed
	Request   *Request        // http
	Tool      string          // mcp-tool
	Arguments json.RawMessage // mcp-tool
}

// Make makes the call of an operation. input is one JSON object that was held against
// the schema of the operation, "{}" where it takes none; env has the values that were
// collected for the tool, secret ones too, and those alone.
//
// Errors are *fault.Error: of kind Findings where the manifest is wrong, Usage where a
// value of the arguments cannot be used, Denied where a secret would be seen.
func Make(op *spec.Operation, d *spec.Deployment, input json.RawMessage, env map[string]string) (*Call, error) {
	if d == nil {
		return nil, fault.New(fault.Findings, ReasonTemplate, "%s has no install manifest to be called by", op.Name)
	}
	v, err := NewValues(op, d, input, env)
	if err != nil {
		return nil, err
	}
	c := &Call{Kind: op.Invocation.Kind}
	switch c.Kind {
	case spec.InvokeSubcommand:
		c.Argv, err = v.argv(d.Command, op.Invocation.Argv)
	case spec.InvokeStdinJSON:
		c.Stdin = append(append(make([]byte, 0, len(input)+1), input...), '\n')
		c.Argv, err = v.argv(d.Command, op.Invocation.Argv)
	case spec.InvokeHTTP:
		c.Request, err = v.request(op, d.EndpointURL, input)
	case spec.InvokeMCPTool:
		if op.Invocation.Tool == "" || len(op.Invocation.Tool) > limits.CallToolName {
			err = fault.New(fault.Findings, ReasonTemplate, "%s names no MCP tool", op.Name)
		}
		c.Tool, c.Arguments = op.Invocation.Tool, input
	default:
		err = fault.New(fault.Findings, ReasonTemplate, "%s is invoked by %s, which is not known", op.Name, spec.Quote(string(c.Kind)))
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Check looks at every template of an operation without values: tokens that are
// known, secrets where they may be, an endpoint that is one. The error is of kind
// Findings, or Denied for a secret.
func Check(op *spec.Operation, d *spec.Deployment) error {
	v, err := NewValues(op, d, json.RawMessage("{}"), nil)
	if err != nil {
		return err
	}
	look := func(text string, mayBeSecret bool) error {
		t, err := Parse(text)
		if err != nil {
			return err
		}
		for _, token := range t.Tokens() {
			switch {
			case token.Source == Env && !v.known[token.Path[0]]:
				return fault.New(fault.Findings, ReasonToken, "token %s is of a value that the manifest does not ask for", token)
			case v.secret(token) && !mayBeSecret:
				return inArgv(token)
			}
		}
		return nil
	}
	for _, text := range op.Invocation.Argv {
		if err := look(text, false); err != nil {
			return err
		}
	}
	if err := look(op.Invocation.Path, false); err != nil {
		return err
	}
	for _, h := range op.Invocation.Headers {
		if err := look(h.Value, true); err != nil {
			return err
		}
	}
	if op.Invocation.Kind == spec.InvokeHTTP {
		_, err = Base(d.EndpointURL)
	}
	return err
}
