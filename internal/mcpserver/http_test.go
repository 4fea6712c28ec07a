package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

func TestLoopback(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:8765": "127.0.0.1:8765", "127.9.9.9:1": "127.9.9.9:1", "[::1]:80": "[::1]:80", "localhost:0": "127.0.0.1:0",
		"[::ffff:127.0.0.1]:5": "127.0.0.1:5",
	} {
		if a, err := loopback(listen); err != nil || a.String() != want {
			t.Errorf("%s: %v, %v", listen, a, err)
		}
	}
	for listen, want := range map[string]string{
		"0.0.0.0:8765": "not_loopback", "[::]:1": "not_loopback", "192.168.1.2:80": "not_loopback", "[::ffff:10.0.0.1]:5": "not_loopback",
		"[fe80::1%lo]:80": "not_loopback", ":8765": "address", "127.0.0.1": "address", "8765": "address", "example.org:80": "address",
		"127.1:80": "address", "127.0.0.1:http": "address", "127.0.0.1:65536": "address", "localhost": "address", "0:1": "address",
	} {
		_, err := loopback(listen)
		if kind := fault.KindOf(err); fault.ReasonOf(err) != want || kind != fault.Usage && kind != fault.Denied {
			t.Errorf("%s: %v (%s)", listen, err, fault.ReasonOf(err))
		}
	}
}

// website is a server on HTTP.
type website struct {
	s     *server
	url   string
	token string
	stop  context.CancelFunc
	ended chan error
}

func web(t *testing.T, f *fake) *website {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	h := testHost(t, nil, nil, &safeBuffer{})
	w := &website{s: serveFake(ctx, t, h, f), stop: stop, ended: make(chan error, 1)}
	w.s.web = true
	ready := make(chan string, 2)
	go func() {
		w.ended <- w.s.serveHTTP(ctx, netip.MustParseAddrPort("127.0.0.1:0"), func(url, file string) { ready <- url; ready <- file })
	}()
	select {
	case w.url = <-ready:
	case err := <-w.ended:
		t.Fatal(err)
	}
	file := <-ready
	token, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	w.token = string(token)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file: %v, %v", info.Mode(), err)
	}
	t.Cleanup(stop)
	return w
}

// post sends a frame as a host would, but for what change does to it.
func (w *website) post(t *testing.T, frame string, change func(*http.Request)) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url, strings.NewReader(frame))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if change != nil {
		change(req)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// What does not come from a host that was given the token calls nothing.
func TestHTTPRefusals(t *testing.T) {
	f := newFake()
	w := web(t, f)
	address := strings.TrimSuffix(strings.TrimPrefix(w.url, "http://"), "/")
	port := address[strings.LastIndex(address, ":"):]
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	frame := callOf(1, "echo")
	for _, c := range []struct {
		name   string
		frame  string
		change func(*http.Request)
		status int
	}{
		{"no token", frame, func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusUnauthorized},
		{"empty token", frame, header("Authorization", "Bearer "), http.StatusUnauthorized},
		{"half a token", frame, header("Authorization", "Bearer "+w.token[:32]), http.StatusUnauthorized},
		{"one digit off", frame, header("Authorization", "Bearer "+flip(w.token)), http.StatusUnauthorized},
		{"another scheme", frame, header("Authorization", "Basic "+w.token), http.StatusUnauthorized},
		{"token in the address", frame, func(r *http.Request) {
			r.Header.Del("Authorization")
			r.URL.RawQuery = "token=" + w.token
		}, http.StatusUnauthorized},
		{"another name", frame, func(r *http.Request) { r.Host = "evil.example" + port }, http.StatusMisdirectedRequest},
		{"another port", frame, func(r *http.Request) { r.Host = "127.0.0.1:1" }, http.StatusMisdirectedRequest},
		{"a page elsewhere", frame, header("Origin", "https://evil.example"), http.StatusForbidden},
		{"a page on another port", frame, header("Origin", "http://127.0.0.1:1"), http.StatusForbidden},
		{"a page by TLS", frame, header("Origin", "https://"+address), http.StatusForbidden},
		{"a page without a name", frame, header("Origin", "null"), http.StatusForbidden},
		{"an empty origin", frame, header("Origin", ""), http.StatusForbidden},
		{"across sites", frame, header("Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		{"another path", frame, func(r *http.Request) { r.URL.Path = "/admin" }, http.StatusNotFound},
		{"a form", frame, header("Content-Type", "text/plain"), http.StatusUnsupportedMediaType},
		{"GET", frame, func(r *http.Request) { r.Method = http.MethodGet }, http.StatusMethodNotAllowed},
		{"DELETE", frame, func(r *http.Request) { r.Method = http.MethodDelete }, http.StatusMethodNotAllowed},
		{"no JSON", `{oops`, nil, http.StatusBadRequest},
		{"a batch", "[" + frame + "]", nil, http.StatusBadRequest},
		{"a key twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"wait"}}`, nil, http.StatusBadRequest},
		{"too long", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("x", limits.Frame) + `"}}`, nil, http.StatusRequestEntityTooLarge},
		{"another revision", frame, header("Mcp-Protocol-Version", "1999-01-01"), http.StatusBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body := w.post(t, c.frame, c.change)
			if status != c.status {
				t.Errorf("status %d, want %d: %s", status, c.status, body)
			}
			if strings.HasPrefix(body, "{") {
				checkLine(t, []byte(body))
			}
			if strings.Contains(body, w.token) {
				t.Error("it tells the token")
			}
		})
	}
	if len(f.started) > 0 {
		t.Errorf("%d calls were made", len(f.started))
	}
	// The twins: what differs is as it should be.
	for name, change := range map[string]func(*http.Request){
		"as it is": nil, "localhost": func(r *http.Request) { r.Host = "localhost" + port }, "its own page": header("Origin", "http://"+address),
		"/mcp": func(r *http.Request) { r.URL.Path = "/mcp" }, "same origin": header("Sec-Fetch-Site", "same-origin"),
	} {
		if status, body := w.post(t, frame, change); status != http.StatusOK || !strings.Contains(body, `"text":"{}"`) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
}

func flip(token string) string {
	last := "0"
	if strings.HasSuffix(token, "0") {
		last = "1"
	}
	return token[:len(token)-1] + last
}

// A client of the SDK, in both eras, with the token. A host of the older era is not
// asked anything, because it could not answer.
func TestHTTPEras(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			f := newFake()
			w := web(t, f)
			configure(t, w.s, "on")
			id := waitingCall(t, w.s, f, approval.KindConfirm)
			asked := 0
			changed, skills := make(chan bool, 10), make(chan bool, 10)
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked++
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{question: true}}, nil
				},
				ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) { changed <- true },
				ResourceListChangedHandler: resourceNews(skills).ResourceListChangedHandler,
			})
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
				Endpoint: w.url, HTTPClient: &http.Client{Transport: bearer(w.token)}, DisableStandaloneSSE: true,
			}, &mcp.ClientSessionOptions{ProtocolVersion: era})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if tools, err := session.ListTools(t.Context(), nil); err != nil || len(tools.Tools) != 1 {
				t.Errorf("%+v, %v", tools, err)
			}
			if res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo"}); err != nil || resultText(res) != "{}" {
				t.Errorf("%+v, %v", res, err)
			}
			resourcesOver(t, session)
			want, questions, state := "ran elicitation", 1, approval.Taken
			if era < handshakes {
				want, questions, state = "held", 0, approval.Pending
			}
			res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "held"})
			if err != nil || resultText(res) != want || asked != questions || stateOf(t, w.s, id) != state {
				t.Errorf("%+v, %v, after %d questions", res, err, asked)
			}
			if era >= handshakes { // only those who listen are told
				for told, of := range map[chan bool]news{changed: {tools: true}, skills: {skills: true}} {
					w.s.changed(of)
					select {
					case <-told:
					case <-time.After(time.Second):
						t.Errorf("nobody told of the change %+v", of)
					}
				}
			}
		})
	}
}

// bearer sends the token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// More requests at a time than any host needs are refused, and are not when the
// others were answered.
func TestHTTPTooMany(t *testing.T) {
	f := newFake()
	w := web(t, f)
	answers := make(chan int, limits.MCPCalls)
	for i := range limits.MCPCalls {
		go func() {
			status, _ := w.post(t, callOf(i, "wait"), nil)
			answers <- status
		}()
	}
	for range limits.MCPCalls {
		<-f.started
	}
	if status, _ := w.post(t, callOf(1, "echo"), nil); status != http.StatusServiceUnavailable {
		t.Errorf("one too many: %d", status)
	}
	close(f.wait)
	for range limits.MCPCalls {
		if status := <-answers; status != http.StatusOK {
			t.Errorf("one of those before: %d", status)
		}
	}
	if status, _ := w.post(t, callOf(1, "echo"), nil); status != http.StatusOK {
		t.Errorf("the twin: %d", status)
	}
}

// The end of the server is that of what it does: calls, and streams of changes.
func TestHTTPEnd(t *testing.T) {
	f := newFake()
	w := web(t, f)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {},
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: w.url, HTTPClient: &http.Client{Transport: bearer(w.token)},
	}, &mcp.ClientSessionOptions{ProtocolVersion: handshakes})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	called := make(chan error, 1)
	go func() {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait"})
		called <- err
	}()
	<-f.started
	older := make(chan int, 1) // the SDK itself ends no call of the older era
	go func() {
		status, _ := w.post(t, callOf(1, "wait"), nil)
		older <- status
	}()
	<-f.started
	begin := time.Now()
	w.stop()
	for range 2 {
		if err := <-f.ended; err == nil {
			t.Error("the call went on")
		}
	}
	if err := <-w.ended; err != nil {
		t.Error(err)
	}
	// A connection that a client opened and did not use yet is waited for.
	if took := time.Since(begin); took > limits.MCPDrain+2*time.Second {
		t.Errorf("it took %s", took)
	}
	<-called
	<-older
}

// A host that hangs up ends its call, in the era where that means so.
func TestHTTPHangUp(t *testing.T) {
	f := newFake()
	w := web(t, f)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-f.started
		stop()
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader([]byte(modern(1, "wait", `{}`, ""))))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + w.token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": handshakes, "Mcp-Method": "tools/call", "Mcp-Name": "wait",
	} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err == nil {
		_, err = io.ReadAll(res.Body)
		_ = res.Body.Close()
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("answered: %v", err)
	}
	if err := <-f.ended; err == nil {
		t.Error("the call went on")
	}
}

// A token file that others can read is no secret: nothing is served with it.
func TestSharedToken(t *testing.T) {
	f := newFake()
	s := serveFake(t.Context(), t, testHost(t, nil, nil, &safeBuffer{}), f)
	file := s.client.Host.Paths.Token()
	if err := os.WriteFile(file, []byte(strings.Repeat("ab", 32)), 0o644); err != nil {
		t.Fatal(err)
	}
	err := s.serveHTTP(t.Context(), netip.MustParseAddrPort("127.0.0.1:0"), func(string, string) { t.Error("it serves") })
	if fault.KindOf(err) != fault.NotVerified {
		t.Errorf("%v", err)
	}
}
