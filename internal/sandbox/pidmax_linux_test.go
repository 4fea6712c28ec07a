package sandbox_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestMachineKeepsItsPidMax: bounding the numbers of a run's processes must not
// bound the machine's. The mount below a folder that only root can enter makes
// a run of root stay root's, which is when the bound is set.
func TestMachineKeepsItsPidMax(t *testing.T) {
	const file = "/proc/sys/kernel/pid_max"
	before, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("no %s: %v", file, err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := open(t, "namespaces")
	job := tool(t, "print(1)\n")
	job.Mounts = append(job.Mounts, ro(dir))
	if out := run(t, s, job); out.Exit != 0 {
		t.Fatalf("the run ended with %d: %s", out.Exit, out.Stderr)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the machine's pid_max was %s and is %s, %v", before, after, err)
	}
}
