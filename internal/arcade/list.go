package arcade

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// List reads the definitions of a toolkit that the engine has, or of all where
// toolkit is "", page by page. What the pages say of their number is not believed:
// the reading ends with a page that is not full, and at [limits.ArcadeDefinitions].
func (c *Client) List(ctx context.Context, toolkit string) ([]manifest.ArcadeDefinition, error) {
	var all []manifest.ArcadeDefinition
	for len(all) < limits.ArcadeDefinitions {
		q := url.Values{"limit": {strconv.Itoa(limits.ArcadePage)}, "offset": {strconv.Itoa(len(all))}}
		if toolkit != "" {
			q.Set("toolkit", toolkit)
		}
		r := request{method: http.MethodGet, path: "v1/tools", query: q}
		members, err := c.ask(ctx, r)
		if err != nil {
			return nil, err
		}
		page, err := c.page(r, members)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < limits.ArcadePage {
			return all, nil
		}
	}
	return nil, c.nonsense(request{}, "its list has no end")
}

func (c *Client) page(r request, members []manifest.Member) ([]manifest.ArcadeDefinition, error) {
	for _, m := range members {
		if m.Name != "items" {
			continue
		}
		var items []json.RawMessage
		if err := json.Unmarshal(m.Value, &items); err != nil {
			return nil, c.nonsense(r, "its items are no list")
		}
		if len(items) == 0 {
			return nil, nil
		}
		page, err := manifest.ReadArcade("arcade.json", m.Value)
		if err != nil {
			return nil, c.nonsense(r, "its items are no definitions")
		}
		return page, nil
	}
	return nil, c.nonsense(r, "it lists nothing")
}

// Get reads the definition of one tool by its qualified name.
func (c *Client) Get(ctx context.Context, tool string) (*manifest.ArcadeDefinition, error) {
	if tool == "" || tool == "." || tool == ".." { // which an address takes for another place
		return nil, wrong("%s is no name of a tool", spec.Quote(tool))
	}
	r := request{method: http.MethodGet, path: "v1/tools/" + url.PathEscape(tool)}
	body, err := c.bytes(ctx, r)
	if err != nil {
		return nil, err
	}
	all, err := manifest.ReadArcade("arcade.json", body)
	if err != nil || len(all) != 1 || all[0].Arcade == nil {
		return nil, c.nonsense(r, "no definition")
	}
	return &all[0], nil
}
