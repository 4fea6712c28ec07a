package sitetest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHost: the pages are tried on something that behaves as their host does.
func TestHost(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index.html": "start", "404.html": "nothing here", "t/abc/index.html": "abc", "x.bin": strings.Repeat("b", 5000), "x.json": strings.Repeat("j", 5000),
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "outside"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := Host(dir, "/acme/tools/")
	for _, one := range []struct {
		path    string
		status  int
		body    string
		encoded bool
	}{
		{"/acme/tools/", 200, "", true},
		{"/acme/tools/t/abc/", 200, "", true},
		{"/acme/tools/t/abc", 301, "", false},
		{"/acme/tools/t/none/", 404, "", true},
		{"/acme/tools/x.json", 200, "", true},
		{"/acme/tools/x.bin", 200, strings.Repeat("b", 5000), false},
		{"/acme/tools/../outside", 404, "", true},
		{"/index.html", 404, "404 page not found\n", false},
	} {
		r := httptest.NewRequest(http.MethodGet, one.path, nil)
		r.Header.Set("Accept-Encoding", "gzip, br")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != one.status || (w.Header().Get("Content-Encoding") == "gzip") != one.encoded {
			t.Errorf("%s: %d %v", one.path, w.Code, w.Header())
		}
		if one.body != "" && w.Body.String() != one.body {
			t.Errorf("%s: %q", one.path, w.Body.String())
		}
	}
}
