package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// openRoot makes dir with one file outside of it, and links in it that lead
// out of it, to itself, and to a file in it.
func openRoot(t *testing.T) (r *durable.Root, dir, outside string) {
	t.Helper()
	base := t.TempDir()
	dir, outside = filepath.Join(base, "root"), filepath.Join(base, "outside")
	r, err := durable.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.WriteFile("real/file", []byte("inside"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(outside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "file"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"out": outside, "self": "real", "leaf": "real/file"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	return r, dir, outside
}

func TestRootRefuses(t *testing.T) {
	r, dir, outside := openRoot(t)
	for rel, want := range map[string]string{
		"../outside/file":        "unsafe_path", // leaves by name
		"real/../../o":           "unsafe_path",
		"/etc/passwd":            "unsafe_path",
		`real\file`:              "unsafe_path",
		".git/config":            "unsafe_path",
		"real/nul.txt":           "unsafe_path",
		"":                       "unsafe_path",
		"out/file":               "unsafe_path", // leaves by a link
		"self/file":              "unsafe_path", // a link that stays inside
		"real/file/below a file": "unsafe_path",
		"real/file/below":        "unsafe_path",
	} {
		for what, err := range map[string]error{
			"WriteFile":      r.WriteFile(rel, []byte("x"), 0o644),
			"WriteImmutable": r.WriteImmutable(rel, []byte("x"), 0o644),
			"Revise":         r.Revise(rel, 100, 0o644, func([]byte, error) ([]byte, error) { return []byte("x"), nil }),
			"WriteFiles":     r.WriteFiles([]spec.File{{Path: "fine", Data: nil}, {Path: rel}}, 0o644),
			"ReadFile":       second(r.ReadFile(rel, 100)),
		} {
			if fault.ReasonOf(err) != want || fault.KindOf(err) != fault.Findings {
				t.Errorf("%s(%q): %v, want %s", what, rel, err, want)
			}
		}
	}
	if got := content(t, filepath.Join(outside, "file")); got != "secret" {
		t.Errorf("file outside became %q", got)
	}
	if got := content(t, filepath.Join(dir, "real", "file")); got != "inside" {
		t.Errorf("file inside became %q", got)
	}
	if _, err := r.ReadFile("leaf", 100); fault.ReasonOf(err) != "not_regular" {
		t.Errorf("read through a link at the end: %v, want not_regular", err)
	}
	if err := r.WriteImmutable("leaf", []byte("inside"), 0o644); fault.ReasonOf(err) != "immutable" {
		t.Errorf("write over a link at the end: %v, want immutable", err)
	}
}

// TestRootRevise: who revises sees what is there, and decides.
func TestRootRevise(t *testing.T) {
	r, dir, _ := openRoot(t)
	stop := errors.New("stop")
	for _, c := range []struct {
		rel, sees string
		fails     error
		writes    []byte
		err       error
		is        string
	}{
		{"real/file", "inside", nil, nil, nil, "inside"},
		{"real/file", "inside", nil, []byte("x"), stop, "inside"},
		{"real/file", "inside", nil, []byte("fresh"), nil, "fresh"},
		{"new/folder/file", "", fs.ErrNotExist, []byte("new"), nil, "new"},
	} {
		err := r.Revise(c.rel, 100, 0o644, func(old []byte, err error) ([]byte, error) {
			if string(old) != c.sees || !errors.Is(err, c.fails) {
				t.Errorf("%s: %q, %v", c.rel, old, err)
			}
			return c.writes, c.err
		})
		if !errors.Is(err, c.err) || content(t, filepath.Join(dir, c.rel)) != c.is {
			t.Errorf("%s: %v, and there is %q", c.rel, err, content(t, filepath.Join(dir, c.rel)))
		}
	}
	var seen error
	if err := r.Revise("leaf", 100, 0o644, func(_ []byte, err error) ([]byte, error) { seen = err; return nil, nil }); err != nil || fault.ReasonOf(seen) != "not_regular" {
		t.Errorf("a link at the end: %v, %v", seen, err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestRootWritesAndReads(t *testing.T) {
	r, dir, _ := openRoot(t)
	files := []spec.File{{Path: "v/1.2.0/tool.py", Data: []byte("code")}, {Path: "v/1.2.0/data/x.json", Data: []byte("{}")}, {Path: "top", Data: nil}}
	for range 2 { // the second time replaces
		if err := r.WriteFiles(files, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		b, err := r.ReadFile(f.Path, int64(len(f.Data)))
		if err != nil || string(b) != string(f.Data) {
			t.Errorf("%s: %q, %v, want %q", f.Path, b, err, f.Data)
		}
	}
	if got := names(t, filepath.Join(dir, "v", "1.2.0")); len(got) != 2 {
		t.Errorf("directory holds %v, want data and tool.py", got)
	}
	if err := r.WriteImmutable("top", nil, 0o644); err != nil {
		t.Errorf("same content: %v", err)
	}
	if err := r.WriteImmutable("top", []byte("other"), 0o644); fault.ReasonOf(err) != "immutable" {
		t.Errorf("other content: %v, want immutable", err)
	}
}

func TestRootWriteFilesAllOrNone(t *testing.T) {
	r, dir, _ := openRoot(t)
	before := len(names(t, dir))
	for name, files := range map[string][]spec.File{
		"twice":             {{Path: "x"}, {Path: "x"}},
		"case twins":        {{Path: "x/Tool.py"}, {Path: "x/tool.py"}},
		"file as directory": {{Path: "x/y"}, {Path: "X"}},
		"leaves":            {{Path: "x"}, {Path: "../y"}},
	} {
		if err := r.WriteFiles(files, 0o644); fault.ReasonOf(err) != "unsafe_path" {
			t.Errorf("%s: %v, want unsafe_path", name, err)
		}
		if got := len(names(t, dir)); got != before {
			t.Errorf("%s: something was written", name)
		}
	}
	if err := r.WriteFiles([]spec.File{{Path: "x/y"}, {Path: "xy"}, {Path: "x/Y2"}}, 0o644); err != nil {
		t.Errorf("no twins: %v", err)
	}
}
