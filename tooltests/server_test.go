package tooltests

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// serve starts a server on loopback that answers as a case says. It returns its
// address, which the answers may name, and how to set them.
func serve(t *testing.T) (address string, answers func(map[string]answer)) {
	t.Helper()
	var known map[string]answer
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := known[r.URL.Path]
		if !ok {
			t.Errorf("the tool asked for %s, which the case has no answer to", r.URL.Path)
			http.NotFound(w, r)
			return
		}
		if r.Method != http.MethodGet {
			t.Errorf("got a %s request for %s, want GET", r.Method, r.URL.Path)
		}
		w.Header()["Content-Type"] = nil // else Go guesses one
		for name, value := range a.Headers {
			w.Header().Set(name, value)
		}
		w.WriteHeader(a.Status)
		_, _ = w.Write([]byte(a.Body)) // a tool may stop reading: that is its limit at work
	}))
	t.Cleanup(s.Close)
	return "http://" + s.Listener.Addr().String(), func(m map[string]answer) {
		known = m
		s.Start()
	}
}
