package invoke

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// Reasons of a [Failure].
const (
	ReasonEnvelope = "tool_error"  // it says so by the standard envelope
	ReasonExit     = "exit"        // by its exit code alone
	ReasonStatus   = "http_status" // by the status of its answer alone
)

// Envelope is the standard form of an error [TI-P31]. All of it is somebody else's
// words.
type Envelope struct {
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details,omitempty"` // an object, or nil
}

// Failure is a call that came to the tool, and that the tool says failed.
type Failure struct {
	Reply
	Envelope *Envelope // nil where the error has no standard form

	fault *fault.Error
}

func (f *Failure) Error() string { return f.fault.Error() }

// Unwrap gives the kind, ToolFailed, and the reason.
func (f *Failure) Unwrap() error { return f.fault }

// failureOf is what a reply says went wrong; nil is nothing.
func failureOf(op *spec.Operation, name string, r Reply) *Failure {
	f := &Failure{Reply: r}
	if op.StandardError {
		f.Envelope = ParseEnvelope(r.Body)
	}
	switch {
	case f.Envelope != nil:
		f.fault = fault.New(fault.ToolFailed, ReasonEnvelope, "%s failed: %s: %s", name,
			shown(f.Envelope.Code, limits.EnvelopeCode), shown(f.Envelope.Message, limits.EnvelopeText))
	case r.ok():
		return nil
	case r.Failed:
		f.fault = fault.New(fault.ToolFailed, ReasonEnvelope, "%s failed%s", name, repeated(r.Body))
	case r.Status != 0:
		f.fault = fault.New(fault.ToolFailed, ReasonStatus, "%s answered with the HTTP status %d%s", name, r.Status, repeated(r.Body))
	default:
		f.fault = fault.New(fault.ToolFailed, ReasonExit, "%s ended with exit code %d%s", name, r.Exit, repeated(r.Body))
	}
	return f
}

// ParseEnvelope reads the standard form: an object with the one member "error", an
// object of code, message and, where there is more to say, details. nil is any other
// document.
func ParseEnvelope(body []byte) *Envelope {
	top, err := manifest.Object(body, limits.CallBody)
	if err != nil || len(top) != 1 || top[0].Name != "error" {
		return nil
	}
	members, err := manifest.Object(top[0].Value, limits.CallBody)
	if err != nil {
		return nil
	}
	var e Envelope
	code, message := false, false
	for _, m := range members {
		switch m.Name {
		case "code":
			code = m.Value[0] == '"' && json.Unmarshal(m.Value, &e.Code) == nil
		case "message":
			message = m.Value[0] == '"' && json.Unmarshal(m.Value, &e.Message) == nil
		case "details":
			if m.Value[0] != '{' {
				return nil
			}
			e.Details = m.Value
		default:
			return nil
		}
	}
	if !code || !message {
		return nil
	}
	return &e
}

// shown is a foreign text in a message: quoted, and cut where it is long.
func shown(text string, most int) string {
	if len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text = text[:most] + "…"
	}
	return spec.Quote(text)
}

// repeated is the beginning of an opaque error.
func repeated(body []byte) string {
	text := strings.TrimSpace(string(body))
	if text == "" {
		return ""
	}
	if !utf8.ValidString(text) {
		return fmt.Sprintf(" and %d bytes that are no text", len(body))
	}
	return ": " + shown(text, limits.EnvelopeCode)
}
