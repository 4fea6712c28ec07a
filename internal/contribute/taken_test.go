package contribute

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// branchSource reads the branch as the verb quarantine does, from the bare
// repository.
func (f *forge) branchSource() registry.Source {
	f.t.Helper()
	src, err := registry.Open(f.t.Context(), f.origin, registry.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	return src
}

// bySomebody is the first version of a name, by who has never been seen, whose
// time of waiting is over.
func bySomebody(f *forge, name spec.Name) review.Submission {
	s := fresh(name)
	s.Changes[0].Path = strings.Replace(s.Changes[0].Path, "0.1.0", "9.0.0", 1)
	s.Changes[0].Data = source(name, "version: 0.1.0", "version: 9.0.0")
	s.HeadSince = f.now.Add(-1000 * time.Hour)
	return s
}

// TestTakenName is the story of a tool that its maintainers take off the
// sources: nobody gets its name by a pull request, and if somebody merges one
// all the same, users do not get it.
func TestTakenName(t *testing.T) {
	f := newForge(t)
	withPython(f.w)
	yaml, err := os.ReadFile(filepath.Join(f.dir, "registry.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f.write("registry.yaml", strings.Replace(string(yaml), "new_name_wait: 0 ", "new_name_wait: 1h", 1))
	f.propose("echo_text", "1.0.0")
	f.propose("other_tool", "1.0.0")
	f.commit("two tools")
	f.mustPublish()
	if err := os.RemoveAll(filepath.Join(f.dir, "tools/ec")); err != nil {
		t.Fatal(err)
	}
	f.commit("a maintainer removes one")
	if _, err := f.publish(); fault.KindOf(err) != fault.Findings {
		t.Fatalf("its removal was published: %v", err)
	}

	before := everything(t, filepath.Join(f.dir, "tools"))
	r, err := f.w.Review(t.Context(), f.dir, f.branchSource(), bySomebody(f, "echo_text"))
	if err != nil || refusals(r) != "MAN-002" || r.Verdict != review.Fail || r.Merge.Auto {
		t.Errorf("got %+v, %v", r, err)
	}
	// With nothing to read nobody can tell, and that is no yes.
	if err := os.RemoveAll(filepath.Join(f.dir, publishedDir)); err != nil {
		t.Fatal(err)
	}
	r, err = f.w.Review(t.Context(), f.dir, nil, bySomebody(f, "echo_text"))
	if err != nil || r.Verdict != review.NeedsHuman || r.Merge.Auto || r.Merge.Reason != review.ReasonUnchecked || !says(r, "ever published") {
		t.Errorf("without the published tree: %+v, %v", r, err)
	}
	// The branch beside the checkout is as good, which is how the job has it.
	f.git("", "clone", "-q", "--depth=1", "--branch", "published", "file://"+f.origin, filepath.Join(f.dir, publishedDir))
	if r, err = f.w.Review(t.Context(), f.dir, nil, bySomebody(f, "echo_text")); err != nil || refusals(r) != "MAN-002" || r.Verdict != review.Fail {
		t.Errorf("with the branch beside it: %+v, %v", r, err)
	}
	if r, err = f.w.Review(t.Context(), f.dir, nil, bySomebody(f, "word_count")); err != nil || refusals(r) != "" || !r.Merge.Auto {
		t.Errorf("the twin, with the branch beside it: %+v, %v", r, err)
	}
	if err := os.RemoveAll(filepath.Join(f.dir, publishedDir)); err != nil {
		t.Fatal(err)
	}
	// The twin is a name that never was there.
	r, err = f.w.Review(t.Context(), f.dir, f.branchSource(), bySomebody(f, "word_count"))
	if err != nil || refusals(r) != "" || !r.Merge.Auto || r.Merge.Reason != review.ReasonWaited {
		t.Errorf("the twin: %+v, %v", r, err)
	}
	if everything(t, filepath.Join(f.dir, "tools")) != before {
		t.Error("a review changed the checkout")
	}

	// A maintainer merges it nevertheless, and then a copy of the old version.
	record := f.files()[ledger.RecordPath("echo_text")]
	for _, c := range bySomebody(f, "echo_text").Changes {
		f.write(c.Path, string(c.Data))
	}
	f.commit("merged")
	out, err := f.publish()
	if fault.KindOf(err) != fault.Findings || out == nil || len(out.Accepted)+len(out.Withdrawn) != 0 || f.files()[ledger.RecordPath("echo_text")] != record {
		t.Errorf("published: %+v, %v", out, err)
	}
	f.write("tools/ec/echo_text/1.0.0/tool.py", "# not what it was\n")
	f.commit("the number of the old version")
	if out, err = f.publish(); fault.KindOf(err) != fault.Findings || len(out.Accepted) != 0 || f.files()[ledger.RecordPath("echo_text")] != record {
		t.Errorf("published: %+v, %v", out, err)
	}
	// A revocation goes through all the same, and nothing else with it.
	f.write("tools/ec/echo_text/tool.yaml", "owners:\n  - login: carol\n    id: 8\nrevoked:\n  \"1.0.0\": malware\n")
	f.commit("revoke")
	if out, err = f.publish(); fault.KindOf(err) != fault.Findings || !slices.Equal(out.Withdrawn, []string{"revoke echo_text@1.0.0"}) || len(out.Accepted) != 0 {
		t.Errorf("published: %+v, %v", out, err)
	}
	if got := f.files()[ledger.RecordPath("echo_text")]; !strings.Contains(got, `"login":"ann"`) || strings.Contains(got, "carol") || strings.Contains(got, "9.0.0") {
		t.Errorf("the record is %s", got)
	}
	// The twin: restored, with an owner of its own, it is published again.
	f.propose("echo_text", "1.0.0")
	f.write("tools/ec/echo_text/tool.yaml", "owners:\n  - login: ann\n    id: 7\nrevoked:\n  \"1.0.0\": malware\n")
	if out, err = f.publishCommit("restored"); err != nil || !slices.Equal(out.Accepted, []string{"echo_text@9.0.0"}) {
		t.Errorf("the twin: %+v, %v", out, err)
	}
	f.audit()
}

func (f *forge) publishCommit(message string) (*BranchPublished, error) {
	f.t.Helper()
	f.commit(message)
	return f.publish()
}

// TestPublishFileOfAFrozenName leaves nothing in the sources that could not be
// published.
func TestPublishFileOfAFrozenName(t *testing.T) {
	w, dir := checkout(t)
	dir = filepath.Join(filepath.Dir(dir), "own")
	if _, err := w.Init(t.Context(), dir, "own/tools", ""); err != nil {
		t.Fatal(err)
	}
	file := func(version string) string {
		p := filepath.Join(t.TempDir(), "tool.py")
		writeTo(t, p, source("echo_text", "version: 0.1.0", "version: "+version))
		return p
	}
	if _, err := w.PublishFile(t.Context(), file("0.1.0"), dir, Signing{}, "ann", 7); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(dir, toolsOfEcho, "0.1.0/tool.py")
	data, err := os.ReadFile(old)
	if err != nil {
		t.Fatal(err)
	}
	writeTo(t, old, []byte("# changed\n"))
	before := everything(t, dir)
	if out, err := w.PublishFile(t.Context(), file("0.2.0"), dir, Signing{}, "ann", 7); fault.KindOf(err) != fault.Findings || len(out.Accepted) != 0 || everything(t, dir) != before {
		t.Errorf("got %+v, %v", out, err)
	}
	writeTo(t, old, data)
	if out, err := w.PublishFile(t.Context(), file("0.2.0"), dir, Signing{}, "ann", 7); err != nil || !slices.Equal(out.Accepted, []string{"echo_text@0.2.0"}) {
		t.Errorf("the twin: %+v, %v", out, err)
	}
}
