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
	for i := range 300 {
		must(os.WriteFile(fmt.Sprintf("%s/a/b/f%d", s.dir, i), nil, 0))
	}
	// Longer than any path may be.
	back, err := os.Getwd()
	must(err)
	t.Chdir(s.dir)
	for range 450 {
		must(os.Mkdir("ten-letter", 0o700))
		must(os.Chdir("ten-letter")) //nolint:usetesting // t.Chdir asks for the path, which is too long here
	}
	must(os.Chdir(back)) //nolint:usetesting // t.Chdir would return to where it came from, which s.remove deletes
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

// TestScratchSweep finds what killed callers left behind, and leaves alone what
// is in use, what is no directory, and what a link only points to.
func TestScratchSweep(t *testing.T) {
	temp := t.TempDir()
	inUse, err := newScratch(temp, os.Getuid())
	if err != nil {
		t.Fatal(err)
	}
	defer inUse.remove()
	stale, err := newScratch(temp, os.Getuid())
	if err != nil {
		t.Fatal(err)
	}
	stale.handle.Close() // as the death of its process would
	for _, d := range []string{"/other", "/precious"} {
		if err := os.Mkdir(temp+d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(temp+"/precious", temp+"/"+scratchPrefix+"link"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(temp+"/"+scratchPrefix+"file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	sweep(temp)
	for path, want := range map[string]bool{
		inUse.dir: true, stale.dir: false, temp + "/other": true, temp + "/precious": true,
		temp + "/" + scratchPrefix + "link": true, temp + "/" + scratchPrefix + "file": true,
	} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	// A link in the place of a scratch is not followed.
	swapped, err := newScratch(temp, os.Getuid())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(swapped.dir, temp+"/moved"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(temp+"/precious/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(temp+"/precious", swapped.dir); err != nil {
		t.Fatal(err)
	}
	swapped.remove()
	if _, err := os.Lstat(temp + "/precious/file"); err != nil {
		t.Errorf("a link was followed: %v", err)
	}
}
