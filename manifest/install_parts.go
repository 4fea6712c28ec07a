package manifest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// The nodes below are those of a document that fits the schema, so that a member
// which is there has its type.

// list returns the items; of no node none.
func (n *node) list() []*node {
	if n == nil {
		return nil
	}
	return n.items
}

// child is get that goes on from no node.
func (n *node) child(name string) *node {
	if n == nil {
		return nil
	}
	return n.get(name)
}

// word returns the text of a member, "" where there is none.
func (n *node) word(name string) string {
	if v := n.child(name); v != nil {
		return v.text
	}
	return ""
}

// words returns the texts of a member that is an array.
func (n *node) words(name string) []string {
	var out []string
	for _, item := range n.child(name).list() {
		out = append(out, item.text)
	}
	return out
}

// holds returns a member that is true or false.
func (n *node) holds(name string, unsaid bool) bool {
	if v := n.child(name); v != nil {
		return v.text == "true"
	}
	return unsaid
}

// whole returns an integer in one spelling, "" where there is none: 1.0 is 1 [C-31].
func (n *node) whole(name string) json.Number {
	v := n.child(name)
	if v == nil {
		return ""
	}
	if strings.Trim(v.text, "-0123456789") == "" {
		return json.Number(v.text)
	}
	return json.Number(integerText(v.text))
}

// raw returns a member as JSON, nil where there is none.
func (n *node) raw(name string) json.RawMessage {
	if v := n.child(name); v != nil {
		return v.json()
	}
	return nil
}

func (n *node) maybe(name string) *string {
	if v := n.child(name); v != nil {
		return &v.text
	}
	return nil
}

func (n *node) headers(name string) []spec.Header {
	v := n.child(name)
	if v == nil {
		return nil
	}
	var out []spec.Header
	for _, m := range v.members {
		out = append(out, spec.Header{Name: m.name, Value: m.value.text})
	}
	return out
}

func (in *installReader) deployment() *spec.Deployment {
	tool, runtime := in.root.get("tool"), in.root.get("runtime")
	install, author := runtime.get("install"), tool.get("author")
	d := &spec.Deployment{
		ID: tool.word("id"), Title: tool.word("name"), Text: tool.word("description"), Homepage: tool.word("homepage"),
		Author: spec.Author{Name: author.word("name"), Email: author.word("email"), URL: author.word("url")},
		Kind:   runtime.word("kind"),
		Install: spec.Artifact{
			Method: install.word("method"), Package: install.word("package"), VersionSpec: install.word("version_spec"),
			URL: install.word("url"), Ref: install.word("ref"), Subpath: install.word("subpath"),
			Image: install.word("image"), SHA256: install.word("sha256"),
		},
		Command: runtime.child("entrypoint").words("command"), Cwd: runtime.child("entrypoint").word("cwd"),
		EndpointURL: runtime.word("endpoint_url"),
	}
	for _, n := range in.root.get("env").list() {
		d.Env = append(d.Env, spec.EnvVar{
			Name: n.word("name"), Prompt: n.word("prompt"), Secret: n.holds("secret", true), Required: n.holds("required", true),
			Pattern: n.word("validation_regex"), Default: n.maybe("default"), ObtainURL: n.word("obtain_url"),
		})
	}
	for _, n := range in.root.get("scopes").list() {
		d.Scopes = append(d.Scopes, spec.Scope{
			Resource: n.word("resource"), Actions: n.words("actions"), Rationale: n.word("rationale"), Provider: n.word("provider_scope"),
		})
	}
	d.Smoke = smoke(in.root.get("smoke"))
	k := in.root.get("kill_switch")
	d.KillSwitch = spec.KillSwitch{Kind: k.word("kind"), URL: k.word("url"), Command: k.words("command"), Instructions: k.word("instructions_url")}
	if c := in.root.get("cost"); c != nil {
		d.Cost = &spec.Cost{
			InstallFee: c.whole("install_fee_cents"), MonthlyFee: c.whole("monthly_fee_cents"),
			UsageModel: c.word("usage_model"), EstimateURL: c.word("estimate_url"),
		}
	}
	s := in.root.get("support")
	d.Support = spec.Support{Issues: s.word("issues_url"), SecurityEmail: s.word("security_email"), Docs: s.word("docs_url")}
	return d
}

const smokeTime = 30 // seconds, unless said [TI-P33]

func smoke(n *node) spec.Smoke {
	s := spec.Smoke{
		Kind: n.word("kind"), Command: n.words("command"), Method: n.word("method"), URL: n.word("url"), Headers: n.headers("headers"),
		Body: n.word("body"), Tool: n.word("tool_name"), Action: n.word("action"), Arguments: n.raw("arguments"), Timeout: smokeTime,
	}
	if s.Kind == "http" && s.Method == "" {
		s.Method = "GET"
	}
	if seconds, err := strconv.Atoi(string(n.whole("timeout_seconds"))); err == nil {
		s.Timeout = seconds
	}
	ok := n.get("success")
	s.Success = spec.Success{
		ExitCode: ok.whole("exit_code"), HTTPStatus: ok.whole("http_status"),
		Stdout: ok.maybe("stdout_regex"), Body: ok.maybe("body_regex"), NoError: ok.holds("no_error_field", false),
	}
	if equals := ok.get("json_pointer_equals"); equals != nil {
		s.Success.Equals = map[string]json.RawMessage{}
		for _, m := range equals.members {
			s.Success.Equals[m.name] = m.value.json()
		}
	}
	return s
}

// operation reads one of the actions.
func operation(n *node) spec.Operation {
	i := n.get("invocation")
	op := spec.Operation{
		Name: n.word("name"), Summary: n.word("summary"), Description: n.word("description"),
		Input: n.raw("input"),
		Invocation: spec.Invocation{
			Kind: spec.InvocationKind(i.word("kind")), Argv: i.words("argv_template"),
			Method: i.word("method"), Path: i.word("path"), Headers: i.headers("headers"), Tool: i.word("tool_name"),
		},
		Effects: spec.Effects(n.word("side_effects")), Idempotent: n.holds("idempotent", false),
		ScopesUsed: n.words("scopes_used"), StandardError: n.word("error_envelope") == "standard",
	}
	if o := n.get("output"); o != nil {
		op.Output = &spec.OperationOutput{Format: spec.OutputFormat(o.word("format")), Schema: o.raw("schema")}
	}
	for _, e := range n.get("examples").list() {
		op.Examples = append(op.Examples, spec.OperationExample{Description: e.word("description"), Input: e.raw("input"), Output: e.raw("output")})
	}
	return op
}

// examples are requests that the tool serves, by the words of its actions' examples.
func examples(ops []spec.Operation) []string {
	var out []string
	for _, op := range ops {
		for _, e := range op.Examples {
			text := strings.Join(strings.Fields(e.Description), " ")
			if text != "" && utf8.RuneCountInString(text) <= limits.Example && len(out) < limits.Examples && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// capabilities are what the scopes, and the way in which the tool is called, amount
// to: the ceiling for a program that runs here.
func capabilities(t *spec.Tool) spec.Capabilities {
	d, c := t.Deployment, spec.Capabilities{Filesystem: spec.FilesystemNone}
	for _, s := range d.Scopes {
		family, _, _ := strings.Cut(s.Resource, ".")
		switch family {
		case "fs":
			for _, verb := range s.Actions {
				switch {
				case verb == "write" || verb == "delete" || verb == "admin":
					c.Filesystem = spec.FilesystemReadWrite
				case verb == "read" && c.Filesystem == spec.FilesystemNone:
					c.Filesystem = spec.FilesystemReadOnly
				}
			}
		case "local", "process":
		default:
			c.Network = true
		}
	}
	c.Network = c.Network || d.Kind == "mcp-http" ||
		slices.ContainsFunc(t.Operations, func(op spec.Operation) bool { return op.Invocation.Kind == spec.InvokeHTTP }) ||
		slices.ContainsFunc(d.Env, func(e spec.EnvVar) bool { return e.Secret })
	return c
}
