package mcpserver

import (
	"encoding/json"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
)

// codeBusy answers a request beyond [limits.MCPCalls] or [limits.MCPHeld].
const codeBusy = -32000

// refusal is what a frame that is no message is answered with. The id is that of
// the request where it could be read, else null.
type refusal struct {
	id   jsonrpc.ID
	code int64
	text string
}

// line is the answer as it is written.
func (r *refusal) line() []byte {
	answer := struct {
		Version string         `json:"jsonrpc"`
		ID      any            `json:"id"`
		Error   *jsonrpc.Error `json:"error"`
	}{"2.0", r.id.Raw(), &jsonrpc.Error{Code: r.code, Message: r.text}}
	out, err := json.Marshal(answer)
	if err != nil {
		panic(err) // two strings and a number
	}
	return append(out, '\n')
}

// parse reads one frame: an object of JSON-RPC 2.0 that is a request, a
// notification or a response, by strict rules. What the SDK would read in another
// way than the next reader (a key twice, bytes that are no UTF-8, an id of 1.5)
// is refused and not mended; so are batches, which the protocol had for three
// months of 2025 and which no host sends.
func parse(frame []byte) (jsonrpc.Message, *refusal) {
	m, err := objectOf(frame)
	id, idOK := parseID(m["id"])
	refuse := func(code int64, text string) (jsonrpc.Message, *refusal) { return nil, &refusal{id, code, text} }
	switch {
	case fault.ReasonOf(err) == manifest.ReasonNotJSON:
		return refuse(jsonrpc.CodeParseError, "parse error: "+err.Error())
	case err != nil:
		return refuse(jsonrpc.CodeInvalidRequest, "invalid request: "+err.Error())
	case string(m["jsonrpc"]) != `"2.0"`:
		return refuse(jsonrpc.CodeInvalidRequest, `invalid request: "jsonrpc" must be "2.0"`)
	case m["id"] != nil && !idOK:
		return refuse(jsonrpc.CodeInvalidRequest, "invalid request: an id is a string or an integer")
	case m["method"] == nil:
		return parseResponse(m, id)
	case m["result"] != nil || m["error"] != nil:
		return refuse(jsonrpc.CodeInvalidRequest, "invalid request: it is a request and a response at once")
	case m["params"] != nil && m["params"][0] != '{':
		return refuse(jsonrpc.CodeInvalidParams, `invalid params: "params" must be an object`)
	}
	method, ok := textOf(m["method"])
	if !ok || method == "" {
		return refuse(jsonrpc.CodeInvalidRequest, `invalid request: "method" must be a name`)
	}
	return &jsonrpc.Request{ID: id, Method: method, Params: m["params"]}, nil
}

// parseResponse reads the answer to a request of ours, such as an elicitation.
func parseResponse(m map[string]json.RawMessage, id jsonrpc.ID) (jsonrpc.Message, *refusal) {
	refuse := func(text string) (jsonrpc.Message, *refusal) {
		return nil, &refusal{jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "invalid request: " + text}
	}
	if !id.IsValid() || (m["result"] == nil) == (m["error"] == nil) {
		return refuse("it has neither a method nor an id with either a result or an error")
	}
	out := &jsonrpc.Response{ID: id, Result: m["result"]}
	if m["error"] != nil {
		e, err := objectOf(m["error"])
		code, codeErr := strconv.ParseInt(string(e["code"]), 10, 64)
		message, ok := textOf(e["message"])
		if err != nil || codeErr != nil || !ok {
			return refuse("an error has a code and a message")
		}
		out.Error = &jsonrpc.Error{Code: code, Message: message, Data: e["data"]}
	}
	return out, nil
}

// parseID takes a string, or an integer that every reader reads alike.
func parseID(raw json.RawMessage) (jsonrpc.ID, bool) {
	if len(raw) == 0 {
		return jsonrpc.ID{}, false
	}
	var value any
	if text, ok := textOf(raw); ok {
		value = text
	} else {
		const exact = 1 << 53 // a float64 has every integer up to here
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil || n > exact || n < -exact {
			return jsonrpc.ID{}, false
		}
		value = float64(n)
	}
	id, err := jsonrpc.MakeID(value)
	return id, err == nil
}

// textOf is the text of a JSON string; null is none.
func textOf(raw json.RawMessage) (string, bool) {
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return text, true
}

// tooLong refuses a frame of which only the head was kept.
func tooLong(head []byte) *refusal {
	m, _ := objectOf(head)
	id, _ := parseID(m["id"])
	return &refusal{id, jsonrpc.CodeInvalidRequest, "invalid request: a message has more than " + strconv.Itoa(limits.Frame) + " bytes"}
}

// objectOf reads an object; beside an error stands what came before it.
func objectOf(raw []byte) (map[string]json.RawMessage, error) {
	members, err := manifest.Object(raw, limits.Frame)
	m := make(map[string]json.RawMessage, len(members))
	for _, member := range members {
		m[member.Name] = member.Value
	}
	return m, err
}
