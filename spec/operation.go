package spec

import "encoding/json"

// Operation is one thing that a tool can be asked to do. A Patch tool is one
// operation itself and lists none; an install manifest has one for each of its
// actions, an Arcade definition one.
type Operation struct {
	Name        string `json:"name"` // ^[a-z][a-z0-9_]{0,62}$ [TI-63]
	Summary     string `json:"summary"`
	Description string `json:"description,omitempty"`
	// Input is the JSON Schema of the arguments as it was written; nil takes none [TI-P26].
	Input         json.RawMessage    `json:"input,omitempty"`
	Output        *OperationOutput   `json:"output,omitempty"`
	Invocation    Invocation         `json:"invocation"`
	Effects       Effects            `json:"side_effects"`
	Idempotent    bool               `json:"idempotent"`
	ScopesUsed    []string           `json:"scopes_used,omitempty"`
	StandardError bool               `json:"standard_error,omitempty"` // {"error":{code,message,details?}} [TI-P31]
	Examples      []OperationExample `json:"examples,omitempty"`
}

// OperationOutput is what an operation answers.
type OperationOutput struct {
	Format OutputFormat    `json:"format"`
	Schema json.RawMessage `json:"schema,omitempty"` // of the answer, of each record of an ndjson-stream [TI-P27]
}

// OutputFormat is the form of an answer on the wire [TI-85].
type OutputFormat string

// The forms of an answer.
const (
	OutputJSON   OutputFormat = "json"
	OutputText   OutputFormat = "text"
	OutputBinary OutputFormat = "binary"
	OutputNDJSON OutputFormat = "ndjson-stream"
	OutputNone   OutputFormat = "none"
)

// Effects is what an operation changes [TI-87]. The zero value is none of them.
type Effects string

// From the mildest to the worst.
const (
	EffectsNone        Effects = "none"
	EffectsRead        Effects = "read"
	EffectsWrite       Effects = "write"
	EffectsDestructive Effects = "destructive" // should be confirmed by a person [TI-P28]
)

// OperationExample is one call as its author wrote it.
type OperationExample struct {
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"`
}

// InvocationKind is how an operation is called [TI-66].
type InvocationKind string

// The kinds of invocation; InvokeArcade is that of Arcade definitions.
const (
	InvokeSubcommand InvocationKind = "subcommand"
	InvokeStdinJSON  InvocationKind = "stdin-json"
	InvokeHTTP       InvocationKind = "http"
	InvokeMCPTool    InvocationKind = "mcp-tool"
	InvokeArcade     InvocationKind = "arcade"
)

// Invocation is how an operation is called; what belongs to other kinds is empty.
// Argv, Path and the values of Headers may hold tokens ${input.PATH} and
// ${env.NAME} [TI-P19].
type Invocation struct {
	Kind    InvocationKind `json:"kind"`
	Argv    []string       `json:"argv_template,omitempty"` // subcommand, stdin-json
	Method  string         `json:"method,omitempty"`        // http
	Path    string         `json:"path,omitempty"`          // http, appended to the endpoint
	Headers []Header       `json:"headers,omitempty"`       // http, in the order of the file
	Tool    string         `json:"tool_name,omitempty"`     // mcp-tool; of Arcade its fully qualified name
}

// Header is one header of an HTTP request.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
