package github

import (
	"net/http"
	"net/url"
	"testing"

	api "github.com/google/go-github/v62/github"
)

// A comment is the bot's only where number, kind and first line say so.
func TestIsOwn(t *testing.T) {
	t.Parallel()
	by := func(id int64, kind string) *api.User { return &api.User{ID: &id, Type: &kind, Login: &actionsBot.Login} }
	const body = "<!-- m -->\nx"
	for name, tc := range map[string]struct {
		self User
		by   *api.User
		body string
		want bool
	}{
		"the bot":            {actionsBot, by(actionsBot.ID, "Bot"), body, true},
		"a person":           {actionsBot, by(actionsBot.ID, "User"), body, false},
		"another number":     {actionsBot, by(1, "Bot"), body, false},
		"another marker":     {actionsBot, by(actionsBot.ID, "Bot"), "<!-- n -->\nx", false},
		"in the second line": {actionsBot, by(actionsBot.ID, "Bot"), "\n" + body, false},
		"nobody":             {User{}, nil, body, false},
	} {
		if got := isOwn(tc.self, tc.by, "m", tc.body); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Even where something led elsewhere, the token stays.
func TestWireKeepsTheToken(t *testing.T) {
	t.Parallel()
	base := &url.URL{Scheme: "https", Host: "api.github.com", Path: "/"}
	for address, want := range map[string]string{
		"https://api.github.com/user":          "Bearer secret",
		"http://api.github.com/user":           "",
		"https://api.github.com:8443/user":     "",
		"https://api.github.com.evil.example/": "",
	} {
		got := "none"
		w := &wire{base: base, token: "secret", below: trip(func(r *http.Request) (*http.Response, error) {
			got = r.Header.Get("Authorization")
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Date": {"Sun, 22 Nov 2026 08:00:00 GMT"}}, Body: http.NoBody}, nil
		})}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer secret") // as a redirect would keep it
		resp, err := w.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got != want {
			t.Errorf("%s got %q", address, got)
		}
	}
}
