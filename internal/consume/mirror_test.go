package consume

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// contents are the files below a folder, by path.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		out[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestMirrorMends: whichever file of a mirror is changed or gone, the next run
// brings back the one that the registry has; it never says that all is well
// while it is not.
func TestMirrorMends(t *testing.T) {
	s := newScene(t)
	sealed := func(version string) {
		tool := &spec.Tool{
			Format: spec.FormatPatch, Name: "word_count", Version: spec.Version(version), Description: "Returns the text that it is given.",
			Inputs: []spec.Input{{Name: "text", Type: spec.TypeString, Description: "The text.", Required: true}}, Output: spec.Output{Type: spec.TypeString},
			Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone}, Runtime: spec.Runtime{Language: "python", PythonVersion: "3.9", Packages: []string{}},
		}
		m, findings := manifest.Read("tool.py", append(manifest.Print(tool), "\n\ndef main(text):\n    return text\n"...), manifest.Strict)
		if m == nil {
			t.Fatal(findings)
		}
		report := []byte("{}\n")
		a := registry.Acceptance{
			Release: &spec.Release{Ref: spec.Ref{Name: tool.Name, Version: tool.Version}, Tool: m.Tool, Files: []spec.File{
				{Path: ledger.ReportFileName, Data: report}, {Path: "tool.py", Data: append(manifest.Print(tool), "\n\ndef main(text):\n    return text\n"...)},
			}},
			Contributor: ledger.Owner{Login: "ann", ID: 1}, Report: spec.DigestOf(report),
		}
		s.seal(s.dir, registry.Batch{Accept: []registry.Acceptance{a}})
	}
	sealed("1.0.0")
	sealed("1.1.0")
	dir := filepath.Join(t.TempDir(), "mirror")
	mirror := func() (*Mirrored, error) { return s.client.Mirror(t.Context(), s.dir, s.dir, dir, false) }
	if _, err := mirror(); err != nil {
		t.Fatal(err, s.warned)
	}
	whole := contents(t, dir)
	// The twin: of a mirror that is sound nothing is written.
	if m, err := mirror(); err != nil || m.Repaired != 0 || m.Copied.Files != 0 || m.Copied.New || !maps.Equal(contents(t, dir), whole) {
		t.Fatalf("once more: %+v, %v", m, err)
	}
	for _, path := range slices.Sorted(maps.Keys(whole)) {
		if strings.HasPrefix(path, "v1/"+ledger.ObjectsDir) {
			continue // only readers of the state before need them
		}
		file := filepath.Join(dir, filepath.FromSlash(path))
		for what, do := range map[string]func(){
			"flipped": func() {
				b := []byte(whole[path])
				if len(b) == 0 {
					b = []byte("x")
				}
				b[len(b)/2] ^= 1
				put(t, file, string(b))
			},
			"gone": func() {
				if err := os.Remove(file); err != nil {
					t.Fatal(err, s.warned)
				}
			},
		} {
			do()
			if m, err := mirror(); err != nil {
				t.Errorf("%s %s: %+v, %v", path, what, m, err)
			}
			now := contents(t, dir)
			for p := range whole {
				if now[p] != whole[p] && !strings.HasPrefix(p, "v1/"+ledger.ObjectsDir) {
					t.Errorf("%s %s: %s is not what it was", path, what, p)
				}
			}
			if out, err := s.client.Inspect(t.Context(), dir, dir, false); err != nil || out.Err() != nil {
				t.Errorf("%s %s: log verify says %v %v", path, what, err, out)
			}
		}
	}
	// Damage and news at once.
	put(t, filepath.Join(dir, "v1", ledger.BucketPath(ledger.BucketOf("word_count"))), "{}\n")
	sealed("1.2.0")
	if m, err := mirror(); err != nil || !m.Copied.New {
		t.Errorf("with news: %+v, %v", m, err)
	}
	if out, err := s.client.Inspect(t.Context(), dir, dir, false); err != nil || out.Err() != nil {
		t.Errorf("with news: %v %v", err, out)
	}
}

// TestMirrorOfAnother: a folder that says that it is of another registry is not
// mended into this one, damaged or not.
func TestMirrorOfAnother(t *testing.T) {
	s, other := newScene(t), newScene(t)
	dir := filepath.Join(t.TempDir(), "mirror")
	if _, err := s.client.Mirror(t.Context(), other.dir, other.dir, dir, false); err != nil {
		t.Fatal(err, s.warned)
	}
	for _, damage := range []func(){
		func() {},
		func() { put(t, filepath.Join(dir, "v1", ledger.HeadPath), "{}\n") },
		func() { _ = os.Remove(filepath.Join(dir, "v1", ledger.HeadEvidencePath)) },
	} {
		damage()
		was := contents(t, dir)
		if _, err := s.client.Mirror(t.Context(), s.dir, s.dir, dir, false); fault.KindOf(err) != fault.NotVerified || !maps.Equal(contents(t, dir), was) {
			t.Errorf("got %v", err)
		}
	}
}

// TestMirrorLeavesOthersAlone: what lies beside the mirror is nobody's to clear
// away, and a registry.json that sends newcomers elsewhere is said.
func TestMirrorLeavesOthersAlone(t *testing.T) {
	s := newScene(t)
	dir := filepath.Join(t.TempDir(), "mirror")
	put(t, dir+".incoming/letters.txt", "mine")
	mirror := func() {
		t.Helper()
		if _, err := s.client.Mirror(t.Context(), s.dir, s.dir, dir, false); err != nil {
			t.Fatal(err, s.warned)
		}
	}
	mirror()
	if got := contents(t, dir+".incoming"); got["letters.txt"] != "mine" {
		t.Errorf("beside the mirror lies %v", got)
	}
	mirror()
	if len(s.warned) != 0 {
		t.Errorf("warned %q", s.warned)
	}
	s.doc.Mirrors = []string{"https://eve.example.com/tools"}
	s.seal(s.dir, registry.Batch{})
	data := ledger.Encode(s.doc)
	put(t, filepath.Join(s.dir, "v1", ledger.RegistryPath), string(data))
	mirror()
	if len(s.warned) != 1 || !strings.Contains(s.warned[0], "https://eve.example.com/tools") {
		t.Errorf("warned %q", s.warned)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*incoming*")); len(left) != 0 {
		t.Errorf("left %q", left)
	}
}
