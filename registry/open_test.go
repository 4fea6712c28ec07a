package registry_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/registry/registrytest"
)

// A folder is found by its parent, its parent's parent, and itself.
func TestOpenFolder(t *testing.T) {
	tree := registrytest.Tree(t, registrytest.Release("csv_to_json", "1.0.0"))
	base := t.TempDir()
	for _, dir := range []string{"direct", "site/v1", "work/published/v1"} {
		write(t, filepath.Join(base, filepath.FromSlash(dir)), tree)
	}
	repo := newRepository(t)
	repo.commit(tree, true)
	clone, remote := filepath.Join(base, "clone"), filepath.Join(base, "remote")
	repo.git(nil, "clone", "-q", "--no-checkout", "--branch", "published", repo.dir, clone)
	repo.git(nil, "clone", "-q", "--no-checkout", "--branch", "published", repo.dir, remote)
	repo.git(nil, "--git-dir="+remote+"/.git", "update-ref", "-d", "refs/heads/published")
	for _, location := range []string{
		filepath.Join(base, "direct"), filepath.Join(base, "site"), filepath.Join(base, "site", "v1"), filepath.Join(base, "work"),
		"file://" + filepath.ToSlash(filepath.Join(base, "work")), repo.dir, "git+file://" + repo.dir, "file://" + repo.dir, clone, remote,
	} {
		c, err := registry.Fetch(t.Context(), mustOpen(t, location, registry.Options{}), csv)
		if err != nil || len(c.Files) != 2 {
			t.Errorf("%s: %d files, %v", location, len(c.Files), err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, "plain"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, location := range []string{base, filepath.Join(base, "missing"), filepath.Join(base, "plain"), filepath.Join(base, "site", "v1", "records")} {
		if _, err := registry.Open(t.Context(), location, registry.Options{}); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: %v, want unavailable", location, err)
		}
	}
	for _, location := range []string{filepath.Join(base, "missing.git"), "git+file://" + base, "git+file://" + filepath.Join(base, "site")} {
		_, err := mustOpen(t, location, registry.Options{}).Read(t.Context(), ledger.HeadPath, 1000)
		if fault.ReasonOf(err) != "no_registry" || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: %v, want no_registry", location, err)
		}
	}
}

func TestOpenForms(t *testing.T) {
	o := registry.Options{HTTP: &http.Client{}, CacheDir: t.TempDir(), Now: time.Now}
	for location, shown := range map[string]string{
		"https://tools.example.com":                  "https://tools.example.com/v1",
		"https://tools.example.com/":                 "https://tools.example.com/v1",
		"https://tools.example.com/a/b/":             "https://tools.example.com/a/b/v1",
		"https://tools.example.com/a/../b/v1":        "https://tools.example.com/b/v1",
		"https://ada:pw@tools.example.com/v1/":       "https://tools.example.com/v1",
		"http://127.0.0.1:8080/x":                    "http://127.0.0.1:8080/x/v1",
		"http://[::1]:8080":                          "http://[::1]:8080/v1",
		"http://localhost/":                          "http://localhost/v1",
		"https://github.com/acme/tools.git":          "https://github.com/acme/tools.git",
		"https://github.com/acme/tools":              "https://github.com/acme/tools",
		"git+https://ada:pw@git.example.com/acme/t":  "https://git.example.com/acme/t",
		"git+ssh://git@git.example.com:2222/acme/t":  "ssh://git.example.com:2222/acme/t",
		"ssh://git@git.example.com/acme/t.git":       "ssh://git.example.com/acme/t.git",
		"git@github.com:acme/tools.git":              "github.com:acme/tools.git",
		"git+http://localhost:3000/acme/tools":       "http://localhost:3000/acme/tools",
		"git+file:///srv/registry":                   filepath.FromSlash("/srv/registry"),
		filepath.FromSlash("/srv/registry/acme.git"): filepath.FromSlash("/srv/registry/acme.git"),
	} {
		src, err := registry.Open(t.Context(), location, o)
		if err != nil || src.Location() != shown {
			t.Errorf("%s: %v, %v, want %s", location, src, err, shown)
		}
	}
	for _, location := range []string{
		"", "a\nb", "\x1b[2J", "http://tools.example.com/", "http://127.0.0.1.example.com/", "http://0x7f000001.example.com", "git+http://git.example.com/t",
		"ftp://host/", "git://host/t.git", "git+ftp://host/t", "https://", "https:///path", "https://host/?a=b", "https://host/#f", "https://host/%zz",
		"file://host/path", "git+file://relative/path", "git+https://host/t?x=y", "git+ssh:///t", "javascript://x", "http://user@",
	} {
		if src, err := registry.Open(t.Context(), location, o); fault.KindOf(err) != fault.Usage || fault.ReasonOf(err) != "location" {
			t.Errorf("%q: %v, %v, want a refusal of the location", location, src, err)
		}
	}
	for _, o := range []registry.Options{{}, {CacheDir: o.CacheDir}, {Now: time.Now}} {
		for _, location := range []string{"https://tools.example.com", "git+https://tools.example.com/t"} {
			if _, err := registry.Open(t.Context(), location, o); fault.ReasonOf(err) != "options" {
				t.Errorf("%s with %+v: %v, want options", location, o, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := registry.Open(ctx, "https://tools.example.com", o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Two registries on one host share nothing, two spellings of one do.
func TestOpenSeparatesCaches(t *testing.T) {
	tree := registrytest.Tree(t, registrytest.Release("csv_to_json", "1.0.0"))
	s := registrytest.NewServer(t, tree)
	s.Handle(func(w http.ResponseWriter, r *http.Request, _ string) bool {
		if strings.HasPrefix(r.URL.Path, "/other/") {
			w.WriteHeader(http.StatusNotFound)
			return true
		}
		return false
	})
	o := options(t, s)
	for _, location := range []string{s.URL, s.URL + "/v1/"} {
		if _, err := registry.Fetch(t.Context(), mustOpen(t, location, o), csv); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Take(); got.NotModified != 3 {
		t.Errorf("the second spelling: %+v, want three answers 304", got)
	}
	if _, err := registry.Fetch(t.Context(), mustOpen(t, s.URL+"/other", o), csv); fault.ReasonOf(err) != "no_registry" {
		t.Errorf("the other registry: %v, want no_registry", err)
	}
}

// otherUser is the location of a URL with another user and password, "" where it
// has none. It does not search what is shown for them: a host may hold the same
// letters.
func otherUser(location string) string {
	scheme, rest, isURL := strings.Cut(location, "://")
	end := len(rest)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		end = i
	}
	at := strings.LastIndexByte(rest[:end], '@')
	if !isURL || at < 0 {
		return ""
	}
	return scheme + "://somebody" + rest[at:]
}

func FuzzOpen(f *testing.F) {
	for _, s := range []string{
		"/srv/registry", "https://hunter2:hunter2@host/a", "git+ssh://hunter2@host/r", "git@host:r.git", "git+file:///x", "file:///x%2e", "http://[::1]:1/..//..",
		"https://host\\@evil/", "git+https://a@b@c/", "HTTPS://HOST", "x.git", "://", "git+://", "git+ssh://nter2@host/hunter2@host/r", "git+ssh://nter2@hunter2.host/r", "https://a?b@c/d",
	} {
		f.Add(s)
	}
	o := registry.Options{HTTP: &http.Client{}, CacheDir: f.TempDir(), Now: time.Now}
	f.Fuzz(func(t *testing.T, location string) {
		src, err := registry.Open(t.Context(), location, o)
		if err != nil {
			if k := fault.KindOf(err); k != fault.Usage && k != fault.Unavailable {
				t.Errorf("%q: kind %v", location, k)
			}
			return
		}
		// Who is between the scheme and the host changes nothing that is shown.
		if other := otherUser(location); other != "" {
			twin, err := registry.Open(t.Context(), other, o)
			if err != nil {
				t.Fatalf("%q opens, %q does not: %v", location, other, err)
			}
			if src.Location() != twin.Location() {
				t.Errorf("%q is shown as %q, %q as %q", location, src.Location(), other, twin.Location())
			}
		}
		if u, ok := strings.CutPrefix(src.Location(), "http://"); ok {
			if !strings.HasPrefix(u, "localhost") && !strings.HasPrefix(u, "127.") && !strings.HasPrefix(u, "[") {
				t.Errorf("%q reads %q without encryption", location, src.Location())
			}
		}
	})
}
