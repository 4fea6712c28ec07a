package host_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/limits"
)

func TestSystem(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("LOCALAPPDATA", "")
	t.Setenv("PATCH_GIT_HOME", filepath.Join(home, "state"))
	h := host.System()
	if h.Paths.Root != filepath.Join(home, "state") || h.Home != home || h.Getenv("PATCH_GIT_HOME") != h.Paths.Root {
		t.Errorf("home %q, paths %+v", h.Home, h.Paths)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if h.Dir != dir || !filepath.IsAbs(h.Executable) || h.Now().IsZero() || h.GOOS == "" || h.GOARCH == "" {
		t.Errorf("got %+v", h)
	}
	if h.Stdin != os.Stdin || h.Stdout != os.Stdout || h.Stderr != os.Stderr {
		t.Error("the streams are not the process's")
	}
	if first, again := h.HTTP(), h.HTTP(); first != again || first == http.DefaultClient {
		t.Error("want one HTTP client of our own")
	}
	// A relative home would put the state into the working directory.
	t.Setenv("HOME", "here")
	t.Setenv("USERPROFILE", "here")
	t.Setenv("PATCH_GIT_HOME", "")
	if h := host.System(); h.Home != "" || h.Paths.Root != "" {
		t.Errorf("relative home: home %q, paths %+v", h.Home, h.Paths)
	}
}

// trusting returns the program's client, which for this test also trusts the
// test server's certificate.
func trusting(t *testing.T, srv *httptest.Server) *http.Client {
	t.Helper()
	c := host.System().HTTP()
	if srv.TLS != nil {
		c.Transport.(*http.Transport).TLSClientConfig.RootCAs = srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	}
	return c
}

func fetch(t *testing.T, c *http.Client, url string) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return string(b), err
}

// chain redirects /n to /n-1 and answers at /0; /away goes to target.
func chain(target *string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		switch _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); {
		case r.URL.Path == "/away":
			http.Redirect(w, r, *target, http.StatusFound)
		case err != nil:
			http.NotFound(w, r)
		case n == 0:
			io.WriteString(w, "here")
		default:
			http.Redirect(w, r, fmt.Sprintf("/%d", n-1), http.StatusFound)
		}
	})
}

func TestRedirects(t *testing.T) {
	var target string
	plain, secure := httptest.NewServer(chain(&target)), httptest.NewTLSServer(chain(&target))
	defer plain.Close()
	defer secure.Close()
	for _, tt := range []struct {
		name, start, target string
		reason              string // "" is answered
		kind                fault.Kind
	}{
		{"as many as allowed", plain.URL + fmt.Sprintf("/%d", limits.HTTPRedirects), "", "", 0},
		{"one too many", plain.URL + fmt.Sprintf("/%d", limits.HTTPRedirects+1), "", "redirects", fault.Unavailable},
		{"https to https", secure.URL + "/away", secure.URL + "/0", "", 0},
		{"http to https", plain.URL + "/away", secure.URL + "/0", "", 0},
		{"http to http", plain.URL + "/away", plain.URL + "/0", "", 0},
		{"https to http", secure.URL + "/away", plain.URL + "/0", "downgrade", fault.NotVerified},
		{"https to http with password", secure.URL + "/away", strings.Replace(plain.URL, "://", "://u:hunter2@", 1) + "/0", "downgrade", fault.NotVerified},
	} {
		target = tt.target
		body, err := fetch(t, trusting(t, secure), tt.start)
		if tt.reason == "" {
			if body != "here" || err != nil {
				t.Errorf("%s: %q, %v", tt.name, body, err)
			}
			continue
		}
		if fault.ReasonOf(err) != tt.reason || fault.KindOf(err) != tt.kind {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.reason)
		}
		// net/http repeats the server's redirect before our message as it is.
		if f, ok := errors.AsType[*fault.Error](err); ok && strings.Contains(f.Message, "hunter2") {
			t.Errorf("%s: the message shows a password: %v", tt.name, f)
		}
	}
}

func TestTLS(t *testing.T) {
	for version, ok := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		srv := httptest.NewUnstartedServer(chain(new(string)))
		srv.TLS = &tls.Config{MinVersion: version, MaxVersion: version}
		srv.Config.ErrorLog = log.New(io.Discard, "", 0)
		srv.StartTLS()
		_, err := fetch(t, trusting(t, srv), srv.URL+"/0")
		if (err == nil) != ok {
			t.Errorf("%s: %v, want ok %v", tls.VersionName(version), err, ok)
		}
		srv.Close()
	}
	// A certificate of no authority that the system knows is refused.
	srv := httptest.NewUnstartedServer(chain(new(string)))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	var unknown *tls.CertificateVerificationError
	if _, err := fetch(t, host.System().HTTP(), srv.URL+"/0"); !errors.As(err, &unknown) {
		t.Errorf("unknown authority: %v", err)
	}
}
