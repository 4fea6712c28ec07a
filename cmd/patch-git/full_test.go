package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// fullVariable names a program that was built with an interpreter inside, by
// `make build-full`.
const fullVariable = "PATCH_GIT_FULL"

// TestFull plays testdata/full with that program, on a machine where no Python
// can be found. `make test-embed` runs it, as root and as an ordinary user.
func TestFull(t *testing.T) {
	full := os.Getenv(fullVariable)
	if full == "" {
		t.Skipf("%s names no program: see make test-embed", fullVariable)
	}
	if !canMount() {
		t.Fatal("this user may not make mount namespaces, so no Python can be hidden")
	}
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		t.Fatal(err)
	}
	// What the transcripts show is only true if nothing else can be found.
	check := exec.CommandContext(t.Context(), "/proc/self/exe", "nowhere", "/", "/bin/sh", "-c", "ls -l /usr/bin/python3* /usr/local/bin/python3* /opt/*/bin/python3* 2>/dev/null | grep -v -e ' 1, *3 ' -e '^l' || true")
	check.Args[0] = "on-disk"
	check.Args[1] = "without-python"
	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("a Python is still there: %v %s", err, out)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/full",
		Setup: func(e *testscript.Env) error {
			if err := setup(e); err != nil {
				return err
			}
			// The program, and what starts it where no Python is; nothing else.
			bin := filepath.Join(e.WorkDir, "bin")
			onDisk, err := exec.LookPath("on-disk")
			if err != nil {
				return err
			}
			if err := os.MkdirAll(bin, 0o755); err != nil {
				return err
			}
			if err := os.Symlink(onDisk, filepath.Join(bin, "on-disk")); err != nil {
				return err
			}
			if err := os.Symlink(real, filepath.Join(bin, "full")); err != nil {
				return err
			}
			e.Setenv("PATH", bin)
			e.Setenv("PYENV_ROOT", "")
			return nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("PATCH_GIT_UPDATE") != "",
		WorkdirRoot:         scriptRoot(t),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "json": jsonHas,
		},
	})
}
