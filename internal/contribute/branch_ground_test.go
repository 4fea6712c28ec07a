package contribute

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
)

// breakGit puts a git before the real one that fails whenever its arguments
// have a word, as a network does. The function that it returns mends that.
func (f *forge) breakGit(word, says string) (mend func()) {
	f.t.Helper()
	if runtime.GOOS == "windows" {
		f.t.Skip("the git that fails is a shell script")
	}
	real, err := exec.LookPath("git")
	if err != nil {
		f.t.Fatal(err)
	}
	dir := f.t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nfor a in \"$@\"; do\n  if [ \"$a\" = '%s' ]; then echo '%s' >&2; exit 128; fi\ndone\nexec '%s' \"$@\"\n", word, says, real)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		f.t.Fatal(err)
	}
	f.w.host.Getenv = func(name string) string {
		if name == "PATH" {
			return dir + string(os.PathListSeparator) + os.Getenv("PATH")
		}
		return os.Getenv(name)
	}
	return func() { f.w.host.Getenv = os.Getenv }
}

// TestPublishBranchOlderJob: an older job never takes back what a newer one
// published, though the remote gives it no answer when it asks which is older.
func TestPublishBranchOlderJob(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	f.propose("word_count", "1.0.0")
	older := f.commit("one")
	f.mustPublish()
	f.write("tools/wo/word_count/tool.yaml", "owners:\n  - login: ann\n    id: 7\nyanked:\n  \"1.0.0\": \"wrong count\"\n")
	newer := f.commit("yank")
	f.mustPublish()
	was := f.published()

	f.git(f.dir, "reset", "-q", "--hard", older)
	for _, c := range []struct{ word, says string }{
		{"--filter=tree:0", "fatal: unable to access: Could not resolve host"},
		{"--filter=tree:0", "fatal: remote error: the repository is busy"},
		{"--filter=tree:0", "remote: fatal: remote error: upload-pack: not our ref " + newer[:39] + "g"},
		{"merge-base", "fatal: out of memory"},
	} {
		mend := f.breakGit(c.word, c.says)
		out, err := f.publish()
		if fault.KindOf(err) != fault.Unavailable || f.published() != was {
			t.Errorf("%s: got %+v, %v", c.says, out, err)
		}
		mend()
	}
	// The remote does not have what was published, and what is checked out is
	// not what it has.
	mend := f.breakGit("--filter=tree:0", "fatal: remote error: upload-pack: not our ref "+newer)
	if out, err := f.publish(); fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != "rewritten" || f.published() != was {
		t.Errorf("not the remote's: got %+v, %v", out, err)
	}
	mend()
	// The twins: with an answer there is nothing to do; and the newest commit is
	// published from.
	if out := f.mustPublish(); out.New || f.published() != was {
		t.Errorf("got %+v", out)
	}
	f.git(f.dir, "reset", "-q", "--hard", newer)
	f.propose("line_count", "1.0.0")
	f.commit("two")
	if out := f.mustPublish(); !slices.Equal(out.Accepted, []string{"line_count@1.0.0"}) || len(out.Withdrawn) != 0 {
		t.Errorf("got %+v", out)
	}
	f.audit()
}

// TestPublishBranchRewritten: of a history that was written anew, the newest
// commit is published, and no other.
func TestPublishBranchRewritten(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	begin := f.git(f.dir, "rev-parse", "HEAD")
	f.propose("word_count", "1.0.0")
	f.commit("one")
	f.mustPublish()
	was := f.published()

	f.git(f.dir, "reset", "-q", "--hard", begin)
	f.propose("word_count", "1.0.0")
	f.propose("line_count", "1.0.0")
	f.git(f.dir, "add", "-A")
	f.git(f.dir, "commit", "-q", "-m", "one, written anew")
	if out, err := f.publish(); fault.ReasonOf(err) != "rewritten" || f.published() != was {
		t.Errorf("a commit that the remote does not have: got %+v, %v", out, err)
	}
	f.git(f.dir, "push", "-q", "-f", "origin", "main")
	if out := f.mustPublish(); !slices.Equal(out.Accepted, []string{"line_count@1.0.0"}) {
		t.Errorf("got %+v", out)
	}
	f.audit()
}

// TestPublishBranchStatesTheMerge: what is signed about a version names the
// commit that brought it, and not the newest of those that were published with
// it.
func TestPublishBranchStatesTheMerge(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	f.propose("word_count", "1.0.0")
	one := f.commit("word_count (#1)")
	f.propose("line_count", "1.0.0")
	two := f.commit("line_count (#2)")
	if out := f.mustPublish(); out.Source != two || out.Head.Commit != two {
		t.Errorf("got %+v", out)
	}
	for commit, got := range map[string]*ledger.Acceptance{one: f.acceptance("word_count"), two: f.acceptance("line_count")} {
		if got.Commit != commit {
			t.Errorf("a version of %s states %s", commit, got.Commit)
		}
	}
}

// TestPublishBranchIgnored: what git was told not to look at would be published
// as part of a version that no commit has.
func TestPublishBranchIgnored(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	f.propose("word_count", "1.0.0")
	f.write(".gitignore", "*.txt\n")
	f.commit("one")
	f.write("tools/wo/word_count/1.0.0/words.txt", "in no commit\n")
	if out, err := f.publish(); fault.KindOf(err) != fault.Usage || fault.ReasonOf(err) != "dirty" || f.published() != "" {
		t.Errorf("got %+v, %v", out, err)
	}
	f.git(f.dir, "clean", "-q", "-fdX")
	f.write("notes.txt", "beside what is published\n") // the twin: ignored, and not looked at
	f.mustPublish()
	f.audit()
}

// TestPublishBranchWithoutProposer: where nobody is known to have proposed a
// version, no owner is signed as its contributor.
func TestPublishBranchWithoutProposer(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	f.propose("word_count", "1.0.0")
	f.commit("by hand")
	f.mustPublish(func(o *BranchOptions) {
		o.Origin = func(context.Context, string) (Origin, error) { return Origin{}, nil }
	})
	if a := f.acceptance("word_count"); a.Contributor != (ledger.Owner{}) || a.PullRequest != "" {
		t.Errorf("signed %+v", a)
	}
	f.audit()
	// The twin: where nobody is asked, as on a registry's own machine, an owner
	// publishes.
	f.propose("line_count", "1.0.0")
	f.commit("by hand")
	f.mustPublish()
	if a := f.acceptance("line_count"); a.Contributor != (ledger.Owner{Login: "ann", ID: 7}) {
		t.Errorf("signed %+v", a)
	}
}

// TestPublishBranchSetBack: a branch that was set back to an older head gets no
// second head of a number that the pages have served; pages that serve nothing,
// or give no answer, stop nobody.
func TestPublishBranchSetBack(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	pages := t.TempDir()
	answer := http.StatusOK
	files := http.FileServer(http.Dir(pages))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer != http.StatusOK {
			http.Error(w, "no", answer)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	f.w.host.HTTP = func() *http.Client { return &http.Client{} }
	config := filepath.Join(f.dir, "registry.yaml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	f.write("registry.yaml", string(text)+"mirrors: [\""+server.URL+"\"]\n")
	site := func(o *BranchOptions) { o.Site = pages }
	f.propose("word_count", "1.0.0")
	f.commit("one")
	f.mustPublish(site) // the pages answer 404
	first := f.published()
	f.propose("line_count", "1.0.0")
	f.commit("two")
	second := f.mustPublish(site)
	newest := f.published()

	f.git(f.origin, "update-ref", "refs/heads/published", first)
	if out, err := f.publish(); fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != "set_back" || f.published() != first {
		t.Errorf("behind: got %+v, %v", out, err)
	}
	// The same number, another head: made while the pages were down.
	var warned []string
	f.w.Warn = func(text string) { warned = append(warned, text) }
	answer = http.StatusForbidden
	if out := f.mustPublish(); out.Head.Seq != second.Head.Seq || len(warned) != 1 {
		t.Errorf("without an answer: got %+v, warned %q", out, warned)
	}
	answer = http.StatusOK
	fork := f.published()
	f.propose("byte_count", "1.0.0")
	f.commit("three")
	if out, err := f.publish(); fault.ReasonOf(err) != "set_back" || f.published() != fork {
		t.Errorf("beside: got %+v, %v", out, err)
	}
	// The twins: somebody says so; and the branch is put back.
	f.mustPublish(func(o *BranchOptions) { o.BehindMirrors = true })
	f.git(f.origin, "update-ref", "refs/heads/published", newest)
	if out := f.mustPublish(); !slices.Equal(out.Accepted, []string{"byte_count@1.0.0"}) || out.Head.Seq != second.Head.Seq+1 {
		t.Errorf("put back: got %+v", out)
	}
	f.audit()
}
