//go:build linux

package acttest

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/github/githubtest"
)

// actionRef is the commit of this project's action that a registry names.
const actionRef = "patch-cat/patch-git@0123456789abcdef0123456789abcdef01234567"

// registered is a forge with a registry in it, as "registry init --github" makes
// one, whose first head is published.
type registered struct {
	*forge

	python string // the Python that checks tools here, as "3.11"

	ada *caller // maintains it
	bob *caller // brings tools
	eve *caller // brings trouble
}

// addRegistry makes its empty repository.
func (f *forge) addRegistry(t *testing.T) *githubtest.Repo {
	t.Helper()
	makeRepository(t, f.bare(registryRepo))
	r := f.double.AddRepo(registryRepo)
	r.ID = 900000001
	f.runner = f.double.JobToken(registryRepo, "checks", "write")
	return r
}

func newRegistry(t *testing.T) *registered {
	t.Helper()
	f := newForge(t)
	g := &registered{forge: f}
	f.addRegistry(t).Let("ada", "admin")
	g.ada, g.bob, g.eve = f.person("ada", 7, true), f.person("bob", 21, false), f.person("eve", 66, false)

	ada := f.sits(t, g.ada)
	g.python = pythonOf(t, ada)
	ada.does(t, "registry", "init", "registry", "--github", registryRepo, "--action", actionRef)
	clone := filepath.Join(ada.dir, "registry")
	git(t, clone, "init", "-q", "-b", "main", ".")
	git(t, clone, "add", "-A")
	git(t, clone, "commit", "-q", "-m", "a registry")
	git(t, clone, "push", "-q", f.bare(registryRepo), "HEAD:refs/heads/main")
	f.watched = refs(t, f.bare(registryRepo))
	f.push("refs/heads/main", "", f.watched["refs/heads/main"], g.ada)
	first := played(t, f.settle(t), "publish.yml")
	if first.conclusion() != "success" {
		t.Fatalf("the first publication is a %s", first.conclusion())
	}
	return g
}

// pythonOf is a Python that this machine has. A tool for another is left to a
// person, because nobody can tell what it would be there.
func pythonOf(t *testing.T, p person) string {
	t.Helper()
	said := p.does(t, "python", "list")
	m := regexp.MustCompile(`(?m)^ok .* serves (\d+\.\d+)`).FindStringSubmatch(said)
	if m == nil {
		t.Skipf("no Python can check tools here:\n%s", said)
	}
	return m[1]
}

// tool is a tool as its author writes it; more are texts and what stands in
// their place.
func (g *registered) tool(name, version string, more ...string) string {
	text := strings.ReplaceAll(toolText, "NAME", name)
	text = strings.ReplaceAll(text, "PYTHON", g.python)
	text = strings.ReplaceAll(text, "VERSION", version)
	for i := 0; i+1 < len(more); i += 2 {
		if !strings.Contains(text, more[i]) {
			panic("the tool has no " + more[i])
		}
		text = strings.Replace(text, more[i], more[i+1], 1)
	}
	return text
}

// publishes has somebody propose a tool, and returns the number of the pull
// request.
func (g *registered) publishes(t *testing.T, p person, text string) int {
	t.Helper()
	p.does(t, "publish", p.writes(t, "tool.py", text), "--registry", registryRepo)
	return g.newest(t)
}

// accepted has a first version of word_count go all the way.
func (g *registered) accepted(t *testing.T, p person) {
	t.Helper()
	number := g.publishes(t, p, g.tool("word_count", "0.1.0"))
	g.settle(t)
	if status := g.merges(t, number); status != http.StatusOK {
		t.Fatalf("the merge: %d %q", status, g.comments(t, number))
	}
	if r := played(t, g.settle(t), "publish.yml"); r.conclusion() != "success" {
		t.Fatalf("the publication is a %s", r.conclusion())
	}
}

// pushTo is a push by git to somebody's fork.
func (g *registered) pushTo(t *testing.T, who *caller, branch string, files map[string]string) {
	t.Helper()
	clone := filepath.Join(t.TempDir(), "clone")
	dir := g.bare(who.login + "/tools")
	git(t, t.TempDir(), "clone", "-q", "--branch", branch, dir, clone)
	for path, data := range files {
		keep(t, filepath.Join(clone, filepath.FromSlash(path)), []byte(data), 0o644)
	}
	git(t, clone, "commit", "-q", "-a", "-m", "another")
	git(t, clone, "push", "-q", dir, "HEAD:refs/heads/"+branch)
	g.pushing.Lock()
	defer g.pushing.Unlock()
	g.observe(who)
}

// commit puts tools of bob's on main, as merges of pull requests do that were
// accepted. more changes one of them: its name, a text, and what stands in its
// place.
func (g *registered) commit(t *testing.T, message string, tools map[string]string, more ...string) {
	t.Helper()
	dir, clone := g.bare(registryRepo), filepath.Join(t.TempDir(), "clone")
	git(t, t.TempDir(), "clone", "-q", dir, clone)
	for name, version := range tools {
		base := filepath.Join(clone, "tools", name[:2], name)
		text := g.tool(name, version)
		if len(more) > 0 && more[0] == name {
			text = g.tool(name, version, more[1:]...)
		}
		keep(t, filepath.Join(base, version, "tool.py"), []byte(text), 0o644)
		keep(t, filepath.Join(base, "tool.yaml"), []byte("owners:\n  - login: bob\n    id: 21\n"), 0o644)
	}
	git(t, clone, "add", "-A")
	git(t, clone, "commit", "-q", "-m", message)
	before := refs(t, dir)["refs/heads/main"]
	after := git(t, clone, "rev-parse", "HEAD")
	git(t, dir, "fetch", "-q", clone, after)
	git(t, dir, "update-ref", "refs/heads/main", after)
	g.mu.Lock()
	g.watched = refs(t, dir)
	g.mu.Unlock()
	g.push("refs/heads/main", before, after, g.ada)
}

// play1 plays the run that waits.
func (g *registered) play1(t *testing.T) *run {
	t.Helper()
	r := g.next(t)
	if r == nil {
		t.Fatal("nothing runs")
	}
	g.play(t, r)
	return r
}

// newest is the number of the newest pull request.
func (g *registered) newest(t *testing.T) int {
	t.Helper()
	var all []struct {
		Number int `json:"number"`
	}
	g.get(t, "/repos/"+registryRepo+"/pulls?state=all&per_page=100", &all)
	n := 0
	for _, p := range all {
		n = max(n, p.Number)
	}
	return n
}

// pullOf is a pull request as GitHub shows it.
func (g *registered) pullOf(t *testing.T, number int) map[string]any {
	t.Helper()
	var p map[string]any
	g.get(t, fmt.Sprintf("/repos/%s/pulls/%d", registryRepo, number), &p)
	return p
}

// merged tells whether a pull request is.
func (g *registered) merged(t *testing.T, number int) bool {
	t.Helper()
	yes, _ := g.pullOf(t, number)["merged"].(bool)
	return yes
}

// concluded is the conclusion of the check on the head of a pull request, ""
// where there is none.
func (g *registered) concluded(t *testing.T, number int) string {
	t.Helper()
	return text(g.checkOf(t, text(g.pullOf(t, number), "head", "sha")), "conclusion")
}

// comments are what our workflows said below a pull request.
func (g *registered) comments(t *testing.T, number int) (all []string) {
	t.Helper()
	var list []map[string]any
	g.get(t, fmt.Sprintf("/repos/%s/issues/%d/comments?per_page=100", registryRepo, number), &list)
	for _, c := range list {
		all = append(all, text(c, "body"))
	}
	return all
}

// accepts is a maintainer's word for the head as it is.
func (g *registered) accepts(t *testing.T, number int) {
	t.Helper()
	at := fmt.Sprintf("/repos/%s/issues/%d/labels", registryRepo, number)
	if status := g.as(t, g.ada, http.MethodPost, at, []string{"patch-git:accept"}); status != http.StatusOK {
		t.Fatalf("the label: %d", status)
	}
}

// merges is a maintainer who presses the button.
func (g *registered) merges(t *testing.T, number int) int {
	t.Helper()
	head := text(g.pullOf(t, number), "head", "sha")
	return g.as(t, g.ada, http.MethodPut, fmt.Sprintf("/repos/%s/pulls/%d/merge", registryRepo, number), map[string]any{"sha": head, "merge_method": "squash"})
}

// published are the files of the branch that clients read, by path, with their
// objects.
func (g *registered) published(t *testing.T) map[string]string {
	t.Helper()
	out, err := tryGit(g.bare(registryRepo), "ls-tree", "-r", "--format=%(path) %(objectname)", "refs/heads/published")
	if err != nil {
		return nil
	}
	all := map[string]string{}
	for line := range strings.Lines(out) {
		path, object, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[path] = object
	}
	return all
}

// stranger is somebody who has just added the registry from its site.
func (g *registered) stranger(t *testing.T) person {
	t.Helper()
	p := g.sits(t, nil)
	p.does(t, "registry", "add", "https://"+pagesHost+"/tools", "--repository", registryRepo)
	return p
}

// toolText is a tool without any rights.
var toolText = func() string {
	data, err := os.ReadFile("testdata/tool.py")
	if err != nil {
		return err.Error()
	}
	return string(data)
}()
