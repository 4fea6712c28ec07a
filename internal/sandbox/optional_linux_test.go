package sandbox_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// TestOptionalMount: for what a program does without, root's programs do not stay root.
// It is left out then, and there for everybody who can reach it.
func TestOptionalMount(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		dir := openTemp(t)
		file := filepath.Join(dir, "file")
		if err := os.WriteFile(file, []byte("x"), 0o444); err != nil {
			t.Fatal(err)
		}
		job := tool(t, "import sys\ntry:\n    print(open(sys.argv[1]).read())\nexcept OSError as e:\n    print(type(e).__name__)\n")
		// Where even the interpreter is in a folder of root's, root it stays.
		free := os.Getuid() == 0 && sandbox.Reachable(job.Mounts)
		job.Mounts = append(job.Mounts, sandbox.Mount{Source: file, Target: "/run/optional", Optional: true})
		job.Argv = append(job.Argv, "/run/optional")
		if out := run(t, s, job); string(out.Stdout) != "x\n" {
			t.Errorf("a file that everybody can reach: %q, %s", out.Stdout, out.Stderr)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		out := run(t, s, job)
		if got := string(out.Stdout); free && got == "x\n" || !free && got != "x\n" {
			t.Errorf("a file of root's alone, where the rest is free: %v: %q, %s", free, got, out.Stderr)
		}
		job.Mounts[len(job.Mounts)-1].Optional = false
		if out := run(t, s, job); string(out.Stdout) != "x\n" {
			t.Errorf("one that the program needs: %q, %s", out.Stdout, out.Stderr)
		}
	})
}
