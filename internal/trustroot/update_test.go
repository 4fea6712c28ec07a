package trustroot_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/keyless"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/internal/trustroot"
)

// scene is a TUF repository and a user who asks it.
type scene struct {
	t    *testing.T
	repo *sigtest.TUF
	srv  *httptest.Server
	opts trustroot.RefreshOptions
	// trick answers a request in the repository's place, or not.
	trick func(w http.ResponseWriter, r *http.Request) bool
}

const (
	rootName   = "trusted_root.json"
	configName = "signing_config.v0.2.json"
)

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t}
	var err error
	if s.repo, err = sigtest.NewTUF(); err != nil {
		t.Fatal(err)
	}
	s.srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.trick == nil || !s.trick(w, r) {
			s.repo.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.srv.Close)
	s.opts = trustroot.RefreshOptions{
		Dir: filepath.Join(t.TempDir(), "trust"), Mirror: s.srv.URL, Root: s.repo.Root,
		HTTP: &http.Client{}, Now: func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) },
		Check: func(root []byte) error { _, err := keyless.ParseRoot(root); return err },
	}
	s.publish(t, trustroot.Embedded().Root)
	return s
}

func (s *scene) publish(t *testing.T, root []byte) {
	t.Helper()
	if err := s.repo.Publish(map[string][]byte{rootName: root, configName: trustroot.Embedded().Config}); err != nil {
		t.Fatal(err)
	}
}

func (s *scene) refresh() (*trustroot.Change, error) {
	return trustroot.Refresh(s.t.Context(), s.opts)
}

// in is what Load would read.
func (s *scene) in() string {
	data, err := os.ReadFile(filepath.Join(s.opts.Dir, "sigstore.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.t.Fatal(err)
	}
	return string(data)
}

// otherRoot is a trusted root of another instance.
func otherRoot(t *testing.T) []byte {
	t.Helper()
	s, err := sigtest.New(sigtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	root, err := s.TrustedRoot()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestRefresh: what is signed replaces what was there, in the bytes that were signed.
func TestRefresh(t *testing.T) {
	s := newScene(t)
	c, err := s.refresh()
	if err != nil {
		t.Fatal(err)
	}
	if c.Before.Digest() != trustroot.Embedded().Digest() || c.After.Digest() != c.Before.Digest() || len(c.Added)+len(c.Gone) != 0 {
		t.Errorf("the same root again: %s to %s, %v, %v", c.Before.Digest(), c.After.Digest(), c.Added, c.Gone)
	}
	other := otherRoot(t)
	s.publish(t, other)
	if c, err = s.refresh(); err != nil {
		t.Fatal(err)
	}
	named, err := trustroot.Authorities(other)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Added) != len(named) || len(c.Gone) < 4 {
		t.Errorf("added %v, gone %v", c.Added, c.Gone)
	}
	m, err := trustroot.Load(s.opts.Dir)
	if err != nil || !bytes.Equal(m.Root, other) || !bytes.Equal(m.Config, trustroot.Embedded().Config) || m.Fetched != "2026-11-21T12:00:00Z" {
		t.Errorf("loaded %s of %q, %v", m.Digest(), m.Fetched, err)
	}
	// A file that is damaged is what the command is there to repair.
	if err := os.WriteFile(filepath.Join(s.opts.Dir, "sigstore.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := s.refresh(); err != nil || c.Before.Root != nil || len(c.Added) != len(named) {
		t.Errorf("over a damaged file: %+v, %v", c, err)
	}
	if info, err := os.Stat(filepath.Join(s.opts.Dir, "sigstore.json")); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestRefreshRefuses: each attack after an honest refresh, and the honest
// repository again after each attack.
func TestRefreshRefuses(t *testing.T) {
	cut := func(data []byte) []byte { return data[:len(data)/2] }
	status := func(code int, end string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, end) {
				w.WriteHeader(code)
			}
			return strings.HasSuffix(r.URL.Path, end)
		}
	}
	publish := func(t *testing.T, s *scene, targets map[string][]byte) {
		t.Helper()
		if err := s.repo.Publish(targets); err != nil {
			t.Fatal(err)
		}
	}
	config := trustroot.Embedded().Config
	for name, c := range map[string]struct {
		attack func(*testing.T, *scene)
		kind   fault.Kind
		reason string
	}{
		"a key that nobody knows": {func(t *testing.T, s *scene) {
			evil, err := sigtest.NewTUF()
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(evil.Publish(nil), evil.Publish(nil), evil.Publish(nil)); err != nil {
				t.Fatal(err)
			}
			s.repo.Put(evil.Get("timestamp.json"))
		}, fault.NotVerified, "tuf:signature"},
		"one byte of a signed file": {func(_ *testing.T, s *scene) {
			path, data := s.repo.Get("2.targets.json")
			s.repo.Put(path, bytes.Replace(data, []byte(`"length":`), []byte(`"length":1`), 1))
		}, fault.NotVerified, "tuf:signature"},
		"a repository that went stale": {func(t *testing.T, s *scene) {
			if err := s.repo.PublishUntil(time.Now().Add(-time.Minute), map[string][]byte{rootName: otherRoot(t), configName: config}); err != nil {
				t.Fatal(err)
			}
		}, fault.NotVerified, "tuf:expired"},
		"half a target": {func(_ *testing.T, s *scene) {
			path, data := s.repo.Get(rootName)
			s.repo.Put(path, cut(data))
		}, fault.NotVerified, "tuf:digest"},
		"more than the target": {func(_ *testing.T, s *scene) {
			path, data := s.repo.Get(rootName)
			s.repo.Put(path, append(data, ' '))
		}, fault.NotVerified, "tuf:digest"},
		"a target that is no trusted root": {func(t *testing.T, s *scene) {
			publish(t, s, map[string][]byte{rootName: []byte(`{"mediaType":"application/vnd.dev.sigstore.trustedroot+json;version=0.1"}`), configName: config})
		}, fault.NotVerified, "tuf:content"},
		"a target that is no signing configuration": {func(t *testing.T, s *scene) {
			publish(t, s, map[string][]byte{rootName: otherRoot(t), configName: []byte("{}")})
		}, fault.NotVerified, "tuf:content"},
		"no signing configuration": {func(t *testing.T, s *scene) {
			publish(t, s, map[string][]byte{rootName: otherRoot(t)})
		}, fault.NotVerified, "tuf"},
		"a target too large": {func(t *testing.T, s *scene) {
			publish(t, s, map[string][]byte{rootName: bytes.Repeat([]byte(" "), limits.TrustedRoot+1), configName: config})
		}, fault.NotVerified, "tuf:size"},
		"a page in place of the repository": {func(_ *testing.T, s *scene) {
			s.repo.Put("/timestamp.json", []byte("<html>please log in</html>"))
		}, fault.NotVerified, "tuf"},
		"out of order": {func(_ *testing.T, s *scene) {
			s.trick = status(http.StatusServiceUnavailable, "/timestamp.json")
		}, fault.Unavailable, "http_503"},
		"out of order from the first request": {func(_ *testing.T, s *scene) {
			s.trick = status(http.StatusServiceUnavailable, "")
		}, fault.Unavailable, "http_503"},
		"no repository there": {func(_ *testing.T, s *scene) {
			s.trick = status(http.StatusNotFound, "")
		}, fault.Unavailable, "http_404"},
		"a target that is missing": {func(_ *testing.T, s *scene) {
			s.trick = status(http.StatusNotFound, rootName)
		}, fault.Unavailable, "http_404"},
		"a connection that breaks": {func(_ *testing.T, s *scene) {
			s.trick = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, rootName) {
					return false
				}
				w.Header().Set("Content-Length", "100")
				_, _ = w.Write([]byte("half"))
				return true
			}
		}, fault.Unavailable, "network"},
		"nobody there": {func(_ *testing.T, s *scene) { s.opts.Mirror = "http://127.0.0.1:1" }, fault.Unavailable, "network"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			if _, err := s.refresh(); err != nil {
				t.Fatal(err)
			}
			was := s.in()
			s.publish(t, otherRoot(t))
			honest := s.repo.Keep()
			c.attack(t, s)
			if got, err := s.refresh(); fault.KindOf(err) != c.kind || fault.ReasonOf(err) != c.reason || got != nil {
				t.Errorf("%s, reason %q: %v", fault.KindOf(err), fault.ReasonOf(err), err)
			}
			if s.in() != was {
				t.Error("a refusal changed what is loaded")
			}
			// The twin: what was served before the attack, one version later
			// where the attack was signed.
			s.trick, s.opts.Mirror = nil, s.srv.URL
			honest()
			s.publish(t, otherRoot(t))
			if _, err := s.refresh(); err != nil {
				t.Errorf("the honest repository: %v", err)
			}
			if s.in() == was {
				t.Error("the honest repository changed nothing")
			}
		})
	}
}

// TestRollback: an older state, whole and signed, is refused by who saw a newer
// one, at whatever address, and believed by who did not.
func TestRollback(t *testing.T) {
	s := newScene(t)
	old := s.repo.Keep()
	s.publish(t, otherRoot(t))
	if _, err := s.refresh(); err != nil {
		t.Fatal(err)
	}
	was := s.in()
	old()
	mirror := httptest.NewServer(s.repo)
	defer mirror.Close()
	for _, at := range []string{s.srv.URL, mirror.URL, mirror.URL + "/"} {
		s.opts.Mirror = at
		if _, err := s.refresh(); fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != "tuf:rollback" {
			t.Errorf("an older state at %s: %v", at, err)
		}
	}
	if s.in() != was {
		t.Error("a refusal changed what is loaded")
	}
	s.opts.Dir = filepath.Join(t.TempDir(), "trust")
	if _, err := s.refresh(); err != nil {
		t.Errorf("who saw nothing newer: %v", err)
	}
}

// TestRollbackByOldKey: who holds a key that was replaced keeps the new root
// back. What was seen under the new key still counts.
func TestRollbackByOldKey(t *testing.T) {
	s := newScene(t)
	old := s.repo.Keep()
	if err := s.repo.Rotate("timestamp"); err != nil {
		t.Fatal(err)
	}
	s.publish(t, otherRoot(t))
	renewed := s.repo.Keep()
	if _, err := s.refresh(); err != nil {
		t.Fatal(err)
	}
	was := s.in()
	old()
	if _, err := s.refresh(); fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != "tuf:signature" {
		t.Errorf("the key of before: %v", err)
	}
	if s.in() != was {
		t.Error("a refusal changed what is loaded")
	}
	renewed()
	if _, err := s.refresh(); err != nil {
		t.Errorf("the new root: %v", err)
	}
}

// TestRefreshIsStopped: a repository that never answers holds up nobody who
// gives up.
func TestRefreshIsStopped(t *testing.T) {
	s := newScene(t)
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	s.trick = func(_ http.ResponseWriter, r *http.Request) bool {
		close(asked)
		<-r.Context().Done()
		return true
	}
	go func() { <-asked; cancel() }()
	if _, err := trustroot.Refresh(ctx, s.opts); fault.KindOf(err) != fault.Interrupted || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if s.in() != "" {
		t.Error("something was kept")
	}
	s.trick = nil
	if _, err := s.refresh(); err != nil {
		t.Errorf("the next time: %v", err)
	}
}

// TestDamagedCache: what a power cut leaves is named, and what to do.
func TestDamagedCache(t *testing.T) {
	for _, role := range []string{"root", "timestamp", "snapshot", "targets"} {
		s := newScene(t)
		if _, err := s.refresh(); err != nil {
			t.Fatal(err)
		}
		found, err := filepath.Glob(filepath.Join(s.opts.Dir, "tuf", "*", role+".json"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%v, %v", found, err)
		}
		if err := os.WriteFile(found[0], nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.refresh(); fault.ReasonOf(err) != trustroot.ReasonDamaged || len(fault.HintsOf(err)) != 1 {
			t.Errorf("%s: %v", role, err)
		}
	}
}

func TestRefreshUsage(t *testing.T) {
	s := newScene(t)
	for _, mirror := range []string{"ftp://example.org", "example.org", "https://", "https://a.example/?x", "\x1b[2J"} {
		s.opts.Mirror = mirror
		if _, err := s.refresh(); fault.KindOf(err) != fault.Usage || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: %v", mirror, err)
		}
	}
	s.opts.Mirror, s.opts.Root = s.srv.URL, []byte("{}")
	if _, err := s.refresh(); fault.KindOf(err) != fault.Usage {
		t.Errorf("no root: %v", err)
	}
	// Sigstore's own root does not vouch for this repository.
	s.opts.Root = nil
	if _, err := s.refresh(); fault.KindOf(err) != fault.NotVerified {
		t.Errorf("another root: %v", err)
	}
}

func TestAuthorities(t *testing.T) {
	all, err := trustroot.Authorities(trustroot.Embedded().Root)
	if err != nil || len(all) < 6 {
		t.Fatalf("%v, %v", all, err)
	}
	if a := all[0]; a.Kind != trustroot.Certificates || a.URI != "https://fulcio.sigstore.dev" || a.From == "" || a.To == "" || !strings.HasPrefix(a.Key, "sha256:") {
		t.Errorf("got %+v", a)
	}
	if _, err := trustroot.Authorities([]byte("\x1b")); err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("got %v", err)
	}
	if err := trustroot.CheckConfig(trustroot.Embedded().Config); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "{}", `{"mediaType":"application/vnd.dev.sigstore.signingconfig.v0.2+json"}`, strings.Repeat(" ", limits.TrustedRoot+1)} {
		if trustroot.CheckConfig([]byte(bad)) == nil {
			t.Errorf("accepted: %.40q", bad)
		}
	}
}

func FuzzAuthorities(f *testing.F) {
	f.Add(trustroot.Embedded().Root)
	f.Add(trustroot.Embedded().Config)
	f.Add([]byte(`{"tlogs":[{}],"certificateAuthorities":[null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, text := range []error{trustroot.CheckConfig(data), func() error { _, err := trustroot.Authorities(data); return err }()} {
			if text != nil && strings.ContainsFunc(text.Error(), func(r rune) bool { return r < ' ' || r > '~' && r != '…' }) {
				t.Errorf("the message repeats what was read: %q", text)
			}
		}
	})
}
