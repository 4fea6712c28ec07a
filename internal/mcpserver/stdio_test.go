package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
)

// fake is an offer of one tool for each thing that can happen to a call.
type fake struct {
	started chan string   // names of calls as they begin
	wait    chan struct{} // "wait" ends when it is closed
	ended   chan error    // why "wait" ended
	heldAs  *consume.Held // what "held" is held as
	seen    func(*call)
}

func newFake() *fake {
	return &fake{started: make(chan string, 1000), wait: make(chan struct{}), ended: make(chan error, 1000)}
}

func (f *fake) instructions() string { return "Tools of a test." }

func (f *fake) list(context.Context, *mcp.ListToolsParams) (*page, error) {
	return &page{ListToolsResult: &mcp.ListToolsResult{Tools: []*mcp.Tool{{Name: "echo", Description: "Say it.", InputSchema: map[string]any{"type": "object"}}}}}, nil
}

func (f *fake) call(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	f.started <- c.Name
	if f.seen != nil {
		f.seen(c)
	}
	switch c.Name {
	case "echo":
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(c.Arguments)}}}, nil
	case "wait":
		select {
		case <-f.wait:
			f.ended <- nil
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "waited"}}}, nil
		case <-ctx.Done():
			f.ended <- context.Cause(ctx)
			return nil, ctx.Err()
		}
	case "panic":
		panic("a tool of a test \x1b[31m\nsecond line")
	case "held":
		if c.Approved.OK() {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ran " + string(c.Approved.Via())}}}, nil
		}
		return nil, f.heldAs
	case "denied":
		return nil, fault.New(fault.Denied, "no", "no")
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such tool"}
}

func (f *fake) held(*call, *consume.Held) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "held"}}}
}

func (f *fake) failed(_ *call, err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: fault.ReasonOf(err)}}}
}

func (f *fake) resources(context.Context, string) (*mcp.ListResourcesResult, error) {
	return &mcp.ListResourcesResult{Resources: []*mcp.Resource{{URI: "skill://one/SKILL.md", Name: "one/SKILL.md"}}}, nil
}

func (f *fake) read(_ context.Context, _ *consume.Session, uri string) (*mcp.ReadResourceResult, error) {
	if uri != "skill://one/SKILL.md" {
		return nil, refusedFile(fault.New(fault.NotFound, "no", "no"), uri)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, Text: "Do it."}}}, nil
}

func (f *fake) watch(ctx context.Context, _ func(news)) { <-ctx.Done() }

// testHost is a machine of its own.
func testHost(tb testing.TB, in io.Reader, out, talk io.Writer) *host.Host {
	tb.Helper()
	return &host.Host{
		Stdin: in, Stdout: out, Stderr: talk, Getenv: func(string) string { return "" }, Now: time.Now,
		Dir: tb.TempDir(), Paths: paths.Paths{Root: tb.TempDir()},
	}
}

// serveFake makes a server over a fake; serve ends it by ctx or the end of in.
func serveFake(ctx context.Context, tb testing.TB, h *host.Host, f offer) *server {
	tb.Helper()
	c, err := consume.New(h)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := newServer(ctx, c, "1.2.3", func(context.Context, *server) (offer, error) { return f, nil })
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// wired is a host at the other end of a server's streams.
type wired struct {
	t     *testing.T
	in    *io.PipeWriter // to the server
	out   *io.PipeWriter // of the server
	from  *io.PipeReader
	ctx   context.Context
	lines chan []byte // closed when the server closed its output
	talk  *safeBuffer
	ended chan error
	stop  context.CancelFunc
	fake  *fake
}

func wire(t *testing.T, f *fake) *wired {
	t.Helper()
	return wireWith(t, f, paths.Paths{Root: t.TempDir()})
}

func wireWith(t *testing.T, f *fake, p paths.Paths) *wired {
	t.Helper()
	w, s := newWired(t, f)
	s.client.Host.Paths = p
	w.serve(s)
	return w
}

func wireServer(t *testing.T, f *fake) (*wired, *server) {
	t.Helper()
	w, s := newWired(t, f)
	w.serve(s)
	return w, s
}

func newWired(t *testing.T, f *fake) (*wired, *server) {
	t.Helper()
	hostIn, in := io.Pipe()
	out, hostOut := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	w := &wired{
		t: t, in: in, out: hostOut, from: out, lines: make(chan []byte, 10_000), talk: &safeBuffer{}, ended: make(chan error, 1),
		ctx: ctx, stop: stop, fake: f,
	}
	t.Cleanup(func() {
		stop()
		_ = in.Close()
	})
	return w, serveFake(ctx, t, testHost(t, hostIn, hostOut, w.talk), f)
}

func (w *wired) serve(s *server) {
	go func() {
		w.ended <- s.serveStdio(w.ctx)
		_ = w.out.Close()
	}()
	go func() {
		defer close(w.lines)
		r := bufio.NewReader(w.from)
		for {
			line, err := r.ReadBytes('\n')
			if len(line) > 0 {
				w.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
}

func (w *wired) send(frames ...string) {
	w.t.Helper()
	for _, f := range frames {
		if _, err := io.WriteString(w.in, f+"\n"); err != nil {
			w.t.Fatal(err)
		}
	}
}

// next is the next line that the server wrote, held against JSON-RPC.
func (w *wired) next() map[string]any {
	w.t.Helper()
	select {
	case line, ok := <-w.lines:
		if !ok {
			w.t.Fatal("the server ended")
		}
		return checkLine(w.t, line)
	case <-time.After(10 * time.Second):
		w.t.Fatal("no answer")
	}
	return nil
}

func (w *wired) hello() {
	w.t.Helper()
	w.send(initialize("2025-06-18"), `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if m := w.next(); m["error"] != nil {
		w.t.Fatal(m)
	}
}

func initialize(era string) string {
	return `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"` + era + `","capabilities":{}` +
		`,"clientInfo":{"name":"test","version":"1"}}}`
}

func callOf(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, id, tool)
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// textIn is the text of a result.
func textIn(m map[string]any) string {
	b, _ := json.Marshal(m)
	var r struct {
		Result struct {
			Content []struct{ Text string }
		}
	}
	_ = json.Unmarshal(b, &r)
	var out []string
	for _, c := range r.Result.Content {
		out = append(out, c.Text)
	}
	return strings.Join(out, "|")
}

func codeIn(m map[string]any) float64 {
	e, _ := m["error"].(map[string]any)
	code, _ := e["code"].(float64)
	return code
}

// No line ends the server, whatever it is: each is answered, and the next is read.
func TestLinesThatAreNone(t *testing.T) {
	w := wire(t, newFake())
	w.hello()
	long := strings.Repeat("x", limits.Frame)
	for i, c := range []struct {
		line string
		code float64
		id   any
	}{
		{`{oops`, jsonrpc.CodeParseError, nil},
		{`{"a":1}`, jsonrpc.CodeInvalidRequest, nil},
		{`[` + callOf(1, "echo") + `]`, jsonrpc.CodeInvalidRequest, nil},
		{strings.Repeat("[", 100_000), jsonrpc.CodeInvalidRequest, nil},
		{`{"jsonrpc":"2.0","id":4,"method":"ping","params":{"a":` + strings.Repeat(`{"a":`, 100_000) + `1`, jsonrpc.CodeInvalidRequest, 4.},
		{`{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":"` + long + `"}}`, jsonrpc.CodeInvalidRequest, 5.},
		{long + long, jsonrpc.CodeInvalidRequest, nil},
		{"\xff\xfe", jsonrpc.CodeParseError, nil},
		{"\x00", jsonrpc.CodeParseError, nil},
		{`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"echo","name":"panic"}}`, jsonrpc.CodeInvalidRequest, 6.},
		{`{"jsonrpc":"2.0","id":7,"method":"no/such"}`, jsonrpc.CodeMethodNotFound, 7.},
		{`{"jsonrpc":"2.0","id":8,"method":"tools/call"}`, jsonrpc.CodeInvalidRequest, 8.},
		{`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":1}}`, jsonrpc.CodeInvalidParams, 9.},
	} {
		w.send(c.line)
		m := w.next()
		if codeIn(m) != c.code || m["id"] != c.id {
			t.Errorf("%.60q: answered %v", c.line, m)
		}
		// The twin of each: a good line, after it, on the same connection.
		w.send(callOf(100+i, "echo"))
		if m := w.next(); textIn(m) != "{}" || m["id"] != float64(100+i) {
			t.Fatalf("after %.60q: %v", c.line, m)
		}
	}
	w.send("", "  \t\r", `{"jsonrpc":"2.0","id":200,"method":"ping"}`+"\r")
	if m := w.next(); m["id"] != 200. { // blank lines are no frames
		t.Error(m)
	}
	if said := w.talk.String(); said != "" {
		t.Errorf("stderr has %q", said)
	}
}

// A request before the handshake has a code in its answer.
func TestTooEarly(t *testing.T) {
	w := wire(t, newFake())
	w.send(callOf(1, "echo"))
	if m := w.next(); codeIn(m) != jsonrpc.CodeInvalidRequest {
		t.Error(m)
	}
	w.hello()
	w.send(callOf(1, "echo"))
	if m := w.next(); textIn(m) != "{}" {
		t.Error(m)
	}
}

// Two requests under one id would get answers that nobody can tell apart.
func TestIDInUse(t *testing.T) {
	w := wire(t, newFake())
	w.hello()
	w.send(callOf(1, "wait"))
	<-w.fake.started
	w.send(callOf(1, "echo"))
	if m := w.next(); codeIn(m) != jsonrpc.CodeInvalidRequest || m["id"] != nil {
		t.Errorf("the second of two: %v", m)
	}
	if len(w.fake.started) > 0 {
		t.Error("it was called all the same")
	}
	close(w.fake.wait)
	if m := w.next(); textIn(m) != "waited" {
		t.Errorf("the first: %v", m)
	}
	w.send(callOf(1, "echo")) // the id is free again
	if m := w.next(); textIn(m) != "{}" {
		t.Errorf("the twin: %v", m)
	}
}

// A host that asks without end is told so, and what it asked before goes on.
func TestTooMany(t *testing.T) {
	w := wire(t, newFake())
	w.hello()
	for i := range limits.MCPCalls {
		w.send(callOf(i, "wait"))
	}
	for range limits.MCPCalls {
		<-w.fake.started
	}
	w.send(callOf(1000, "echo"))
	if m := w.next(); codeIn(m) != codeBusy || m["id"] != 1000. {
		t.Errorf("one too many: %v", m)
	}
	// What ends requests passes always.
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)
	if err := <-w.fake.ended; err == nil {
		t.Error("it was not cancelled")
	}
	close(w.fake.wait)
	for range limits.MCPCalls - 1 { // the one that was cancelled is not answered
		if m := w.next(); textIn(m) != "waited" || m["id"] == 0. {
			t.Fatal(m)
		}
	}
	w.send(callOf(1000, "echo"))
	if m := w.next(); textIn(m) != "{}" {
		t.Errorf("the twin: %v", m)
	}
}

// The bytes of requests that wait are counted too.
func TestTooMuch(t *testing.T) {
	p := newPipe(t.Context(), strings.NewReader(""), io.Discard)
	admit := func(id float64, size int) *refusal {
		i, err := jsonrpc.MakeID(id)
		if err != nil {
			t.Fatal(err)
		}
		return p.admit(frame{message: &jsonrpc.Request{ID: i, Method: "tools/call"}, size: size})
	}
	n := limits.MCPHeld / limits.Frame
	for i := range n {
		if r := admit(float64(i), limits.Frame); r != nil {
			t.Fatalf("request %d of %d is refused: %s", i, n, r.text)
		}
	}
	if r := admit(1000, limits.Frame); r == nil || r.code != codeBusy {
		t.Errorf("one too many: %v", r)
	}
	id, _ := jsonrpc.MakeID(0.)
	if err := p.answer(&jsonrpc.Response{ID: id, Result: json.RawMessage("{}")}); err != nil {
		t.Fatal(err)
	}
	if r := admit(1000, limits.Frame); r != nil {
		t.Errorf("after one was answered: %s", r.text)
	}
}

// A cancelled call ends, and has no answer.
func TestCancel(t *testing.T) {
	w := wire(t, newFake())
	w.hello()
	w.send(callOf(1, "wait"), callOf(2, "wait"))
	<-w.fake.started
	<-w.fake.started
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}`)
	if err := <-w.fake.ended; err == nil {
		t.Error("it was not cancelled")
	}
	w.send(callOf(3, "echo"))
	if m := w.next(); m["id"] != 3. {
		t.Errorf("after a cancelled call: %v", m)
	}
	close(w.fake.wait)
	if m := w.next(); m["id"] != 2. || textIn(m) != "waited" {
		t.Errorf("the other: %v", m)
	}
}

// What panics is one answer, and one line of the log that drives no terminal.
func TestPanic(t *testing.T) {
	w := wire(t, newFake())
	w.hello()
	w.send(callOf(1, "panic"))
	if m := w.next(); codeIn(m) != jsonrpc.CodeInternalError || strings.Contains(fmt.Sprint(m), "a tool of a test") {
		t.Errorf("answered %v", m)
	}
	w.send(callOf(2, "echo"))
	if m := w.next(); textIn(m) != "{}" {
		t.Error(m)
	}
	said := w.talk.String()
	if !strings.HasPrefix(said, "patch-git mcp: error: a request made the program panic") || strings.Count(said, "\n") != 1 || strings.Contains(said, "\x1b") {
		t.Errorf("stderr has %q", said)
	}
}

// When the host closes our input, what it asked is answered as long as it may
// still wait, and the server ends.
func TestEndOfInput(t *testing.T) {
	w := wire(t, newFake())
	w.hello()
	w.send(callOf(1, "wait"))
	<-w.fake.started
	_ = w.in.Close()
	close(w.fake.wait)
	if m := w.next(); textIn(m) != "waited" {
		t.Error(m)
	}
	if err := <-w.ended; err != nil {
		t.Error(err)
	}
}

// A call that goes on for longer is ended, and the server too.
func TestEndOfInputLate(t *testing.T) {
	w := wire(t, newFake())
	w.hello()
	w.send(callOf(1, "wait"))
	<-w.fake.started
	_ = w.in.Close()
	if err := <-w.fake.ended; err == nil {
		t.Error("the call ended by itself")
	}
	if err := <-w.ended; err != nil {
		t.Error(err)
	}
}

// Ctrl-C ends calls at once, and also a host that has stopped reading.
func TestInterrupted(t *testing.T) {
	w := wire(t, newFake())
	w.hello()
	w.send(callOf(1, "wait"))
	<-w.fake.started
	w.stop()
	if err := <-w.fake.ended; err == nil {
		t.Error("the call went on")
	}
	<-w.ended
}

func TestInterruptedDeaf(t *testing.T) {
	testDeaf(t, func(stop context.CancelFunc, _ io.Closer) { stop() })
}

// A host that closes our input and waits for us to end, without reading what we still
// have to say, is not waited for in turn.
func TestEndOfInputDeaf(t *testing.T) {
	testDeaf(t, func(_ context.CancelFunc, in io.Closer) { _ = in.Close() })
}

func testDeaf(t *testing.T, end func(stop context.CancelFunc, in io.Closer)) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	in, hostIn := io.Pipe()
	deaf := make(chan struct{})
	s := serveFake(ctx, t, testHost(t, in, writerFunc(func([]byte) (int, error) {
		close(deaf)
		select {}
	}), io.Discard), newFake())
	ended := make(chan error, 1)
	go func() { ended <- s.serveStdio(ctx) }()
	go func() { _, _ = io.WriteString(hostIn, initialize("2025-06-18")+"\n") }()
	<-deaf
	end(stop, hostIn)
	select {
	case <-ended:
	case <-time.After(limits.MCPGrace + limits.MCPDrain + 5*time.Second):
		t.Error("a host that does not read keeps the server")
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// A host that went away ends the server.
func TestBrokenPipe(t *testing.T) {
	in, hostIn := io.Pipe()
	s := serveFake(t.Context(), t, testHost(t, in, writerFunc(func([]byte) (int, error) { return 0, io.ErrClosedPipe }), io.Discard), newFake())
	go func() { _, _ = io.WriteString(hostIn, initialize("2025-06-18")+"\n") }()
	ended := make(chan error, 1)
	go func() { ended <- s.serveStdio(t.Context()) }()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("it ended as if all was well")
		}
	case <-time.After(10 * time.Second):
		t.Error("it serves nobody on")
	}
}
