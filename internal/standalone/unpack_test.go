package standalone

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
)

// pack makes an archive. A member without a type is a file with its name as
// its content.
func pack(tb testing.TB, members ...tar.Header) []byte {
	tb.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	w := tar.NewWriter(packed)
	for _, m := range members {
		data := ""
		if m.Typeflag == 0 || m.Typeflag == tar.TypeReg {
			m.Typeflag, data = tar.TypeReg, m.Name
			m.Size = int64(len(data))
		}
		if m.Mode == 0 {
			m.Mode = 0o644
		}
		if err := w.WriteHeader(&m); err != nil {
			tb.Fatal(err)
		}
		if _, err := w.Write([]byte(data)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), packed.Close()); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// honest is an archive as builds are.
func honest() []tar.Header {
	return []tar.Header{
		{Name: "python/", Typeflag: tar.TypeDir},
		{Name: "python/bin/python3", Typeflag: tar.TypeSymlink, Linkname: "python3.12"},
		{Name: "python/bin/python3.12", Mode: 0o755},
		{Name: "python/bin/idle3", Typeflag: tar.TypeSymlink, Linkname: "idle3.12"},
		{Name: "python/bin/idle3.12", Mode: 0o755},
		{Name: "python/bin/pip3", Mode: 0o755},
		{Name: "python/lib/libpython3.12.so", Typeflag: tar.TypeSymlink, Linkname: "libpython3.12.so.1.0"},
		{Name: "python/lib/libpython3.12.so.1.0", Mode: 0o755},
		{Name: "python/lib/python3.12/", Typeflag: tar.TypeDir},
		{Name: "python/lib/python3.12/os.py"},
		{Name: "python/lib/python3.12/LICENSE.txt"},
		{Name: "python/lib/python3.12/posix.py", Typeflag: tar.TypeLink, Linkname: "python/lib/python3.12/os.py"},
		{Name: "python/lib/python3.12/link.py", Typeflag: tar.TypeSymlink, Linkname: "../python3.12/./os.py"},
		{Name: "python/lib/python3.12/__pycache__/os.cpython-312.pyc"},
		{Name: "python/lib/python3.12/test/test_os.py"},
		{Name: "python/lib/python3.12/site-packages/pip/__init__.py"},
		{Name: "python/share/terminfo/x/xterm+256"},
	}
}

// tree lists what lies below a folder.
func tree(tb testing.TB, dir string) []string {
	tb.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		out = append(out, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

func TestUnpack(t *testing.T) {
	dest := t.TempDir()
	if err := Unpack(bytes.NewReader(pack(t, honest()...)), dest, Options{}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"bin/python3", "bin/python3.12", "lib/libpython3.12.so", "lib/libpython3.12.so.1.0", "lib/python3.12/LICENSE.txt",
		"lib/python3.12/link.py", "lib/python3.12/os.py", "lib/python3.12/posix.py",
	}
	if got := tree(t, dest); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for name, want := range map[string]string{"bin/python3": "python/bin/python3.12", "lib/python3.12/link.py": "python/lib/python3.12/os.py", "lib/python3.12/posix.py": "python/lib/python3.12/os.py"} {
		if b, err := os.ReadFile(filepath.Join(dest, name)); err != nil || string(b) != want {
			t.Errorf("%s: got %q, %v", name, b, err)
		}
	}
	for name, want := range map[string]fs.FileMode{"bin/python3.12": 0o755, "lib/python3.12/os.py": 0o644} {
		if info, err := os.Stat(filepath.Join(dest, name)); err != nil || info.Mode() != want && runtime.GOOS != "windows" {
			t.Errorf("%s: got %v, %v", name, info.Mode(), err)
		}
	}
	dest = t.TempDir()
	if err := Unpack(bytes.NewReader(pack(t, honest()...)), dest, Options{Bytecode: true}); err != nil || !slices.Contains(tree(t, dest), "lib/python3.12/__pycache__/os.cpython-312.pyc") {
		t.Errorf("with bytecode: got %v, %v", tree(t, dest), err)
	}
}

// Every trick is one more member than an honest archive has. The twin of all of
// them is that archive.
func TestUnpackRefuses(t *testing.T) {
	const lib = "python/lib/python3.12/"
	long := strings.Repeat("x/", maxPathDepth) + "x"
	for name, tricks := range map[string][]tar.Header{
		"up":                    {{Name: "python/../escape"}},
		"up and back":           {{Name: "python/lib/../../../escape"}},
		"up from the top":       {{Name: "../escape"}},
		"absolute":              {{Name: "/tmp/escape"}},
		"outside the folder":    {{Name: "escape"}},
		"beside the folder":     {{Name: "pythons/escape"}},
		"backslash":             {{Name: `python/lib\..\..\escape`}},
		"drive":                 {{Name: "python/c:escape"}},
		"control":               {{Name: "python/lib/a\nb"}},
		"not text":              {{Name: "python/lib/a\xff"}},
		"empty part":            {{Name: "python/lib//escape"}},
		"deep":                  {{Name: lib + long}},
		"long":                  {{Name: lib + strings.Repeat("y", maxPartBytes+1)}},
		"left out and up":       {{Name: "python/share/../../escape"}},
		"twice":                 {{Name: lib + "os.py"}},
		"file over folder":      {{Name: "python/lib/python3.12"}},
		"folder over file":      {{Name: lib + "os.py/x"}},
		"link over file":        {{Name: lib + "os.py", Typeflag: tar.TypeSymlink, Linkname: "a"}},
		"link up":               {{Name: "python/bin/python", Typeflag: tar.TypeSymlink, Linkname: "../../escape"}},
		"link to the top's top": {{Name: "python/bin/python", Typeflag: tar.TypeSymlink, Linkname: "../.."}},
		"link absolute":         {{Name: "python/bin/python", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}},
		"link to nothing":       {{Name: "python/bin/python", Typeflag: tar.TypeSymlink, Linkname: "python9"}},
		"link without target":   {{Name: "python/bin/python", Typeflag: tar.TypeSymlink}},
		"link with a drive":     {{Name: "python/bin/python", Typeflag: tar.TypeSymlink, Linkname: "c:python"}},
		"circle": {
			{Name: "python/bin/python", Typeflag: tar.TypeSymlink, Linkname: "python4"},
			{Name: "python/bin/python4", Typeflag: tar.TypeSymlink, Linkname: "python"},
		},
		"link to itself":       {{Name: "python/bin/python", Typeflag: tar.TypeSymlink, Linkname: "python"}},
		"write through a link": {{Name: "python/out", Typeflag: tar.TypeSymlink, Linkname: "lib"}, {Name: "python/out/x"}},
		"link through a link": { // by its text inside, by the disk above
			{Name: "python/lib/deep/a", Typeflag: tar.TypeSymlink, Linkname: "../../bin"},
			{Name: "python/bin/python5", Typeflag: tar.TypeSymlink, Linkname: "../lib/deep/a/../../python3.12"},
		},
		"hard link out":         {{Name: lib + "a.py", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}},
		"hard link up":          {{Name: lib + "a.py", Typeflag: tar.TypeLink, Linkname: "python/../../etc/passwd"}},
		"hard link to a link":   {{Name: lib + "a.py", Typeflag: tar.TypeLink, Linkname: lib + "link.py"}},
		"hard link forward":     {{Name: lib + "a.py", Typeflag: tar.TypeLink, Linkname: lib + "later.py"}, {Name: lib + "later.py"}},
		"hard link to left out": {{Name: lib + "a.py", Typeflag: tar.TypeLink, Linkname: lib + "test/test_os.py"}},
		"device":                {{Name: lib + "null", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3}},
		"block device":          {{Name: lib + "disk", Typeflag: tar.TypeBlock}},
		"pipe":                  {{Name: lib + "pipe", Typeflag: tar.TypeFifo}},
		"device left out":       {{Name: "python/share/null", Typeflag: tar.TypeChar}},
		"a type of its own":     {{Name: lib + "odd", Typeflag: '7'}},
	} {
		t.Run(name, func(t *testing.T) {
			above := t.TempDir()
			dest := filepath.Join(above, "a", "dest")
			if err := os.MkdirAll(dest, 0o755); err != nil {
				t.Fatal(err)
			}
			err := Unpack(bytes.NewReader(pack(t, append(honest(), tricks...)...)), dest, Options{})
			if fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != "python_unsafe" {
				t.Errorf("got %v, want a refusal", err)
			}
			for _, file := range tree(t, above) {
				if !strings.HasPrefix(file, "a/dest/") || strings.Contains(file, "escape") {
					t.Errorf("wrote %s", file)
				}
			}
		})
	}
}

// An archive that ends early, is damaged, or unpacks to more than it may.
func TestUnpackDamaged(t *testing.T) {
	whole := pack(t, honest()...)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 1 // the checksum
	for name, data := range map[string][]byte{"empty": nil, "not gzip": []byte("PK\x03\x04 and more"), "cut": whole[:len(whole)/2], "cut at the end": whole[:len(whole)-3], "checksum": flipped} {
		if err := Unpack(bytes.NewReader(data), t.TempDir(), Options{}); fault.ReasonOf(err) != "python_unsafe" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	const most = 20_000 // with the headers that the tar has
	if err := unpack(bytes.NewReader(whole), t.TempDir(), Options{}, most); err != nil {
		t.Errorf("the twin: got %v", err)
	}
	big := append(honest(), tar.Header{Name: "python/share/" + strings.Repeat("a", 90)})
	for range 20 {
		big = append(big, tar.Header{Name: "python/share/" + strings.Repeat("b", 90) + string(rune('a'+len(big)-17))})
	}
	if err := unpack(bytes.NewReader(pack(t, big...)), t.TempDir(), Options{}, most); fault.ReasonOf(err) != "python_unsafe" || !strings.Contains(err.Error(), "more than is allowed") {
		t.Errorf("too much: got %v", err)
	}
	// A bomb of nothing but zeros behind the end of the tar.
	var bomb bytes.Buffer
	packed := gzip.NewWriter(&bomb)
	_, err1 := packed.Write(make([]byte, most+1))
	if err := errors.Join(err1, packed.Close()); err != nil {
		t.Fatal(err)
	}
	if err := unpack(bytes.NewReader(bomb.Bytes()), t.TempDir(), Options{}, most); fault.ReasonOf(err) != "python_unsafe" {
		t.Errorf("zeros: got %v", err)
	}
}

// What the disk refuses is no fault of the archive.
func TestUnpackWithoutDisk(t *testing.T) {
	err := Unpack(bytes.NewReader(pack(t, honest()...)), filepath.Join(t.TempDir(), "missing"), Options{})
	if !errors.Is(err, fs.ErrNotExist) || fault.ReasonOf(err) != "" {
		t.Errorf("got %v", err)
	}
}

// FuzzUnpack holds that nothing outside of the folder changes, whatever the tar
// says, and that all links stay inside.
func FuzzUnpack(f *testing.F) {
	plain := func(members ...tar.Header) []byte {
		r, err := gzip.NewReader(bytes.NewReader(pack(f, members...)))
		if err != nil {
			f.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := out.ReadFrom(r); err != nil {
			f.Fatal(err)
		}
		return out.Bytes()
	}
	f.Add(plain(honest()...))
	f.Add(plain(tar.Header{Name: "python/a", Typeflag: tar.TypeSymlink, Linkname: ".."}, tar.Header{Name: "python/a/b"}))
	f.Add(plain(tar.Header{Name: "python/../b"}, tar.Header{Name: "python/x", Typeflag: tar.TypeLink, Linkname: "python/../y"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		above := t.TempDir()
		dest := filepath.Join(above, "a", "dest")
		if err := os.MkdirAll(dest, 0o755); err != nil {
			t.Fatal(err)
		}
		err := unpack(&packed, dest, Options{}, 1<<20)
		for _, file := range tree(t, above) {
			inside, ok := strings.CutPrefix(file, "a/dest/")
			if !ok {
				t.Fatalf("wrote %s", file)
			}
			real, linkErr := filepath.EvalSymlinks(filepath.Join(dest, inside))
			if err == nil && (linkErr != nil || !strings.HasPrefix(real, dest+string(filepath.Separator))) {
				t.Errorf("%s leads to %s, %v", inside, real, linkErr)
			}
		}
	})
}
