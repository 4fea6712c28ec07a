package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// mcpKey is where the AI hosts of a transcript stand among its values.
type mcpKey struct{}

// mcpHosts are the AI hosts of one transcript, by the names that it gives them.
type mcpHosts struct {
	tb    testing.TB
	env   []string // names of the variables of a fresh machine
	hosts map[string]*aiHost
}

// mcpHolder is set up last, when the variables of the machine are all there.
func mcpHolder(e *testscript.Env) *mcpHosts {
	h := &mcpHosts{tb: e.T().(testing.TB), hosts: map[string]*aiHost{}}
	for _, v := range e.Vars {
		name, _, _ := strings.Cut(v, "=")
		h.env = append(h.env, name)
	}
	return h
}

const mcpUsage = `mcp [-as NAME] start [-era DATE] [-client NAME] [-elicit off|accept|decline|cancel] [-env NAME]… [arg…]
mcp [-as NAME] tools                     the names that tools/list has, a line each
mcp [-as NAME] tool NAME                 what tools/list says of one, as JSON
mcp [-as NAME] [!] call TOOL [JSON]      the texts of the result; with ! one that is an error
mcp [-as NAME] [!] request METHOD [JSON] the result; with ! the error
mcp [-as NAME] frame TEXT                sends a line as it is; the next message
mcp [-as NAME] note METHOD [WITHIN]      waits for a notification; with ! holds that none comes
mcp [-as NAME] stop [CODE]               ends the input and waits for the program`

// mcpCommand is an AI host that starts "patch-git mcp" and speaks JSON-RPC with
// it. It writes what it was answered to stdout, a result whole as one line to
// mcp-result.json, and what the program said on stderr to mcp-stderr when it ends.
func mcpCommand(ts *testscript.TestScript, neg bool, args []string) {
	hosts, name := ts.Value(mcpKey{}).(*mcpHosts), ""
	if len(args) > 2 && args[0] == "-as" {
		name, args = args[1], args[2:]
	}
	if len(args) == 0 {
		ts.Fatalf("usage: %s", mcpUsage)
	}
	verb, args := args[0], args[1:]
	if verb == "start" && !neg {
		hosts.hosts[name] = hosts.start(ts, args)
		return
	}
	h := hosts.hosts[name]
	if h == nil || neg && !slices.Contains([]string{"call", "request", "note"}, verb) {
		ts.Fatalf("usage: %s", mcpUsage)
	}
	arg := func(i int, otherwise string) string {
		if len(args) <= i {
			return otherwise
		}
		return args[i]
	}
	switch {
	case verb == "tools":
		for _, t := range h.tools(ts) {
			_, _ = fmt.Fprintln(ts.Stdout(), t.name)
		}
	case verb == "tool" && len(args) == 1:
		for _, t := range h.tools(ts) {
			if t.name == args[0] {
				_, _ = fmt.Fprintf(ts.Stdout(), "%s\n", t.raw)
				return
			}
		}
		ts.Fatalf("no tool %s is listed", args[0])
	case verb == "call" && len(args) > 0:
		h.call(ts, neg, args[0], arg(1, "{}"))
	case verb == "request" && len(args) > 0:
		a := h.request(ts, args[0], json.RawMessage(arg(1, "{}")))
		if (a.Error != nil) != neg {
			ts.Fatalf("answered %s", a.raw)
		}
		out := a.Result
		if neg {
			out = a.Error
		}
		_, _ = fmt.Fprintf(ts.Stdout(), "%s\n", out)
	case verb == "frame" && len(args) == 1:
		h.write(ts, []byte(args[0]))
		_, _ = fmt.Fprintf(ts.Stdout(), "%s\n", h.next(ts, 10*time.Second).raw)
	case verb == "note" && len(args) > 0:
		within, err := time.ParseDuration(arg(1, "5s"))
		ts.Check(err)
		if got := h.note(args[0], within); got == neg {
			ts.Fatalf("the notification %s: %v", args[0], got)
		}
	case verb == "stop":
		h.stop(ts, arg(0, "0"))
		delete(hosts.hosts, name)
	default:
		ts.Fatalf("usage: %s", mcpUsage)
	}
}

// aiHost is one running server and the conversation with it.
type aiHost struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan message // closed when the program ends its output
	stderr string       // file
	ids    int
	era    string // "" after a handshake, else the date that each request names
	client string
	elicit string
	notes  []string // notifications that came and were not waited for
}

// message is anything that the server sends.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	raw    []byte
}

func (hosts *mcpHosts) start(ts *testscript.TestScript, args []string) *aiHost {
	h := &aiHost{client: "transcript", elicit: "off", era: "2025-06-18"}
	names := hosts.env
	for len(args) > 1 && strings.HasPrefix(args[0], "-") && !strings.HasPrefix(args[0], "--") {
		switch args[0] {
		case "-era":
			h.era = args[1]
		case "-client":
			h.client = args[1]
		case "-elicit":
			h.elicit = args[1]
		case "-env":
			names = append(slices.Clip(names), args[1])
		default:
			ts.Fatalf("usage: %s", mcpUsage)
		}
		args = args[2:]
	}
	program := "patch-git"
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if p := filepath.Join(dir, program); isFile(p) {
			program = p
			break
		}
	}
	h.cmd = exec.Command(program, append([]string{"mcp"}, args...)...)
	h.cmd.Dir = ts.MkAbs(".")
	for _, n := range names {
		h.cmd.Env = append(h.cmd.Env, n+"="+ts.Getenv(n))
	}
	h.stderr = ts.MkAbs("mcp-stderr")
	said, err := os.Create(h.stderr)
	ts.Check(err)
	h.cmd.Stderr = said
	in, err := h.cmd.StdinPipe()
	ts.Check(err)
	out, err := h.cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(h.cmd.Start())
	_ = said.Close()
	h.stdin, h.lines = in, make(chan message, 1000)
	ts.Defer(func() {
		_ = in.Close()
		_ = h.cmd.Process.Kill()
		_ = h.cmd.Wait()
	})
	go h.listen(out)
	if h.era >= "2026" {
		return h
	}
	era := h.era
	h.era = ""
	capabilities := map[string]any{}
	if h.elicit != "off" {
		capabilities["elicitation"] = map[string]any{}
	}
	a := h.request(ts, "initialize", map[string]any{
		"protocolVersion": era, "capabilities": capabilities, "clientInfo": map[string]string{"name": h.client, "version": "1.0.0"},
	})
	if a.Error != nil {
		ts.Fatalf("initialize: %s", a.raw)
	}
	ts.Check(os.WriteFile(ts.MkAbs("mcp-result.json"), append(a.Result, '\n'), 0o600))
	h.write(ts, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return h
}

// listen reads until the program ends its output. Whatever is no JSON-RPC on
// stdout comes as a message without any member.
func (h *aiHost) listen(out io.Reader) {
	defer close(h.lines)
	d := json.NewDecoder(out)
	for {
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return
		}
		m := message{raw: slices.Clone(raw)}
		_ = json.Unmarshal(raw, &m)
		h.lines <- m
	}
}

func (h *aiHost) write(ts *testscript.TestScript, line []byte) {
	_, err := h.stdin.Write(append(line, '\n'))
	ts.Check(err)
}

// next is the next message that is neither a notification nor a question, which
// are kept and answered.
func (h *aiHost) next(ts *testscript.TestScript, within time.Duration) message {
	late := time.After(within)
	for {
		select {
		case m, ok := <-h.lines:
			switch {
			case !ok:
				said, _ := os.ReadFile(h.stderr)
				ts.Fatalf("the server ended: %s", said)
			case m.Method == "":
				return m
			case m.ID == nil:
				h.notes = append(h.notes, m.Method)
			default:
				h.answer(ts, m)
			}
		case <-late:
			ts.Fatalf("no answer within %s", within)
		}
	}
}

// answer answers a question of the server's as its user would.
func (h *aiHost) answer(ts *testscript.TestScript, m message) {
	reply := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	if m.Method == "elicitation/create" && h.elicit != "off" {
		reply["result"] = h.word()
	} else {
		reply["error"] = map[string]any{"code": -32601, "message": "not offered"}
	}
	line, err := json.Marshal(reply)
	ts.Check(err)
	h.write(ts, line)
}

// word is what the user of the host says to every question.
func (h *aiHost) word() map[string]any {
	w := map[string]any{"action": h.elicit}
	if h.elicit == "accept" {
		w["content"] = map[string]any{"approve": true}
	}
	return w
}

// request asks and waits for the answer to that question.
func (h *aiHost) request(ts *testscript.TestScript, method string, params any) message {
	h.ids++
	if h.era != "" {
		members, meta := map[string]any{}, map[string]any{}
		b, err := json.Marshal(params)
		ts.Check(err)
		ts.Check(json.Unmarshal(b, &members))
		if m, ok := members["_meta"].(map[string]any); ok {
			meta = m
		}
		meta["io.modelcontextprotocol/protocolVersion"] = h.era
		meta["io.modelcontextprotocol/clientInfo"] = map[string]any{"name": h.client, "version": "1.0.0"}
		capabilities := map[string]any{}
		if h.elicit != "off" {
			capabilities["elicitation"] = map[string]any{"form": map[string]any{}}
		}
		meta["io.modelcontextprotocol/clientCapabilities"] = capabilities
		members["_meta"] = meta
		params = members
	}
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": h.ids, "method": method, "params": params})
	ts.Check(err)
	h.write(ts, line)
	for {
		if m := h.next(ts, 60*time.Second); string(m.ID) == fmt.Sprint(h.ids) {
			return m
		}
	}
}

// listed is one tool as tools/list has it.
type listed struct {
	name string
	raw  json.RawMessage
}

func (h *aiHost) tools(ts *testscript.TestScript) []listed {
	var out []listed
	cursor := ""
	for {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		a := h.request(ts, "tools/list", params)
		var page struct {
			Tools      []json.RawMessage
			NextCursor string
		}
		if a.Error != nil || json.Unmarshal(a.Result, &page) != nil {
			ts.Fatalf("tools/list: %s", a.raw)
		}
		for _, raw := range page.Tools {
			var t struct{ Name string }
			ts.Check(json.Unmarshal(raw, &t))
			out = append(out, listed{t.Name, raw})
		}
		if cursor = page.NextCursor; cursor == "" {
			return out
		}
	}
}

// call calls a tool; where the server asks back in its result, it is answered
// and called again.
func (h *aiHost) call(ts *testscript.TestScript, wrong bool, tool, arguments string) {
	params := map[string]any{"name": tool, "arguments": json.RawMessage(arguments)}
	a := h.request(ts, "tools/call", params)
	var result struct {
		Content       []struct{ Type, Text, MimeType string }
		IsError       bool
		InputRequests map[string]json.RawMessage
		RequestState  string
	}
	if a.Error == nil {
		ts.Check(json.Unmarshal(a.Result, &result))
	}
	if len(result.InputRequests) > 0 {
		words := map[string]any{}
		for k := range result.InputRequests {
			words[k] = h.word()
		}
		params["inputResponses"], params["requestState"] = words, result.RequestState
		if a = h.request(ts, "tools/call", params); a.Error == nil {
			result.InputRequests = nil
			ts.Check(json.Unmarshal(a.Result, &result))
		}
	}
	if a.Error != nil {
		ts.Fatalf("tools/call: %s", a.raw)
	}
	ts.Check(os.WriteFile(ts.MkAbs("mcp-result.json"), append(a.Result, '\n'), 0o600))
	for _, c := range result.Content {
		if c.Type != "text" {
			c.Text = c.Type + " " + c.MimeType
		}
		_, _ = fmt.Fprintln(ts.Stdout(), c.Text)
	}
	if result.IsError != wrong {
		ts.Fatalf("isError is %v: %s", result.IsError, a.raw)
	}
}

// note tells whether a notification came, or comes in time.
func (h *aiHost) note(method string, within time.Duration) bool {
	if i := slices.Index(h.notes, method); i >= 0 {
		h.notes = slices.Delete(h.notes, i, i+1)
		return true
	}
	late := time.After(within)
	for {
		select {
		case m, ok := <-h.lines:
			if !ok || m.Method == method && m.ID == nil {
				return ok
			}
			if m.Method != "" && m.ID == nil {
				h.notes = append(h.notes, m.Method)
			}
		case <-late:
			return false
		}
	}
}

// stop ends the server's input, as a host does that goes away.
func (h *aiHost) stop(ts *testscript.TestScript, code string) {
	ts.Check(h.stdin.Close())
	late := time.AfterFunc(10*time.Second, func() { _ = h.cmd.Process.Kill() })
	for range h.lines {
	}
	_ = h.cmd.Wait()
	if !late.Stop() {
		ts.Fatalf("the server did not end")
	}
	if got := fmt.Sprint(h.cmd.ProcessState.ExitCode()); got != code {
		said, _ := os.ReadFile(h.stderr)
		ts.Fatalf("exit code %s, want %s: %s", got, code, said)
	}
}

func isFile(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.Mode().IsRegular()
}
