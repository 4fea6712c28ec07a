package registry_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/registry/registrytest"
)

// serve answers every request with f and returns a source of it without a cache.
func serve(t *testing.T, f http.HandlerFunc) registry.Source {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return mustOpen(t, s.URL, registry.Options{HTTP: s.Client(), Sleep: noWait})
}

// raw answers with bytes of one's own making instead of HTTP that Go writes.
func raw(t *testing.T, answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = conn.Write([]byte(answer))
		_ = conn.Close()
	}
}

func gz(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}

// TestHTTPAnswers: each answer is one that a broken or hostile server gives;
// its twin, which is accepted, stands beside it.
func TestHTTPAnswers(t *testing.T) {
	zip := func(body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				t.Error("the client does not ask for gzip")
			}
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(body)
		}
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	for name, one := range map[string]struct {
		handler http.HandlerFunc
		want    string // the bytes; "" for an error
		reason  string // of the error; "absent" for fs.ErrNotExist
	}{
		"whole":                  {raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), "hello", ""},
		"cut":                    {raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"), "", "network"},
		"claims a terabyte":      {raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\nhello"), "", "network"},
		"claims and sends much":  {raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n"+strings.Repeat("x", 2000)), "", "too_large"},
		"no length":              {raw(t, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"), "hello", ""},
		"no length, too much":    {raw(t, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"+strings.Repeat("x", 2000)), "", "too_large"},
		"two lengths":            {raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 4\r\n\r\nhello"), "", "network"},
		"negative length":        {raw(t, "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"), "", "network"},
		"cut in a chunk":         {raw(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"), "", "network"},
		"no last chunk":          {raw(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), "", "network"},
		"chunked":                {raw(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), "hello", ""},
		"not HTTP":               {raw(t, "SSH-2.0-OpenSSH\r\n"), "", "network"},
		"nothing":                {raw(t, ""), "", "network"},
		"gzip":                   {zip(gz([]byte("hello"))), "hello", ""},
		"gzip bomb":              {zip(gz(make([]byte, 10<<20))), "", "too_large"},
		"cut gzip":               {zip(gz([]byte("hello"))[:20]), "", "network"},
		"not gzip":               {zip([]byte("hello")), "", "network"},
		"unasked encoding":       {raw(t, "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 5\r\n\r\nhello"), "", "encoding"},
		"partial":                {raw(t, "HTTP/1.1 206 Partial Content\r\nContent-Length: 5\r\n\r\nhello"), "", "http_206"},
		"no content":             {status(204), "", "http_204"},
		"not modified, unasked":  {status(304), "", "http_304"},
		"redirect to nowhere":    {status(302), "", "http_302"},
		"not found":              {status(404), "", "absent"},
		"gone":                   {status(410), "", "absent"},
		"legal reasons":          {status(451), "", "absent"},
		"forbidden":              {status(403), "", "http_403"},
		"unauthorized":           {status(401), "", "http_401"},
		"server error":           {status(500), "", "http_500"},
		"gateway timeout":        {status(504), "", "http_504"},
		"too many requests":      {status(429), "", "http_429"},
		"control chars in error": {raw(t, "HTTP/1.1 200 OK\r\nContent-Length: \x1b[31m\r\n\r\nhello"), "", "network"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := serve(t, one.handler).Read(t.Context(), "file", 1000)
			switch {
			case one.reason == "" && (err != nil || string(got) != one.want):
				t.Errorf("got %q, %v, want %q", got, err, one.want)
			case one.reason == "absent" && !errors.Is(err, fs.ErrNotExist):
				t.Errorf("got %q, %v, want fs.ErrNotExist", got, err)
			case one.reason != "" && one.reason != "absent" && (fault.ReasonOf(err) != one.reason || errors.Is(err, fs.ErrNotExist)):
				t.Errorf("got %q, %v (%s), want %s", got, err, fault.ReasonOf(err), one.reason)
			case one.reason != "" && one.reason != "absent" && one.reason != "too_large" && fault.KindOf(err) != fault.Unavailable:
				t.Errorf("kind %v, want unavailable", fault.KindOf(err))
			}
			if err != nil && strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Errorf("the error repeats raw bytes: %q", err)
			}
		})
	}
}

// TestHTTPRetries counts attempts and the pauses between them.
func TestHTTPRetries(t *testing.T) {
	for name, one := range map[string]struct {
		status   int
		failures int
		after    string
		attempts int
		pauses   []time.Duration
		ok       bool
	}{
		"works":               {0, 0, "", 1, nil, true},
		"fails once":          {500, 1, "", 2, []time.Duration{250 * time.Millisecond}, true},
		"fails twice":         {503, 2, "", 3, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}, true},
		"fails always":        {502, 9, "", 3, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}, false},
		"asks for a pause":    {429, 1, "3", 2, []time.Duration{3 * time.Second}, true},
		"asks for an hour":    {429, 1, "3600", 1, nil, false},
		"asks for nonsense":   {429, 1, "-7", 2, []time.Duration{250 * time.Millisecond}, true},
		"says no":             {403, 1, "", 1, nil, false},
		"says there is none":  {404, 1, "", 1, nil, false},
		"request timed out":   {408, 1, "", 2, []time.Duration{250 * time.Millisecond}, true},
		"not implemented yet": {501, 1, "", 2, []time.Duration{250 * time.Millisecond}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var attempts int
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if attempts++; attempts <= one.failures {
					w.Header().Set("Retry-After", one.after)
					w.WriteHeader(one.status)
				}
			}))
			defer s.Close()
			var pauses []time.Duration
			src := mustOpen(t, s.URL, registry.Options{HTTP: s.Client(), Sleep: func(_ context.Context, d time.Duration) error {
				pauses = append(pauses, d)
				return nil
			}})
			_, err := src.Read(t.Context(), "file", 10)
			if (err == nil) != one.ok || attempts != one.attempts || fmt.Sprint(pauses) != fmt.Sprint(one.pauses) {
				t.Errorf("%d attempts, pauses %v, %v; want %d, %v", attempts, pauses, err, one.attempts, one.pauses)
			}
		})
	}
}

func TestHTTPRedirects(t *testing.T) {
	end := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" {
			t.Errorf("another host is told %v", r.Header)
		}
		_, _ = w.Write([]byte("end"))
	}))
	defer end.Close()
	var secret string // a TLS server whose certificate the client trusts
	handler := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/loop":
			http.Redirect(w, r, "/v1/loop", http.StatusFound)
		case "/v1/five", "/v1/5", "/v1/4", "/v1/3", "/v1/2", "/v1/1":
			next := map[string]string{"five": "5", "5": "4", "4": "3", "3": "2", "2": "1", "1": "end"}[r.URL.Path[4:]]
			http.Redirect(w, r, "/v1/"+next, http.StatusMovedPermanently)
		case "/v1/four":
			http.Redirect(w, r, "/v1/4", http.StatusTemporaryRedirect)
		case "/v1/end":
			_, _ = w.Write([]byte("end"))
		case "/v1/plain":
			http.Redirect(w, r, end.URL, http.StatusFound)
		case "/v1/abroad":
			http.Redirect(w, r, "http://192.0.2.1/x", http.StatusFound)
		case "/v1/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/v1/tls":
			http.Redirect(w, r, secret+"/v1/end", http.StatusFound)
		}
	}
	plain, tls := httptest.NewServer(http.HandlerFunc(handler)), httptest.NewTLSServer(http.HandlerFunc(handler))
	defer plain.Close()
	defer tls.Close()
	secret = tls.URL
	for _, one := range []struct {
		base, path, reason string // "" is accepted
	}{
		{plain.URL, "end", ""},
		{tls.URL, "end", ""},
		{plain.URL, "four", ""},
		{plain.URL, "five", "redirects"},
		{plain.URL, "loop", "redirects"},
		{plain.URL, "plain", ""},
		{tls.URL, "plain", "redirects"}, // from https to http, even on this machine
		{plain.URL, "tls", ""},
		{tls.URL, "tls", ""},
		{plain.URL, "abroad", "redirects"},
		{plain.URL, "file", "redirects"},
	} {
		base := strings.Replace(one.base, "://", "://ada:hunter2@", 1)
		src := mustOpen(t, base, registry.Options{HTTP: tls.Client(), Sleep: noWait})
		got, err := src.Read(t.Context(), one.path, 100)
		if one.reason == "" && (err != nil || string(got) != "end") || fault.ReasonOf(err) != one.reason {
			t.Errorf("%s: %q, %v, want reason %q", one.path, got, err, one.reason)
		}
		if text := fmt.Sprint(err, fault.HintsOf(err), src.Location()); strings.Contains(text, "hunter2") || strings.Contains(text, "ada") {
			t.Errorf("the password is shown: %s", text)
		}
	}
}

// What the client brings along is neither sent nor kept.
func TestHTTPNoCookies(t *testing.T) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	var user string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") != "" {
			t.Error("a cookie was sent")
		}
		user, _, _ = r.BasicAuth()
		http.SetCookie(w, &http.Cookie{Name: "id", Value: "1", Path: "/"})
	}))
	defer s.Close()
	client := s.Client()
	client.Jar = jar
	src := mustOpen(t, strings.Replace(s.URL, "://", "://ada:hunter2@", 1), registry.Options{HTTP: client, Sleep: noWait})
	for range 2 {
		if _, err := src.Read(t.Context(), "file", 10); err != nil {
			t.Fatal(err)
		}
	}
	if user != "ada" {
		t.Errorf("the user of the address is not sent to its own host, but %q", user)
	}
}

func TestHTTPHidesPassword(t *testing.T) {
	dead := httptest.NewServer(nil)
	dead.Close()
	for _, location := range []string{
		strings.Replace(dead.URL, "://", "://ada:hunter2@", 1),
		"https://ada:hunter2@host/path?x=y", "http://ada:hunter2@example.com/", "https://ada:hunter2@host:port/", "ftp://ada:hunter2@host/",
		"git+https://ada:hunter2@host/%zz", "git+http://ada:hunter2@example.com/r.git", "ssh://ada:hunter2@host/r.git?x",
	} {
		src, err := registry.Open(t.Context(), location, registry.Options{HTTP: dead.Client(), CacheDir: t.TempDir(), Now: time.Now, Sleep: noWait})
		if err == nil {
			_, err = src.Read(t.Context(), "file", 10)
			if strings.Contains(src.Location(), "hunter2") {
				t.Errorf("Location is %s", src.Location())
			}
		}
		if err == nil || strings.Contains(fmt.Sprint(err, fault.HintsOf(err)), "hunter2") {
			t.Errorf("%s: %v", location, err)
		}
	}
}

// TestHTTPCache: what is kept saves bytes, and what is broken costs no more
// than a request.
func TestHTTPCache(t *testing.T) {
	body := strings.Repeat("hello ", 1000)
	s := registrytest.NewServer(t, map[string][]byte{"head.json": []byte(body), "objects/ab/cd": []byte("object"), "other.json": []byte("other")})
	o := options(t, s)
	read := func(path, want string) {
		t.Helper()
		// Another source each time: the files are what is remembered.
		if got, err := mustOpen(t, s.URL, o).Read(t.Context(), path, 10_000); err != nil || string(got) != want {
			t.Fatalf("Read(%s) = %d bytes, %v, want %d", path, len(got), err, len(want))
		}
	}
	expect := func(what string, unchanged int, size int) {
		t.Helper()
		if got := s.Take(); got.NotModified != unchanged || got.Bytes != int64(size) {
			t.Errorf("%s: %d unchanged and %d bytes, want %d and %d", what, got.NotModified, got.Bytes, unchanged, size)
		}
	}
	read("head.json", body)
	expect("first", 0, len(body))
	read("head.json", body)
	expect("again", 1, 0)
	read("objects/ab/cd", "object")
	read("objects/ab/cd", "object")
	expect("objects are not kept by path", 0, 12)

	entries, err := filepath.Glob(filepath.Join(o.CacheDir, "http", "*", "*", "*"))
	if err != nil || len(entries) != 1 {
		t.Fatalf("entries: %v, %v", entries, err)
	}
	good, err := os.ReadFile(entries[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"empty": {}, "cut": good[:len(good)-1], "longer": append(bytes.Clone(good), 'x'), "flipped": append(bytes.Clone(good[:len(good)-1]), 'X'),
		"of another path": bytes.Replace(good, []byte("head.json"), []byte("tail.json"), 1), "no head": []byte(body),
		"another edition": bytes.Replace(good, []byte("cached/v1"), []byte("cached/v0"), 1),
		"evil tag":        bytes.Replace(good, []byte(`\"`), []byte(`\r\nX: y`), 1),
		"huge":            append(bytes.Clone(good), make([]byte, 20_000)...),
	} {
		if err := os.WriteFile(entries[0], bad, 0o600); err != nil {
			t.Fatal(err)
		}
		read("head.json", body)
		expect(name, 0, len(body))
	}
	read("head.json", body)
	expect("mended", 1, 0)

	// Past the cache: asked in full, with a query of its own each time.
	fresh := mustOpen(t, s.URL, o).Refresh()
	for range 2 {
		if _, err := fresh.Read(t.Context(), "head.json", 10_000); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Take(); got.NotModified != 0 || got.Paths[0] == got.Paths[1] || !strings.HasPrefix(got.Paths[0], "/v1/head.json?fresh=") {
		t.Errorf("fresh: %+v", got)
	}

	// A cache that cannot be written does not keep anything from being read.
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o.CacheDir = file
	read("head.json", body)
	read("head.json", body)
	expect("no cache", 0, 2*len(body))
}

// A limit that is smaller than what is remembered holds all the same.
func TestHTTPCacheCaps(t *testing.T) {
	s := registrytest.NewServer(t, map[string][]byte{"head.json": []byte("hello")})
	src := mustOpen(t, s.URL, options(t, s))
	if _, err := src.Read(t.Context(), "head.json", 5); err != nil {
		t.Fatal(err)
	}
	if got, err := src.Read(t.Context(), "head.json", 4); fault.ReasonOf(err) != "too_large" {
		t.Errorf("got %q, %v, want too_large", got, err)
	}
}

func TestHTTPParallel(t *testing.T) {
	var now, most atomic.Int32
	s := registrytest.NewServer(t, nil)
	s.Gather(limits.HTTPParallel, limits.HTTPParallel, limits.HTTPParallel)
	s.Handle(func(w http.ResponseWriter, _ *http.Request, _ string) bool { return false })
	src := mustOpen(t, s.URL, options(t, s))
	var wg sync.WaitGroup
	for i := range 3 * limits.HTTPParallel {
		wg.Go(func() {
			most.Store(max(most.Load(), now.Add(1)))
			_, err := src.Read(t.Context(), fmt.Sprintf("file%d", i), 10)
			now.Add(-1)
			if !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := s.Take(); got.Short || got.Most != limits.HTTPParallel {
		t.Errorf("%d requests at once, want %d", got.Most, limits.HTTPParallel)
	}
}

// A person who stops waiting is not told that the network failed.
func TestHTTPCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := registrytest.NewServer(t, nil)
	s.Handle(func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		cancel()
		<-r.Context().Done()
		return true
	})
	src := mustOpen(t, s.URL, options(t, s))
	if _, err := src.Read(ctx, "file", 10); !errors.Is(err, context.Canceled) || fault.KindOf(err) != fault.Interrupted {
		t.Errorf("got %v, want context.Canceled", err)
	}
	deadline, stop := context.WithTimeout(t.Context(), time.Nanosecond)
	defer stop()
	if _, err := src.Read(deadline, "file", 10); !errors.Is(err, context.DeadlineExceeded) || fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v, want context.DeadlineExceeded", err)
	}
}

// Mirrors stand in for what cannot tell, and are not asked to contradict.
func TestMirrors(t *testing.T) {
	tree := registrytest.Tree(t, registrytest.Release("csv_to_json", "1.0.0"))
	down := func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	first, second := registrytest.NewServer(t, tree), registrytest.NewServer(t, tree)
	folder := t.TempDir()
	write(t, filepath.Join(folder, "v1"), tree)
	open := func(mirrors ...string) registry.Source {
		o := options(t, first)
		o.Mirrors = mirrors
		return mustOpen(t, first.URL, o)
	}
	pull := func(src registry.Source) error {
		c, err := registry.Fetch(t.Context(), src, csv)
		if err == nil && len(c.Files) != 2 {
			err = fmt.Errorf("%d files", len(c.Files))
		}
		return err
	}
	if err := pull(open(second.URL)); err != nil || second.Take().Requests != 0 {
		t.Errorf("the first works: %v; the second must not be asked", err)
	}
	first.Take()
	first.Handle(down)
	src := open(second.URL)
	if err := pull(src); err != nil {
		t.Errorf("the first is down: %v", err)
	}
	first.Take()
	if _, err := src.Read(t.Context(), ledger.RegistryPath, 10_000); err != nil || first.Take().Requests != 0 {
		t.Errorf("a source that is down is asked first again: %v", err)
	}
	// A folder stands in for a server, a mirror that is gone for nobody.
	if err := pull(open(filepath.Join(folder, "gone"), folder)); err != nil {
		t.Errorf("a folder as a mirror: %v", err)
	}
	second.Handle(down)
	first.Take()
	second.Take()
	if _, err := open(second.URL).Read(t.Context(), "head.json", 10_000); fault.ReasonOf(err) != "http_503" {
		t.Errorf("all are down: %v, want http_503", err)
	}
	if a, b := first.Take().Requests, second.Take().Requests; a != limits.HTTPAttempts || b != limits.HTTPAttempts {
		t.Errorf("%d and %d requests, want %d each", a, b, limits.HTTPAttempts)
	}

	// The first says that there is no such file: it is believed, until the
	// answers do not fit together.
	first.Handle(nil)
	second.Handle(nil)
	partial := maps.Clone(tree)
	delete(partial, ledger.ReleasePath(csv.Name, csv.Version, "tool.py"))
	first.Serve(partial)
	src = open(second.URL)
	if _, err := src.Read(t.Context(), ledger.ReleasePath(csv.Name, csv.Version, "tool.py"), 10_000); !errors.Is(err, fs.ErrNotExist) || second.Take().Requests != 0 {
		t.Errorf("got %v, want the first to be believed", err)
	}
	if err := pull(src); err != nil {
		t.Errorf("a file that only the second has: %v", err)
	}
	second.Handle(down)
	if _, err := src.Refresh().Read(t.Context(), "none.json", 10); fault.KindOf(err) != fault.Unavailable || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one says no and one cannot tell: %v, want unavailable", err)
	}
	second.Handle(nil)
	if _, err := src.Refresh().Read(t.Context(), "none.json", 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("both say no: %v, want fs.ErrNotExist", err)
	}
	if _, err := registry.Open(t.Context(), first.URL, registry.Options{HTTP: first.Client(), Mirrors: []string{"ftp://host/"}}); fault.ReasonOf(err) != "location" {
		t.Errorf("a mirror of no known form: %v", err)
	}
}
