//go:build unix

package durable_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
)

// A pipe without a writer would make a plain open wait for ever.
func TestReadPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, read := range []func(string, int64) ([]byte, error){durable.ReadFile, durable.ReadFileNoFollow} {
		if _, err := read(path, 100); fault.ReasonOf(err) != "not_regular" {
			t.Errorf("got %v, want not_regular", err)
		}
	}
	if err := durable.WriteImmutable(path, nil, 0o600); fault.ReasonOf(err) != "immutable" {
		t.Errorf("write over a pipe: %v, want immutable", err)
	}
}

// A file in /proc says that it has no bytes and then delivers many: the size
// is no promise, and the cap holds while reading.
func TestReadBeyondStatedSize(t *testing.T) {
	const path = "/proc/self/status"
	if _, err := os.Stat(path); err != nil {
		t.Skip("no /proc here")
	}
	b, err := durable.ReadFile(path, 1<<20)
	if err != nil || len(b) < 100 {
		t.Errorf("read %d bytes, %v, want more than 100", len(b), err)
	}
	if _, err := durable.ReadFile(path, 50); fault.ReasonOf(err) != "too_large" {
		t.Errorf("got %v, want too_large", err)
	}
}
