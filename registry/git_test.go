package registry_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/registry/registrytest"
	"github.com/patch-cat/patch-git/spec"
)

// repository is one that git itself makes: a bare one, fed by fast-import, so
// that no work tree and no configuration of the machine has a say.
type repository struct {
	t   *testing.T
	dir string
	n   int
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: the tests of the git source need it to make a repository")
	}
	r := &repository{t: t, dir: filepath.Join(t.TempDir(), "registry.git")}
	r.git(nil, "init", "-q", "--bare", r.dir)
	return r
}

// git runs a git command with nothing of the machine's configuration.
func (r *repository) git(stdin []byte, args ...string) {
	r.t.Helper()
	if args[0] != "init" {
		args = append([]string{"--git-dir=" + r.dir, "-c", "core.fsync=none"}, args...)
	}
	cmd := exec.Command("git", args...)
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// commit makes a tree the content of the branch; orphan gives it no parent.
func (r *repository) commit(tree map[string][]byte, orphan bool) {
	r.t.Helper()
	var b bytes.Buffer
	r.n++
	branch := "refs/heads/published"
	if orphan {
		fmt.Fprintf(&b, "reset %s\n\n", branch)
	}
	fmt.Fprintf(&b, "commit %s\ncommitter a <a@example.com> %d +0000\ndata 1\nx\n", branch, 1_700_000_000+r.n)
	if !orphan {
		fmt.Fprintf(&b, "from %s^0\n", branch)
	}
	b.WriteString("deleteall\n")
	for _, p := range slices.Sorted(maps.Keys(tree)) {
		if link, ok := strings.CutPrefix(string(tree[p]), "symlink:"); ok {
			fmt.Fprintf(&b, "M 120000 inline v1/%s\ndata %d\n%s\n", p, len(link), link)
			continue
		}
		if commit, ok := strings.CutPrefix(string(tree[p]), "submodule:"); ok {
			fmt.Fprintf(&b, "M 160000 %s v1/%s\n", commit, p)
			continue
		}
		fmt.Fprintf(&b, "M 100644 inline v1/%s\ndata %d\n%s\n", p, len(tree[p]), tree[p])
	}
	r.git(b.Bytes(), "fast-import", "--quiet", "--force")
}

// gitHost serves repositories over http as git's own server program does.
type gitHost struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // method and path of the requests
	bytes int64    // of answers
}

func newGitHost(t *testing.T, root string) *gitHost {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Skip("git is not installed")
	}
	backend := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("this git comes without git-http-backend, which serves the repository of this test")
	}
	h := &gitHost{}
	handler := &cgi.Handler{Path: backend, Stderr: io.Discard, Env: []string{
		"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + t.TempDir(),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.asked = append(h.asked, r.Method+" "+r.URL.Path)
		h.mu.Unlock()
		handler.ServeHTTP(&countingWriter{w, h}, r)
	}))
	t.Cleanup(h.Close)
	return h
}

type countingWriter struct {
	http.ResponseWriter
	h *gitHost
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.h.mu.Lock()
	w.h.bytes += int64(len(p))
	w.h.mu.Unlock()
	return w.ResponseWriter.Write(p)
}

// take returns the number of requests for the branches and for packs, and the
// bytes of all answers, since the last call.
func (h *gitHost) take() (refs, packs int, size int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.asked {
		if strings.HasPrefix(a, "POST") {
			packs++
		} else {
			refs++
		}
	}
	size, h.asked, h.bytes = h.bytes, nil, 0
	return refs, packs, size
}

func wantAsked(t *testing.T, h *gitHost, what string, refs, packs int) int64 {
	t.Helper()
	r, p, size := h.take()
	if r != refs || p != packs {
		t.Errorf("%s: %d requests for branches and %d for packs, want %d and %d", what, r, p, refs, packs)
	}
	return size
}

func TestGitRemote(t *testing.T) {
	r := registrytest.New(t)
	for i := range 40 {
		r.Publish(t, registrytest.Release(fmt.Sprintf("some_tool_%d", i), "1.0.0"))
	}
	r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"))
	repo := newRepository(t)
	repo.commit(r.Files(), true)
	h := newGitHost(t, filepath.Dir(repo.dir))
	location := "git+" + h.URL + "/registry.git"
	now := registrytest.Start
	o := registry.Options{HTTP: h.Client(), CacheDir: t.TempDir(), Now: func() time.Time { return now }, MaxAge: time.Hour}

	src := mustOpen(t, location, o)
	if refs, packs, _ := h.take(); refs+packs != 0 {
		t.Errorf("Open asked %d times", refs+packs)
	}
	fetched := func(src registry.Source, version string, listed bool) {
		t.Helper()
		ref := csv
		ref.Version = spec.Version(version)
		c, err := registry.Fetch(t.Context(), src, ref)
		if err != nil {
			t.Fatal(err)
		}
		if (c.Release != nil) != listed || listed && len(c.Files) != 2 {
			t.Fatalf("version %s: listed %v with %d files, want %v", version, c.Release != nil, len(c.Files), listed)
		}
	}
	fetched(src, "1.0.0", true)
	full := wantAsked(t, h, "clone", 1, 1)
	if _, err := os.Stat(filepath.Join(o.CacheDir, "git")); err != nil {
		t.Error(err)
	}

	// A young copy answers without the remote, an old one asks for the tip.
	fetched(mustOpen(t, location, o), "1.0.0", true)
	wantAsked(t, h, "young copy", 0, 0)
	now = now.Add(2 * time.Hour)
	fetched(mustOpen(t, location, o), "1.0.0", true)
	wantAsked(t, h, "old copy, same tip", 1, 0)

	// The next commit comes alone, and only to those who ask for it.
	r.Publish(t, registrytest.Release("csv_to_json", "1.1.0"))
	repo.commit(r.Files(), false)
	fetched(mustOpen(t, location, o), "1.1.0", false)
	h.take()
	fetched(src.Refresh(), "1.1.0", true)
	if part := wantAsked(t, h, "next commit", 1, 1); part*3 > full {
		t.Errorf("the next commit took %d bytes, the clone %d", part, full)
	}
	fetched(src, "1.1.0", false) // a source stays at its commit

	// A branch that was pushed anew, with no commit in common.
	r.Publish(t, registrytest.Release("csv_to_json", "1.2.0"))
	repo.commit(r.Files(), true)
	fetched(src.Refresh(), "1.2.0", true)
	h.take()

	// A copy that was damaged is made anew.
	packs, err := filepath.Glob(filepath.Join(o.CacheDir, "git", "*", "g*", "objects", "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("packs: %v, %v", packs, err)
	}
	for _, p := range packs {
		if err := os.Chmod(p, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(p, 40); err != nil {
			t.Fatal(err)
		}
	}
	fetched(mustOpen(t, location, o), "1.2.0", true)
	wantAsked(t, h, "damaged copy", 1, 1)
	if copies, err := filepath.Glob(filepath.Join(o.CacheDir, "git", "*", "g*")); err != nil || len(copies) != 2 {
		t.Errorf("copies %v, want the present and the previous one", copies)
	}

	// A clock that went back does not make a copy young for ever.
	now = now.Add(-48 * time.Hour)
	fetched(mustOpen(t, location, o), "1.2.0", true)
	wantAsked(t, h, "clock set back", 1, 0)
}

// Processes that open the same registry at once share one clone.
func TestGitRemoteTogether(t *testing.T) {
	repo := newRepository(t)
	repo.commit(registrytest.Tree(t, registrytest.Release("csv_to_json", "1.0.0")), true)
	h := newGitHost(t, filepath.Dir(repo.dir))
	o := registry.Options{HTTP: h.Client(), CacheDir: t.TempDir(), Now: time.Now, MaxAge: time.Hour}
	var wg sync.WaitGroup
	for range 6 {
		src := mustOpen(t, "git+"+h.URL+"/registry.git", o)
		wg.Go(func() {
			if c, err := registry.Fetch(t.Context(), src, csv); err != nil || len(c.Files) != 2 {
				t.Errorf("Fetch: %d files, %v", len(c.Files), err)
			}
		})
	}
	wg.Wait()
	wantAsked(t, h, "six at once", 1, 1)
}

// What a git server says about a repository says nothing about a file.
func TestGitRemoteFailures(t *testing.T) {
	repo := newRepository(t)
	repo.git([]byte("commit refs/heads/main\ncommitter a <a@example.com> 1 +0000\ndata 1\nx\n"), "fast-import", "--quiet")
	h := newGitHost(t, filepath.Dir(repo.dir))
	answer := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(s.Close)
		return s.URL + "/registry.git"
	}
	dead := httptest.NewServer(nil)
	dead.Close()
	for name, one := range map[string]struct{ location, reason string }{
		"no branch":           {h.URL + "/registry.git", "no_registry"},
		"no repository":       {h.URL + "/other.git", "no_registry"},
		"404":                 {answer(404, ""), "no_registry"},
		"401":                 {answer(401, ""), "git_auth"},
		"403":                 {answer(403, ""), "git_auth"},
		"500":                 {answer(500, ""), "git"},
		"a web page":          {answer(200, "<html>welcome</html>"), "git"},
		"a dumb server":       {answer(200, strings.Repeat("a", 40)+"\trefs/heads/published\n"), "git"},
		"an endless answer":   {answer(500, strings.Repeat("x", 20<<20)), "git"},
		"nobody":              {dead.URL + "/registry.git", "git"},
		"nobody, with secret": {strings.Replace(dead.URL, "//", "//ada:hunter2@", 1) + "/registry.git", "git"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, nil)
			o.HTTP = h.Client()
			src := mustOpen(t, "git+"+one.location, o)
			_, err := src.Read(t.Context(), ledger.HeadPath, 1000)
			if fault.KindOf(err) != fault.Unavailable || fault.ReasonOf(err) != one.reason || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v (%s), want %s", err, fault.ReasonOf(err), one.reason)
			}
			if text := fmt.Sprint(err, src.Location(), fault.HintsOf(err)); strings.Contains(text, "hunter2") || strings.Contains(text, "ada") {
				t.Errorf("the password is shown: %s", text)
			}
		})
	}
}

// Entries that are no files, and files that configure git, have no effect.
func TestGitRefusesWhatIsNoFile(t *testing.T) {
	repo := newRepository(t)
	repo.commit(map[string][]byte{
		"secret": []byte("s"), "head.json": []byte("line\n"), "link": []byte("symlink:/etc/passwd"), "inside": []byte("symlink:secret"),
		"folder": []byte("symlink:."), "module": []byte("submodule:" + strings.Repeat("1", 40)), "records/aa/x.json": []byte("{}"),
		".gitattributes": []byte("*.json filter=evil eol=crlf ident working-tree-encoding=UTF-16\n"),
	}, true)
	ran := filepath.Join(t.TempDir(), "ran")
	script := []byte("#!/bin/sh\ntouch " + ran + "\n")
	for _, hook := range []string{"post-checkout", "pre-auto-gc", "reference-transaction", "post-index-change"} {
		if err := os.WriteFile(filepath.Join(repo.dir, "hooks", hook), script, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	repo.git(nil, "config", "filter.evil.smudge", "touch "+ran)
	src := mustOpen(t, "git+file://"+repo.dir, options(t, nil))
	if got, err := src.Read(t.Context(), "head.json", 100); err != nil || string(got) != "line\n" {
		t.Errorf("head.json: %q, %v, want its bytes", got, err)
	}
	for _, p := range []string{"link", "inside", "module", "folder", "records", "records/aa", "folder/secret", "head.json/x"} {
		if b, err := src.Read(t.Context(), p, 1000); fault.ReasonOf(err) != "not_regular" {
			t.Errorf("Read(%s) = %q, %v, want not_regular", p, b, err)
		}
	}
	if _, err := src.Read(t.Context(), "module/x", 10); fault.ReasonOf(err) != "not_regular" {
		t.Errorf("below a submodule: %v", err)
	}
	if _, err := os.Stat(ran); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something of the repository ran: %v", err)
	}
}

// A branch does not commit what follows from the rest.
func TestGitDerives(t *testing.T) {
	r := registrytest.New(t)
	for i := range 5 {
		r.Publish(t, registrytest.Release(fmt.Sprintf("some_tool_%d", i), "1.0.0"))
	}
	whole := r.Files()
	tree := maps.Clone(whole)
	maps.DeleteFunc(tree, func(p string, _ []byte) bool {
		return p == ledger.CataloguePath || strings.HasPrefix(p, "log/tile/") && !strings.HasPrefix(p, "log/tile/entries/")
	})
	repo := newRepository(t)
	repo.commit(tree, true)
	src := mustOpen(t, repo.dir, options(t, nil))
	got, err := src.Read(t.Context(), ledger.CataloguePath, 1<<20)
	if err != nil || !bytes.Equal(got, whole[ledger.CataloguePath]) {
		t.Errorf("catalogue: %v\ngot  %s\nwant %s", err, got, whole[ledger.CataloguePath])
	}
	for p, want := range whole {
		if _, kept := tree[p]; kept || p == ledger.CataloguePath {
			continue
		}
		got, err := src.Read(t.Context(), p, 1<<20)
		if errors.Is(err, fs.ErrNotExist) && slices.ContainsFunc(slices.Collect(maps.Keys(tree)), func(k string) bool {
			return k == strings.Replace(p, "tile/0/", "tile/entries/", 1)
		}) || err == nil && !bytes.Equal(got, want) {
			t.Errorf("%s: %x, %v, want %x", p, got, err, want)
		}
	}
}
