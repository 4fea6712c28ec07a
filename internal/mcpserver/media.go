package mcpserver

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// mediaMember is the extension by which a tool whose output is a string says that
// the string is a picture or a sound in base64: x-media: image/png.
const mediaMember = "x-media"

// mediaOf is the type of what a tool answers, "" where that is neither a picture nor a sound.
// Types that a host would run, such as SVG, are none.
func mediaOf(t *spec.Tool) string {
	var kind string
	if t.Output.Type != spec.TypeString || json.Unmarshal(t.Extensions[mediaMember], &kind) != nil {
		return ""
	}
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "audio/wav", "audio/mpeg", "audio/ogg":
		return kind
	}
	return ""
}

// media makes the content of what a tool answered. Bytes that are not what they
// are said to be are refused: a host would find out for itself what they are.
func media(kind string, result json.RawMessage) (mcp.Content, error) {
	refuse := func(why string) (mcp.Content, error) {
		return nil, fault.New(fault.ToolFailed, "media", "the tool answered no %s: %s", kind, why)
	}
	var text string
	if json.Unmarshal(result, &text) != nil {
		return refuse("its output is no text")
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return refuse("its output is no base64")
	}
	is := http.DetectContentType(data)
	same := map[string]string{"audio/wave": "audio/wav", "application/ogg": "audio/ogg"}
	if other, ok := same[is]; ok {
		is = other
	}
	if is != kind {
		return refuse("its bytes are " + is)
	}
	if strings.HasPrefix(kind, "image/") {
		return &mcp.ImageContent{Data: data, MIMEType: kind}, nil
	}
	return &mcp.AudioContent{Data: data, MIMEType: kind}, nil
}
