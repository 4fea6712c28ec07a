package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// modern is a tools/call of the era without handshakes, by a host that can ask.
func modern(id int, tool, arguments, rest string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s,"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},`+
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}`, id, tool, arguments, rest)
}

func answerWith(state, responses string) string {
	return fmt.Sprintf(`,"requestState":%q,"inputResponses":%s`, state, responses)
}

const accepted = `{"approve":{"action":"accept","content":{"approve":true}}}`

// asking has a server that asks about a held call, and gives the state of the
// question about it.
func asking(t *testing.T) (w *wired, s *server, id approval.ID, state string) {
	t.Helper()
	w, s = wireServer(t, newFake())
	configure(t, s, "on")
	id = waitingCall(t, s, w.fake, approval.KindConfirm)
	w.send(modern(1, "held", `{"a":1,"b":[2.50,"x"]}`, ""))
	m := w.next()
	b, _ := json.Marshal(m["result"])
	var r struct {
		ResultType    string
		RequestState  string
		InputRequests map[string]struct{ Method string }
	}
	if err := json.Unmarshal(b, &r); err != nil || r.ResultType != "input_required" || r.InputRequests[question].Method != "elicitation/create" {
		t.Fatalf("asked by %s", b)
	}
	return w, s, id, r.RequestState
}

// The twin of every attack below: the same call, its members in another order, with
// the state and a yes. It runs once.
func TestAnswerOnce(t *testing.T) {
	w, s, id, state := asking(t)
	w.send(modern(2, "held", `{"b":[2.50,"x"],"a":1}`, answerWith(state, accepted)))
	if m := w.next(); textIn(m) != "ran elicitation" {
		t.Fatalf("answered %v", m)
	}
	if got := stateOf(t, s, id); got != approval.Taken {
		t.Errorf("it is %s", got)
	}
	w.send(modern(3, "held", `{"a":1,"b":[2.50,"x"]}`, answerWith(state, accepted)))
	if m := w.next(); codeIn(m) != jsonrpc.CodeInvalidParams || !strings.Contains(fmt.Sprint(m), "used already") {
		t.Errorf("the same answer a second time: %v", m)
	}
}

// No answer that the server did not ask for, and none that was changed on its way,
// approves anything.
func TestForgedAnswers(t *testing.T) {
	same := `{"a":1,"b":[2.50,"x"]}`
	for name, attack := range map[string]func(state string) string{
		"no state": func(string) string { return modern(2, "held", same, `,"inputResponses":`+accepted) },
		"a state of its own": func(string) string {
			return modern(2, "held", same, answerWith("eyJhY3Rpb24iOiJ4In0", accepted))
		},
		"a changed state": func(state string) string {
			return modern(2, "held", same, answerWith(state[:len(state)/2]+"A"+state[len(state)/2+1:], accepted))
		},
		"a longer state": func(state string) string { return modern(2, "held", same, answerWith(state+"AA", accepted)) },
		"other arguments": func(state string) string {
			return modern(2, "held", `{"a":2,"b":[2.50,"x"]}`, answerWith(state, accepted))
		},
		"one argument off": func(state string) string { return modern(2, "held", `{"a":1}`, answerWith(state, accepted)) },
		"another tool":     func(state string) string { return modern(2, "echo", same, answerWith(state, accepted)) },
		"another question": func(state string) string {
			return modern(2, "held", same, answerWith(state, `{"other":{"action":"accept","content":{"approve":true}}}`))
		},
		"an answer of another kind": func(state string) string {
			return modern(2, "held", same, answerWith(state, `{"approve":{"roots":[]}}`))
		},
		"an answer of no kind": func(state string) string { return modern(2, "held", same, answerWith(state, `{"approve":{}}`)) },
	} {
		t.Run(name, func(t *testing.T) {
			w, s, id, state := asking(t)
			<-w.fake.started
			w.send(attack(state))
			if m := w.next(); codeIn(m) != jsonrpc.CodeInvalidParams {
				t.Errorf("answered %v", m)
			}
			if got := stateOf(t, s, id); got != approval.Pending || len(w.fake.started) > 0 {
				t.Errorf("it is %s, and %d calls were made", got, len(w.fake.started))
			}
		})
	}
}

// An accepted form that does not say yes is no yes, in whatever type it says it.
func TestNoYes(t *testing.T) {
	for _, word := range []string{`"true"`, `1`, `null`, `{}`, `false`} {
		w, s, id, state := asking(t)
		<-w.fake.started
		w.send(modern(2, "held", `{"a":1,"b":[2.50,"x"]}`, answerWith(state, `{"approve":{"action":"accept","content":{"approve":`+word+`}}}`)))
		if m := w.next(); textIn(m) != "approval_declined" {
			t.Errorf("%s: answered %v", word, m)
		}
		if got := stateOf(t, s, id); got != approval.Pending || len(w.fake.started) > 0 {
			t.Errorf("%s: it is %s", word, got)
		}
	}
}

// The user who takes the host's right away while it asks is heard.
func TestSecondThought(t *testing.T) {
	w, s, id, state := asking(t)
	configure(t, s, "off")
	w.send(modern(2, "held", `{"a":1,"b":[2.50,"x"]}`, answerWith(state, accepted)))
	if m := w.next(); textIn(m) != "elicitation_off" || stateOf(t, s, id) != approval.Pending {
		t.Errorf("answered %v", m)
	}
}

// A state of one server is nothing to another: it is another conversation.
func TestOtherServer(t *testing.T) {
	_, s, id, state := asking(t)
	w := wireWith(t, newFake(), s.client.Host.Paths)
	w.send(modern(2, "held", `{"a":1,"b":[2.50,"x"]}`, answerWith(state, accepted)))
	if m := w.next(); codeIn(m) != jsonrpc.CodeInvalidParams || stateOf(t, s, id) != approval.Pending {
		t.Errorf("answered %v", m)
	}
}

// A host that shows the question to nobody must not hold the call until it gives it
// up itself: the model is told what a person can do.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		s := serveFake(t.Context(), t, testHost(t, nil, nil, &safeBuffer{}), f)
		configure(t, s, "on")
		id := waitingCall(t, s, f, approval.KindConfirm)
		client := connected(t, s, "2025-11-25", &mcp.ClientOptions{
			ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			},
		})
		begin := time.Now()
		res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "held"})
		if err != nil || resultText(res) != "held" {
			t.Errorf("%+v, %v", res, err)
		}
		if took := time.Since(begin); took < limits.ElicitWait || took > time.Minute {
			t.Errorf("after %s", took)
		}
		if got := stateOf(t, s, id); got != approval.Pending {
			t.Errorf("it is %s", got)
		}
	})
}

// The question names the action of a tool that has several: to draft is not to send.
func TestQuestionNamesTheAction(t *testing.T) {
	a := approval.Action{Tool: spec.Ref{Name: "send_mail", Version: "1.0.0"}, Arguments: json.RawMessage(`{"to = \"ann\", cc":"bob"}`)}
	for operation, want := range map[string]string{"": "run send_mail@1.0.0 with", "draft": "run send_mail@1.0.0 draft with"} {
		a.Operation = operation
		if q := questionOf(a); !strings.Contains(q, want) || !strings.Contains(q, "\n    \"to = \\\"ann\\\", cc\" = \"bob\"\n") {
			t.Errorf("asked: %s", q)
		}
	}
}

// What would not be shown whole is not shown.
func TestQuestionTooLong(t *testing.T) {
	w, s := wireServer(t, newFake())
	configure(t, s, "on")
	args := map[string]string{}
	for i := range 40 {
		args[fmt.Sprintf("input_%d", i)] = strings.Repeat("long ", 40)
	}
	store, err := s.client.Approvals()
	if err != nil {
		t.Fatal(err)
	}
	waitingCall(t, s, w.fake, approval.KindConfirm)
	e, err := store.Get(w.fake.heldAs.Action)
	if err != nil {
		t.Fatal(err)
	}
	a := e.Action
	if a.Arguments, err = json.Marshal(args); err != nil {
		t.Fatal(err)
	}
	if e, err = store.Hold(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	w.fake.heldAs.Action = e.ID
	w.send(modern(1, "held", `{}`, ""))
	if m := w.next(); textIn(m) != "held" {
		t.Errorf("answered %v", m)
	}
}
