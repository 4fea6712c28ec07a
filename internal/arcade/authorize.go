package arcade

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
)

// Status is how far an authorization is.
type Status string

// The states of an authorization.
const (
	StatusNotStarted Status = "not_started"
	StatusPending    Status = "pending"
	StatusCompleted  Status = "completed"
	StatusFailed     Status = "failed"
)

// Authorization is the leave of a person to use an account. The token that comes
// with it is the tool's: nothing here reads it.
type Authorization struct {
	ID       string   `json:"id"`
	Status   Status   `json:"status"`
	URL      string   `json:"url"` // where the person agrees; "" where the engine named none that may be shown
	Provider string   `json:"provider_id"`
	Scopes   []string `json:"scopes"`
}

// readAuthorization reads one member by member, so that no token is ever held.
func readAuthorization(raw []byte) (*Authorization, error) {
	members, err := manifest.Object(raw, limits.ArcadeAnswer)
	if err != nil {
		return nil, err
	}
	a := &Authorization{Status: StatusPending} // what is not said
	for _, m := range members {
		into := map[string]any{"id": &a.ID, "status": &a.Status, "url": &a.URL, "provider_id": &a.Provider, "scopes": &a.Scopes}[m.Name]
		if into == nil || string(m.Value) == "null" {
			continue
		}
		if err := json.Unmarshal(m.Value, into); err != nil {
			return nil, err
		}
	}
	switch a.Status {
	case "":
		a.Status = StatusPending
	case StatusNotStarted, StatusPending, StatusCompleted, StatusFailed:
	default:
		return nil, fmt.Errorf("the status %q is unknown", a.Status)
	}
	if !showable(a.URL) {
		a.URL = ""
	}
	return a, nil
}

// showable tells whether a person may be sent to an address: by https, or on this
// machine, and with nothing in it that a terminal or a reader takes for something else.
func showable(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && u.User == nil && visible(s) && len(s) <= 4096 &&
		(u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()))
}

// Authorize starts what a person has to agree to before a tool runs for them.
func (c *Client) Authorize(ctx context.Context, tool, version string) (*Authorization, error) {
	body := struct {
		Tool    string `json:"tool_name"`
		User    string `json:"user_id"`
		Version string `json:"tool_version,omitempty"`
	}{tool, c.config.User, version}
	return c.authorization(ctx, request{method: http.MethodPost, path: "v1/tools/authorize", body: body})
}

// Authorized asks how far an authorization is. With wait the engine answers when it
// is completed or the time is over, at most [limits.ArcadeWait] seconds.
func (c *Client) Authorized(ctx context.Context, id string, wait time.Duration) (*Authorization, error) {
	q := url.Values{"id": {id}}
	if s := min(int(wait/time.Second), limits.ArcadeWait); s > 0 {
		q.Set("wait", strconv.Itoa(s))
	}
	return c.authorization(ctx, request{method: http.MethodGet, path: "v1/auth/status", query: q})
}

func (c *Client) authorization(ctx context.Context, r request) (*Authorization, error) {
	body, err := c.bytes(ctx, r)
	if err != nil {
		return nil, err
	}
	a, err := readAuthorization(body)
	if err != nil {
		return nil, c.nonsense(r, "no state of an authorization")
	}
	return a, nil
}
