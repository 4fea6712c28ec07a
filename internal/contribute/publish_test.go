package contribute

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

var clock = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// programs is where workshops keep the bytecode of the program's own Python, which
// each would compile anew.
var programs string

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "programs"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(programs)
	os.Exit(code)
}

func newWorkshop(tb testing.TB) *Workshop {
	tb.Helper()
	w, err := New(&host.Host{Paths: paths.Paths{Root: tb.TempDir()}, Now: func() time.Time { return clock }}, "patch-git test")
	if err != nil {
		tb.Fatal(err)
	}
	kept := w.host.Paths.Programs()
	if err := errors.Join(os.MkdirAll(filepath.Dir(kept), 0o700), os.Symlink(programs, kept)); err != nil {
		tb.Fatal(err)
	}
	return w
}

// scene is a registry with one published version of one tool.
func scene(t *testing.T) (*Workshop, string) {
	t.Helper()
	w, dir := newWorkshop(t), filepath.Join(t.TempDir(), "reg")
	if _, err := w.Init(t.Context(), dir, "demo/tools", ""); err != nil {
		t.Fatal(err)
	}
	b, r := stage(t, w, dir, "1.0.0")
	a := ownedBy(registry.Acceptance{Release: withReport(r), Report: spec.DigestOf([]byte("{}\n"))}, []ledger.Owner{{Login: "ann", ID: 7}})
	if err := w.seal(t.Context(), b, registry.Batch{Accept: []registry.Acceptance{a}}, &Published{}); err != nil {
		t.Fatal(err)
	}
	return w, dir
}

// stage puts a version into the source tree and no further.
func stage(t *testing.T, w *Workshop, dir string, version spec.Version) (*bench, *spec.Release) {
	t.Helper()
	b, err := w.open(t.Context(), dir, Signing{})
	if err != nil {
		t.Fatal(err)
	}
	tool := spec.Tool{Format: spec.FormatPatch, Name: "echo_text", Version: version}
	r := &spec.Release{Ref: spec.Ref{Name: tool.Name, Version: version}, Tool: tool, Files: []spec.File{{Path: "tool.py", Data: []byte("# " + version + "\n")}}}
	if err := b.tree.Stage(r, ledger.Owner{Login: "ann", ID: 7}); err != nil {
		t.Fatal(err)
	}
	return b, r
}

func withReport(r *spec.Release) *spec.Release {
	out := *r
	out.Files = append([]spec.File{{Path: ledger.ReportFileName, Data: []byte("{}\n")}}, r.Files...)
	return &out
}

func (w *Workshop) record(t *testing.T, dir string) *ledger.Record {
	t.Helper()
	chain, err := registry.FetchRecord(t.Context(), registry.OpenDir(filepath.Join(dir, publishedDir, ledger.Root)), "echo_text")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ledger.ParseRecord(chain.Record, "echo_text")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWithdrawalComesAlone: an emergency is no occasion to publish what lies
// unfinished in the source tree, and nothing there may stand in its way.
func TestWithdrawalComesAlone(t *testing.T) {
	w, dir := scene(t)
	stage(t, w, dir, "2.0.0") // without a manifest: no check would pass it
	if err := os.WriteFile(filepath.Join(dir, "tools", "ec", "echo_text", "stray"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	done, err := w.AmendTree(t.Context(), Amendment{What: Revoke, Ref: spec.Ref{Name: "echo_text", Version: "1.0.0"}, Reason: "malware"}, dir, Signing{})
	if err != nil || !slices.Equal(done.Withdrawn, []string{"revoke echo_text@1.0.0"}) || len(done.Accepted) != 0 {
		t.Fatalf("got %+v, %v", done, err)
	}
	r := w.record(t, dir)
	if v := r.Find("1.0.0"); v.Revoked != "malware" || r.Find("2.0.0") != nil {
		t.Errorf("the record is %+v", r)
	}
}

// TestWithdrawalOfWhatIsNotPublished neither publishes it nor leaves a word
// about it behind.
func TestWithdrawalOfWhatIsNotPublished(t *testing.T) {
	w, dir := scene(t)
	stage(t, w, dir, "2.0.0")
	meta := filepath.Join(dir, "tools", "ec", "echo_text", "tool.yaml")
	before, err := os.ReadFile(meta)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		version spec.Version
		reason  string
		kind    fault.Kind
	}{
		{"2.0.0", "malware", fault.NotFound},
		{"3.0.0", "malware", fault.NotFound},
		{"1.0.0", "two\nlines", fault.Findings},
		{"1.0.0", "\x1b[2J", fault.Findings},
	} {
		_, err := w.AmendTree(t.Context(), Amendment{What: Yank, Ref: spec.Ref{Name: "echo_text", Version: c.version}, Reason: c.reason}, dir, Signing{})
		after, readErr := os.ReadFile(meta)
		if err == nil || fault.KindOf(err) != c.kind && fault.KindOf(err) != fault.Usage || readErr != nil || string(after) != string(before) {
			t.Errorf("%s for %q: %v, tool.yaml is now\n%s", c.version, c.reason, err, after)
		}
	}
	if _, err := w.AmendTree(t.Context(), Amendment{What: Yank, Ref: spec.Ref{Name: "echo_text", Version: "1.0.0"}, Reason: `it "quotes": # wrongly \ é`}, dir, Signing{}); err != nil {
		t.Fatal(err)
	}
	if v := w.record(t, dir).Find("1.0.0"); v.Yanked != `it "quotes": # wrongly \ é` {
		t.Errorf("the reason came out as %q", v.Yanked)
	}
}

// TestInitLeavesNoKeyBehind: a registry that could not be made must not keep
// the same command from making it when the cause is gone.
func TestInitLeavesNoKeyBehind(t *testing.T) {
	w, parent := newWorkshop(t), t.TempDir()
	dir := filepath.Join(parent, "reg")
	if err := os.WriteFile(dir, []byte("a file is in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Init(t.Context(), dir, "demo/tools", ""); err == nil {
		t.Fatal("a registry was made in a file")
	}
	if _, err := os.Lstat(w.keyFile("demo/tools")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the key of no registry is kept: %v", err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Init(t.Context(), dir, "demo/tools", ""); err != nil {
		t.Errorf("the second attempt: %v", err)
	}
	if _, err := w.Init(t.Context(), dir, "demo/tools", ""); fault.KindOf(err) != fault.Usage {
		t.Errorf("a registry was made over another: %v", err)
	}
}

// TestReadReleaseIsBounded by all files together, and follows no link.
func TestReadReleaseIsBounded(t *testing.T) {
	dir := t.TempDir()
	big := make([]byte, limits.SourceScan/2)
	for _, name := range []string{"a.py", "tool.py"} {
		if err := os.WriteFile(filepath.Join(dir, name), big, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if files, err := readRelease(dir, ""); err != nil || len(files) != 2 {
		t.Errorf("as much as is read: %d files, %v", len(files), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "z"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readRelease(dir, ""); fault.KindOf(err) != fault.Findings {
		t.Errorf("one byte more: %v", err)
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, "z")), os.Symlink("/etc/passwd", filepath.Join(dir, "z"))); err != nil {
		t.Fatal(err)
	}
	if _, err := readRelease(dir, ""); fault.KindOf(err) != fault.Findings {
		t.Errorf("a link: %v", err)
	}
}

// TestTemplateSurvivesItsDescription: what a person types becomes YAML.
func TestTemplateSurvivesItsDescription(t *testing.T) {
	for _, text := range []string{"", "Say: \"yes\" # no", "'single' \\ back", "- dash", "@at {brace} [list]", "é 漢"} {
		doc, findings := manifest.Read("tool.py", Template("word_count", text), manifest.Strict)
		if doc == nil || spec.Blocking(findings) || text != "" && doc.Tool.Description != text {
			t.Errorf("%q: %v", text, findings)
		}
	}
}

func TestCheckedZeroIsNo(t *testing.T) {
	if (&Checked{}).OK() || (&Checked{Release: &spec.Release{}, Report: &quarantine.Report{Findings: []spec.Finding{{Severity: spec.SeverityError}}}}).OK() {
		t.Error("what was not checked is taken")
	}
}
