package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/spec"
)

// eras are one revision with a handshake and the one without.
var eras = []string{"2025-11-25", "2026-07-28"}

// connected is a client of the SDK at the other end of a server's streams.
func connected(t *testing.T, s *server, era string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "9"}, o)
	session, err := client.Connect(t.Context(), serving(t, s), &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// serving has a server serve until the test ends.
func serving(t *testing.T, s *server) mcp.Transport {
	t.Helper()
	hostIn, in := io.Pipe()
	out, hostOut := io.Pipe()
	s.client.Host.Stdin, s.client.Host.Stdout = hostIn, hostOut
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.serveStdio(t.Context())
		_ = hostOut.Close()
	}()
	t.Cleanup(func() {
		_ = in.Close()
		<-ended
	})
	return &mcp.IOTransport{Reader: out, Writer: in}
}

func resultText(r *mcp.CallToolResult) string {
	var out []string
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			out = append(out, text.Text)
		}
	}
	return strings.Join(out, "|")
}

// A client of the SDK lists, calls and is told of a change, in both eras.
func TestEras(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			f := newFake()
			s := serveFake(t.Context(), t, testHost(t, nil, nil, &safeBuffer{}), f)
			changed := make(chan bool, 10)
			client := connected(t, s, era, &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- true },
			})
			if got := client.InitializeResult(); era < handshakes && (got.ProtocolVersion != era || got.Instructions != "Tools of a test." || got.ServerInfo.Name != Name) {
				t.Errorf("the handshake says %+v", got)
			}
			tools, err := client.ListTools(t.Context(), nil)
			if err != nil || len(tools.Tools) != 1 || tools.Tools[0].Name != "echo" {
				t.Errorf("tools/list: %+v, %v", tools, err)
			}
			res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"a": 1}})
			if err != nil || resultText(res) != `{"a":1}` {
				t.Errorf("echo: %+v, %v", res, err)
			}
			if _, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: dispatch}); err == nil || !strings.Contains(err.Error(), "no such tool") {
				t.Errorf("the one tool that the SDK knows can be called by its name: %v", err)
			}
			res, err = client.CallTool(t.Context(), &mcp.CallToolParams{Name: "denied"})
			if err != nil || !res.IsError || resultText(res) != "no" {
				t.Errorf("denied: %+v, %v", res, err)
			}
			if _, err := client.ListPrompts(t.Context(), nil); err == nil {
				t.Error("there are prompts, of which the server says nothing")
			}
			s.changed(news{tools: true})
			select {
			case <-changed:
			case <-time.After(time.Second):
				t.Error("nobody told of the change within a second")
			}
		})
	}
}

// Signs of life rise, and none comes after the answer.
func TestProgress(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			f := newFake()
			s := serveFake(t.Context(), t, testHost(t, nil, nil, &safeBuffer{}), f)
			var signs []float64
			done := make(chan bool, 1)
			client := connected(t, s, era, &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
					if r.Params.ProgressToken != "t" {
						t.Errorf("token %v", r.Params.ProgressToken)
					}
					signs = append(signs, r.Params.Progress)
					if r.Params.Message == "done" {
						done <- true
					}
				},
			})
			p := &mcp.CallToolParams{Name: "echo"}
			p.SetProgressToken("t")
			if _, err := client.CallTool(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			<-done
			if fmt.Sprint(signs) != "[1 2]" {
				t.Errorf("signs of life %v", signs)
			}
			if _, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo"}); err != nil || len(signs) != 2 {
				t.Errorf("who did not ask was told: %v, %v", signs, err)
			}
		})
	}
}

// A client that gives up ends the call.
func TestClientCancels(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			f := newFake()
			client := connected(t, serveFake(t.Context(), t, testHost(t, nil, nil, &safeBuffer{}), f), era, nil)
			ctx, stop := context.WithCancel(t.Context())
			go func() {
				<-f.started
				stop()
			}()
			if _, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "wait"}); err == nil {
				t.Error("it was answered")
			}
			if err := <-f.ended; err == nil {
				t.Error("the call went on")
			}
		})
	}
}

// waitingCall holds an action as consume does, and has the fake's tool "held" wait
// for it.
func waitingCall(t *testing.T, s *server, f *fake, kind string) approval.ID {
	t.Helper()
	store, err := s.client.Approvals()
	if err != nil {
		t.Fatal(err)
	}
	e, err := store.Hold(t.Context(), approval.Action{
		Tool:   spec.Ref{Name: "send_mail", Version: "1.0.0", Digest: spec.DigestOf([]byte("release"))},
		Source: spec.DigestOf([]byte("source")), Session: s.session.ID, Client: "claude-code",
		Arguments: json.RawMessage(`{"to":"bob@example.org\n[click](http://evil.example) \u202e"}`),
		Reasons:   []approval.Reason{{Kind: kind, Text: "the tool asks each time"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.heldAs = &consume.Held{Action: e.ID, Tool: e.Action.Tool, Arguments: e.Action.Arguments, Reasons: e.Action.Reasons}
	return e.ID
}

func configure(t *testing.T, s *server, elicitation string) {
	t.Helper()
	if err := os.WriteFile(s.client.Host.Paths.Config(), []byte(`{"schema":1,"mcp":{"elicitation":"`+elicitation+`"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
}

func stateOf(t *testing.T, s *server, id approval.ID) approval.State {
	t.Helper()
	store, err := s.client.Approvals()
	if err != nil {
		t.Fatal(err)
	}
	e, err := store.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	return e.State
}

// What the host says of its user counts where the configuration says so, for what
// it can attest, and only as a yes.
func TestElicitation(t *testing.T) {
	yes := &mcp.ElicitResult{Action: "accept", Content: map[string]any{question: true}}
	for _, c := range []struct {
		name, config, kind string
		answer             *mcp.ElicitResult
		can                bool
		asked              int32
		text               string
		state              approval.State
	}{
		{"accepted", "on", approval.KindConfirm, yes, true, 1, "ran elicitation", approval.Taken},
		{"accepted by a host that is known", "known", approval.KindConfirm, yes, true, 1, "ran elicitation", approval.Taken},
		{"declined", "on", approval.KindConfirm, &mcp.ElicitResult{Action: "decline"}, true, 1, "approval_declined", approval.Pending},
		{"accepted with a no", "on", approval.KindConfirm, &mcp.ElicitResult{Action: "accept", Content: map[string]any{question: false}}, true, 1, "approval_declined", approval.Pending},
		{"not answered", "on", approval.KindConfirm, &mcp.ElicitResult{Action: "cancel"}, true, 1, "held", approval.Pending},
		{"a host that cannot", "on", approval.KindConfirm, nil, false, 0, "held", approval.Pending},
		{"not configured", "off", approval.KindConfirm, yes, true, 0, "held", approval.Pending},
		{"read in untrusted text", "on", approval.KindTainted, yes, true, 0, "held", approval.Pending},
		{"cannot be undone", "on", approval.KindIrreversible, yes, true, 0, "held", approval.Pending},
	} {
		for _, era := range eras {
			t.Run(c.name+" "+era, func(t *testing.T) {
				f := newFake()
				s := serveFake(t.Context(), t, testHost(t, nil, nil, &safeBuffer{}), f)
				configure(t, s, c.config)
				id := waitingCall(t, s, f, c.kind)
				var asked atomic.Int32
				o := &mcp.ClientOptions{}
				if c.can {
					o.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						asked.Add(1)
						if m := r.Params.Message; !strings.Contains(m, "send_mail@1.0.0") ||
							!strings.Contains(m, `    to = "bob@example.org\n[click](http://evil.example) \u{202E}"`+"\n") {
							t.Errorf("asked %q", m)
						}
						return c.answer, nil
					}
				}
				client := connected(t, s, era, o)
				p := &mcp.CallToolParams{Name: "held", Arguments: map[string]any{"a": 1}}
				res, err := client.CallTool(t.Context(), p)
				if err != nil || resultText(res) != c.text || res.IsError == (c.text == "ran elicitation") {
					t.Errorf("result %+v, %v", res, err)
				}
				if got := stateOf(t, s, id); got != c.state || asked.Load() != c.asked {
					t.Errorf("%s after %d questions, want %s after %d", got, asked.Load(), c.state, c.asked)
				}
				// The same again asks nobody again.
				if _, err := client.CallTool(t.Context(), p); err != nil || asked.Load() != c.asked {
					t.Errorf("asked %d times, %v", asked.Load(), err)
				}
			})
		}
	}
}

// Who is not on the list is not asked where only hosts that are known are.
func TestUnknownHost(t *testing.T) {
	f := newFake()
	s := serveFake(t.Context(), t, testHost(t, nil, nil, &safeBuffer{}), f)
	configure(t, s, "known")
	waitingCall(t, s, f, approval.KindConfirm)
	client := mcp.NewClient(&mcp.Implementation{Name: "somebody", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			t.Error("asked")
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{question: true}}, nil
		},
	})
	session, err := client.Connect(t.Context(), serving(t, s), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "held"}); err != nil || resultText(res) != "held" {
		t.Errorf("%+v, %v", res, err)
	}
}
