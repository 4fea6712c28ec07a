package judgetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// read holds a request against what its provider documents, and against what the
// judge promises: no tools to run, temperature 0, a bound on the answer.
func read(r *http.Request, body []byte) (q Asked, err error) {
	q.Raw = string(body)
	switch {
	case r.Method != http.MethodPost:
		return q, fmt.Errorf("the method %s", r.Method)
	case r.Header.Get("Content-Type") != "application/json":
		return q, fmt.Errorf("the content type %q", r.Header.Get("Content-Type"))
	case r.URL.RawQuery != "" || len(r.Cookies()) > 0:
		return q, fmt.Errorf("a query or a cookie")
	case strings.Contains(q.Raw, Key):
		return q, fmt.Errorf("the key is in the body")
	}
	switch r.URL.Path {
	case "/v1/chat/completions":
		if got := r.Header.Get("Authorization"); got != "Bearer "+Key {
			return q, fmt.Errorf("the key %q", got)
		}
		err = q.openAI(body)
	case "/v1/messages":
		if r.Header.Get("X-Api-Key") != Key || r.Header.Get("Authorization") != "" {
			return q, fmt.Errorf("the key %q", r.Header.Get("X-Api-Key"))
		}
		if got := r.Header.Get("Anthropic-Version"); got != "2023-06-01" {
			return q, fmt.Errorf("the edition %q", got)
		}
		q.Anthropic = true
		err = q.anthropic(body)
	default:
		err = fmt.Errorf("the path %s", r.URL.Path)
	}
	if err != nil {
		return q, err
	}
	return q, q.block()
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// openAI reads a request of https://platform.openai.com/docs/api-reference/chat/create.
func (q *Asked) openAI(body []byte) error {
	var doc struct {
		Model       string    `json:"model"`
		Messages    []message `json:"messages"`
		Temperature *float64  `json:"temperature"`
		MaxTokens   int       `json:"max_tokens"`
		Stream      bool      `json:"stream"`
		Format      struct {
			Type   string `json:"type"`
			Schema struct {
				Name   string          `json:"name"`
				Strict bool            `json:"strict"`
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := strict(body, &doc); err != nil {
		return err
	}
	switch m := doc.Messages; {
	case doc.Model != "double-1":
		return fmt.Errorf("the model %q", doc.Model)
	case len(m) != 2 || m[0].Role != "system" || m[1].Role != "user":
		return fmt.Errorf("the messages %+v", m)
	case doc.Temperature == nil || *doc.Temperature != 0 || doc.Stream:
		return fmt.Errorf("temperature or stream")
	case doc.Format.Type != "json_schema" || !doc.Format.Schema.Strict:
		return fmt.Errorf("the format %+v", doc.Format)
	default:
		q.Name, q.System, q.User = doc.Format.Schema.Name, m[0].Content, m[1].Content
	}
	if err := q.bounded(doc.MaxTokens); err != nil {
		return err
	}
	return strictSchema(doc.Format.Schema.Schema)
}

// anthropic reads a request of https://docs.anthropic.com/en/api/messages.
func (q *Asked) anthropic(body []byte) error {
	var doc struct {
		Model       string    `json:"model"`
		System      string    `json:"system"`
		Messages    []message `json:"messages"`
		Temperature *float64  `json:"temperature"`
		MaxTokens   int       `json:"max_tokens"`
		Tools       []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"input_schema"`
		} `json:"tools"`
		Choice struct {
			Type string `json:"type"`
			Name string `json:"name"`
			One  bool   `json:"disable_parallel_tool_use"`
		} `json:"tool_choice"`
	}
	if err := strict(body, &doc); err != nil {
		return err
	}
	switch m := doc.Messages; {
	case doc.Model != "double-1":
		return fmt.Errorf("the model %q", doc.Model)
	case len(m) != 1 || m[0].Role != "user" || doc.System == "":
		return fmt.Errorf("the messages %+v", m)
	case doc.Temperature == nil || *doc.Temperature != 0:
		return fmt.Errorf("the temperature")
	case len(doc.Tools) != 1 || doc.Choice.Type != "tool" || doc.Choice.Name != doc.Tools[0].Name || !doc.Choice.One:
		return fmt.Errorf("the answer is not forced: %+v", doc.Choice)
	default:
		q.Name, q.System, q.User = doc.Choice.Name, doc.System, m[0].Content
	}
	if err := q.bounded(doc.MaxTokens); err != nil {
		return err
	}
	return strictSchema(doc.Tools[0].Schema)
}

// bounded holds the answer's length against what is documented here.
func (q *Asked) bounded(tokens int) error {
	most := map[string]int{"verdict": 2000, "summary": 500}[q.Name]
	if tokens <= 0 || tokens > most {
		return fmt.Errorf("%d tokens for %q", tokens, q.Name)
	}
	return nil
}

// strictSchema holds a schema against what OpenAI takes as strict: every object
// is closed and each of its members compulsory, and only some words are known.
func strictSchema(data json.RawMessage) error {
	var s struct {
		Type       string                     `json:"type"`
		Closed     *bool                      `json:"additionalProperties"`
		Required   []string                   `json:"required"`
		Properties map[string]json.RawMessage `json:"properties"`
		Items      json.RawMessage            `json:"items"`
		Enum       []string                   `json:"enum"`
	}
	if err := strict(data, &s); err != nil {
		return fmt.Errorf("the schema: %w", err)
	}
	switch s.Type {
	case "string", "integer":
		return nil
	case "array":
		return strictSchema(s.Items)
	case "object":
		if s.Closed == nil || *s.Closed || len(s.Required) != len(s.Properties) {
			return fmt.Errorf("an object of the schema is open: %s", data)
		}
		for name, p := range s.Properties {
			if !slices.Contains(s.Required, name) {
				return fmt.Errorf("the member %s is not compulsory", name)
			}
			if err := strictSchema(p); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("the type %q", s.Type)
}
