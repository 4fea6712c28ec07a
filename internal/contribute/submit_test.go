package contribute

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

func keylessPin(name spec.RegistryName, repository string) toolbox.Pin {
	id := ledger.GitHubWorkflow(repository, ledger.PublishWorkflow, "refs/heads/trunk")
	id.RepositoryID, id.OwnerID = "9", "8"
	return toolbox.Pin{Name: name, Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: &id}}
}

// Where a proposal goes follows from what was verified, or from what the person
// typed, and from nothing that a registry says.
func TestTargetOf(t *testing.T) {
	ours, other := keylessPin("acme/tools", "Acme/Tools"), keylessPin("bob/tools", "bob/tools")
	keyed := toolbox.Pin{Name: "demo/tools", Trust: ledger.Trust{Kind: ledger.TrustKey}}
	elsewhere := keylessPin("acme/tools", "eve/tools")
	foreign := keylessPin("acme/tools", "acme/tools")
	foreign.Trust.Identity.Repository = "https://github.com.evil.example/acme/tools"
	for name, c := range map[string]struct {
		pins   []toolbox.Pin
		named  string
		want   string // repository and branch
		kind   fault.Kind
		reason string
	}{
		"the only one":              {[]toolbox.Pin{keyed, ours}, "", "Acme/Tools trunk 9 8", 0, ""},
		"by name":                   {[]toolbox.Pin{ours, other}, "bob/tools", "bob/tools trunk 9 8", 0, ""},
		"by its repository":         {[]toolbox.Pin{ours, other}, "ACME/tools", "Acme/Tools trunk 9 8", 0, ""},
		"not added":                 {[]toolbox.Pin{ours}, "New/One", "New/One   ", 0, ""},
		"none":                      {[]toolbox.Pin{keyed}, "", "", fault.Usage, "no_registry"},
		"several":                   {[]toolbox.Pin{ours, other}, "", "", fault.Usage, "ambiguous"},
		"one with a key":            {[]toolbox.Pin{keyed}, "demo/tools", "", fault.Usage, "registry_kind"},
		"no repository":             {nil, "https://github.com/acme/tools", "", fault.Usage, "repository"},
		"a path":                    {nil, "../tools", "", fault.Usage, "repository"},
		"a pin of another one":      {[]toolbox.Pin{elsewhere}, "", "", fault.NotVerified, "pin"},
		"a pin of another GitHub's": {[]toolbox.Pin{foreign}, "acme/tools", "", fault.NotVerified, "pin"},
	} {
		got, err := TargetOf(c.pins, c.named)
		if fault.ReasonOf(err) != c.reason || err != nil && fault.KindOf(err) != c.kind {
			t.Errorf("%s: %v", name, err)
		}
		if s := strings.Join([]string{got.Repo.String(), got.Branch, got.ID, got.OwnerID}, " "); err == nil && s != c.want {
			t.Errorf("%s: %q", name, s)
		}
	}
}

// liar is a GitHub that answers what a draft must not believe.
type liar struct {
	GitHub

	fork    github.Repository
	open    github.Pull
	changes []github.Change
	wrote   []string
}

func (l *liar) Fork(context.Context, github.Repo) (github.Repository, error) { return l.fork, nil }

func (l *liar) PullOf(context.Context, github.Repo, string) (github.Pull, bool, error) {
	return l.open, l.open.Number != 0, nil
}

func (l *liar) Changes(context.Context, github.Repo, int, string) ([]github.Change, error) {
	return l.changes, nil
}

func (l *liar) Commit(_ context.Context, r github.Repo, c github.Commit) (string, error) {
	l.wrote = append(l.wrote, r.String()+" "+c.Branch+" on "+c.Parent)
	return "new", nil
}

func (l *liar) OpenPull(context.Context, github.Repo, github.NewPull) (github.Pull, error) {
	return github.Pull{Number: 1}, nil
}

func (l *liar) UpdatePull(context.Context, github.Repo, github.NewPull) (github.Pull, error) {
	return github.Pull{Number: 2}, nil
}

func TestSend(t *testing.T) {
	file := newFile("tools/ec/echo_text/1.0.0/tool.py", []byte("x"))
	const blob = "c1b0730e0133447badc2ba6b2ed3d2f3d2f4a6f1" // of something else
	own := github.Repository{Repo: github.Repo{Owner: "bea", Name: "tools"}, Owner: github.User{Login: "bea", ID: 7}, Parent: github.Repo{Owner: "ACME", Name: "tools"}}
	mine := github.Pull{Number: 2, Author: github.User{Login: "bea", ID: 7}, Base: github.Side{Branch: "main"}, Head: github.Side{SHA: "old"}}
	exact := github.Change{Path: file.Path, Status: "added", Mode: "100644", SHA: "c1b0730e0133447badcfd47fd144e254807b06e1"}
	change := func(edit func(*github.Change)) []github.Change {
		c := exact
		edit(&c)
		return []github.Change{c}
	}
	for name, c := range map[string]struct {
		l      liar
		how    How
		wrote  string
		reason string
	}{
		"new":                     {liar{fork: own}, Opened, "bea/tools patch-git/echo_text-1.0.0 on base", ""},
		"the same":                {liar{fork: own, open: mine, changes: []github.Change{exact}}, Unchanged, "", ""},
		"other bytes":             {liar{fork: own, open: mine, changes: change(func(c *github.Change) { c.SHA = blob })}, Updated, "bea/tools patch-git/echo_text-1.0.0 on base", ""},
		"executable":              {liar{fork: own, open: mine, changes: change(func(c *github.Change) { c.Mode = "100755" })}, Updated, "bea/tools patch-git/echo_text-1.0.0 on base", ""},
		"a link":                  {liar{fork: own, open: mine, changes: change(func(c *github.Change) { c.Mode = "120000" })}, Updated, "bea/tools patch-git/echo_text-1.0.0 on base", ""},
		"another file beside":     {liar{fork: own, open: mine, changes: []github.Change{exact, {Path: "x"}}}, Updated, "bea/tools patch-git/echo_text-1.0.0 on base", ""},
		"another base":            {liar{fork: own, open: github.Pull{Number: 2, Author: mine.Author, Base: github.Side{Branch: "x"}}, changes: []github.Change{exact}}, Updated, "bea/tools patch-git/echo_text-1.0.0 on base", ""},
		"a fork of somebody else": {liar{fork: github.Repository{Repo: own.Repo, Owner: github.User{Login: "bea", ID: 8}, Parent: own.Parent}}, "", "", "fork"},
		"a fork of another one":   {liar{fork: github.Repository{Repo: own.Repo, Owner: own.Owner, Parent: github.Repo{Owner: "eve", Name: "tools"}}}, "", "", "fork"},
		"no fork at all":          {liar{fork: github.Repository{Repo: own.Repo, Owner: own.Owner}}, "", "", "fork"},
		"somebody else's pull request": {
			liar{fork: own, open: github.Pull{Number: 3, URL: "https://x/\x1b[2J", Author: github.User{Login: "ev\x1b[2Jil\u202e", ID: 666}}}, "", "", "branch_taken",
		},
	} {
		l := c.l
		d := &Draft{
			hub: &l, target: Target{Repo: github.Repo{Owner: "acme", Name: "tools"}}, Repository: "acme/tools", Base: "main", BaseCommit: "base",
			Branch: "patch-git/echo_text-1.0.0", Author: &ledger.Owner{Login: "bea", ID: 7}, Files: []DraftFile{file},
		}
		sent, err := newWorkshop(t).Send(t.Context(), d)
		if fault.ReasonOf(err) != c.reason || err == nil && sent.How != c.how || strings.Join(l.wrote, ",") != c.wrote {
			t.Errorf("%s: %+v, %v, wrote %q", name, sent, err, l.wrote)
		}
		if err != nil && strings.ContainsFunc(err.Error()+strings.Join(fault.HintsOf(err), ""), func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%s: the message has hidden characters: %q", name, err)
		}
	}
	// A draft that was made to be shown is not sent.
	if _, err := newWorkshop(t).Send(t.Context(), &Draft{}); fault.ReasonOf(err) != "draft" {
		t.Error(err)
	}
}

// gh is asked for its token by its absolute path, with what it needs to find it
// and no other variable, and only for GitHub itself.
func TestTokenOfGH(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for gh is a shell script")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nenv > '" + filepath.Join(dir, "seen") + "'\necho \"$@\" >> '" + filepath.Join(dir, "seen") + "'\necho ghp_0123456789\n"
	if err := os.WriteFile(filepath.Join(dir, "gh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	w := newWorkshop(t)
	env := map[string]string{"PATH": "relative:" + dir + ":/bin:/usr/bin", "HOME": dir, "SECRET": "s"}
	w.host.Getenv = func(name string) string { return env[name] }
	w.host.GOOS = runtime.GOOS
	token, from, err := github.FindToken(t.Context(), w.host.Getenv, w.gh)
	if err != nil || token != "ghp_0123456789" || from != "gh auth token" {
		t.Fatalf("%q from %q, %v", token, from, err)
	}
	seen, err := os.ReadFile(filepath.Join(dir, "seen"))
	if err != nil || strings.Contains(string(seen), "SECRET") || !strings.Contains(string(seen), "auth token --hostname github.com") {
		t.Errorf("%s, %v", seen, err)
	}
	if err := os.Remove(filepath.Join(dir, "seen")); err != nil {
		t.Fatal(err)
	}
	// Another GitHub gets no token of gh's.
	env["GITHUB_API_URL"] = "http://127.0.0.1:1/"
	_, _, err = w.GitHub(t.Context(), HubOptions{})
	if _, statErr := os.Stat(filepath.Join(dir, "seen")); fault.ReasonOf(err) != "token" || statErr == nil {
		t.Errorf("%v, gh was asked: %v", err, statErr == nil)
	}
	// Without a gh that is at an absolute path there is none.
	env["PATH"] = "."
	t.Chdir(dir)
	if _, err := w.gh(t.Context(), []string{"gh", "auth", "token"}); fault.ReasonOf(err) != "no_program" {
		t.Error(err)
	}
}

func (l *liar) Repository(context.Context, github.Repo) (github.Repository, error) {
	return l.fork, nil
}

func (l *liar) Viewer(context.Context) (github.User, error) {
	return github.User{Login: "bea", ID: 7}, nil
}

// The repository that GitHub has under the name is held against the numbers that
// were pinned; a new name of the same one is followed.
func TestMeet(t *testing.T) {
	acme := github.Repo{Owner: "acme", Name: "tools"}
	there := github.Repository{Repo: acme, ID: 9, Owner: github.User{Login: "acme", ID: 8}, Default: "trunk"}
	renamed, remade, taken := there, there, there
	renamed.Repo.Name, remade.ID, taken.Owner.ID = "registry", 10, 666
	pinned := Target{Repo: acme, Branch: "main", ID: "9", OwnerID: "8"}
	for name, c := range map[string]struct {
		target Target
		says   github.Repository
		base   string
		reason string
	}{
		"the pinned one":        {pinned, there, "main", ""},
		"renamed":               {pinned, renamed, "main", ""},
		"not pinned":            {Target{Repo: acme}, there, "trunk", ""},
		"made anew":             {pinned, remade, "", "repository_id"},
		"in other hands":        {pinned, taken, "", "repository_id"},
		"made anew, not pinned": {Target{Repo: acme}, remade, "trunk", ""},
	} {
		d := &Draft{hub: &liar{fork: c.says}, target: c.target, Base: c.target.Branch, Repository: "acme/tools"}
		err := d.meet(t.Context(), false)
		if fault.ReasonOf(err) != c.reason || err == nil && (d.Base != c.base || d.target.Repo != c.says.Repo || d.Author.ID != 7) {
			t.Errorf("%s: %v, %+v", name, err, d)
		}
		if err != nil && (fault.KindOf(err) != fault.NotVerified || d.Author != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
