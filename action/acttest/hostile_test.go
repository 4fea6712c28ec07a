//go:build linux

package acttest

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// evil marks what a stranger wrote, so that it is found wherever it got to.
const evil = "zzEVIL"

// breakouts are texts that would be something else where they are not escaped.
const breakouts = "`" + evil + "` </code></details></table>\x1b[31m <img src=x onerror=" + evil + "> @ada #1 ![" + evil + "](https://evil.test/" + evil + ") | " +
	"[" + evil + "](javascript:" + evil + ") <!-- patch-git --> --> ~~~ ``` ${{ github.token }} %0A::error::" + evil + " ::add-mask::" + evil + " ::set-output name=merged::true"

// attack is one pull request of a fork.
type attack struct {
	name  string
	title string
	files map[string]string                // path → text
	more  func(t *testing.T, clone string) // links and other odd things
	index func(t *testing.T, clone string) // what no file can be
	want  string                           // conclusion; "" is failure
	rule  string                           // that the comment names
	also  func(t *testing.T, played []*run)
}

// TestHostileFork: what a fork may bring. The check says no, the comment stays
// whole, nothing is merged, nothing published and nothing changed; and the
// workflows that the fork brought itself had nothing in their hands.
func TestHostileFork(t *testing.T) {
	t.Parallel()
	g := newRegistry(t)
	bob := g.sits(t, g.bob)
	n := g.publishes(t, bob, g.tool("word_count", "0.1.0"))
	g.settle(t)
	g.merges(t, n)
	g.settle(t)
	eve := g.sits(t, g.eve)
	eve.does(t, "publish", eve.writes(t, "tool.py", g.tool("own_tool", "0.1.0")), "--registry", registryRepo) // makes the fork
	g.settle(t)
	if got := g.concluded(t, g.newest(t)); got != "success" {
		t.Fatalf("a tool of hers without any harm: %q", got) // the twin of all below
	}

	at := func(name, version string) string {
		return "tools/" + name[:2] + "/" + name + "/" + version + "/tool.py"
	}
	owned := func(name string) map[string]string {
		return map[string]string{at(name, "0.1.0"): g.tool(name, "0.1.0"), "tools/" + name[:2] + "/" + name + "/tool.yaml": "owners:\n  - login: eve\n    id: 66\n"}
	}
	with := func(all map[string]string, more ...string) map[string]string {
		all = maps.Clone(all)
		for i := 0; i+1 < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return all
	}
	attacks := []attack{
		{name: "workflows", files: with(owned("flow_tool"), ".github/workflows/trial.yml", evilWorkflow, ".github/workflows/more.yml", evilWorkflow), rule: "GOV-001", also: powerless},
		{name: "the program of the workflows", files: with(owned("act_tool"), ".github/actions/patch-git/action.yml", "name: x\ndescription: x\nruns: {using: composite, steps: [{shell: bash, run: 'echo "+evil+" ran'}]}\n"), rule: "GOV-001", also: neverRan},
		{name: "a link for the tool", rule: "GOV-003", files: map[string]string{"tools/li/lin_tool/tool.yaml": "owners:\n  - login: eve\n    id: 66\n"}, more: func(t *testing.T, clone string) {
			keep(t, filepath.Join(clone, "tools/li/lin_tool/0.1.0/.keep"), nil, 0o644)
			os.Remove(filepath.Join(clone, "tools/li/lin_tool/0.1.0/.keep"))
			link(t, "../../../wo/word_count/0.1.0/tool.py", filepath.Join(clone, "tools/li/lin_tool/0.1.0/tool.py"))
		}},
		{name: "a submodule", files: owned("sub_tool"), rule: "GOV-003", index: func(t *testing.T, clone string) {
			git(t, clone, "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",tools/su/sub_tool/0.1.0/vendor")
		}},
		{name: "a program", files: owned("exe_tool"), rule: "GOV-003", more: func(t *testing.T, clone string) {
			if err := os.Chmod(filepath.Join(clone, at("exe_tool", "0.1.0")), 0o755); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a huge file", files: with(owned("huge_tool"), at("huge_tool", "0.1.0"), g.tool("huge_tool", "0.1.0")+"\n# "+strings.Repeat("x", 3<<20))},
		{name: "a published version", files: map[string]string{at("word_count", "0.1.0"): g.tool("word_count", "0.1.0", "text.split()", "text.split()*2")}, rule: "MAN-003"},
		{name: "somebody else's name", files: map[string]string{at("word_count", "9.9.9"): g.tool("word_count", "9.9.9")}, rule: "GOV-005"},
		{name: "a look-alike", files: owned("word_coumt"), want: "action_required", rule: "MAN-002"},
		{name: "hidden text", files: with(owned("hidden_tool"), at("hidden_tool", "0.1.0"), g.tool("hidden_tool", "0.1.0", "Count the words", "Count\u202e the\u200b words")), rule: "TXT-001"},
		{
			name: "texts that break out", title: breakouts[:200], rule: "MAN-",
			files: with(owned("break_tool"), at("break_tool", "0.1.0"), g.tool("break_tool", "0.1.0", "Count the words and lines of a text and return both numbers.", "'"+breakouts+"'"),
				"tools/br/break_tool/0.1.0/"+evil+" `|<b>@ada.md", breakouts),
		},
		{name: "paths that break out", files: with(owned("path_tool"), "tools/pa/path_tool/0.1.0/a\n::error::"+evil+"\n.md", evil, "tools/pa/path_tool/0.1.0/`"+evil+"`|x", evil), rule: "GOV-003"},
		{name: "code at import", files: with(owned("imp_tool"), at("imp_tool", "0.1.0"), g.tool("imp_tool", "0.1.0", "import sys\n", "import sys, os\nos.system('echo "+evil+" ran')\n")), also: neverRan},
	}
	before := g.published(t)
	main := refs(t, g.bare(registryRepo))["refs/heads/main"]
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			g.mayTrial = a.also != nil // a maintainer let it run
			number := g.proposes(t, g.eve, a)
			runs := g.settle(t)
			q := played(t, runs, "quarantine.yml")
			if got := g.concluded(t, number); got != or(a.want, "failure") {
				t.Errorf("the check says %q", got)
			}
			c := g.comments(t, number)
			if len(c) != 1 || !strings.Contains(c[0], a.rule) {
				t.Errorf("the comments do not name %s: %q", a.rule, c)
			}
			for _, body := range append(c, q.summary()) {
				if at := strings.Index(outsideCode(body), evil); at >= 0 {
					t.Errorf("the stranger's text got out: %.200q", outsideCode(body)[max(0, at-80):])
				}
			}
			for _, l := range q.commands() {
				if l.Command != "error" && l.Command != "warning" && l.Command != "notice" && l.Command != "group" && l.Command != "endgroup" || strings.Contains(l.Arg, evil) && l.Command != "error" && l.Command != "warning" {
					t.Errorf("the log has the command %+v", l)
				}
			}
			if g.merged(t, number) || g.merges(t, number) == http.StatusOK {
				t.Error("it was merged")
			}
			if a.also != nil {
				a.also(t, runs)
			}
			if now := refs(t, g.bare(registryRepo)); now["refs/heads/main"] != main || !maps.Equal(g.published(t), before) {
				t.Error("something changed")
			}
			g.settle(t)
		})
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// proposes pushes a branch to a fork by git and opens a pull request of it.
func (g *registered) proposes(t *testing.T, who *caller, a attack) int {
	t.Helper()
	clone := filepath.Join(t.TempDir(), "clone")
	dir := g.bare(who.login + "/tools")
	git(t, t.TempDir(), "clone", "-q", g.bare(registryRepo), clone)
	for path, data := range a.files {
		keep(t, filepath.Join(clone, filepath.FromSlash(path)), []byte(data), 0o644)
	}
	if a.more != nil {
		a.more(t, clone)
	}
	git(t, clone, "add", "-A")
	if a.index != nil {
		a.index(t, clone)
	}
	branch := "attack-" + regexp.MustCompile(`[^a-z]`).ReplaceAllString(a.name, "-")
	git(t, clone, "commit", "-q", "-m", or(a.title, a.name))
	git(t, clone, "push", "-q", "-f", dir, "HEAD:refs/heads/"+branch)
	body := map[string]any{"title": or(a.title, a.name), "body": breakouts, "head": who.login + ":" + branch, "base": "main"}
	if status := g.as(t, who, http.MethodPost, "/repos/"+registryRepo+"/pulls", body); status != http.StatusCreated {
		t.Fatalf("the pull request: %d", status)
	}
	return g.newest(t)
}

// evilWorkflow is a workflow as a fork may bring it: it takes what it can get,
// and has a job that is called like the check.
var evilWorkflow = fmt.Sprintf(`name: %[1]s
on: [pull_request, pull_request_target, push]
permissions: write-all
jobs:
  patch-git:
    runs-on: ubuntu-latest
    permissions: write-all
    steps:
      - env:
          TOKEN: ${{ github.token }}
        run: |
          echo "%[1]s ran for $GITHUB_EVENT_NAME, oidc ${ACTIONS_ID_TOKEN_REQUEST_URL:-none}"
          api() { curl -s -o /dev/null -w '%%{http_code}' -H "Authorization: Bearer $TOKEN" -H 'Accept: application/vnd.github.v3+json' -H 'Content-Type: application/json' "$@"; echo; }
          echo "label $(api -X POST -d '["patch-git:accept"]' "$GITHUB_API_URL/repos/acme/tools/issues/1/labels")"
          echo "check $(api -X POST -d "{\"name\":\"patch-git\",\"head_sha\":\"$GITHUB_SHA\",\"conclusion\":\"success\"}" "$GITHUB_API_URL/repos/acme/tools/check-runs")"
          git init -q x && cd x && git -c user.name=x -c user.email=x@x commit -q --allow-empty -m x
          git -c "http.extraheader=AUTHORIZATION: basic $(printf 'x:%%s' "$TOKEN" | base64 -w0)" push -q https://github.com/acme/tools HEAD:refs/heads/stolen 2>/dev/null && echo pushed || echo "not pushed"
`, evil)

// powerless: what the fork's own workflows did.
func powerless(t *testing.T, runs []*run) {
	t.Helper()
	ran := 0
	for _, r := range runs {
		if r.w.Name != evil {
			continue
		}
		ran++
		log := r.text()
		if r.event != "pull_request" {
			t.Errorf("it ran for %s", r.event)
		}
		for _, want := range []string{", oidc none", "| label 403", "| check 403", "| not pushed"} {
			if !strings.Contains(log, want) {
				t.Errorf("its log has no %q", want)
			}
		}
	}
	if ran != 2 {
		t.Errorf("%d workflows of the fork ran, so this shows nothing", ran)
	}
}

// neverRan: nothing that was proposed ran where it was reviewed. A trial may run
// it, in the sandbox.
func neverRan(t *testing.T, runs []*run) {
	t.Helper()
	for _, r := range runs {
		if strings.Contains(r.text(), "| "+evil+" ran") {
			t.Errorf("it ran in %s", r.w.File)
		}
	}
}

var fenceLine = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})")

// outsideCode is Markdown without its code, in which nothing has a meaning.
func outsideCode(text string) string {
	var b strings.Builder
	lines := strings.Split(text, "\n")
	fence := ""
	for _, line := range lines {
		if fence != "" {
			if s := strings.TrimSpace(line); strings.HasPrefix(s, fence) && strings.Trim(s, fence[:1]) == "" {
				fence = ""
			}
			continue
		}
		if m := fenceLine.FindStringSubmatch(line); m != nil {
			fence = m[1]
			continue
		}
		b.WriteString(withoutSpans(line) + "\n")
	}
	return b.String()
}

// withoutSpans takes the code spans out of a line: as many backticks end one as
// began it.
func withoutSpans(line string) string {
	var b strings.Builder
	for line != "" {
		open := strings.IndexByte(line, '`')
		if open < 0 {
			break
		}
		b.WriteString(line[:open])
		n := 0
		for open+n < len(line) && line[open+n] == '`' {
			n++
		}
		rest, end := line[open+n:], -1
		for i := 0; i < len(rest); {
			if rest[i] != '`' {
				i++
				continue
			}
			m := 0
			for i+m < len(rest) && rest[i+m] == '`' {
				m++
			}
			if m == n {
				end = i + m
				break
			}
			i += m
		}
		if end < 0 {
			b.WriteString(line[open : open+n])
			line = rest
			continue
		}
		line = rest[end:]
	}
	return b.String() + line
}

// TestOutsideCode: what that leaves out, and what not.
func TestOutsideCode(t *testing.T) {
	for in, want := range map[string]string{
		"a `b` c":                     "a  c\n",
		"a ``b ` c`` d":               "a  d\n",
		"a ` b":                       "a ` b\n",
		"x\n```\nevil\n```\ny":        "x\ny\n",
		"x\n````\n```\nevil\n````\ny": "x\ny\n",
		"x\n```\nevil\n~~~\n":         "x\n",
	} {
		if got := outsideCode(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
