// Package judgetest is a model on loopback for tests: it answers in the shapes of
// OpenAI and of Anthropic, holds every request against what those document, and
// behaves as it is told, well or badly.
package judgetest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Key is what the model wants to be asked with.
const Key = "sk-test-0123456789"

// Server is one model.
type Server struct {
	tb  testing.TB
	srv *httptest.Server

	mu     sync.Mutex
	trick  string
	warm   bool // it wants no temperature
	asked  []Asked
	tries  map[string]int // by body
	opened int            // requests that came, right ones and wrong ones
	stop   chan struct{}
}

// Asked is a request, as the model understands it.
type Asked struct {
	Anthropic    bool
	Name         string // of the schema: verdict or summary
	System, User string
	Nonce, Mark  string
	Lines        []Line
	Raw          string // body

	warm bool
}

// Line is one of the block, with blanks for marks.
type Line struct {
	N    int    `json:"n"`
	Text string `json:"t"`
}

// New starts a model that is honest. It ends with the test.
func New(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{tb: tb, stop: make(chan struct{}), tries: map[string]int{}}
	s.srv = httptest.NewServer(s)
	tb.Cleanup(func() {
		close(s.stop)
		s.srv.CloseClientConnections()
		s.srv.Close()
	})
	return s
}

// Env is the environment that configures the model, in the shape of kind.
func (s *Server) Env(kind string) map[string]string {
	base := s.srv.URL
	if kind == "openai" {
		base += "/v1"
	}
	return map[string]string{
		"PATCH_GIT_JUDGE_KIND": kind, "PATCH_GIT_JUDGE_URL": base, "PATCH_GIT_JUDGE_MODEL": "double-1", "PATCH_GIT_JUDGE_KEY": Key,
	}
}

// Behave makes the model do one of [Tricks] or [Others]; "" is honest.
func (s *Server) Behave(trick string) {
	if trick != "" && !slices.Contains(append(Tricks(), Others()...), trick) {
		s.tb.Fatalf("the model has no trick %q", trick)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trick = trick
}

// Warm makes the model one that refuses a temperature, as newer ones do, and
// returns what configures that.
func (s *Server) Warm(kind string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warm = true
	env := s.Env(kind)
	env["PATCH_GIT_JUDGE_TEMPERATURE"] = "default"
	return env
}

// Stop takes the model away.
func (s *Server) Stop() { s.srv.Close() }

// Asked are the requests so far that were right.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Requests is how many came, right or wrong.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	trick, warm := s.trick, s.warm
	s.opened++
	s.mu.Unlock()
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		return
	}
	q, err := read(r, body, warm)
	if err != nil {
		s.tb.Errorf("a request that the provider would refuse: %v\n%s", err, body)
		http.Error(w, "{}", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, q)
	if s.tries[string(body)]++; trick == "busy-twice" && s.tries[string(body)] > 2 {
		trick = ""
	}
	s.mu.Unlock()
	if s.transport(w, r, trick) {
		return
	}
	s.answer(w, q, trick, content(q, trick))
}

// answer wraps what the model wrote as its provider does.
func (s *Server) answer(w http.ResponseWriter, q Asked, trick, text string) {
	w.Header().Set("Content-Type", "application/json")
	var doc any
	if q.Anthropic {
		stop := map[string]string{"length": "max_tokens", "filtered": "refusal"}[trick]
		if stop == "" {
			stop = "tool_use"
		}
		block := `{"type":"tool_use","id":"toolu_1","name":` + quote(q.Name) + `,"input":` + text + `}`
		if !json.Valid([]byte(text)) || trick == "prose" {
			block, stop = `{"type":"text","text":`+quote(text)+`}`, "end_turn"
		}
		if trick == "tool-call" {
			block = `{"type":"tool_use","id":"toolu_1","name":"bash","input":` + text + `}`
		}
		_, _ = io.WriteString(w, `{"id":"msg_1","type":"message","role":"assistant","model":"double-1","content":[`+block+`],"stop_reason":`+quote(stop)+`,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`)
		return
	}
	finish := map[string]string{"length": "length", "filtered": "content_filter"}[trick]
	if finish == "" {
		finish = "stop"
	}
	message := map[string]any{"role": "assistant", "content": text, "refusal": nil}
	if trick == "tool-call" {
		message["tool_calls"] = []any{map[string]any{"id": "call_1", "type": "function", "function": map[string]any{"name": "bash", "arguments": "{}"}}}
	}
	doc = map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "double-1",
		"choices": []any{map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": finish}},
		"usage":   map[string]any{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
	}
	_ = json.NewEncoder(w).Encode(doc)
}

func quote(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// block reads the block out of a message.
func (q *Asked) block() error {
	_, rest, ok := strings.Cut(q.User, "Block ")
	if !ok {
		return fmt.Errorf("the message has no block")
	}
	var count int
	head, rest, _ := strings.Cut(rest, "\n")
	if _, err := fmt.Sscanf(head, "%32s begins. It has %d lines. The sign %s stands for a blank.", &q.Nonce, &count, &q.Mark); err != nil {
		return fmt.Errorf("the head of the block: %w", err)
	}
	rest, _, ok = strings.Cut(rest, "Block "+q.Nonce+" ends.")
	if !ok {
		return fmt.Errorf("the block has no end")
	}
	for l := range strings.SplitSeq(strings.TrimSpace(rest), "\n") {
		var line Line
		if err := json.Unmarshal([]byte(l), &line); err != nil {
			return fmt.Errorf("line %q: %w", l, err)
		}
		if strings.Contains(strings.TrimLeft(line.Text, " "), " ") {
			return fmt.Errorf("line %q has a blank", l)
		}
		line.Text = strings.ReplaceAll(line.Text, q.Mark, " ")
		q.Lines = append(q.Lines, line)
	}
	if len(q.Lines) != count {
		return fmt.Errorf("%d lines, said were %d", len(q.Lines), count)
	}
	return nil
}
