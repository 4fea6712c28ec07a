package repack

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/standalone"
)

// hostPython is an interpreter of this machine, or a reason to skip.
func hostPython(t *testing.T) string {
	t.Helper()
	python, err := Find(t.Context())
	if err != nil {
		t.Skipf("no Python on this machine: %v", err)
	}
	return python
}

// The machine's own interpreter, packed twice from two copies, gives the same
// bytes; unpacked it starts from where it lies, with bytecode that is used.
func TestHost(t *testing.T) {
	python := hostPython(t)
	var archives [2]bytes.Buffer
	version := ""
	for i := range archives {
		dir := t.TempDir()
		var err error
		if version, err = Host(t.Context(), python, dir); err != nil {
			t.Fatal(err)
		}
		if n, err := Compile(t.Context(), python, dir); err != nil || n < 50 {
			t.Fatalf("compiled %d modules: %v", n, err)
		}
		if err := Pack(&archives[i], dir, gzip.BestSpeed); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(archives[0].Bytes(), archives[1].Bytes()) {
		t.Error("the same input gave two archives")
	}
	dest := t.TempDir()
	if err := standalone.Unpack(&archives[0], dest, standalone.Options{Bytecode: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := Compiled(dest); err != nil {
		t.Error(err)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(dest, "bin", "python3"), "-I", "-S", "-B", "-c",
		"import sys, json; print(sys.prefix, json.__cached__, sys.version.split()[0])").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), dest+" "+dest+"/lib/") || !strings.HasSuffix(string(out), version+"\n") {
		t.Errorf("got %v: %s", err, out)
	}
}

// Bytecode that is checked by time, or missing, is told.
func TestCompiled(t *testing.T) {
	python := hostPython(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.py"), []byte("x = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Compiled(dir); err == nil {
		t.Error("a module without bytecode passes")
	}
	cmd := exec.CommandContext(t.Context(), python, "-m", "compileall", "-q", dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := Compiled(dir); err == nil || !strings.Contains(err.Error(), "unchecked") {
		t.Errorf("bytecode that is checked by time: got %v", err)
	}
	if n, err := Compile(t.Context(), python, dir); n != 1 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
}

// What go-embed-python lists is copied: packed files unpacked, links as links,
// and nothing that a tool has no use for.
func TestModule(t *testing.T) {
	from, dest := t.TempDir(), t.TempDir()
	write := func(name, content string) {
		t.Helper()
		file := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("bin/python3.14.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x2b\xa8\x2c\xc9\xc8\xcf\x03\x00\xb8\xb8\xd4\xa4\x06\x00\x00\x00")
	write("lib/python3.14/json.py", "x\n")
	write("lib/python3.14/idlelib/a.py", "x\n")
	write("lib/libpython3.14.so.1.0", "x\n")
	list := `{"files": [{"name": "bin", "perm": 2147484141}, {"name": "bin/python3.14", "perm": 509, "compressed": true},
		{"name": "bin/python3", "symlink": "python3.14", "perm": 134217728}, {"name": "bin/idle3", "symlink": "idle3.14", "perm": 134217728},
		{"name": "lib/libpython3.14.so.1.0", "perm": 509}, {"name": "lib/libpython3.14.so", "symlink": "libpython3.14.so.1.0", "perm": 134217728},
		{"name": "lib/python3.14/json.py", "perm": 436}, {"name": "lib/python3.14/idlelib/a.py", "perm": 436}%s]}`
	write("files.json", strings.Replace(list, "%s", "", 1))
	if err := Module(from, dest); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := filepath.WalkDir(dest, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dest, path)
			got = append(got, rel)
		}
		return err
	})
	if want := "bin/python3 bin/python3.14 lib/python3.14/json.py"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("got %v, %v, want %s", got, err, want)
	}
	if b, err := os.ReadFile(filepath.Join(dest, "bin", "python3")); err != nil || string(b) != "python" {
		t.Errorf("got %q, %v", b, err)
	}
	// A name that leads out is refused.
	write("files.json", strings.Replace(list, "%s", `, {"name": "lib/python3.14/../../../../out.py", "perm": 436}`, 1))
	if err := Module(from, t.TempDir()); err == nil {
		t.Error("a file outside of the folder was copied")
	}
}
