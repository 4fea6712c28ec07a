package contribute

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// trying is a workshop on this machine, with a real Python and a real sandbox.
func trying(t *testing.T) *Workshop {
	t.Helper()
	h := host.System()
	h.Paths = paths.Paths{Root: t.TempDir()}
	w, err := New(h, "patch-git test")
	if err != nil {
		t.Fatal(err)
	}
	pythons, _, err := w.pythons(t.Context())
	if err == nil {
		_, err = pythons.Find(t.Context(), templatePython, false)
	}
	if err != nil {
		t.Skipf("no Python or no sandbox here: %v", err)
	}
	return w
}

// tool is a source that passes, with something in place of its last lines.
func toolWith(extra string) []spec.File {
	text := string(Template("word_count", ""))
	text = strings.Replace(text, "\ndef main", extra+"\ndef main", 1)
	return []spec.File{{Path: "tool.py", Data: []byte(text)}}
}

// withSmoke gives the manifest an example.
func withSmoke(files []spec.File, example string) []spec.File {
	text := strings.Replace(string(files[0].Data), "# ---\n\n", "# "+SmokeKey+": "+example+"\n# ---\n\n", 1)
	return []spec.File{{Path: "tool.py", Data: []byte(text)}}
}

func replaced(files []spec.File, from, to string) []spec.File {
	return []spec.File{{Path: "tool.py", Data: []byte(strings.Replace(string(files[0].Data), from, to, 1))}}
}

// TestTry: what becomes of a tool that reaches for nothing.
func TestTry(t *testing.T) {
	w := trying(t)
	for _, c := range []struct {
		name   string
		files  []spec.File
		says   string // of DYN-002; "" is none
		called bool
	}{
		{name: "import", files: toolWith("")},
		{name: "import that fails", files: toolWith("raise RuntimeError('::error::no')\n"), says: "::error::no"},
		{name: "import that leaves", files: toolWith("sys.exit(0)\n"), says: "no function main"},
		{name: "import that hangs up", files: toolWith("import os\nos._exit(0)\n"), says: "without a word"},
		{name: "no module", files: toolWith("import surely_not_there\n"), says: "surely_not_there"},
		{name: "call", files: withSmoke(toolWith(""), `{text: "two words"}`), called: true},
		{name: "call that fails", files: withSmoke(toolWith("len = None\n"), `{text: "two words"}`), says: "NoneType"},
		{name: "call that leaves", files: withSmoke(toolWith("import os, builtins\nlen = lambda x: os._exit(0)\n"), `{text: "two words"}`), says: "without a word"},
		{name: "example that does not fit", files: withSmoke(toolWith(""), `{text: 1}`), says: "does not fit"},
		{name: "call with a wrong result", files: withSmoke(replaced(toolWith(""), "return {", "return [] or [] and {"), `{text: "a"}`), says: "x-smoke"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := w.Try(t.Context(), c.files)
			if err != nil {
				t.Fatal(err)
			}
			if got.Called != c.called || got.Driver == "" || got.Name != "word_count@0.1.0" || len(got.Seen) > 0 {
				t.Errorf("%+v", got)
			}
			switch {
			case c.says == "" && len(got.Findings) == 0:
			case c.says == "" || len(got.Findings) != 1 || got.Findings[0].ID != "DYN-002" || !strings.Contains(got.Findings[0].Message, c.says):
				t.Errorf("%v; want %q", got.Findings, c.says)
			}
		})
	}
	if got, err := w.Try(t.Context(), []spec.File{{Path: "tool.py", Data: []byte("x = 1\n")}}); got != nil || fault.ReasonOf(err) != "manifest" {
		t.Errorf("no manifest: %+v, %v", got, err)
	}
}

// TestMustHold: in a sandbox the self-test passes; without one, where the same
// program gets at the file, nothing is tried.
func TestMustHold(t *testing.T) {
	w := trying(t)
	pythons, box, err := w.pythons(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in, err := pythons.Find(t.Context(), templatePython, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.mustHold(t.Context(), box, in); err != nil {
		t.Fatal(err)
	}
	open, err := sandbox.OpenUnsafe(sandbox.Options{Now: w.host.Now})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.mustHold(t.Context(), open, in); fault.KindOf(err) != fault.Unavailable || fault.ReasonOf(err) != "selftest" {
		t.Errorf("without a sandbox: %v", err)
	}
	ran := filepath.Join(t.TempDir(), "ran")
	files := toolWith("open(" + pyQuote(ran) + ", 'w')\n")
	got, err := w.try(t.Context(), pyenv.New(w.host, open), open, &spec.Tool{Name: "word_count", Version: "0.1.0", Runtime: spec.Runtime{PythonVersion: templatePython}}, files[0].Data)
	if got != nil || fault.ReasonOf(err) != "selftest" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := os.Lstat(ran); err == nil {
		t.Error("the tool was run")
	}
	if left, _ := filepath.Glob(filepath.Join(w.host.Paths.Cache(), "selftest-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func pyQuote(s string) string { return "'" + s + "'" }

// TestRescan: what would be refused today is named, what is withdrawn already
// is not, and nothing is changed.
func TestRescan(t *testing.T) {
	w := trying(t)
	dir := filepath.Join(t.TempDir(), "reg")
	if _, err := w.InitGitHub(dir, "acme/tools"); err != nil {
		t.Fatal(err)
	}
	put := func(path, text string) {
		t.Helper()
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	version := func(v, extra string) {
		put("tools/wo/word_count/"+v+"/tool.py", strings.Replace(string(toolWith(extra)[0].Data), "version: 0.1.0", "version: "+v, 1))
	}
	version("0.1.0", "")
	version("0.2.0", "print('work on import')\n")
	version("0.3.0", "print('work on import')\n")
	version("0.4.0", "")
	put("tools/wo/word_count/tool.yaml", "owners:\n  - login: ann\n    id: 7\nyanked:\n  0.3.0: it does work on import\n")
	put("tools/stray", "x")
	got, err := w.Rescan(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if got.Versions != 3 || len(got.Bad) != 1 || got.Bad[0].Version != "0.2.0" || !spec.Blocking(got.Bad[0].Findings) || len(got.Tree) != 1 || len(got.Unknown) != 0 {
		t.Errorf("%+v", got)
	}
	// What no interpreter here can read accuses nobody.
	put("tools/wo/word_count/0.4.0/tool.py", strings.NewReplacer("version: 0.1.0", "version: 0.4.0", `python_version: "3.9"`, `python_version: "3.99"`).Replace(string(toolWith("")[0].Data)))
	if got, err = w.Rescan(t.Context(), dir); err != nil || len(got.Bad) != 1 || len(got.Unknown) != 1 {
		t.Errorf("without an interpreter: %+v, %v", got, err)
	}
}
