package tooltests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// What every version in tools/ has at least.
const (
	fewestExamples = 3
	fewestCases    = 5
)

// TestReleases holds every version to what a registry asks of it, and to what
// this repository asks of its own tools beyond that.
func TestReleases(t *testing.T) {
	t.Parallel()
	root := realDir(t)
	l := firstLane(t, root)
	h := testHost(root, "")
	pythons := pyenv.New(h, openBox(t, h))
	workshop, err := contribute.New(h, "patch-git test")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range allVersions(t) {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(v.main())
			if err != nil {
				t.Fatal(err)
			}
			doc, findings := manifest.Read(spec.FormatPatch.MainFile(), data, manifest.Strict)
			if len(findings) > 0 || doc == nil {
				t.Fatalf("the manifest has findings: %v", findings)
			}
			tool := &doc.Tool
			if tool.Name.String() != v.name || tool.Version.String() != v.version || filepath.Base(filepath.Dir(filepath.Dir(v.dir))) != v.name[:2] {
				t.Errorf("%s holds %s@%s", v.dir, tool.Name, tool.Version)
			}
			checkExamples(t, tool)
			cases := casesOf(t, v.name, v.version)
			if len(cases) < fewestCases {
				t.Errorf("it has %d cases, want %d or more", len(cases), fewestCases)
			}
			checkExercised(t, tool, cases)
			if len(tool.Runtime.Packages) == 0 {
				checkCeiling(t, l.client, v, data)
			}
			t.Run("quarantine", func(t *testing.T) {
				_, err := pythons.Find(t.Context(), tool.Runtime.PythonVersion, len(tool.Runtime.Packages) > 0)
				if len(tool.Runtime.Packages) > 0 && fault.ReasonOf(err) == "no_python" {
					t.Skipf("a source with packages is parsed by its own Python: %v", err)
				}
				checked, err := workshop.CheckFile(t.Context(), v.dir)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range checked.Findings {
					t.Errorf("%s", f)
				}
				if !checked.OK() {
					t.Error("a registry would refuse it")
				}
			})
		})
	}
}

// checkExamples wants sentences that a person would say to have the tool used,
// and tags to browse by; search ranks by them.
func checkExamples(t *testing.T, tool *spec.Tool) {
	t.Helper()
	if n := len(tool.Examples); n < fewestExamples {
		t.Errorf("it has %d x-examples, want %d or more", n, fewestExamples)
	}
	if len(tool.Tags) == 0 {
		t.Error("it has no x-tags")
	}
}

// checkExercised wants a case that succeeds through each capability that the
// tool declares, and none that needs one it does not.
func checkExercised(t *testing.T, tool *spec.Tool, cases []testCase) {
	t.Helper()
	some := func(word string, succeeds bool) bool {
		return slices.ContainsFunc(cases, func(c testCase) bool { return c.uses(word) && (!succeeds || c.Error == "") })
	}
	switch tool.Capabilities.Filesystem {
	case spec.FilesystemReadOnly, spec.FilesystemReadWrite:
		if !some("$FILES", true) {
			t.Error("it may read files, and no case has it read one")
		}
	default:
		if some("$FILES", false) {
			t.Error("it may not see files, and a case names one")
		}
	}
	if tool.Capabilities.Filesystem == spec.FilesystemReadWrite && !some("$OUT", true) {
		t.Error("it may write files, and no case has it write one")
	}
	if tool.Capabilities.Network != some("$SERVER", tool.Capabilities.Network) {
		t.Errorf("network is %v, and cases with a server say otherwise", tool.Capabilities.Network)
	}
}

// checkCeiling wants the client to refuse whatever goes beyond what the tool
// declares. That it is not refused what it does declare is for its cases to
// show.
func checkCeiling(t *testing.T, c *consume.Client, v version, data []byte) {
	t.Helper()
	s, _, err := consume.Local(v.main(), data)
	if err != nil {
		t.Error(err)
		return
	}
	args := exampleArguments(s.Tool)
	folder := []string{realDir(t)}
	want := func(what, reason string, o consume.RunOptions) {
		t.Helper()
		if _, err := c.Run(t.Context(), s, args, o); fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != reason {
			t.Errorf("%s: got %v, want it denied (%s)", what, err, reason)
		}
	}
	may := s.Tool.Capabilities
	if may.Filesystem != spec.FilesystemReadOnly && may.Filesystem != spec.FilesystemReadWrite {
		want("a file to read", "capability", consume.RunOptions{Agree: true, Confirm: true, Read: folder})
	}
	if may.Filesystem != spec.FilesystemReadWrite {
		want("a file to write", "capability", consume.RunOptions{Agree: true, Confirm: true, Write: folder})
	}
	if may.Network {
		want("nobody agreed", "consent_required", consume.RunOptions{})
	}
}

// exampleArguments are arguments that fit a tool's schema, without sense.
func exampleArguments(tool *spec.Tool) json.RawMessage {
	byType := map[spec.Type]any{
		spec.TypeString: "", spec.TypeNumber: 0, spec.TypeInteger: 0, spec.TypeBoolean: false, spec.TypeArray: []any{}, spec.TypeObject: map[string]any{},
	}
	args := map[string]any{}
	for _, in := range tool.Inputs {
		if in.Required {
			args[in.Name] = byType[in.Type]
		}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil // the types above are all plain JSON
	}
	return raw
}

// TestEveryFileIsUsed finds cases of tools or versions that are not there and
// fixtures that no case names: a renamed directory would otherwise end the
// testing of a tool without a word.
func TestEveryFileIsUsed(t *testing.T) {
	t.Parallel()
	there := map[string]bool{}
	for _, v := range allVersions(t) {
		there[filepath.Join(v.name, v.version)] = true
		there[filepath.Join(v.name, everyVersion)] = true
		there[filepath.Join(v.name, "files")] = true
	}
	dirs, err := filepath.Glob(filepath.Join(testdata, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		rel, err := filepath.Rel(testdata, dir)
		if err != nil {
			t.Fatal(err)
		}
		if !there[rel] {
			t.Errorf("%s belongs to no version of a tool", dir)
		}
		if filepath.Base(dir) != "files" {
			continue
		}
		for path := range snapshot(t, dir) {
			named, err := filepath.Rel(dir, path)
			if err != nil {
				t.Fatal(err)
			}
			if !anyCaseNames(t, filepath.Dir(dir), "$FILES/"+filepath.ToSlash(named)) {
				t.Errorf("no case names %s", path)
			}
		}
	}
}

func anyCaseNames(t *testing.T, dir, words string) bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(paths, func(path string) bool {
		text, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(text), words)
	})
}
