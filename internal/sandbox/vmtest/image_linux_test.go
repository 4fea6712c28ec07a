package vmtest

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// archive writes the cpio format that kernels unpack ("newc").
type archive struct {
	w    *bufio.Writer
	next int
	made map[string]bool
}

func (a *archive) entry(name string, mode uint32, data []byte) {
	if a.made[name] {
		return
	}
	a.made[name] = true
	a.next++
	head := fmt.Sprintf("070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\x00",
		a.next, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name)+1, 0, name)
	_, _ = a.w.WriteString(head + strings.Repeat("\x00", -len(head)&3))
	_, _ = a.w.Write(data)
	_, _ = a.w.WriteString(strings.Repeat("\x00", -len(data)&3))
}

// Types of files, as in st_mode.
const (
	typeDir  = 0o040000
	typeFile = 0o100000
	typeLink = 0o120000
)

// image writes what the machine boots into: the packages, in the layout with
// one /usr, and files of ours.
func (p packages) image(t *testing.T, to string, own map[string]string) {
	t.Helper()
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	a := &archive{w: bufio.NewWriterSize(f, 1<<20), made: map[string]bool{}}
	for _, d := range []string{"proc", "sys", "dev", "tmp", "etc", "root", "home", "run", "mnt", "usr", "usr/lib", "usr/lib64", "usr/bin", "usr/sbin"} {
		a.entry(d, typeDir|0o755, nil)
	}
	for _, d := range []string{"lib", "lib64", "bin", "sbin"} {
		a.entry(d, typeLink|0o777, []byte("usr/"+d))
	}
	a.entry("etc/passwd", typeFile|0o644, []byte("root:x:0:0::/root:/bin/false\nuser:x:1000:1000::/home:/bin/false\nnobody:x:65534:65534::/:/bin/false\n"))
	for name, source := range own {
		b, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		a.entry(name, typeFile|0o755, b)
	}
	err = filepath.WalkDir(p.guest, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(p.guest, path)
		if err != nil || name == "." {
			return err
		}
		for _, d := range []string{"lib/", "lib64/", "bin/", "sbin/"} {
			if strings.HasPrefix(name, d) {
				name = "usr/" + name
			}
		}
		info, err := e.Info()
		switch {
		case err != nil:
			return err
		case e.IsDir() && (name == "usr/share" || name == "var"):
			return filepath.SkipDir
		case e.IsDir():
			a.entry(name, typeDir|0o755, nil)
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			a.entry(name, typeLink|0o777, []byte(to))
		case info.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			a.entry(name, typeFile|uint32(info.Mode().Perm()), b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	a.entry("TRAILER!!!", 0, nil)
	if err := a.w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
