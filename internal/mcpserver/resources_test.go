package mcpserver

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// resourceNews are options of a client that hears of other resources.
func resourceNews(changed chan<- bool) *mcp.ClientOptions {
	return &mcp.ClientOptions{ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { changed <- true }}
}

// resourcesOver is what a client sees of the resources of a fake, by any transport.
func resourcesOver(t *testing.T, client *mcp.ClientSession) {
	t.Helper()
	list, err := client.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != "skill://one/SKILL.md" {
		t.Errorf("resources/list: %+v, %v", list, err)
	}
	forms, err := client.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(forms.ResourceTemplates) != 2 || forms.ResourceTemplates[0].URITemplate != "skill://{name}/SKILL.md" {
		t.Errorf("resources/templates/list: %+v, %v", forms, err)
	}
	res, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "skill://one/SKILL.md"})
	if err != nil || len(res.Contents) != 1 || res.Contents[0].Text != "Do it." {
		t.Errorf("resources/read: %+v, %v", res, err)
	}
	for _, uri := range []string{"skill://two/SKILL.md", "skill://one/../two/SKILL.md", skillScheme} {
		_, err = client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		refused, ok := errors.AsType[*jsonrpc.Error](err)
		if !ok || refused.Code != jsonrpc.CodeInvalidParams || !strings.Contains(string(refused.Data), `"reason":"no"`) {
			t.Errorf("%s: %v", uri, err)
		}
	}
}
