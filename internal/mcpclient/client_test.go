package mcpclient

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

const (
	began = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`
	fine  = `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"structuredContent":{"n":12345678901234567890}}}`
)

// server answers each line that it reads with the next of its lines; "" is silence.
func server(t *testing.T, lines ...string) (in io.Writer, out io.Reader, said func() []string) {
	t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	var heard []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = toClient.Close(); _ = fromClient.Close() }()
		r := bufio.NewReader(fromClient)
		for _, line := range lines {
			text, err := r.ReadString('\n')
			if err != nil {
				return
			}
			heard = append(heard, strings.TrimSpace(text))
			if line != "" {
				if _, err := io.WriteString(toClient, line); err != nil {
					return
				}
			}
		}
	}()
	return in, out, func() []string { <-done; return heard }
}

func call() Call {
	return Call{Tool: "add", Arguments: json.RawMessage(`{"a":9007199254740993}`), Version: "1.0.0"}
}

// TestOverPipes: the handshake, the call, and a result in which no number changed.
func TestOverPipes(t *testing.T) {
	in, out, said := server(t, began+"\n", "", fine+"\n")
	r, err := OverPipes(in, out, call())
	if err != nil {
		t.Fatal(err)
	}
	if r.Text != "a\nb" || string(r.Structured) != `{"n":12345678901234567890}` || r.Failed {
		t.Errorf("%+v", r)
	}
	heard := said()
	want := []string{`"method":"initialize"`, `"method":"notifications/initialized"`, `"method":"tools/call"`}
	for i, w := range want {
		if !strings.Contains(heard[i], w) {
			t.Errorf("message %d is %s, want %s", i, heard[i], w)
		}
	}
	if !strings.Contains(heard[0], `"capabilities":{}`) || !strings.Contains(heard[2], `"arguments":{"a":9007199254740993}`) {
		t.Errorf("%q", heard)
	}
}

// TestHostileServers: whatever a server does, the call ends with a word for it. The
// twin of each is TestOverPipes.
func TestHostileServers(t *testing.T) {
	many := strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`+"\n", limits.MCPMessages+1)
	for name, c := range map[string]struct {
		lines  []string
		reason string
	}{
		"ends at once":             {nil, "mcp_gone"},
		"ends after the handshake": {[]string{began + "\n", ""}, "mcp_gone"},
		"ends within a message":    {[]string{began[:20]}, "mcp_gone"},
		"a banner":                 {[]string{"Server is running\n"}, ReasonProtocol},
		"a batch":                  {[]string{"[" + began + "]\n"}, ReasonProtocol},
		"an answer to nobody":      {[]string{strings.Replace(began, `"id":1`, `"id":7`, 1) + "\n"}, ReasonProtocol},
		"an id of another type":    {[]string{strings.Replace(began, `"id":1`, `"id":"1"`, 1) + "\n"}, ReasonProtocol},
		"an answer twice":          {[]string{began + "\n" + began + "\n", "", ""}, ReasonProtocol},
		"the call answered early":  {[]string{fine + "\n"}, ReasonProtocol},
		"a member twice":           {[]string{strings.Replace(began, `"id":1`, `"id":2,"id":1`, 1) + "\n"}, ReasonProtocol},
		"result and error":         {[]string{strings.Replace(began, `"result"`, `"error":{},"result"`, 1) + "\n"}, ReasonProtocol},
		"another revision":         {[]string{strings.Replace(began, "2025-06-18", "1999-01-01", 1) + "\n"}, ReasonProtocol},
		"no revision":              {[]string{`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"}, ReasonProtocol},
		"not JSON-RPC":             {[]string{strings.Replace(began, `"2.0"`, `"1.0"`, 1) + "\n"}, ReasonProtocol},
		"a result without content": {[]string{began + "\n", "", `{"jsonrpc":"2.0","id":2,"result":{}}` + "\n"}, ReasonProtocol},
		"a result that is none":    {[]string{began + "\n", "", `{"jsonrpc":"2.0","id":2,"result":[1]}` + "\n"}, ReasonProtocol},
		"content that is none":     {[]string{began + "\n", "", `{"jsonrpc":"2.0","id":2,"result":{"content":{"type":"text"}}}` + "\n"}, ReasonProtocol},
		"messages without end":     {[]string{many}, ReasonProtocol},
		"empty lines without end":  {[]string{strings.Repeat("\n", limits.MCPMessages+1)}, ReasonProtocol},
		"a line without end":       {[]string{strings.Repeat("x", limits.CallBody+2)}, ReasonProtocol},
		"a refusal to begin":       {[]string{`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"go away\u001b[2J"}}` + "\n"}, ReasonProtocol},
		"a refusal of the call":    {[]string{began + "\n", "", `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no such tool"}}` + "\n"}, "tool_error"},
	} {
		t.Run(name, func(t *testing.T) {
			in, out, _ := server(t, c.lines...)
			r, err := OverPipes(in, out, call())
			if r != nil || fault.KindOf(err) != fault.ToolFailed || fault.ReasonOf(err) != c.reason {
				t.Fatalf("%+v, %v (%s)", r, err, fault.ReasonOf(err))
			}
			if strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("the message is not fit for a terminal: %q", err)
			}
		})
	}
}

// TestServerAsks: what a server asks of us is refused, all but whether we are there,
// and the call goes on.
func TestServerAsks(t *testing.T) {
	asks := ""
	for i, method := range []string{"sampling/createMessage", "roots/list", "elicitation/create", "ping", "anything/else"} {
		asks += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{}}`+"\n", 2+i, method)
	}
	change := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"
	in, out, said := server(t, change+began+"\n", "", asks, "", "", "", "", change+fine+"\n")
	r, err := OverPipes(in, out, call())
	if err != nil || r.Text != "a\nb" {
		t.Fatalf("%+v, %v", r, err)
	}
	heard := said()[3:]
	for i, want := range []string{"-32601", "-32601", "-32601", `"result":{}`, "-32601"} {
		if !strings.Contains(heard[i], want) {
			t.Errorf("answer %d is %s, want %s", i, heard[i], want)
		}
	}
}

// TestToolFails: isError is the tool's own word, and no error of the protocol.
func TestToolFails(t *testing.T) {
	in, out, _ := server(t, began+"\n", "", `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"no such mail"}],"isError":true}}`+"\n")
	r, err := OverPipes(in, out, call())
	if err != nil || !r.Failed || r.Text != "no such mail" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestOverHTTP: by documents and by streams, with a session and without.
func TestOverHTTP(t *testing.T) {
	event := func(doc string) string { return "event: message\ndata: " + doc + "\n\n" }
	for name, c := range map[string]struct {
		stream  bool
		session string
		asks    bool
	}{
		"documents": {}, "documents in a session": {session: "abc"}, "streams": {stream: true, session: "abc"}, "a stream that asks": {stream: true, asks: true},
	} {
		t.Run(name, func(t *testing.T) {
			var heard []string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				var m struct{ Method string }
				_ = json.Unmarshal(body, &m)
				heard = append(heard, r.Method+" "+m.Method)
				if r.Header.Get("Authorization") != "Bearer t" {
					t.Errorf("%s %s came without its header", r.Method, m.Method)
				}
				if m.Method != "initialize" && r.Header.Get("Mcp-Session-Id") != c.session {
					t.Errorf("%s came in the session %q", m.Method, r.Header.Get("Mcp-Session-Id"))
				}
				doc := map[string]string{"initialize": began, "tools/call": fine}[m.Method]
				if doc == "" {
					w.WriteHeader(http.StatusAccepted)
					return
				}
				if m.Method == "initialize" && c.session != "" {
					w.Header().Set("Mcp-Session-Id", c.session)
				}
				if !c.stream {
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w, doc)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				if c.asks {
					_, _ = io.WriteString(w, ": hello\n\n"+event(`{"jsonrpc":"2.0","id":9,"method":"roots/list"}`))
				}
				_, _ = io.WriteString(w, event(doc))
			}))
			defer s.Close()
			r, status, _, err := OverHTTP(t.Context(), s.Client(), s.URL, []spec.Header{{Name: "Authorization", Value: "Bearer t"}}, call())
			if err != nil || r.Text != "a\nb" || status != 200 {
				t.Fatalf("%+v, %d, %v", r, status, err)
			}
			if c.session != "" && heard[len(heard)-1] != "DELETE " {
				t.Errorf("the session was left open: %q", heard)
			}
			if c.asks && !strings.Contains(strings.Join(heard, ","), "POST ,") {
				t.Errorf("its question was not answered: %q", heard)
			}
		})
	}
}

// TestHostileHTTP is TestHostileServers for what HTTP adds.
func TestHostileHTTP(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter)
		reason string
	}{
		"a page": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<p>")
		}, ReasonProtocol},
		"an error":           {func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }, "http_status"},
		"nothing":            {func(w http.ResponseWriter) { w.Header().Set("Content-Type", "application/json") }, ReasonProtocol},
		"an empty stream":    {func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/event-stream") }, "mcp_gone"},
		"accepted":           {func(w http.ResponseWriter) { w.WriteHeader(http.StatusAccepted) }, "http_status"},
		"an endless session": {func(w http.ResponseWriter) { w.Header().Set("Mcp-Session-Id", strings.Repeat("x", 1000)) }, ReasonProtocol},
		"a question instead": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		}, ReasonProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { c.answer(w) }))
			defer s.Close()
			r, _, _, err := OverHTTP(t.Context(), s.Client(), s.URL, nil, call())
			if r != nil || fault.ReasonOf(err) != c.reason {
				t.Errorf("%+v, %v (%s)", r, err, fault.ReasonOf(err))
			}
		})
	}
}

// FuzzDialogue: no message makes the client panic, ask for anything but what it may,
// or go on for ever.
func FuzzDialogue(f *testing.F) {
	f.Add(began, fine)
	f.Add(`{"jsonrpc":"2.0","id":5,"method":"roots/list"}`, `{"jsonrpc":"2.0","id":1,"error":{}}`)
	f.Fuzz(func(t *testing.T, first, second string) {
		d := &dialogue{call: call()}
		d.open()
		for _, text := range []string{first, second, fine} {
			say, err := d.hear([]byte(text))
			if err != nil {
				return
			}
			if len(say) > 2 {
				t.Errorf("%d messages for one", len(say))
			}
			for _, m := range say {
				if !json.Valid(m) {
					t.Errorf("it says %q", m)
				}
			}
			if d.reply != nil {
				return
			}
		}
	})
}

func TestSilence(t *testing.T) {
	in, out, _ := server(t, "", "", "", "")
	done := make(chan error, 1)
	closer := out.(io.Closer)
	go func() { _, err := OverPipes(in, out, call()); done <- err }()
	time.AfterFunc(20*time.Millisecond, func() { _ = closer.Close() })
	select {
	case err := <-done:
		if fault.ReasonOf(err) != "mcp_gone" {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("it waits for ever")
	}
}
