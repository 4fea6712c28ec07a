package contribute

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/inspect"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// forge is a repository on a host: a bare one, a registry's checkout of it, and
// the program git.
type forge struct {
	t      *testing.T
	w      *Workshop
	origin string // bare
	dir    string // checkout of main
	now    time.Time
}

func newForge(t *testing.T) *forge {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no program git on PATH")
	}
	f := &forge{t: t, now: clock}
	root := t.TempDir()
	f.origin, f.dir = filepath.Join(root, "origin.git"), filepath.Join(root, "main")
	home, _ := os.UserHomeDir()
	w, err := New(&host.Host{
		Paths: paths.Paths{Root: filepath.Join(root, "user")}, Now: func() time.Time { return f.now },
		Getenv: os.Getenv, GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Dir: root, Home: home,
	}, "patch-git test")
	if err != nil {
		t.Fatal(err)
	}
	f.w = w
	f.git("", "init", "-q", "--bare", "-b", "main", f.origin)
	f.git(f.origin, "config", "uploadpack.allowFilter", "true") // as GitHub has it
	f.git(f.origin, "config", "receive.autogc", "false")        // nothing to tidy in so small a thing
	if _, err := w.Init(t.Context(), f.dir, "demo/tools", ""); err != nil {
		t.Fatal(err)
	}
	f.git(f.dir, "init", "-q", "-b", "main")
	f.git(f.dir, "remote", "add", "origin", f.origin)
	f.commit("registry")
	return f
}

// git runs git as somebody who works by hand.
func (f *forge) git(dir string, args ...string) string {
	f.t.Helper()
	cmd := exec.CommandContext(f.t.Context(), "git", append([]string{"-c", "maintenance.auto=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=m", "GIT_AUTHOR_EMAIL=m@example.com", "GIT_COMMITTER_NAME=m", "GIT_COMMITTER_EMAIL=m@example.com")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		f.t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// propose puts a version of a tool into the checkout.
func (f *forge) propose(name, version string) {
	f.t.Helper()
	text := strings.Replace(string(Template(spec.Name(name), "Counts the words of a text that it is given.")), "version: 0.1.0", "version: "+version, 1)
	f.write(filepath.Join("tools", name[:2], name, version, "tool.py"), text)
	f.write(filepath.Join("tools", name[:2], name, "tool.yaml"), "owners:\n  - login: ann\n    id: 7\n")
}

func (f *forge) write(path, text string) {
	f.t.Helper()
	file := filepath.Join(f.dir, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		f.t.Fatal(err)
	}
}

// commit commits the checkout and pushes main, as a merge would.
func (f *forge) commit(message string) string {
	f.t.Helper()
	f.git(f.dir, "add", "-A")
	f.git(f.dir, "commit", "-q", "-m", message)
	f.git(f.dir, "push", "-q", "origin", "main")
	return f.git(f.dir, "rev-parse", "HEAD")
}

func (f *forge) publish(change ...func(*BranchOptions)) (*BranchPublished, error) {
	f.t.Helper()
	f.now = f.now.Add(time.Minute)
	o := BranchOptions{Dir: f.dir, Remote: f.origin, Work: f.t.TempDir()}
	for _, c := range change {
		c(&o)
	}
	return f.w.PublishBranch(f.t.Context(), o)
}

func (f *forge) mustPublish(change ...func(*BranchOptions)) *BranchPublished {
	f.t.Helper()
	out, err := f.publish(change...)
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

// published is the commit of the branch, "" where there is none.
func (f *forge) published() string {
	f.t.Helper()
	return f.git(f.origin, "for-each-ref", "--format=%(objectname)", "refs/heads/published")
}

// files are those of the branch, by path below v1.
func (f *forge) files() map[string]string {
	f.t.Helper()
	cmd := exec.CommandContext(f.t.Context(), "git", "-C", f.origin, "archive", "--format=tar", "published:v1")
	data, err := cmd.Output()
	if err != nil {
		f.t.Fatal(err)
	}
	out := map[string]string{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			f.t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		body, err := io.ReadAll(r)
		if err != nil {
			f.t.Fatal(err)
		}
		out[h.Name] = string(body)
	}
}

// audit reads the whole branch as a stranger with a clone does.
func (f *forge) audit() *inspect.Report {
	f.t.Helper()
	src, err := registry.Open(f.t.Context(), f.origin, registry.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	tree, err := registry.OpenTree(f.dir)
	if err != nil {
		f.t.Fatal(err)
	}
	b := &bench{dir: f.dir, tree: tree, doc: tree.Registry()}
	if b.signer, err = f.w.signer(f.t.Context(), b, Signing{}); err != nil {
		f.t.Fatal(err)
	}
	r, err := inspect.Tree(f.t.Context(), src, b.signer.policy, inspect.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	if err := r.Err(); err != nil {
		f.t.Fatalf("%v: %v %v", err, r.Problems, r.Unread)
	}
	return r
}

func TestPublishBranch(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	f.propose("word_count", "1.0.0")
	one := f.commit("word_count 1.0.0 (#12)")
	asked := map[string]int{}
	origin := func(o *BranchOptions) {
		o.Origin = func(_ context.Context, commit string) (Origin, error) {
			asked[commit]++
			return Origin{PullRequest: "https://github.com/demo/tools/pull/12", Author: ledger.Owner{Login: "bob", ID: 9}}, nil
		}
	}
	out := f.mustPublish(origin)
	if !slices.Equal(out.Accepted, []string{"word_count@1.0.0"}) || out.Source != one || out.Base != "" || out.Commit != f.published() || out.Head.Commit != one || out.Head.Seq != 1 {
		t.Errorf("got %+v", out)
	}
	if !maps.Equal(asked, map[string]int{one: 1}) {
		t.Errorf("asked for the origin of %v", asked)
	}
	if r := f.audit(); r.Counts.Releases != 1 {
		t.Errorf("audited %+v", r.Counts)
	}
	for p := range f.files() {
		if registry.IsDerived(p) {
			t.Errorf("%s follows from other files and is committed", p)
		}
	}
	if parents := f.git(f.origin, "log", "--format=%P", "published"); parents != "" {
		t.Errorf("the first commit has the parents %q", parents)
	}
	statement := f.acceptance("word_count")
	if statement.Commit != one || statement.PullRequest != "https://github.com/demo/tools/pull/12" || statement.Contributor != (ledger.Owner{Login: "bob", ID: 9}) {
		t.Errorf("the acceptance states %+v", statement)
	}

	// What tool.yaml says of a version that is new itself is not left behind.
	f.propose("old_count", "1.0.0")
	f.write("tools/ol/old_count/tool.yaml", "owners:\n  - login: ann\n    id: 7\ndeprecated: \"use word_count\"\nyanked:\n  \"1.0.0\": \"wrong\"\n")
	f.commit("old_count")
	if out = f.mustPublish(); !slices.Equal(out.Accepted, []string{"old_count@1.0.0"}) || !slices.Equal(out.Withdrawn, []string{"yank old_count@1.0.0"}) || out.Head.Seq != 3 {
		t.Errorf("got %+v", out.Published)
	}
	if record := f.files()[ledger.RecordPath("old_count")]; !strings.Contains(record, `"deprecated":"use word_count"`) {
		t.Errorf("the record is %s", record)
	}

	// Nothing new: nothing is committed.
	before := f.published()
	if out = f.mustPublish(origin); out.New || f.published() != before || out.Compared != 0 {
		t.Errorf("once more: %+v", out)
	}
	// A second version and another tool come in two merges and one publication;
	// only what changed is compared.
	f.propose("word_count", "1.1.0")
	two := f.commit("word_count 1.1.0 (#13)")
	f.propose("line_count", "1.0.0")
	three := f.commit("line_count 1.0.0 (#14)")
	clear(asked)
	out = f.mustPublish(origin)
	if !slices.Equal(out.Accepted, []string{"line_count@1.0.0", "word_count@1.1.0"}) || out.Compared != 2 || out.Base != before {
		t.Errorf("got %+v", out)
	}
	if !maps.Equal(asked, map[string]int{two: 1, three: 1}) {
		t.Errorf("asked for the origin of %v, want %s and %s", asked, two, three)
	}
	if parent := f.git(f.origin, "log", "-1", "--format=%P", "published"); parent != before {
		t.Errorf("the parent is %s, want %s", parent, before)
	}
	f.audit()

	// What is taken back, and the same with all tools compared.
	f.write("tools/wo/word_count/tool.yaml", "owners:\n  - login: ann\n    id: 7\nyanked:\n  \"1.0.0\": \"wrong count\"\n")
	f.commit("yank")
	if out = f.mustPublish(); !slices.Equal(out.Withdrawn, []string{"yank word_count@1.0.0"}) {
		t.Errorf("got %+v", out)
	}
	if out = f.mustPublish(func(o *BranchOptions) { o.All = true }); out.New || out.Compared != -1 {
		t.Errorf("all compared: %+v", out)
	}
	f.audit()

	// The pages have the branch's own bytes, and what it leaves out.
	dir := t.TempDir()
	site := func(o *BranchOptions) { o.Site = dir }
	f.mustPublish(site)
	f.sameBytes(dir)
	f.propose("word_count", "1.2.0")
	f.commit("word_count 1.2.0")
	out = f.mustPublish(site)
	f.sameBytes(dir)
	fresh := t.TempDir()
	f.mustPublish(func(o *BranchOptions) { o.Site = fresh })
	f.sameBytes(fresh)

	// A head that is old is followed by one that says the same.
	f.now = f.now.Add(24 * time.Hour)
	refresh := func(o *BranchOptions) { o.RefreshAfter = 20 * time.Hour }
	seq := out.Head.Seq
	if out = f.mustPublish(refresh); !out.New || out.Head.Seq != seq+1 || len(out.Accepted)+len(out.Withdrawn) != 0 {
		t.Errorf("refreshed: %+v", out)
	}
	if out = f.mustPublish(refresh); out.New {
		t.Errorf("refreshed twice: %+v", out)
	}
	f.audit()
}

// sameBytes compares the pages' tree with the branch, byte by byte.
func (f *forge) sameBytes(dir string) {
	f.t.Helper()
	branch, seen := f.files(), map[string]bool{}
	root := filepath.Join(dir, ledger.Root)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		data, err := os.ReadFile(p)
		want, there := branch[rel]
		switch seen[rel] = true; {
		case there && want != string(data):
			f.t.Errorf("%s has other bytes on the pages", rel)
		case !there && strings.HasPrefix(rel, ledger.SearchDir+"/") && (strings.HasSuffix(rel, ".zst") || strings.HasSuffix(rel, ".bin") || rel == ledger.SearchDir+"/index.json"): // for searching
		case !there && !registry.IsDerived(rel) && !strings.HasPrefix(rel, ledger.ObjectsDir):
			f.t.Errorf("%s is on the pages and not on the branch", rel)
		}
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	for p := range branch {
		if !seen[p] {
			f.t.Errorf("%s is on the branch and not on the pages", p)
		}
	}
	src, err := registry.Open(f.t.Context(), f.origin, registry.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	for p := range seen { // what readers of the branch work out
		want, err := src.Read(f.t.Context(), p, 1<<20)
		data, readErr := os.ReadFile(filepath.Join(root, filepath.FromSlash(p)))
		if registry.IsDerived(p) && (err != nil || readErr != nil || !bytes.Equal(want, data)) {
			f.t.Errorf("%s is %d bytes on the pages, %d worked out from the branch: %v", p, len(data), len(want), errors.Join(err, readErr))
		}
	}
}

// acceptance is what is signed about version 1.0.0 of a tool.
func (f *forge) acceptance(name spec.Name) *ledger.Acceptance {
	f.t.Helper()
	b, err := ledger.ParseBundle([]byte(f.files()[ledger.ReleasePath(name, "1.0.0", ledger.EvidenceFileName)]))
	if err != nil {
		f.t.Fatal(err)
	}
	s, err := ledger.ParseStatement(b.Envelope.Payload)
	if err != nil {
		f.t.Fatal(err)
	}
	a, err := ledger.ParseAcceptance(s)
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

// TestPublishBranchPartly: what is refused is compared, and refused, again at
// every publication, while the rest goes on.
func TestPublishBranchPartly(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	f.propose("word_count", "1.0.0")
	whole := f.commit("good")
	f.mustPublish()
	f.write("tools/ba/bad_tool/1.0.0/tool.py", "no manifest\n")
	f.write("tools/ba/bad_tool/tool.yaml", "owners:\n  - login: ann\n    id: 7\n")
	f.propose("line_count", "1.0.0")
	f.commit("bad and good")
	out, err := f.publish()
	if fault.KindOf(err) != fault.Findings || out == nil || !slices.Equal(out.Accepted, []string{"line_count@1.0.0"}) || out.Head.Commit != whole {
		t.Fatalf("got %+v, %v", out, err)
	}
	f.propose("byte_count", "1.0.0")
	f.commit("good")
	out, err = f.publish()
	if fault.KindOf(err) != fault.Findings || !slices.Equal(out.Accepted, []string{"byte_count@1.0.0"}) || out.Compared != 3 {
		t.Fatalf("got %+v, %v", out, err)
	}
	f.git(f.dir, "rm", "-q", "-r", "tools/ba")
	f.commit("mended")
	if out = f.mustPublish(); out.New { // nothing is new, so no head names the tip yet
		t.Errorf("got %+v", out)
	}
	f.propose("word_count", "1.1.0")
	tip := f.commit("good")
	if out = f.mustPublish(); out.Head.Commit != tip {
		t.Errorf("the head names %s, want %s", out.Head.Commit, tip)
	}
}

// TestPublishBranchKilled ends a publication at each step; the next one
// finishes it, and the branch is whole in between.
func TestPublishBranchKilled(t *testing.T) {
	t.Parallel()
	killed := errors.New("killed")
	for _, at := range []string{"opened", "sealed", "committed", "pushed"} {
		for _, first := range []bool{true, false} {
			if first && at != "committed" {
				continue
			}
			t.Run(fmt.Sprintf("%s first %v", at, first), func(t *testing.T) {
				t.Parallel()
				f := newForge(t)
				if !first {
					f.propose("line_count", "1.0.0")
					f.commit("one")
					f.mustPublish()
				}
				f.propose("word_count", "1.0.0")
				f.commit("two")
				before := f.published()
				f.w.stop = func(step string) error {
					if step == at {
						return killed
					}
					return nil
				}
				if _, err := f.publish(); !errors.Is(err, killed) {
					t.Fatalf("got %v", err)
				}
				f.w.stop = nil
				if now := f.published(); (now != before) != (at == "pushed") {
					t.Fatalf("killed at %s, the branch went from %q to %q", at, before, now)
				}
				out := f.mustPublish()
				if out.New != (at != "pushed") {
					t.Errorf("the next one: %+v", out)
				}
				want := int64(2)
				if first {
					want = 1
				}
				if r := f.audit(); r.Counts.Releases != want || r.Head.Seq != want {
					t.Errorf("the branch has %+v at head %d", r.Counts, r.Head.Seq)
				}
			})
		}
	}
}

// TestPublishBranchRace: two merges are published at the same time. Who comes
// second publishes again on top of the first, or finds that all was done; no
// version is lost and nothing is taken for removed.
func TestPublishBranchRace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what    string
		first   bool // nothing was published before
		newer   bool // the other job has the newer tip of main
		depth   bool // our checkout is shallow
		attempt int
	}{
		{"we are ahead", false, false, false, 2},
		{"we are ahead, first head", true, false, false, 2},
		{"they are ahead", false, true, false, 2},
		{"they are ahead, shallow", false, true, true, 2},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			f := newForge(t)
			if !c.first {
				f.propose("line_count", "1.0.0")
				f.commit("one")
				f.mustPublish()
			}
			before := f.published()
			other := *f
			other.dir = filepath.Join(t.TempDir(), "other")
			meet := func() {
				f.git("", "clone", "-q", f.origin, other.dir)
				other.propose("byte_count", "1.0.0")
				other.write("tools/li/line_count/tool.yaml", "owners:\n  - login: ann\n    id: 7\ndeprecated: \"theirs\"\n")
				other.commit("three")
			}
			f.propose("word_count", "1.0.0")
			ours := f.commit("two")
			if !c.newer { // the others have what was before ours
				f.git("", "clone", "-q", f.origin, other.dir)
				f.git(other.dir, "checkout", "-q", ours+"~1")
			}
			if c.depth {
				dir := filepath.Join(t.TempDir(), "shallow")
				f.git("", "clone", "-q", "--depth=1", "file://"+f.origin, dir)
				f.dir = dir
			}
			inner := false
			var theirs string
			f.w.stop = func(step string) error {
				if step != "committed" || inner {
					return nil
				}
				inner = true
				if c.newer {
					meet()
					other.mustPublish()
				} else {
					other.now = f.now.Add(time.Hour)
					other.mustPublish(func(o *BranchOptions) { o.RefreshAfter = time.Minute })
				}
				theirs = f.published()
				return nil
			}
			out := f.mustPublish()
			if out.Attempts != c.attempt || out.Base != theirs || theirs == before {
				t.Errorf("got %+v, the other one moved %q to %q", out, before, theirs)
			}
			if out.New == c.newer {
				t.Errorf("new is %v", out.New)
			}
			want := map[string]bool{"word_count": true, "line_count": !c.first, "byte_count": c.newer}
			files := f.files()
			for name, there := range want {
				if _, ok := files[ledger.RecordPath(spec.Name(name))]; ok != there {
					t.Errorf("%s is published: %v", name, ok)
				}
			}
			if c.newer && !strings.Contains(files[ledger.RecordPath("line_count")], "theirs") {
				t.Error("what the newer commit says was taken back")
			}
			f.audit()
		})
	}
}

// TestPublishBranchAlwaysLate gives up after a while, with nothing of ours pushed.
func TestPublishBranchAlwaysLate(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	f.propose("line_count", "1.0.0")
	f.commit("one")
	f.mustPublish()
	f.propose("word_count", "1.0.0")
	f.commit("two")
	n := 0
	f.w.stop = func(step string) error {
		if step == "committed" { // somebody moves the branch, each time
			n++
			tree := f.git(f.origin, "rev-parse", "published^{tree}")
			f.git(f.origin, "update-ref", "refs/heads/published", f.git(f.origin, "commit-tree", "-p", "published", "-m", fmt.Sprint(n), tree))
		}
		return nil
	}
	_, err := f.publish()
	if fault.KindOf(err) != fault.Unavailable || fault.ReasonOf(err) != "race" || n != 5 {
		t.Fatalf("after %d attempts: %v", n, err)
	}
	if r := f.audit(); r.Counts.Releases != 1 {
		t.Errorf("the branch has %+v", r.Counts)
	}
}

// TestPublishBranchHostile: somebody who can push put something else there.
// Nothing is built on it and nothing is replaced; taken back, it goes on.
func TestPublishBranchHostile(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	f.propose("line_count", "1.0.0")
	f.commit("one")
	f.mustPublish()
	good := f.published()
	f.propose("word_count", "1.0.0")
	f.commit("two")

	stranger := newForge(t) // another key
	stranger.propose("line_count", "1.0.0")
	stranger.commit("one")
	stranger.mustPublish()

	work := filepath.Join(t.TempDir(), "work")
	f.git("", "clone", "-q", "-b", "published", f.origin, work)
	edit := func(path string, change func([]byte) []byte) func() {
		return func() {
			file := filepath.Join(work, "v1", path)
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, change(data), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	flip := func(b []byte) []byte { b[len(b)/2] ^= 1; return b }
	remove := func(paths ...string) func() {
		return func() {
			for _, p := range paths {
				if err := os.RemoveAll(filepath.Join(work, p)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, c := range []struct {
		what string
		do   func()
	}{
		{"garbage for a pointer", edit(ledger.HeadEvidencePath, func([]byte) []byte { return []byte("garbage") })},
		{"a flipped pointer", edit(ledger.HeadEvidencePath, flip)},
		{"a flipped head", edit(ledger.HeadPath, flip)},
		{"a flipped dictionary", edit(ledger.BucketsPath, flip)},
		{"a flipped bucket", edit(ledger.BucketPath(ledger.BucketOf("line_count")), flip)},
		{"a flipped record", edit(ledger.RecordPath("line_count"), flip)},
		{"a flipped entry", edit("log/tile/entries/000.p/1", flip)},
		{"no pointer", remove("v1/" + ledger.HeadEvidencePath)},
		{"no head", remove("v1/"+ledger.HeadPath, "v1/objects")},
		{"no tree", remove("v1")},
		{"the tree of another registry", func() {
			remove("v1")()
			stranger.git("", "clone", "-q", "-b", "published", stranger.origin, work+"2")
			if err := os.Rename(filepath.Join(work+"2", "v1"), filepath.Join(work, "v1")); err != nil {
				t.Fatal(err)
			}
		}},
		{"a link for a pointer", func() {
			remove("v1/" + ledger.HeadEvidencePath)()
			if err := os.Symlink("/etc/passwd", filepath.Join(work, "v1", ledger.HeadEvidencePath)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		c.do()
		f.git(work, "add", "-A")
		f.git(work, "commit", "-q", "-m", c.what)
		f.git(work, "push", "-q", "origin", "published")
		bad := f.published()
		out, err := f.publish()
		if fault.KindOf(err) != fault.NotVerified || f.published() != bad {
			t.Errorf("%s: got %+v, %v", c.what, out, err)
		}
		f.git(work, "reset", "-q", "--hard", good)
		f.git(work, "clean", "-q", "-fdx")
		f.git(work, "push", "-q", "-f", "origin", "published")
	}
	// The twin: taken back, it is published.
	if out := f.mustPublish(); !slices.Equal(out.Accepted, []string{"word_count@1.0.0"}) || out.Base != good {
		t.Errorf("got %+v", out)
	}
	f.audit()
}

// TestPublishBranchHandMade: a branch that somebody made by hand, as one commit
// without a tree, is begun.
func TestPublishBranchHandMade(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	empty := f.git(f.origin, "hash-object", "-t", "tree", "-w", os.DevNull)
	f.git(f.origin, "update-ref", "refs/heads/published", f.git(f.origin, "commit-tree", "-m", "begin", empty))
	f.propose("word_count", "1.0.0")
	f.commit("one")
	if out := f.mustPublish(); out.Head.Seq != 1 || out.Base == "" {
		t.Errorf("got %+v", out)
	}
	f.audit()
}

// TestPublishBranchRefuses what cannot be meant, before anything is asked.
func TestPublishBranchRefuses(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	f.propose("word_count", "1.0.0")
	for _, c := range []struct {
		what, reason string
		change       func(*BranchOptions)
	}{
		{"what is in no commit", "dirty", func(*BranchOptions) {}},
		{"a password in the address", "remote", func(o *BranchOptions) { o.Remote = "https://me:secret@example.com/x.git" }},
		{"an option for an address", "remote", func(o *BranchOptions) { o.Remote = "--upload-pack=touch /tmp/x" }},
		{"a helper for an address", "remote", func(o *BranchOptions) { o.Remote = "ext::sh -c touch% /tmp/x" }},
		{"plain http", "remote", func(o *BranchOptions) { o.Remote = "http://example.com/x.git" }},
		{"a folder that is no checkout", "no_checkout", func(o *BranchOptions) { o.Dir = t.TempDir() }},
	} {
		if c.reason == "remote" {
			f.git(f.dir, "stash", "-q", "-u")
		}
		_, err := f.publish(c.change)
		if fault.KindOf(err) != fault.Usage || fault.ReasonOf(err) != c.reason || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", c.what, err)
		}
		if c.reason == "remote" {
			f.git(f.dir, "stash", "pop", "-q")
		}
	}
	if f.published() != "" {
		t.Error("something was pushed")
	}
	f.commit("one")
	f.mustPublish()
}
