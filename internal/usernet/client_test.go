package usernet

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
)

// TestClient: this machine's own services are reached only where the person named
// them, by whatever name or way.
func TestClient(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}
	}))
	defer s.Close()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	named, err := ParseException(u.Host)
	if err != nil {
		t.Fatal(err)
	}
	get := func(c *http.Client, address string) error {
		r, err := c.Get(address)
		if err != nil {
			return err
		}
		return r.Body.Close()
	}
	base := &http.Client{Transport: &http.Transport{}}
	for _, address := range []string{s.URL, "http://localhost:" + u.Port(), "http://[::ffff:127.0.0.1]:" + u.Port(), "http://169.254.169.254/", "http://10.0.0.1/", "http://0.0.0.0:" + u.Port(), "http://[::1]/"} {
		if err := get(Client(base, nil), address); fault.ReasonOf(err) != "address" || fault.KindOf(err) != fault.Denied {
			t.Errorf("%s: %v", address, err)
		}
	}
	allowed := Client(base, []Exception{named})
	if err := get(allowed, s.URL); err != nil {
		t.Errorf("the twin: %v", err)
	}
	if err := get(allowed, s.URL+"/moved"); fault.ReasonOf(err) != "address" {
		t.Errorf("a redirect to another port: %v", err)
	}
	for _, address := range []string{s.URL, "http://localhost:" + u.Port(), "https://10.0.0.1/x", "https://2130706433/x"} {
		if err := Reaches(t.Context(), base, nil, parse(t, address)); fault.ReasonOf(err) != "address" {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := Reaches(t.Context(), base, []Exception{named}, u); err != nil {
		t.Errorf("the twin: %v", err)
	}
	// Through a proxy what the address says is looked at all the same.
	proxied := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(u)}}
	for _, address := range []string{"http://127.0.0.1:1/", "http://localhost/", "http://2130706433/", "http://10.1.2.3/"} {
		if err := get(Client(proxied, nil), address); fault.ReasonOf(err) != "address" {
			t.Errorf("%s by a proxy: %v", address, err)
		}
	}
	if err := get(Client(proxied, nil), "http://example.org/"); err != nil && !strings.Contains(err.Error(), "EOF") {
		t.Errorf("the twin: %v", err)
	}
}

func parse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
