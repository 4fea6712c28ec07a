package mcptest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/host"
)

// The revisions of the protocol that stand for its two eras: with a handshake,
// and with everything in each request.
const (
	Legacy = "2025-11-25"
	Modern = "2026-07-28"
)

// Peer is a server in a process of its own and the client of it: lines of JSON-RPC
// over its standard streams, and nothing between them, so that every server is sent
// the same bytes. It is safe for concurrent use.
type Peer struct {
	Era string

	cmd   *exec.Cmd
	in    io.WriteCloser
	write sync.Mutex

	mu      sync.Mutex
	last    int
	waiting map[int]chan Message
	ended   error
	silent  chan struct{} // closed when nothing comes any more

	// Notes are the notifications that came, as far as somebody takes them.
	Notes chan Message
}

// Message is one line of a server.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error,omitempty"`
	At   time.Time `json:"-"` // when it was read
	line []byte    // of an answer that nobody has decoded yet
}

// Start starts a server and, in the legacy era, shakes hands with it.
func Start(cmd *exec.Cmd, era string) (*Peer, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Peer{Era: era, cmd: cmd, in: in, waiting: map[int]chan Message{}, silent: make(chan struct{}), Notes: make(chan Message, 1<<12)}
	go p.read(out)
	if era == Modern {
		return p, nil
	}
	if _, err := p.Call("initialize", map[string]any{
		"protocolVersion": era, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "mcptest", "version": "1"},
	}); err != nil {
		return nil, errors.Join(err, p.End())
	}
	return p, p.send([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"))
}

var clock = host.System().Now

// read hands each line to who waits for it. A line that is none of JSON-RPC ends
// everything, for nothing else may stand on that stream.
func (p *Peer) read(out io.Reader) {
	defer close(p.silent)
	lines := bufio.NewReaderSize(out, 1<<20)
	var failed error
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			failed = fmt.Errorf("the server ended: %w", err)
			break
		}
		m := Message{At: clock(), line: line, ID: idOf(line)}
		if m.ID == nil {
			if err := m.decode(); err != nil {
				failed = err
				break
			}
		}
		id, err := strconv.Atoi(string(m.ID))
		if err != nil || m.Method != "" {
			select {
			case p.Notes <- m:
			default: // nobody looks
			}
			continue
		}
		p.mu.Lock()
		answer := p.waiting[id]
		delete(p.waiting, id)
		p.mu.Unlock()
		if answer != nil {
			answer <- m
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = failed
	for id, answer := range p.waiting {
		close(answer)
		delete(p.waiting, id)
	}
}

// decode reads the line of a message.
func (m *Message) decode() error {
	line := m.line
	if line == nil {
		return nil
	}
	m.line, m.ID = nil, nil
	if err := json.Unmarshal(line, m); err != nil || m.Version != "2.0" {
		return fmt.Errorf("no JSON-RPC on the standard output: %.200q", line)
	}
	return nil
}

// idOf is the id of a long answer where it stands at one end, as it does in those of
// the usual SDKs: what a list is timed by does not wait for us to read all of it.
func idOf(line []byte) []byte {
	if len(line) < longLine {
		return nil
	}
	if rest, ok := bytes.CutPrefix(line, []byte(`{"jsonrpc":"2.0","id":`)); ok {
		if id, _, ok := bytes.Cut(rest[:longID], []byte(`,"result":`)); ok {
			return id
		}
	}
	if bytes.HasPrefix(line, []byte(`{"result":`)) {
		if _, rest, ok := bytes.Cut(line[len(line)-2*longID:], []byte(`,"jsonrpc":"2.0","id":`)); ok {
			return bytes.TrimRight(rest, "}\r\n")
		}
	}
	return nil
}

const (
	longLine = 4 << 10
	longID   = 24 // with what stands behind it
)

func (p *Peer) send(line []byte) error {
	p.write.Lock()
	defer p.write.Unlock()
	_, err := p.in.Write(line)
	return err
}

// Call sends a request and waits for its answer. Its error is that of the transport
// or of JSON-RPC; a tool that failed is a result.
func (p *Peer) Call(method string, params map[string]any) (Message, error) {
	m, err := p.ask(method, params)
	if err != nil {
		return m, err
	}
	return m, m.check(method)
}

// check decodes an answer, and gives the error that it is.
func (m *Message) check(method string) error {
	if err := m.decode(); err != nil {
		return err
	}
	if m.Error != nil {
		return fmt.Errorf("%s: %d %s", method, m.Error.Code, m.Error.Message)
	}
	return nil
}

// ask is Call, whose answer nobody has looked into yet.
func (p *Peer) ask(method string, params map[string]any) (Message, error) {
	if p.Era == Modern {
		all := map[string]any{"_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    Modern,
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "mcptest", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}}
		maps.Copy(all, params)
		params = all
	}
	p.mu.Lock()
	if p.ended != nil {
		defer p.mu.Unlock()
		return Message{}, p.ended
	}
	p.last++
	id, answer := p.last, make(chan Message, 1)
	p.waiting[id] = answer
	p.mu.Unlock()
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return Message{}, err
	}
	if err := p.send(append(line, '\n')); err != nil {
		return Message{}, err
	}
	m, ok := <-answer
	if !ok {
		p.mu.Lock()
		defer p.mu.Unlock()
		return m, p.ended
	}
	return m, nil
}

// Tool is one of tools/list, with all that the server said of it.
type Tool struct {
	Name string
	Raw  json.RawMessage
}

// Tools lists all tools, page by page.
func (p *Peer) Tools() ([]Tool, error) {
	pages, err := p.Pages()
	if err != nil {
		return nil, err
	}
	return Listed(pages)
}

// Pages asks for all pages of the list and looks for nothing in them but where the
// next one is. What they say is for [Listed].
func (p *Peer) Pages() ([]Message, error) {
	var out []Message
	params := map[string]any{}
	for {
		m, err := p.ask("tools/list", params)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
		text := m.line
		if text == nil {
			text = m.Result
		}
		_, rest, ok := bytes.Cut(text, []byte(`"nextCursor":"`))
		cursor, _, _ := bytes.Cut(rest, []byte(`"`))
		if !ok {
			return out, nil
		}
		params["cursor"] = string(cursor)
	}
}

// Listed reads the pages of a list. They are an error if one of them is, or if there
// are more or fewer than the server says.
func Listed(pages []Message) ([]Tool, error) {
	var out []Tool
	for i, m := range pages {
		if err := m.check("tools/list"); err != nil {
			return nil, err
		}
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(m.Result, &page); err != nil {
			return nil, err
		}
		for _, raw := range page.Tools {
			t := Tool{Raw: raw}
			if err := json.Unmarshal(raw, &t); err != nil {
				return nil, err
			}
			out = append(out, t)
		}
		if (page.NextCursor == "") != (i == len(pages)-1) {
			return nil, fmt.Errorf("page %d of %d is followed by %q", i+1, len(pages), page.NextCursor)
		}
	}
	return out, nil
}

// Result is what tools/call answers.
type Result struct {
	IsError    bool            `json:"isError"`
	Structured json.RawMessage `json:"structuredContent"`
	Content    []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
}

// Text is all text of a result.
func (r Result) Text() string {
	var out []string
	for _, c := range r.Content {
		out = append(out, c.Text)
	}
	return strings.Join(out, "\n")
}

// Tool calls a tool.
func (p *Peer) Tool(name string, arguments any) (Result, error) {
	m, err := p.Call("tools/call", map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return Result{}, err
	}
	var r Result
	return r, json.Unmarshal(m.Result, &r)
}

// Memory is the resident memory of the server's own process in bytes, and the most
// that it ever was; zeros where the kernel does not say.
func (p *Peer) Memory() (now, peak int64) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(data)) {
		var kib int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kib); err == nil {
			now = kib << 10
		}
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil {
			peak = kib << 10
		}
	}
	return now, peak
}

// Open counts the open files of the server's process; 0 where the kernel does not say.
func (p *Peer) Open() int {
	files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid))
	return len(files)
}

// patience is how long a server may take to end when its input has.
const patience = 10 * time.Second

// End closes the server's input, as a host does, and tells how it ended. One that
// stays, or leaves somebody behind who holds its output, is killed, which is an error.
func (p *Peer) End() error {
	_ = p.in.Close()
	select {
	case <-p.silent:
		return p.cmd.Wait()
	case <-time.After(patience):
		return errors.Join(errors.New("the server did not end with its input"), p.cmd.Process.Kill(), p.cmd.Wait())
	}
}
