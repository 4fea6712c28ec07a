package contribute

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
)

func TestOneGitHub(t *testing.T) {
	for _, c := range []struct {
		api, site string
		one       bool
	}{
		{"https://api.github.com", "https://github.com", true},
		{"https://api.github.com/", "https://github.com/", true},
		{"https://API.GitHub.com", "https://github.com", true},
		{"https://hub.example/api/v3", "https://hub.example", true},
		{"https://api.team.hub.example", "https://team.hub.example", true},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8080", true},
		{"https://hub.example/api/v3", "https://github.com", false},
		{"https://api.github.com", "https://hub.example", false},
		{"https://api.github.com.hub.example", "https://github.com", false},
		{"https://evil-api.github.com", "https://github.com", false},
		{"https://api.github.com@hub.example", "https://github.com", false},
		{"https://api.github.com", "https://www.github.com", false},
		{"https://hub.example:8443", "https://hub.example", false},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8081", false},
		{"http://127.0.0.1:8080", "https://127.0.0.1:8080", false},
		{"hub.example", "hub.example", false},
		{"https://%zz", "https://%zz", false},
	} {
		if got := oneGitHub(c.api, c.site); got != c.one {
			t.Errorf("%s and %s: %v", c.api, c.site, got)
		}
	}
}

// A login at one GitHub is not begun for the interface of another: nobody is
// asked, nothing is shown. With both of one host it is.
func TestLoginForAnother(t *testing.T) {
	asked := 0
	var srv *httptest.Server
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		_ = json.NewEncoder(w).Encode(map[string]any{
			"device_code": "d", "user_code": "AB-12", "verification_uri": srv.URL + "/login/device", "expires_in": 900, "interval": 5,
		})
	}))
	defer srv.Close()
	for name, c := range map[string]struct {
		api    string
		reason string
		shown  int
	}{
		"one GitHub":         {srv.URL, "stop", 1},
		"another interface":  {"http://127.0.0.1:1", "api", 0},
		"GitHub's interface": {"", "api", 0},
	} {
		w := newWorkshop(t)
		env := map[string]string{clientVariable: "app", siteVariable: srv.URL, apiVariable: c.api}
		w.host.Getenv = func(name string) string { return env[name] }
		client := &http.Client{Transport: loopback{}}
		w.host.HTTP = func() *http.Client { return client }
		asked = 0
		shown := 0
		_, _, err := w.GitHub(t.Context(), HubOptions{Show: func(string, string) error {
			shown++
			return fault.New(fault.Denied, "stop", "no")
		}})
		if fault.ReasonOf(err) != c.reason || shown != c.shown || asked != c.shown {
			t.Errorf("%s: %v, asked %d times, shown %d times", name, err, asked, shown)
		}
		if c.reason == "api" && (fault.KindOf(err) != fault.Usage || !strings.Contains(strings.Join(fault.HintsOf(err), ""), apiVariable)) {
			t.Errorf("%s: %v, hints %q", name, fault.KindOf(err), fault.HintsOf(err))
		}
	}
}
