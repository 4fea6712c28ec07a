package mcpclient

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// ReasonProtocol refuses a server that does not keep to the protocol.
const ReasonProtocol = "mcp_protocol"

// Call is one tools/call.
type Call struct {
	Tool      string
	Arguments json.RawMessage // an object
	Version   string          // of this program
}

// Reply is what a tool answered.
type Reply struct {
	Failed     bool            // isError: the tool says that it failed
	Text       string          // of all text blocks, a line feed between two
	Structured json.RawMessage // structuredContent, nil where there is none
	Data       string          // base64 of the first picture, sound or blob; ""
	Result     json.RawMessage // all of it
}

// revisions are those with the older handshake, the newest first; a server answers
// with one that it knows.
var revisions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// dialogue is one call as messages. It is pure: what is heard goes in, what is to be
// said comes out.
type dialogue struct {
	call     Call
	waits    string // the id of what is waited for, as JSON spells it
	heard    int
	revision string // that the server chose, "" before it did
	reply    *Reply
}

// message is one of JSON-RPC. Members that are absent are nil.
type message struct{ version, id, method, params, result, err json.RawMessage }

const (
	idInitialize = "1"
	idCall       = "2"
)

// open is the first message.
func (d *dialogue) open() []byte {
	d.waits = idInitialize
	return line(map[string]any{
		"jsonrpc": "2.0", "id": json.RawMessage(idInitialize), "method": "initialize",
		"params": map[string]any{
			"protocolVersion": revisions[0], "capabilities": struct{}{},
			"clientInfo": map[string]string{"name": "patch-git", "version": d.call.Version},
		},
	})
}

// line is a message on a line of its own.
func line(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil // made of texts and of JSON that was read: it cannot be
	}
	return append(b, '\n')
}

// hear takes one message of the server and returns what is to be said to it. The call
// is over when d.reply is there, or with an error.
func (d *dialogue) hear(text []byte) (say [][]byte, err error) {
	if d.heard++; d.heard > limits.MCPMessages {
		return nil, broken("it sent more than %d messages", limits.MCPMessages)
	}
	m, err := parse(text)
	if err != nil {
		return nil, err
	}
	switch {
	case m.method != nil && m.id == nil:
		return nil, nil // a notification: nobody here wants to know
	case m.method != nil:
		return [][]byte{answered(m)}, nil
	case string(m.id) != d.waits:
		return nil, broken("it answered what was not asked")
	case m.err != nil:
		return nil, d.failed(m.err)
	case d.waits == idInitialize:
		return d.initialized(m.result)
	}
	d.reply, err = parseResult(m.result)
	return nil, err
}

// parse reads a message strictly: what two readers would read differently is none.
func parse(text []byte) (m message, err error) {
	members, err := manifest.Object(text, limits.CallBody)
	if err != nil {
		return m, broken("it sent what is no message: %v", err)
	}
	for _, field := range members {
		switch field.Name {
		case "jsonrpc":
			m.version = field.Value
		case "id":
			m.id = field.Value
		case "method":
			m.method = field.Value
		case "params":
			m.params = field.Value
		case "result":
			m.result = field.Value
		case "error":
			m.err = field.Value
		}
	}
	switch {
	case string(m.version) != `"2.0"`:
		return m, broken("it sent a message that is not JSON-RPC 2.0")
	case m.method != nil && m.method[0] != '"',
		m.method == nil && (m.id == nil || (m.result == nil) == (m.err == nil)),
		m.method != nil && (m.result != nil || m.err != nil),
		m.id != nil && !slices.Contains([]byte(`"-0123456789`), m.id[0]) && (m.err == nil || string(m.id) != "null"):
		return m, broken("it sent a message that is neither a request nor an answer")
	}
	return m, nil
}

// answered answers a request of the server: it may ask whether anybody is there, and
// nothing else, as our capabilities said.
func answered(m message) []byte {
	if string(m.method) == `"ping"` {
		return line(map[string]any{"jsonrpc": "2.0", "id": m.id, "result": struct{}{}})
	}
	return line(map[string]any{"jsonrpc": "2.0", "id": m.id, "error": map[string]any{"code": -32601, "message": "this client answers no such request"}})
}

// initialized reads what the server says of itself, and makes the call.
func (d *dialogue) initialized(result json.RawMessage) ([][]byte, error) {
	members, err := manifest.Object(result, limits.CallBody)
	if err != nil {
		return nil, broken("it began with what is no object")
	}
	for _, m := range members {
		if m.Name == "protocolVersion" {
			_ = json.Unmarshal(m.Value, &d.revision)
		}
	}
	if !slices.Contains(revisions, d.revision) {
		return nil, broken("it speaks the revision %s, which is not known", spec.Quote(short(d.revision)))
	}
	d.waits = idCall
	return [][]byte{
		line(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}),
		line(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(idCall), "method": "tools/call", "params": map[string]any{"name": d.call.Tool, "arguments": d.call.Arguments}}),
	}, nil
}

// failed is an error of the protocol: the server did not come to the tool.
func (d *dialogue) failed(doc json.RawMessage) error {
	var e struct {
		Code    json.Number `json:"code"`
		Message string      `json:"message"`
	}
	if json.Unmarshal(doc, &e) != nil {
		return broken("it sent an error that is none")
	}
	if d.waits == idInitialize {
		return fault.New(fault.ToolFailed, ReasonProtocol, "the MCP server does not begin: %s", spec.Quote(short(e.Message)))
	}
	return fault.New(fault.ToolFailed, "tool_error", "the MCP server refused the call of %s: %s", spec.Quote(d.call.Tool), spec.Quote(short(e.Message)))
}

func broken(format string, args ...any) error {
	return fault.New(fault.ToolFailed, ReasonProtocol, "the MCP server does not keep to the protocol: "+format, args...)
}

// short cuts a foreign text for a sentence.
func short(text string) string {
	if r := []rune(strings.ToValidUTF8(text, "\uFFFD")); len(r) > limits.EnvelopeCode {
		return string(r[:limits.EnvelopeCode]) + "…"
	}
	return text
}
