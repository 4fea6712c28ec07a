package index

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// tool is a listing for tests.
func tool(name, description string, edit ...func(*ledger.Listing)) ledger.Listing {
	l := ledger.Listing{
		Name: spec.Name(name), Latest: "1.0.0", Description: description,
		Published: "2026-11-01T00:00:00Z", Owners: []string{"Alice"},
		Permissions: spec.Permissions{Filesystem: spec.FilesystemNone},
		Summary:     ledger.Summary{Format: spec.FormatPatch},
	}
	for _, e := range edit {
		e(&l)
	}
	return l
}

// opened is the installed index of some tools.
func opened(t *testing.T, tools ...ledger.Listing) *Index {
	t.Helper()
	slices.SortFunc(tools, func(a, b ledger.Listing) int { return strings.Compare(string(a.Name), string(b.Name)) })
	b, err := Build(t.Context(), tools)
	if err != nil {
		t.Fatal(err)
	}
	x, err := Open(installed(t, b.Segment()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func installed(tb testing.TB, segment []byte) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "index")
	if err := Install(tb.Context(), dir, segment); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// golden is a small catalogue that uses everything that a listing can have.
func golden() []ledger.Listing {
	rows := []ledger.SummaryInput{{Name: "rowLimit", Description: "At most so many rows."}}
	return []ledger.Listing{
		tool("csv_to_json", "Convert a CSV file's rows to JSON.", func(l *ledger.Listing) {
			l.Summary.Aliases = []spec.Name{"csv_2_json"}
			l.Summary.Tags = []string{"csv", "json"}
			l.Summary.License = "MIT OR Apache-2.0"
			l.Summary.Inputs = rows
			l.Summary.Examples = []string{"turn my spreadsheet export into json"}
		}),
		tool("csv_to_json_fork", "Convert a CSV file's rows to JSON.", func(l *ledger.Listing) {
			l.Owners, l.Summary.Inputs = []string{"Alice", "bob"}, rows
		}),
		tool("json_to_csv", "Convert JSON rows to a CSV file."),
		tool("resize_image", "Make pictures smaller or larger: PNG, JPEG, WebP2.", func(l *ledger.Listing) {
			l.Permissions.Filesystem = spec.FilesystemReadWrite
			l.Summary.Tags = []string{"image"}
			l.Deprecated = true
		}),
		tool("weather", "Tell the weather of a city – Zürich, 東京, Αθήνα.", func(l *ledger.Listing) {
			l.Permissions.Network, l.Verified = true, true
			l.Summary.Format = spec.FormatSkill
		}),
	}
}

// goldenDigest is of the segment of golden. If it changed, indexes that others
// made are refused: let Edition change with it.
const goldenDigest = "b244759491b107849bb06f5a885c0217a16766aa8ab72f60a5d72082c40b1574"

func TestGolden(t *testing.T) {
	b, err := Build(t.Context(), golden())
	if err != nil {
		t.Fatal(err)
	}
	if got := spec.DigestOf(b.Segment()).Hex(); got != goldenDigest {
		t.Errorf("the index of edition %d has the digest %s, want %s", Edition, got, goldenDigest)
	}
}

// TestSameBytes: the same listings make the same bytes, in this process, in
// another with other seeds of its maps, and whatever was built before.
func TestSameBytes(t *testing.T) {
	const childOf = "INDEX_TEST_DIGEST"
	tools, _ := catalogue(200, 0)
	b, err := Build(t.Context(), tools)
	if err != nil {
		t.Fatal(err)
	}
	if to, child := os.LookupEnv(childOf); child {
		if err := os.WriteFile(to, b.Segment(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	again, err := Build(t.Context(), tools)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Segment(), again.Segment()) {
		t.Error("two builds in one process differ")
	}
	for name, content := range b.Pages() {
		if !bytes.Equal(content, again.Pages()[name]) {
			t.Errorf("%s differs", name)
		}
	}
	for range 3 {
		to := filepath.Join(t.TempDir(), "segment")
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSameBytes$")
		cmd.Env = append(os.Environ(), childOf+"="+to)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		other, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Segment(), other) {
			t.Error("a build in another process differs")
		}
	}
	tools[3].Description += " more"
	if other, err := Build(t.Context(), tools); err != nil || bytes.Equal(b.Segment(), other.Segment()) {
		t.Errorf("another catalogue has the same index (%v)", err)
	}
}

// TestBuildRefuses: a catalogue out of order would make an index that nobody else makes.
func TestBuildRefuses(t *testing.T) {
	tools := golden()
	tools[0], tools[1] = tools[1], tools[0]
	if _, err := Build(t.Context(), tools); err == nil || !strings.Contains(err.Error(), `out of order at "csv_to_json"`) {
		t.Errorf("got %v, want a refusal", err)
	}
	tools[1].Name = tools[0].Name
	if _, err := Build(t.Context(), tools[:2]); err == nil {
		t.Error("a name that stands twice was taken")
	}
}

// TestInstall: a folder that is there is left alone, and nothing else stays behind.
func TestInstall(t *testing.T) {
	b, err := Build(t.Context(), golden())
	if err != nil {
		t.Fatal(err)
	}
	dir := installed(t, b.Segment())
	if err := Install(t.Context(), dir, []byte("other")); err != nil {
		t.Errorf("a second installation: %v", err)
	}
	got, err := os.ReadFile(filepath.Join(dir, segmentFile))
	if err != nil || !bytes.Equal(got, b.Segment()) {
		t.Errorf("the segment was changed (%v)", err)
	}
	if list, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(list) != 1 {
		t.Errorf("beside the index: %v (%v)", list, err)
	}
}
