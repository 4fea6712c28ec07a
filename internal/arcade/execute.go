package arcade

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
)

// Call is one call of a tool.
type Call struct {
	Tool    string          // the qualified name, such as Github.CreateIssue
	Version string          // of its toolkit; "" takes any
	Input   json.RawMessage // an object
}

// Mode is what an answer is [AT-30]; the zero value is none of them.
type Mode string

// The modes of an output.
const (
	ModeValue     Mode = "value"
	ModeError     Mode = "error"
	ModeNull      Mode = "null"
	ModeArtifact  Mode = "artifact"
	ModeAuthorize Mode = "requires_authorization"
)

// Answer is what became of a call that the engine took. All of it is the words of
// strangers.
type Answer struct {
	Mode          Mode
	ExecutionID   string
	Value         json.RawMessage // of ModeValue and, as "null", of ModeNull
	Failure       *Failure        // of ModeError
	Authorization *Authorization  // of ModeAuthorize
	Artifact      *Artifact       // of ModeArtifact
}

// Failure is the error of a tool.
type Failure struct {
	Kind         string `json:"kind"`
	Message      string `json:"message"`
	CanRetry     bool   `json:"can_retry"`
	RetryAfterMS int64  `json:"retry_after_ms"`
	StatusCode   int    `json:"status_code"`
}

// Artifact is a result that lies elsewhere. Nothing fetches it.
type Artifact struct {
	URL         string `json:"url"`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"`
}

// Execute runs a tool, once. Whatever the tool answers is no error here, its own
// failure neither; an error says that the engine did not take the call, or that
// nobody can tell.
func (c *Client) Execute(ctx context.Context, call Call) (*Answer, error) {
	body := struct {
		Tool    string          `json:"tool_name"`
		Input   json.RawMessage `json:"input,omitempty"`
		User    string          `json:"user_id"`
		Version string          `json:"tool_version,omitempty"`
	}{call.Tool, call.Input, c.config.User, call.Version}
	r := request{method: http.MethodPost, path: "v1/tools/execute", body: body, runs: true}
	members, err := c.ask(ctx, r)
	if err != nil {
		return nil, err
	}
	return c.answer(r, members)
}

// answer reads an answer. Where its parts contradict each other nobody believes any.
func (c *Client) answer(r request, members []manifest.Member) (*Answer, error) {
	var success *bool
	var output []byte
	a := &Answer{}
	for _, m := range members {
		var err error
		switch m.Name {
		case "success":
			err = json.Unmarshal(m.Value, &success)
		case "id", "execution_id":
			err = json.Unmarshal(m.Value, &a.ExecutionID)
		case "output":
			output = m.Value
		}
		if err != nil {
			return nil, c.nonsense(r, m.Name+" is of another type")
		}
	}
	if success == nil {
		return nil, c.nonsense(r, "it does not say whether it succeeded")
	}
	if output != nil && string(output) != "null" {
		if err := c.output(r, a, output); err != nil {
			return nil, err
		}
	}
	switch {
	case a.Mode == "" && *success:
		a.Mode, a.Value = ModeNull, json.RawMessage("null")
	case a.Mode == "":
		return nil, c.nonsense(r, "it failed and says nothing of why")
	case *success && a.Mode == ModeError, !*success && (a.Mode == ModeValue || a.Mode == ModeNull || a.Mode == ModeArtifact):
		return nil, c.nonsense(r, "success and output contradict each other")
	}
	return a, nil
}

// output reads the one member that says what came out.
func (c *Client) output(r request, a *Answer, raw []byte) error {
	members, err := manifest.Object(raw, limits.ArcadeAnswer)
	if err != nil {
		return c.nonsense(r, "its output is no object")
	}
	for _, m := range members {
		if string(m.Value) == "null" && m.Name != "value" {
			continue
		}
		var mode Mode
		var err error
		switch m.Name {
		case "value":
			if mode, a.Value = ModeValue, m.Value; string(m.Value) == "null" {
				mode = ModeNull
			}
		case "error":
			mode, a.Failure = ModeError, &Failure{}
			err = json.Unmarshal(m.Value, a.Failure)
		case "authorization", "requires_authorization":
			var auth *Authorization
			if auth, err = readAuthorization(m.Value); err == nil && auth.Status != StatusCompleted {
				mode, a.Authorization = ModeAuthorize, auth
			}
		case "artifact":
			mode, a.Artifact = ModeArtifact, &Artifact{}
			err = json.Unmarshal(m.Value, a.Artifact)
		}
		switch {
		case err != nil:
			return c.nonsense(r, "its "+m.Name+" is of another type")
		case mode == "" || mode == ModeNull && a.Mode != "":
		case a.Mode == "" || a.Mode == ModeNull:
			a.Mode = mode
		default:
			return c.nonsense(r, "its output is two things at once")
		}
	}
	return nil
}
