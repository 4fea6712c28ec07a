package judge

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// anthropicVersion is the edition of Anthropic's interface that is spoken.
const anthropicVersion = "2023-06-01"

// openAI is a request for an answer in JSON of one schema, by
// https://platform.openai.com/docs/api-reference/chat/create. max_tokens is the
// name that vLLM, llama.cpp and Ollama know.
func (w *wire) openAI(q question) (path string, body any, header http.Header) {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	type schema struct {
		Name   string          `json:"name"`
		Strict bool            `json:"strict"`
		Schema json.RawMessage `json:"schema"`
	}
	type format struct {
		Type   string `json:"type"`
		Schema schema `json:"json_schema"`
	}
	header = http.Header{}
	if key := w.config.key(); key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
	return "/chat/completions", struct {
		Model       string    `json:"model"`
		Messages    []message `json:"messages"`
		Temperature int       `json:"temperature"`
		MaxTokens   int       `json:"max_tokens"`
		Stream      bool      `json:"stream"`
		Format      format    `json:"response_format"`
	}{w.config.Model, []message{{"system", q.system}, {"user", q.user}}, 0, q.tokens, false, format{"json_schema", schema{q.name, true, q.schema}}}, header
}

// openAIAnswer takes what the model wrote out of the answer. Members that are not
// asked about are the provider's own.
func openAIAnswer(data []byte) ([]byte, error) {
	var answer struct {
		Choices []struct {
			Message struct {
				Role      string            `json:"role"`
				Content   *string           `json:"content"`
				Refusal   *string           `json:"refusal"`
				ToolCalls []json.RawMessage `json:"tool_calls"`
			} `json:"message"`
			Finish string `json:"finish_reason"`
		} `json:"choices"`
	}
	if err := decode(data, &answer); err != nil {
		return nil, err
	}
	if len(answer.Choices) != 1 {
		return nil, failed(Malformed, "the provider answers %d times at once", len(answer.Choices))
	}
	c := answer.Choices[0]
	switch {
	case c.Message.Role != "assistant":
		return nil, failed(Malformed, "the answer is not by the model")
	case c.Finish == "length":
		return nil, failed(Malformed, "the model did not come to an end")
	case c.Finish != "stop":
		return nil, failed(Malformed, "the model ended for another reason than that it was done")
	case c.Message.Refusal != nil && *c.Message.Refusal != "", len(c.Message.ToolCalls) > 0, c.Message.Content == nil:
		return nil, failed(Malformed, "the model did something else than to answer")
	}
	return []byte(*c.Message.Content), nil
}

// anthropic is a request for a call of the one tool that there is, whose input is
// the answer: https://docs.anthropic.com/en/api/messages. Nothing runs it.
func (w *wire) anthropic(q question) (path string, body any, header http.Header) {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	type tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
	}
	type choice struct {
		Type string `json:"type"`
		Name string `json:"name"`
		One  bool   `json:"disable_parallel_tool_use"`
	}
	header = http.Header{}
	header.Set("Anthropic-Version", anthropicVersion)
	if key := w.config.key(); key != "" {
		header.Set("X-Api-Key", key)
	}
	return "/v1/messages", struct {
		Model       string    `json:"model"`
		System      string    `json:"system"`
		Messages    []message `json:"messages"`
		Temperature int       `json:"temperature"`
		MaxTokens   int       `json:"max_tokens"`
		Tools       []tool    `json:"tools"`
		Choice      choice    `json:"tool_choice"`
	}{
		w.config.Model, q.system,
		[]message{{"user", q.user}},
		0, q.tokens,
		[]tool{{q.name, "The answer.", q.schema}},
		choice{"tool", q.name, true},
	}, header
}

// anthropicAnswer takes the input of the one call out of the answer.
func anthropicAnswer(data []byte, name string) ([]byte, error) {
	var answer struct {
		Type    string `json:"type"`
		Role    string `json:"role"`
		Content []struct {
			Type  string          `json:"type"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		Stop string `json:"stop_reason"`
	}
	if err := decode(data, &answer); err != nil {
		return nil, err
	}
	switch {
	case answer.Type != "message" || answer.Role != "assistant":
		return nil, failed(Malformed, "the answer is not by the model")
	case answer.Stop == "max_tokens":
		return nil, failed(Malformed, "the model did not come to an end")
	case answer.Stop != "tool_use":
		return nil, failed(Malformed, "the model ended for another reason than that it was done")
	case len(answer.Content) != 1 || answer.Content[0].Type != "tool_use" || answer.Content[0].Name != name:
		return nil, failed(Malformed, "the model did something else than to answer")
	}
	return answer.Content[0].Input, nil
}

// decode reads one document and nothing behind it.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(into); err != nil || len(bytes.TrimSpace(data[d.InputOffset():])) > 0 {
		return failed(Malformed, "the provider's answer is not readable")
	}
	return nil
}
