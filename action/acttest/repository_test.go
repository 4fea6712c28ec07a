//go:build linux

package acttest

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// git runs git in a folder and returns what it printed.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func tryGit(dir string, args ...string) (string, error) {
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nowhere", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@localhost", "GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@localhost",
	}
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		return errs.String(), err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// refs are the branches of a bare repository and what they point to.
func refs(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(git(t, dir, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads")) {
		name, sha, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = sha
	}
	return all
}

// updateHook is the ruleset that docs/run-a-registry.md asks for: nobody rewrites
// or deletes main or published, and to main leads a pull request alone. The API
// merges past it, as GitHub does.
const updateHook = `#!/bin/sh
zero=0000000000000000000000000000000000000000
case $1 in refs/heads/main|refs/heads/published) ;; *) exit 0 ;; esac
if [ "$3" = $zero ] || { [ "$2" != $zero ] && ! git merge-base --is-ancestor "$2" "$3"; }; then
  echo "GH013: Repository rule violations found for $1: cannot force-push or delete" >&2
  exit 1
fi
if [ "$1" = refs/heads/main ] && [ "$2" != $zero ] && [ "$REMOTE_USER" != admin ]; then
  echo "GH013: Repository rule violations found for $1: changes must be made through a pull request" >&2
  exit 1
fi
`

// makeRepository makes an empty one.
func makeRepository(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q", "--bare", "-b", "main", ".")
	git(t, dir, "config", "http.receivepack", "true")
	git(t, dir, "config", "uploadpack.allowAnySHA1InWant", "true")
	git(t, dir, "config", "uploadpack.allowFilter", "true")
	git(t, dir, "config", "gc.auto", "0")
	if err := os.MkdirAll(filepath.Join(dir, "hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hooks", "update"), []byte(updateHook), 0o755); err != nil {
		t.Fatal(err)
	}
}

// serveGit is github.com for git programs.
func (f *forge) serveGit(w http.ResponseWriter, r *http.Request) {
	owner, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	name, service, _ := strings.Cut(rest, "/")
	name = strings.TrimSuffix(name, ".git")
	dir := f.bare(owner + "/" + name)
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil || strings.Contains(r.URL.Path, "..") {
		http.NotFound(w, r)
		return
	}
	_, secret, authenticated := r.BasicAuth()
	who := f.bearer(secret)
	if authenticated && who == nil {
		http.Error(w, "Invalid username or token.", http.StatusUnauthorized)
		return
	}
	push := service == "git-receive-pack" || r.URL.Query().Get("service") == "git-receive-pack"
	switch {
	case push && who == nil:
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		http.Error(w, "who are you", http.StatusUnauthorized)
		return
	case push && !who.mayPush(owner+"/"+name):
		http.Error(w, "Permission to "+owner+"/"+name+" denied to "+who.login+".", http.StatusForbidden)
		return
	}
	env := []string{"GIT_PROJECT_ROOT=" + filepath.Join(f.dir, "repositories"), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=/nowhere"}
	if who != nil {
		env = append(env, "REMOTE_USER="+who.login)
	}
	if v := r.Header.Get("Git-Protocol"); v != "" {
		env = append(env, "GIT_PROTOCOL="+v)
	}
	program, err := backend()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	r.URL.Path = "/" + owner + "/" + name + ".git/" + service
	before := map[string]string{}
	if service == "git-receive-pack" {
		f.pushing.Lock()
		defer f.pushing.Unlock()
		if f.onPush != nil && who.job != nil {
			f.onPush(who.job)
		}
		before = refs(f.t, dir)
	}
	(&cgi.Handler{Path: program, Env: env}).ServeHTTP(w, r)
	if service == "git-receive-pack" {
		if after := refs(f.t, dir); !maps.Equal(before, after) {
			f.pushed(owner+"/"+name, before, after, who)
		}
		if f.onPushed != nil && who.job != nil {
			f.onPushed(who.job)
		}
	}
}

// backend is git's program that speaks its protocol over HTTP.
func backend() (string, error) {
	out, err := exec.Command("git", "--exec-path").Output()
	return filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"), err
}
