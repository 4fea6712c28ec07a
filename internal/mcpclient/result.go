package mcpclient

import (
	"encoding/json"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
)

// parseResult reads a CallToolResult. Blocks of kinds that are not known stay in the
// result as a whole, and say nothing.
func parseResult(doc json.RawMessage) (*Reply, error) {
	members, err := manifest.Object(doc, limits.CallBody)
	if err != nil {
		return nil, broken("the result is no object")
	}
	r := &Reply{Result: doc}
	var blocks []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Data     string `json:"data"`
		Resource struct {
			Text string `json:"text"`
			Blob string `json:"blob"`
		} `json:"resource"`
	}
	known := false
	for _, m := range members {
		switch m.Name {
		case "content":
			if json.Unmarshal(m.Value, &blocks) != nil {
				return nil, broken("the content of the result is no list of blocks")
			}
			known = true
		case "structuredContent":
			if string(m.Value) != "null" {
				r.Structured, known = m.Value, true
			}
		case "isError":
			r.Failed = string(m.Value) == "true"
		}
	}
	if !known {
		return nil, broken("the result has no content")
	}
	var texts []string
	for _, b := range blocks {
		switch b.Type {
		case "text":
			texts = append(texts, b.Text)
		case "image", "audio":
			if r.Data == "" {
				r.Data = b.Data
			}
		case "resource":
			if b.Resource.Text != "" {
				texts = append(texts, b.Resource.Text)
			} else if r.Data == "" {
				r.Data = b.Resource.Blob
			}
		}
	}
	r.Text = strings.Join(texts, "\n")
	return r, nil
}
