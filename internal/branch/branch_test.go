package branch_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/branch"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/trusted"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/registry/registrytest"
)

// git runs git as somebody who works by hand.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no program git on PATH")
	}
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=m", "GIT_AUTHOR_EMAIL=m@example.com", "GIT_COMMITTER_NAME=m", "GIT_COMMITTER_EMAIL=m@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func tool(token string) branch.Git {
	return branch.Git{Run: trusted.Pipe, Getenv: os.Getenv, GOOS: runtime.GOOS, Token: token}
}

func open(t *testing.T, g branch.Git, remote string) *branch.Branch {
	t.Helper()
	b, err := branch.Open(t.Context(), g, t.TempDir(), remote)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// fill writes a tree as a publication does.
func fill(t *testing.T, b *branch.Branch, files map[string][]byte) string {
	t.Helper()
	for p, data := range files {
		if err := b.Write(t.Context(), p, data, true); err != nil {
			t.Fatal(err)
		}
	}
	commit, err := b.Commit(t.Context(), "one", time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return commit
}

// TestSource: the branch is read as every other source is.
func TestSource(t *testing.T) {
	registrytest.Run(t, func(t *testing.T, tree map[string][]byte) registry.Source {
		remote := filepath.Join(t.TempDir(), "remote.git")
		git(t, "", "init", "-q", "--bare", remote)
		// A tree without a pointer is damage, and no branch has a folder beside v1.
		if _, ok := tree[ledger.HeadEvidencePath]; !ok {
			return open(t, tool(""), remote)
		}
		var s bytes.Buffer
		fmt.Fprint(&s, "commit refs/heads/published\ncommitter m <m@example.com> 1 +0000\ndata 0\n")
		for p, data := range tree {
			fmt.Fprintf(&s, "M 100644 inline v1/%s\ndata %d\n%s\n", p, len(data), data)
		}
		cmd := exec.CommandContext(t.Context(), "git", "-C", remote, "fast-import", "--quiet")
		cmd.Stdin = &s
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return open(t, tool(""), remote)
	})
}

// TestNothingOfReleasesComes unless somebody asks for it.
func TestNothingOfReleasesComes(t *testing.T) {
	remote := filepath.Join(t.TempDir(), "remote.git")
	git(t, "", "init", "-q", "--bare", remote)
	git(t, remote, "config", "uploadpack.allowFilter", "true") // as GitHub has it
	r := registrytest.New(t)
	r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"), registrytest.Release("text_diff", "0.1.0"))
	b := open(t, tool(""), remote)
	if err := b.Push(t.Context(), fill(t, b, r.Files())); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	b, err := branch.Open(t.Context(), tool(""), dir, remote)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	at := func(file string) string { return ledger.ReleasePath("csv_to_json", "1.0.0", file) }
	id := git(t, remote, "rev-parse", "published:v1/"+at("tool.py"))
	here := func() bool {
		list := git(t, filepath.Join(dir, "repository"), "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
		return strings.Contains(list, id)
	}
	if _, err := b.Read(t.Context(), ledger.RecordPath("csv_to_json"), 1<<20); err != nil || here() {
		t.Errorf("the files of a release came by themselves, %v", err)
	}
	fetches := b.Stats().Fetches
	data, err := b.Read(t.Context(), at("tool.py"), 1<<20)
	if err != nil || !bytes.Equal(data, r.Files()[at("tool.py")]) || !here() || b.Stats().Fetches == fetches {
		t.Errorf("asked for: %d bytes, %v", len(data), err)
	}
}

// TestPushNeverReplaces what somebody else pushed, also where there was no branch.
func TestPushNeverReplaces(t *testing.T) {
	remote := filepath.Join(t.TempDir(), "remote.git")
	git(t, "", "init", "-q", "--bare", remote)
	r := registrytest.New(t)
	tip := func() string { return git(t, remote, "for-each-ref", "--format=%(objectname)", "refs/heads") }
	for round := range 2 {
		a, b := open(t, tool(""), remote), open(t, tool(""), remote)
		first, second := fill(t, a, r.Files()), fill(t, b, map[string][]byte{ledger.HeadEvidencePath: []byte("x"), "revoked.json": {byte('0' + round)}})
		if err := a.Push(t.Context(), first); err != nil || tip() != first {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := b.Push(t.Context(), second); !errors.Is(err, branch.ErrMoved) || tip() != first {
			t.Errorf("round %d: the second one: %v, the branch is at %s", round, err, tip())
		}
		// An answer that got lost: the push had worked.
		if err := a.Push(t.Context(), first); err != nil {
			t.Errorf("round %d: once more: %v", round, err)
		}
		r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"))
	}
}

// TestRefusedPush: a host that says no is not one that is out of order.
func TestRefusedPush(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the hook is a shell script")
	}
	remote := filepath.Join(t.TempDir(), "remote.git")
	git(t, "", "init", "-q", "--bare", remote)
	hook := filepath.Join(remote, "hooks", "pre-receive")
	if err := errors.Join(os.MkdirAll(filepath.Dir(hook), 0o755), os.WriteFile(hook, []byte("#!/bin/sh\necho no >&2; exit 1\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	b := open(t, tool(""), remote)
	commit := fill(t, b, registrytest.New(t).Files())
	if err := b.Push(t.Context(), commit); fault.KindOf(err) != fault.Denied {
		t.Errorf("refused: %v", err)
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	if err := b.Push(t.Context(), commit); err != nil {
		t.Errorf("allowed: %v", err)
	}
	if err := os.RemoveAll(remote); err != nil {
		t.Fatal(err)
	}
	if err := b.Push(t.Context(), commit); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("gone: %v", err)
	}
}

// TestToken: a token goes to the remote's host in a header, and nowhere else.
func TestToken(t *testing.T) {
	const token = "ghs_0123456789secret"
	root := t.TempDir()
	git(t, "", "init", "-q", "--bare", filepath.Join(root, "remote.git"))
	git(t, filepath.Join(root, "remote.git"), "config", "http.receivepack", "true")
	git(t, filepath.Join(root, "remote.git"), "config", "uploadpack.allowFilter", "true")
	backend := filepath.Join(git(t, "", "--exec-path"), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("there is no git-http-backend")
	}
	h := &cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"}, InheritEnv: []string{"PATH"}}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token))
	var mu sync.Mutex
	var other []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != want {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		r.Header.Set("Git-Protocol", r.Header.Get("Git-Protocol"))
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		other = append(other, r.Header.Get("Authorization"))
	}))
	t.Cleanup(elsewhere.Close)
	redirect := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+r.URL.RequestURI(), http.StatusMovedPermanently)
	}))
	t.Cleanup(redirect.Close)

	var argv []string
	g := tool(token)
	g.Run = func(ctx context.Context, args, env []string, dir string, stdin io.Reader, stdout io.Writer) (int, []byte, error) {
		mu.Lock()
		argv = append(argv, args...)
		mu.Unlock()
		return trusted.Pipe(ctx, args, env, dir, stdin, stdout)
	}
	dir, remote := t.TempDir(), srv.URL+"/remote.git"
	b, err := branch.Open(t.Context(), g, dir, remote)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	r := registrytest.New(t)
	r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"))
	if err := b.Push(t.Context(), fill(t, b, r.Files())); err != nil {
		t.Fatal(err)
	}
	again := open(t, g, remote)
	if _, err := again.Read(t.Context(), ledger.ReleasePath("csv_to_json", "1.0.0", "tool.py"), 1<<20); err != nil {
		t.Error(err)
	}
	encoded := strings.TrimPrefix(want, "Basic ")
	hidden := func(what, text string) {
		if strings.Contains(text, token) || strings.Contains(text, encoded) {
			t.Errorf("the token is in %s: %s", what, text)
		}
	}
	hidden("the arguments", strings.Join(argv, " "))
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var data []byte
			if data, err = os.ReadFile(p); err == nil {
				hidden(p, string(data))
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	// Without it, with another one, and where the host sends us on.
	for _, c := range []struct {
		what, token, remote string
	}{
		{"no token", "", remote},
		{"another token", "ghs_other", remote},
		{"a redirect", token, redirect.URL + "/remote.git"},
	} {
		g.Token = c.token
		_, err := branch.Open(t.Context(), g, t.TempDir(), c.remote)
		if fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", c.what, err)
		} else {
			hidden("the error", err.Error())
		}
	}
	if len(other) > 0 {
		t.Errorf("another host was asked: %q", other)
	}
	g.Token = "two\nlines"
	if _, err := branch.Open(t.Context(), g, t.TempDir(), remote); fault.KindOf(err) != fault.Usage {
		t.Errorf("a token of two lines: %v", err)
	}
}
