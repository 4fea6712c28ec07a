//go:build unix

package registry_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/registry"
)

// A pipe in a tree would make a reader wait for a writer that never comes.
func TestDirRefusesPipes(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "head.json"), 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	s := registry.OpenDir(dir)
	if _, err := s.Read(t.Context(), "head.json", 10); fault.ReasonOf(err) != "not_regular" {
		t.Errorf("Read: %v, want not_regular", err)
	}
	if err := s.Remove(t.Context(), "head.json"); fault.ReasonOf(err) != "not_regular" {
		t.Errorf("Remove: %v, want not_regular", err)
	}
}
