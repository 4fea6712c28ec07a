package provision

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
)

// TestTreeChanged: whatever is changed in what a commit brought, nothing of it is given
// out to be run, also where its files were held against their digest before.
func TestTreeChanged(t *testing.T) {
	repo := newRepository(t)
	sha := repo.commit(map[string]string{
		"run.sh*": "#!/bin/sh\necho hello\n", "lib/a.txt": "aaaa", "lib/b.txt": "bbbb", "link@": "lib/a.txt",
	})
	must := func(t *testing.T, err ...error) {
		t.Helper()
		if err := errors.Join(err...); err != nil {
			t.Fatal(err)
		}
	}
	// over changes a file as who wants nobody to see it: its size and time stay.
	over := func(t *testing.T, file, text string) {
		info, err := os.Stat(file)
		must(t, err, os.Chmod(file, 0o700), os.WriteFile(file, []byte(text), 0o700), os.Chmod(file, info.Mode()), os.Chtimes(file, time.Time{}, info.ModTime()))
	}
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, root string)
		fine   bool
	}{
		{"a program", func(t *testing.T, root string) { over(t, root+"/run.sh", "#!/bin/sh\necho evil!\n") }, false},
		{"what a program reads", func(t *testing.T, root string) { over(t, root+"/lib/a.txt", "AAAA") }, false},
		{"one more", func(t *testing.T, root string) { must(t, os.WriteFile(root+"/lib/c.txt", nil, 0o600)) }, false},
		{"one less", func(t *testing.T, root string) { must(t, os.Remove(root+"/lib/b.txt")) }, false},
		{"an empty folder", func(t *testing.T, root string) { must(t, os.Mkdir(root+"/node_modules", 0o700)) }, false},
		{"the right to run", func(t *testing.T, root string) { must(t, os.Chmod(root+"/lib/a.txt", 0o755)) }, false},
		{"a link leads elsewhere", func(t *testing.T, root string) {
			must(t, os.Remove(root+"/link"), os.Symlink("lib/b.txt", root+"/link"))
		}, false},
		{"a link in place of a file", func(t *testing.T, root string) {
			must(t, os.Rename(root+"/lib/a.txt", filepath.Dir(root)+"/a"), os.Symlink("../../a", root+"/lib/a.txt"))
		}, false},
		{"two names exchanged", func(t *testing.T, root string) {
			must(t, os.Rename(root+"/lib/a.txt", root+"/x"), os.Rename(root+"/lib/b.txt", root+"/lib/a.txt"), os.Rename(root+"/x", root+"/lib/b.txt"))
		}, false},
		{"the record says nothing", func(t *testing.T, root string) {
			file := filepath.Join(filepath.Dir(root), prefixFile)
			data, err := os.ReadFile(file)
			lines := slices.DeleteFunc(strings.SplitAfter(string(data), "\n"), func(l string) bool { return strings.Contains(l, `"tree"`) })
			must(t, err, os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600))
		}, false},
		{"the twin: touched, and the very bytes again", func(t *testing.T, root string) {
			over(t, root+"/run.sh", "#!/bin/sh\necho evil!\n")
			over(t, root+"/run.sh", "#!/bin/sh\necho hello\n")
			must(t, os.Chtimes(root+"/lib/a.txt", time.Time{}, time.Unix(1, 0)))
		}, true},
	} {
		for _, remembered := range []bool{false, true} {
			t.Run(tt.name+map[bool]string{true: ", remembered"}[remembered], func(t *testing.T) {
				p := newProvisioner(t, nil)
				later := time.Now().Add(time.Hour) // what was written just now is settled
				p.Host.Now = func() time.Time { return later }
				got, err := p.Install(t.Context(), Request{Tool: gitTool("file://"+repo.dir, sha, "", "./run.sh"), Release: release(tt.name)})
				must(t, err)
				if remembered {
					_, err := p.Load(release(tt.name))
					must(t, err)
				}
				kept, _ := filepath.Glob(filepath.Join(p.Host.Paths.Trees(), "??", "*"))
				if (len(kept) == 1) != remembered {
					t.Fatalf("kept %q", kept)
				}
				tt.change(t, got.Dir)
				_, err = p.Load(release(tt.name))
				if tt.fine != (err == nil) || !tt.fine && (fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != "prefix_damaged" || len(fault.HintsOf(err)) == 0) {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}
