package trusted

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
)

// TestFindName: a smoke test or a kill switch names programs, and no path of the person's
// files by way of a folder of programs.
func TestFindName(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(bin, "tool"), filepath.Join(dir, "secret")} {
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	h := &host.Host{GOOS: "linux", Getenv: func(string) string { return bin }}
	for _, name := range []string{"../secret", "./tool", "", "..\\secret", "tool\x00"} {
		if path, err := Find(h, name); fault.KindOf(err) != fault.NotFound || err == nil {
			t.Errorf("%q: %q %v", name, path, err)
		}
	}
	if path, err := Find(h, "tool"); err != nil || path != filepath.Join(bin, "tool") {
		t.Errorf("the twin: %q %v", path, err)
	}
}
