package durable_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
)

// TestStamp: every way to change what a name leads to shows.
func TestStamp(t *testing.T) {
	dir := t.TempDir()
	file, other, missing := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c")
	for name, change := range map[string]func() error{
		"nothing":      func() error { return nil },
		"content":      func() error { return os.WriteFile(file, []byte("123456"), 0o600) },
		"its size":     func() error { return os.Truncate(file, 3) },
		"a rename":     func() error { return os.Rename(other, file) },
		"a removal":    func() error { return os.Remove(file) },
		"a new file":   func() error { return os.WriteFile(missing, nil, 0o600) },
		"its rights":   func() error { return os.Chmod(file, 0o640) },
		"a link":       func() error { _ = os.Remove(file); return os.Symlink(other, file) },
		"a folder":     func() error { _ = os.Remove(file); return os.Mkdir(file, 0o700) },
		"its own time": func() error { return os.Chtimes(file, time.Now(), time.Now().Add(-time.Hour)) },
	} {
		_ = os.RemoveAll(file)
		_ = os.Remove(missing)
		for _, f := range []string{file, other} {
			if err := os.WriteFile(f, []byte("abcdef"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := durable.Stamped(file, missing)
		if err != nil || !s.Same() {
			t.Fatal(name, err)
		}
		time.Sleep(15 * time.Millisecond) // the clock of the file system goes in steps
		if err := change(); err != nil {
			t.Fatal(name, err)
		}
		if s.Same() != (name == "nothing") {
			t.Errorf("%s: the same is %v", name, s.Same())
		}
	}
}

// TestStampNotFooled: content that is changed and put under its old time.
func TestStampNotFooled(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("this system tells no time that nobody can set")
	}
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, []byte("abcdef"), 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	s, err := durable.Stamped(file)
	if err != nil || !s.Same() {
		t.Fatal(err)
	}
	time.Sleep(15 * time.Millisecond)
	if err := os.WriteFile(file, []byte("ABCDEF"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	if s.Same() {
		t.Error("another content of the same size and time is the same")
	}
}

// TestStampSettled: what was changed a moment ago proves nothing yet, and nothing is
// no stamp.
func TestStampSettled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := durable.Stamped(file)
	if err != nil || s.Settled(time.Now()) || !s.Settled(time.Now().Add(time.Minute)) {
		t.Error("settled at once, or never", err)
	}
	if none := (durable.Stamp{}); none.Same() || none.Settled(time.Now()) {
		t.Error("the zero value is a stamp")
	}
}
