//go:build unix

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestScratchRemovesAnything leaves behind what a hostile tool could.
func TestScratchRemovesAnything(t *testing.T) {
	temp := t.TempDir()
	outside := filepath.Join(temp, "outside")
	if err := os.WriteFile(outside, []byte("stays"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := newScratch(temp, os.Getuid())
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(s.dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("%v %v", info, err)
	}
	if err := s.fill([]File{{Target: s.dir + "/a/b/c", Data: []byte("x")}, {Target: s.dir + "/d", Mode: 0o600}}); err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Symlink(outside, s.dir+"/link"))
	must(os.Symlink(temp, s.dir+"/dirlink"))
	must(os.Link(outside, s.dir+"/a/hard"))
	must(syscall.Mkfifo(s.dir+"/pipe", 0))
	must(os.Mkdir(s.dir+"/moved-0", 0o700)) // a name that removing uses itself
	for i := range 600 {
		must(os.WriteFile(fmt.Sprintf("%s/a/b/f%d", s.dir, i), nil, 0))
	}
	// Deeper than there are descriptors, and longer than any path may be.
	back, err := os.Getwd()
	must(err)
	defer os.Chdir(back)
	must(os.Chdir(s.dir))
	for range 1200 {
		must(os.Mkdir("deep", 0o700))
		must(os.Chdir("deep"))
	}
	must(os.Chdir(back))
	must(os.Chmod(s.dir+"/a/b", 0))
	must(os.Chmod(s.dir+"/a", 0))
	must(os.Chmod(s.dir, 0o500))

	s.remove()
	if _, err := os.Lstat(s.dir); !os.IsNotExist(err) {
		left, _ := os.ReadDir(s.dir)
		t.Errorf("left behind: %v %v", err, left)
	}
	if b, err := os.ReadFile(outside); string(b) != "stays" {
		t.Errorf("outside: %q %v", b, err)
	}
	if info, _ := os.Stat(outside); info.Mode().Perm() != 0o644 {
		t.Errorf("outside has mode %v", info.Mode())
	}
}
