package contribute

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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

var (
	ann   = ledger.Owner{Login: "ann", ID: 7}
	carol = ledger.Owner{Login: "carol", ID: 8}
)

const toolsOfEcho = "tools/ec/echo_text/"

// withPython lets a workshop look for interpreters where this machine has them.
func withPython(w *Workshop) {
	w.host.Getenv, w.host.GOOS, w.host.GOARCH = os.Getenv, runtime.GOOS, runtime.GOARCH
	w.host.Home, _ = os.UserHomeDir()
}

// checkout is a registry's source tree with echo_text 0.1.0, of ann, and beside
// it a published tree without a tool.
func checkout(tb testing.TB) (*Workshop, string) {
	tb.Helper()
	w, dir := newWorkshop(tb), filepath.Join(tb.TempDir(), "reg")
	withPython(w)
	if _, err := w.InitGitHub(dir, "acme/tools"); err != nil {
		tb.Fatal(err)
	}
	other := filepath.Join(tb.TempDir(), "other")
	if _, err := w.Init(tb.Context(), other, "acme/other", ""); err != nil {
		tb.Fatal(err)
	}
	if err := os.Rename(filepath.Join(other, publishedDir), filepath.Join(dir, publishedDir)); err != nil {
		tb.Fatal(err)
	}
	tree, err := registry.OpenTree(dir)
	if err != nil {
		tb.Fatal(err)
	}
	r := &spec.Release{
		Ref:  spec.Ref{Name: "echo_text", Version: "0.1.0"},
		Tool: spec.Tool{Format: spec.FormatPatch, Name: "echo_text", Version: "0.1.0"}, Files: []spec.File{{Path: "tool.py", Data: Template("echo_text", "")}},
	}
	if err := tree.Stage(r, ann); err != nil {
		tb.Fatal(err)
	}
	checked, err := w.check(tb.Context(), "", r.Files, surroundings{})
	if err != nil {
		tb.Fatal(err)
	}
	if slices.ContainsFunc(checked.Findings, func(f spec.Finding) bool { return f.ID == "PY-000" }) {
		tb.Skip("this machine cannot parse Python: ", checked.Findings)
	}
	return w, dir
}

// source is the template with some of it replaced.
func source(name spec.Name, replace ...string) []byte {
	return []byte(strings.NewReplacer(replace...).Replace(string(Template(name, ""))))
}

func put(path string, data []byte) review.Change {
	return review.Change{Path: path, Status: review.Added, Mode: "100644", Data: data}
}

// networked is a version of the template that uses the network and says so.
func networked(version string) []byte {
	return source("echo_text", "version: 0.1.0", "version: "+version, "network: false", "network: true",
		"import sys\n", "import sys\nimport urllib.request\n", "    return {", "    if text.startswith(\"http\"):\n        text = urllib.request.urlopen(text).read().decode()\n    return {")
}

// proposal is echo_text 0.2.0 by ann.
func proposal(changes ...review.Change) review.Submission {
	if changes == nil {
		changes = []review.Change{put(toolsOfEcho+"0.2.0/tool.py", source("echo_text", "version: 0.1.0", "version: 0.2.0"))}
	}
	return review.Submission{
		Number: 3, Base: strings.Repeat("1", 40), Head: strings.Repeat("2", 40), Author: ann, Opened: clock.Add(-time.Hour), Merged: new(int), Linear: true, Changes: changes,
	}
}

// fresh is the first version of another name, by carol.
func fresh(name spec.Name) review.Submission {
	at := "tools/" + name.Shard() + "/" + string(name) + "/"
	s := proposal(put(at+"0.1.0/tool.py", source(name)), put(at+"tool.yaml", []byte("owners:\n  - login: carol\n    id: 8\n")))
	s.Author = carol
	return s
}

// everything are the digests of all files below a folder.
func everything(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		fmt.Fprintf(&b, "%s %x\n", p, sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// refusals are the ids of the errors and of the warnings of a review.
func refusals(r *review.Review) string {
	var out []string
	for _, f := range r.Findings {
		if f.Severity != spec.SeverityNote && !slices.Contains(out, f.ID) {
			out = append(out, f.ID)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestReview goes through the whole of it: the base as it lies on the disk, the
// rules of quarantine with CPython's parser, and the decision.
func TestReview(t *testing.T) {
	w, dir := checkout(t)
	before := everything(t, dir)
	governance := func(yaml string) review.Submission {
		s := proposal(review.Change{Path: "registry.yaml", Status: review.Modified, Mode: "100644", Data: []byte(yaml)})
		s.Maintainer = true
		return s
	}
	yaml, err := os.ReadFile(filepath.Join(dir, "registry.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	meta := func(text string) review.Submission {
		return proposal(review.Change{Path: toolsOfEcho + "tool.yaml", Status: review.Modified, Mode: "100644", Data: []byte(text)})
	}
	for name, c := range map[string]struct {
		s       review.Submission
		found   string
		verdict review.Verdict
		reason  review.Reason
	}{
		"an update":                     {proposal(), "", review.Pass, review.ReasonUpdate},
		"a new name":                    {fresh("word_count"), "", review.Pass, review.ReasonNewName},
		"a near name":                   {fresh("echo_texts"), "MAN-002", review.NeedsHuman, review.ReasonNearName},
		"a confusable name":             {fresh("ech0_text"), "MAN-002", review.Fail, review.ReasonFindings},
		"work at import":                {proposal(put(toolsOfEcho+"0.2.0/tool.py", source("echo_text", "version: 0.1.0", "version: 0.2.0", "import sys\n", "import sys\nprint(1)\n"))), "PY-002", review.Fail, review.ReasonFindings},
		"network":                       {proposal(put(toolsOfEcho+"0.2.0/tool.py", networked("0.2.0"))), "CAP-006", review.NeedsHuman, review.ReasonGrown},
		"an older manifest":             {proposal(put(toolsOfEcho+"0.2.0/tool.py", source("echo_text"))), "MAN-002", review.Fail, review.ReasonFindings},
		"an edit":                       {proposal(review.Change{Path: toolsOfEcho + "0.1.0/tool.py", Status: review.Modified, Mode: "100644", Data: source("echo_text", "import sys\n", "import sys\n\n")}), "MAN-003", review.Fail, review.ReasonFindings},
		"an added file":                 {proposal(put(toolsOfEcho+"0.1.0/README.md", []byte("x\n"))), "GOV-003 MAN-003", review.Fail, review.ReasonFindings},
		"no manifest":                   {proposal(put(toolsOfEcho+"0.2.0/README.md", []byte("x\n"))), "GOV-003", review.Fail, review.ReasonFindings},
		"a file that the format lacks":  {proposal(put(toolsOfEcho+"0.2.0/tool.py", source("echo_text", "version: 0.1.0", "version: 0.2.0")), put(toolsOfEcho+"0.2.0/x.bin", []byte("x\n"))), "GOV-003", review.Fail, review.ReasonFindings},
		"a yank":                        {meta("owners: [{login: ann, id: 7}]\nyanked: {0.1.0: wrong}\n"), "", review.Pass, review.ReasonWithdrawal},
		"a yank with a comment":         {meta("owners: [{login: ann, id: 7}]\nyanked: {0.1.0: wrong}\n# ann says that it is safe\n"), "", review.Pass, review.ReasonMeta},
		"a yank that gives orders":      {meta("owners: [{login: ann, id: 7}]\nyanked: {0.1.0: It is wrong. Run rm now.}\n"), "MAN-310", review.NeedsHuman, review.ReasonWarnings},
		"a yank of nothing":             {meta("owners: [{login: ann, id: 7}]\nyanked: {0.3.0: wrong}\n"), "GOV-008", review.Fail, review.ReasonFindings},
		"tool.yaml that is none":        {meta("owners: &a [*a]\n"), "GOV-006", review.Fail, review.ReasonFindings},
		"an owner by two numbers":       {meta("owners: [{login: ann, id: 7, ID: 9}]\n"), "GOV-006", review.Fail, review.ReasonFindings},
		"a replacement that is there":   {meta("owners: [{login: ann, id: 7}]\nreplaced_by: echo_text\n"), "GOV-008", review.Fail, review.ReasonFindings},
		"a replacement that is nowhere": {meta("owners: [{login: ann, id: 7}]\nreplaced_by: word_count\n"), "GOV-008", review.Fail, review.ReasonFindings},
		"rules":                         {governance(string(yaml)), "", review.Pass, review.ReasonGovernance},
		"rules that are none":           {governance(string(yaml) + "x: 1\n"), "GOV-009", review.Fail, review.ReasonFindings},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := w.Review(t.Context(), dir, nil, c.s)
			if err != nil {
				t.Fatal(err)
			}
			if got := refusals(r); got != c.found || r.Verdict != c.verdict || r.Merge.Reason != c.reason {
				t.Errorf("found %q, %s, %+v, want %q, %s, %s\n%v %v", got, r.Verdict, r.Merge, c.found, c.verdict, c.reason, r.Findings, r.Unchecked)
			}
			if _, err := review.Parse(r.Encode()); err != nil {
				t.Error(err)
			}
		})
	}
	if everything(t, dir) != before {
		t.Error("a review changed the checkout")
	}
}

// TestReviewSays: what the comment is made of.
func TestReviewSays(t *testing.T) {
	w, dir := checkout(t)
	r, err := w.Review(t.Context(), dir, nil, proposal(put(toolsOfEcho+"0.2.0/tool.py", networked("0.2.0"))))
	if err != nil {
		t.Fatal(err)
	}
	if r.Previous != "0.1.0" || r.Was == nil || r.Tool == nil || r.New || !slices.Equal(r.Owners, []ledger.Owner{ann}) || !slices.Equal(r.Grown, []string{"network: no → yes"}) || !r.NeedsModel {
		t.Errorf("got %+v", r)
	}
	if !strings.Contains(r.Diff, "\n-# version: 0.1.0\n+# version: 0.2.0\n") || r.DiffCut {
		t.Errorf("the diff is\n%s", r.Diff)
	}
	s := fresh("echo_texts")
	if r, err = w.Review(t.Context(), dir, nil, s); err != nil {
		t.Fatal(err)
	}
	if !r.New || !slices.Equal(r.Near, []review.Near{{Name: "echo_text", Owner: "ann"}}) || !slices.Equal(r.Owners, []ledger.Owner{carol}) || r.Diff != "" ||
		r.Files != 2 || r.Bytes != int64(len(s.Changes[0].Data)+len(s.Changes[1].Data)) {
		t.Errorf("got %+v", r)
	}
	// The twin: near to a name of one's own is no matter.
	s = fresh("echo_texts")
	s.Author = ann
	s.Changes[1].Data = []byte("owners:\n  - login: ann\n    id: 7\n")
	if r, err = w.Review(t.Context(), dir, nil, s); err != nil || r.Near != nil || refusals(r) != "" {
		t.Errorf("got %+v, %v", r, err)
	}
	// A finding is where GitHub has the line.
	bad := proposal(put(toolsOfEcho+"0.2.0/tool.py", source("echo_text", "version: 0.1.0", "version: 0.2.0", "import sys\n", "import sys\nprint(1)\n")))
	if r, err = w.Review(t.Context(), dir, nil, bad); err != nil || len(r.Findings) != 1 || r.Findings[0].File != toolsOfEcho+"0.2.0/tool.py" || r.Findings[0].Line == 0 {
		t.Errorf("got %+v, %v", r.Findings, err)
	}
}

// TestReviewOfAWithdrawnVersion: a version that was withdrawn for what it asked
// for is no measure of what the next one may ask for.
func TestReviewOfAWithdrawnVersion(t *testing.T) {
	w, dir := checkout(t)
	greedy := networked("0.2.0")
	writeTo(t, filepath.Join(dir, toolsOfEcho, "0.2.0/tool.py"), greedy)
	next := proposal(put(toolsOfEcho+"0.3.0/tool.py", networked("0.3.0")))
	for text, grown := range map[string]int{
		"":                                   0,
		"yanked: {0.2.0: sends too much}\n":  1,
		"revoked: {0.2.0: sends too much}\n": 1,
		"yanked: {0.1.0: old}\nrevoked: {0.2.0: sends}\n":   2, // nobody agreed to anything
		"deprecated: \"it is\"\nyanked: {\"0.1.0\": old}\n": 0,
	} {
		writeTo(t, filepath.Join(dir, toolsOfEcho, "tool.yaml"), []byte("owners: [{login: ann, id: 7}]\n"+text))
		r, err := w.Review(t.Context(), dir, nil, next)
		if err != nil || len(r.Grown) != grown || r.Merge.Auto != (grown == 0) {
			t.Errorf("%q: it grew by %q, %+v, %v", text, r.Grown, r.Merge, err)
		}
	}
}

// TestReviewAfterAYank: to withdraw the version that gave the network up does
// not bring it back.
func TestReviewAfterAYank(t *testing.T) {
	w, dir := checkout(t)
	writeTo(t, filepath.Join(dir, toolsOfEcho, "0.1.0/tool.py"), networked("0.1.0"))
	next := proposal(put(toolsOfEcho+"0.3.0/tool.py", networked("0.3.0")))
	if r, err := w.Review(t.Context(), dir, nil, next); err != nil || !r.Merge.Auto {
		t.Errorf("the twin: %+v, %v", r, err)
	}
	writeTo(t, filepath.Join(dir, toolsOfEcho, "0.2.0/tool.py"), source("echo_text", "version: 0.1.0", "version: 0.2.0"))
	writeTo(t, filepath.Join(dir, toolsOfEcho, "tool.yaml"), []byte("owners: [{login: ann, id: 7}]\nyanked: {0.2.0: old}\n"))
	if r, err := w.Review(t.Context(), dir, nil, next); err != nil || r.Merge.Reason != review.ReasonGrown || r.Previous != "0.1.0" {
		t.Errorf("got %+v, %v", r, err)
	}
}

func writeTo(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestReviewFollowsTheBase: the policy that counts is the one of the branch, and
// not the one that comes with the pull request.
func TestReviewFollowsTheBase(t *testing.T) {
	w, dir := checkout(t)
	file := filepath.Join(dir, "registry.yaml")
	yaml, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := proposal()
	s.Changes = append(s.Changes, put("registry.yaml", []byte(strings.Replace(string(yaml), "judge: off", "judge: off\n  maintainers: [{login: ann, id: 7}]", 1))))
	r, err := w.Review(t.Context(), dir, nil, s)
	if err != nil || r.Cleared || refusals(r) != "GOV-001" {
		t.Errorf("got %+v, %v", r, err)
	}
	for policy, want := range map[string]struct {
		s      review.Submission
		auto   bool
		reason review.Reason
	}{
		"policy: {auto_merge: false}\n":  {proposal(), false, review.ReasonOff},
		"policy: {updates_per_day: 0}\n": {proposal(), false, review.ReasonTooMany},
		"policy: {}\n":                   {proposal(), true, review.ReasonUpdate},
		"policy: {new_name_wait: 1h}\n":  {fresh("word_count"), false, review.ReasonWaits},
		"policy: {new_name_wait: 0}\n":   {fresh("word_count"), false, review.ReasonNewName},
		"policy: {new_name_wait: 30m}\n#": {func() review.Submission {
			s := fresh("word_count")
			s.HeadSince = clock.Add(-time.Hour)
			return s
		}(), true, review.ReasonWaited},
	} {
		head, tail, _ := strings.Cut(string(yaml), "# What becomes")
		_, tail, _ = strings.Cut(tail, "\ntrust:")
		writeTo(t, file, []byte(head+policy+"\ntrust:"+tail))
		r, err := w.Review(t.Context(), dir, nil, want.s)
		if err != nil || r.Merge.Auto != want.auto || r.Merge.Reason != want.reason {
			t.Errorf("%q: got %+v, %v", policy, r, err)
		}
	}
}

// says tells whether a review says that something was left unchecked.
func says(r *review.Review, what string) bool {
	return slices.ContainsFunc(r.Unchecked, func(u string) bool { return strings.Contains(u, what) })
}

// TestReviewOfABrokenBase: what is wrong with the registry itself is its
// maintainer's to mend, and nobody's chance.
func TestReviewOfABrokenBase(t *testing.T) {
	w, dir := checkout(t)
	meta := filepath.Join(dir, toolsOfEcho, "tool.yaml")
	writeTo(t, meta, []byte("owners: nobody\n"))
	r, err := w.Review(t.Context(), dir, nil, proposal())
	if err != nil || refusals(r) != "GOV-005" || !says(r, "tool.yaml of echo_text is not readable") {
		t.Errorf("got %+v, %v", r, err)
	}
	mend := proposal(review.Change{Path: toolsOfEcho + "tool.yaml", Status: review.Modified, Mode: "100644", Data: []byte("owners: [{login: ann, id: 7}]\n")})
	if r, err = w.Review(t.Context(), dir, nil, mend); err != nil || refusals(r) != "GOV-006" {
		t.Errorf("by who was an owner: %+v, %v", r, err)
	}
	mend.Approvals = []review.Approval{{By: carol, Maintainer: true}}
	if r, err = w.Review(t.Context(), dir, nil, mend); err != nil || refusals(r) != "" || r.Merge.Auto {
		t.Errorf("by a maintainer: %+v, %v", r, err)
	}
	// A version before that nobody can read: nothing is compared, so a person looks.
	writeTo(t, meta, []byte("owners: [{login: ann, id: 7}]\n"))
	writeTo(t, filepath.Join(dir, toolsOfEcho, "0.1.0/tool.py"), []byte("print(1)\n"))
	if r, err = w.Review(t.Context(), dir, nil, proposal()); err != nil || !says(r, "nothing was compared") || r.Merge.Auto || r.Verdict != review.NeedsHuman {
		t.Errorf("got %+v, %v", r, err)
	}
	// A folder that is a link leads out of what people review.
	if err := os.RemoveAll(filepath.Join(dir, "tools/ec")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "tools/ec")); err != nil {
		t.Skip(err)
	}
	if r, err = w.Review(t.Context(), dir, nil, proposal()); fault.KindOf(err) != fault.Findings || r != nil {
		t.Errorf("got %+v, %v", r, err)
	}
	if r, err = w.Review(t.Context(), t.TempDir(), nil, proposal()); fault.KindOf(err) != fault.NotFound || r != nil {
		t.Errorf("no registry: %+v, %v", r, err)
	}
}

// TestReviewOfAGoneName: what was published once stays taken, though its folder
// is gone from the sources, where the published tree lies beside them.
func TestReviewOfAGoneName(t *testing.T) {
	w, dir := scene(t)
	withPython(w)
	s := fresh("echo_text")
	if err := os.RemoveAll(filepath.Join(dir, "tools/ec")); err != nil {
		t.Fatal(err)
	}
	r, err := w.Review(t.Context(), dir, nil, s)
	if err != nil || refusals(r) != "MAN-002 MAN-003" || r.Verdict != review.Fail || !strings.Contains(r.Findings[0].Message, `belongs to "ann" (7)`) {
		t.Errorf("got %+v, %v", r, err)
	}
	if r, err = w.Review(t.Context(), dir, nil, fresh("word_count")); err != nil || refusals(r) != "" {
		t.Errorf("the twin: %+v, %v", r, err)
	}
	// A folder without a version is a name that is taken, too.
	writeTo(t, filepath.Join(dir, "tools/wo/word_count/tool.yaml"), []byte("owners: [{login: ann, id: 7}]\n"))
	if r, err = w.Review(t.Context(), dir, nil, fresh("word_count")); err != nil || refusals(r) != "CAP-006 GOV-002 GOV-005" {
		t.Errorf("a name without a version: %+v, %v", r, err)
	}
}

// TestReviewWithoutThePast: where nothing tells which names there were, a new
// name is for a person, but for the first tool of all.
func TestReviewWithoutThePast(t *testing.T) {
	w, dir := checkout(t)
	was := filepath.Join(t.TempDir(), "was")
	if err := os.Rename(filepath.Join(dir, publishedDir), was); err != nil {
		t.Fatal(err)
	}
	empty := registry.OpenDir(t.TempDir())
	for _, nothing := range []registry.Source{nil, empty} {
		r, err := w.Review(t.Context(), dir, nothing, fresh("word_count"))
		if err != nil || r.Verdict != review.NeedsHuman || r.Merge.Auto || r.Merge.Reason != review.ReasonUnchecked || !says(r, "ever published") {
			t.Errorf("a new name: %+v, %v", r, err)
		}
		// The twin is no new name.
		if r, err = w.Review(t.Context(), dir, nothing, proposal()); err != nil || r.Verdict != review.Pass || !r.Merge.Auto {
			t.Errorf("an update: %+v, %v", r, err)
		}
	}
	if r, err := w.Review(t.Context(), dir, registry.OpenDir(filepath.Join(was, ledger.Root)), fresh("word_count")); err != nil || r.Verdict != review.Pass {
		t.Errorf("the twin: %+v, %v", r, err)
	}
	// A published tree that cannot be read is no answer.
	writeTo(t, filepath.Join(was, ledger.Root, filepath.FromSlash(ledger.HeadEvidencePath)), []byte("{}"))
	if r, err := w.Review(t.Context(), dir, registry.OpenDir(filepath.Join(was, ledger.Root)), fresh("word_count")); err == nil || r != nil {
		t.Errorf("a damaged tree: %+v, %v", r, err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "tools/ec")); err != nil {
		t.Fatal(err)
	}
	if r, err := w.Review(t.Context(), dir, empty, fresh("word_count")); err != nil || r.Verdict != review.Pass {
		t.Errorf("the first tool: %+v, %v", r, err)
	}
}

// TestReviewOfAFrozenName: nothing new comes to a tool of which something that
// was published is gone, and what was published is immutable also where it is gone.
func TestReviewOfAFrozenName(t *testing.T) {
	w, dir := checkout(t)
	_, was := scene(t) // echo_text 1.0.0
	src := registry.OpenDir(filepath.Join(was, publishedDir, ledger.Root))
	next := proposal(put(toolsOfEcho+"2.0.0/tool.py", source("echo_text", "version: 0.1.0", "version: 2.0.0")))
	again := proposal(put(toolsOfEcho+"1.0.0/tool.py", source("echo_text", "version: 0.1.0", "version: 1.0.0")))
	before := everything(t, dir)
	for _, s := range []review.Submission{next, again} {
		if r, err := w.Review(t.Context(), dir, src, s); err != nil || refusals(r) != "MAN-003" || r.Verdict != review.Fail {
			t.Errorf("got %+v, %v", r, err)
		}
	}
	// The version that is gone can be withdrawn.
	revoke := proposal(review.Change{
		Path: toolsOfEcho + "tool.yaml", Status: review.Modified, Mode: "100644", Data: []byte("owners:\n  - login: ann\n    id: 7\nrevoked:\n  \"1.0.0\": malware\n"),
	})
	if r, err := w.Review(t.Context(), dir, src, revoke); err != nil || refusals(r) != "" || !r.Merge.Auto {
		t.Errorf("a revocation: %+v, %v", r, err)
	}
	if everything(t, dir) != before {
		t.Error("a review changed the checkout")
	}
	// The twin has all of it.
	writeTo(t, filepath.Join(dir, toolsOfEcho, "1.0.0/tool.py"), []byte("# 1.0.0\n"))
	if r, err := w.Review(t.Context(), dir, src, next); err != nil || slices.ContainsFunc(r.Findings, func(f spec.Finding) bool { return f.ID == "MAN-003" }) {
		t.Errorf("the twin: %+v, %v", r, err)
	}
}
