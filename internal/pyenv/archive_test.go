package pyenv

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// member is one file of a hand-made wheel. The lies are added to, or stand in
// for, the true values.
type member struct {
	name    string
	data    string
	stored  bool   // not compressed
	mode    uint32 // Unix mode with file type; 0 for none
	flags   uint16
	local   string // name in the local header, if another
	method  int    // method in both headers, if not 0
	sizeLie int    // added to the unpacked size in both headers
	packLie int    // added to the packed size in both headers
	crcLie  uint32 // added to the CRC in both headers
	localSz int    // added to the unpacked size in the local header alone
	at      int    // local header shared with the member of this number, from 1
	extra   []byte // local extra field
}

// frame is what lies around the members.
type frame struct {
	members []member
	prefix  string
	gap     string // between directory and end
	suffix  string
	comment string
	count   int // added to the number of members in the end record
	disk    uint16
}

// wheelOf is a frame without lies.
func wheelOf(members ...member) frame { return frame{members: members} }

// bytes packs the frame, lies and all. Its layout is written here once more,
// by other means than the reader's, from APPNOTE 4.3.
func (f frame) bytes() []byte {
	var out, dir bytes.Buffer
	put := func(b *bytes.Buffer, values ...any) {
		for _, v := range values {
			_ = binary.Write(b, binary.LittleEndian, v)
		}
	}
	out.WriteString(f.prefix)
	offsets := []uint32{0}
	for _, m := range f.members {
		packed := []byte(m.data)
		method := uint16(8)
		if m.stored {
			method = 0
		} else {
			var b bytes.Buffer
			w, _ := flate.NewWriter(&b, 9)
			_, _ = w.Write([]byte(m.data))
			_ = w.Close()
			packed = b.Bytes()
		}
		if m.method != 0 {
			method = uint16(m.method)
		}
		flags := m.flags
		if !ascii(m.name) {
			flags ^= flagUTF8
		}
		crc := crc32.ChecksumIEEE([]byte(m.data)) + m.crcLie
		packedSize, size := uint32(len(packed)+m.packLie), uint32(len(m.data)+m.sizeLie)
		offset := uint32(out.Len())
		if m.at > 0 {
			offset = offsets[m.at]
		} else {
			local := or(m.local, m.name)
			put(&out, uint32(0x04034b50), uint16(20), flags, method, uint32(0), crc, packedSize, size+uint32(m.localSz), uint16(len(local)), uint16(len(m.extra)))
			out.WriteString(local)
			out.Write(m.extra)
			out.Write(packed)
		}
		offsets = append(offsets, offset)
		put(&dir, uint32(0x02014b50), uint16(3<<8|20), uint16(20), flags, method, uint32(0), crc, packedSize, size,
			uint16(len(m.name)), uint16(0), uint16(0), uint16(0), uint16(0), m.mode<<16, offset)
		dir.WriteString(m.name)
	}
	at, length := uint32(out.Len()), uint32(dir.Len())
	out.Write(dir.Bytes())
	out.WriteString(f.gap)
	n := uint16(len(f.members) + f.count)
	put(&out, uint32(0x06054b50), f.disk, f.disk, n, n, length, at, uint16(len(f.comment)))
	out.WriteString(f.comment)
	out.WriteString(f.suffix)
	return out.Bytes()
}

// unpackInto unpacks into a fresh directory and lists what came out.
func unpackInto(tb testing.TB, wheel []byte) (files []string, err error) {
	tb.Helper()
	dir := tb.TempDir()
	dest := filepath.Join(dir, "dest")
	if err := os.Mkdir(dest, 0o755); err != nil {
		tb.Fatal(err)
	}
	err = Unpack(bytes.NewReader(wheel), int64(len(wheel)), dest)
	beside, _ := os.ReadDir(dir)
	if len(beside) != 1 {
		tb.Errorf("unpacking left %v beside its directory", beside)
	}
	_ = filepath.WalkDir(dest, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			tb.Error(err)
			return err
		}
		if info, err := d.Info(); err != nil || !d.IsDir() && info.Mode() != 0o444 {
			tb.Errorf("%s came out as %v", path, info.Mode())
		}
		if !d.IsDir() {
			rel, _ := filepath.Rel(dest, path)
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	return files, err
}

// Each attack stands beside a twin that differs from it in one point and is
// accepted.
func TestUnpackAttacks(t *testing.T) {
	const link, device, regularMode, dirMode = 0o120777, 0o020666, 0o100755, 0o040755
	good := member{name: "pkg/__init__.py", data: "x = 1\n"}
	with := func(change func(*member)) frame { m := good; change(&m); return wheelOf(m) }
	named := func(names ...string) frame {
		var f frame
		for _, n := range names {
			f.members = append(f.members, member{name: n})
		}
		return f
	}
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	tests := []struct {
		name         string
		attack, twin frame
		want         string
	}{
		{"parent", named("../evil.py"), named("..evil.py"), "not plain"},
		{"parent inside", named("pkg/../../evil.py"), named("pkg/a/b/evil.py"), "not plain"},
		{"absolute", named("/etc/passwd"), named("etc/passwd"), "not plain"},
		{"backslash", named(`pkg\..\evil.py`), named("pkg/evil.py"), "character"},
		{"drive", named("C:/evil.py"), named("C/evil.py"), "character"},
		{"stream", named("pkg/a.py:hidden"), named("pkg/a.py_hidden"), "character"},
		{"zero byte", named("pkg/a.py\x00.txt"), named("pkg/a.py0.txt"), "character"},
		{"line end", named("pkg/a\n.py"), named("pkg/an.py"), "character"},
		{"dot", named("./a.py"), named("a.py"), "not plain"},
		{"empty part", named("pkg//a.py"), named("pkg/a.py"), "not plain"},
		{"empty name", named(""), named("a"), "not plain"},
		{"final dot", named("pkg/a.py."), named("pkg/a.py.x"), "not plain"},
		{"final space", named("pkg /a.py"), named("p kg/a.py"), "not plain"},
		{"too deep", named(strings.Repeat("a/", 32) + "b.py"), named(strings.Repeat("a/", 31) + "b.py"), "too long"},
		{"too long", named(strings.Repeat("abc/", 30) + strings.Repeat("x", 393)), named(strings.Repeat("abc/", 30) + strings.Repeat("x", 200)), "too long"},
		{"long part", named(strings.Repeat("x", 256)), named(strings.Repeat("x", 255)), "not plain"},
		{"parent that is left out", named("a-1.data/scripts/../../../evil"), named("a-1.data/scripts/evil"), "not plain"},
		{"directory parent", named("../"), named("pkg/"), "not plain"},
		{"device name", named("pkg/con"), named("pkg/con_"), "device of Windows"},
		{"device name with an ending", named("pkg/Nul.py"), named("pkg/null.py"), "device of Windows"},
		{"device name as a folder", named("aux/a.py"), named("auxi/a.py"), "device of Windows"},
		{"device port", named("pkg/com1.py"), named("pkg/com10.py"), "device of Windows"},
		{"device port with a small digit", named("pkg/lpt\u00b2.py"), named("pkg/lpt\u2074.py"), "device of Windows"},
		{"device that is left out", named("a-1.data/scripts/prn"), named("a-1.data/scripts/print"), "device of Windows"},
		{"symlink", with(func(m *member) { m.mode = link; m.data = "/etc/passwd" }), with(func(m *member) { m.mode = regularMode; m.data = "/etc/passwd" }), "link or another special"},
		{"device", with(func(m *member) { m.mode = device }), with(func(m *member) { m.mode = regularMode }), "special file"},
		{"file that says directory", with(func(m *member) { m.mode = dirMode }), with(func(m *member) { m.mode = regularMode }), "special file"},
		{"directory with content", frame{members: []member{{name: "pkg/", data: "x"}}}, frame{members: []member{{name: "pkg/", stored: true}}}, "has content"},
		{"same name twice", named("pkg/a.py", "pkg/a.py"), named("pkg/a.py", "pkg/b.py"), "occurs twice"},
		{"case twin", named("pkg/a.py", "pkg/A.py"), named("pkg/a.py", "pkg/A2.py"), "differ only in case"},
		{"case twin of a directory", named("pkg/a.py", "PKG/b.py"), named("pkg/a.py", "pkg/b.py"), "differ only in case"},
		{"long s twin", named("pkg/s.py", "pkg/\u017f.py"), named("pkg/s.py", "pkg/\u0173.py"), "differ only in case"},
		{"file and directory", named("pkg", "pkg/a.py"), named("pkg2", "pkg/a.py"), "occurs twice"},
		{"directory and file", named("pkg/a.py", "pkg"), named("pkg/a.py", "pkg2"), "occurs twice"},
		{"twin through purelib", named("pkg/a.py", "a-1.data/purelib/pkg/a.py"), named("pkg/a.py", "a-1.data/purelib/pkg/b.py"), "occurs twice"},
		{"name not UTF-8", named("pkg/\xff.py"), named("pkg/\u00ff.py"), "not UTF-8"},
		{"name in an unnamed code page", frame{members: []member{{name: "pkg/\u00e9.py", flags: flagUTF8}}}, named("pkg/\u00e9.py"), "not UTF-8"},
		{"encrypted", with(func(m *member) { m.flags = flagEncrypted }), with(func(m *member) { m.flags = 0 }), "encrypted"},
		{"masked headers", with(func(m *member) { m.flags = flagMasked }), with(func(m *member) { m.flags = flagUTF8 }), "encrypted"},
		{"unknown method", with(func(m *member) { m.method = 12 }), with(func(m *member) { m.method = 8 }), "compression method 12"},
		{"damaged data", with(func(m *member) { m.stored = true; m.method = 8; m.data = "\xff\xff\xff" }), with(func(m *member) { m.stored = true; m.data = "\xff\xff\xff" }), "damaged"},
		{"size too small", with(func(m *member) { m.sizeLie = -2 }), wheelOf(good), "not what its header promises"},
		{"size too large", with(func(m *member) { m.sizeLie = 2 }), wheelOf(good), "not what its header promises"},
		{"stored with two sizes", with(func(m *member) { m.stored = true; m.sizeLie = 2 }), with(func(m *member) { m.stored = true }), "two sizes"},
		{"wrong CRC", with(func(m *member) { m.crcLie = 1 }), wheelOf(good), "not what its header promises"},
		{"64-bit size", with(func(m *member) { m.sizeLie = -1 - len(m.data) }), wheelOf(good), "64-bit"},
		{"local name differs", with(func(m *member) { m.local = "pkg/__init__.pX" }), wheelOf(good), "contradicts the directory"},
		{"local size differs", with(func(m *member) { m.localSz = 1 }), wheelOf(good), "other sizes than the directory"},
		{"data past the directory", with(func(m *member) { m.packLie = 40; m.stored = true; m.sizeLie = 40 }), with(func(m *member) { m.stored = true }), "overlaps"},
		{"shared data", wheelOf(good, member{name: good.name, data: good.data, at: 1}), wheelOf(good, member{name: "pkg/b.py", data: good.data}), "overlaps"},
		{"bytes before", frame{members: []member{good}, prefix: "#!/bin/sh\n"}, wheelOf(good), "does not begin with its first member"},
		{"bytes before the end", frame{members: []member{good}, gap: "gap"}, wheelOf(good), "between its directory and its end"},
		{"bytes after", frame{members: []member{good}, suffix: "more"}, wheelOf(good), "does not end with its end record"},
		{"comment", frame{members: []member{good}, comment: "hi"}, wheelOf(good), "does not end with its end record"},
		{"second archive in the comment", frame{members: []member{good}, comment: string(named("evil.py").bytes())}, wheelOf(good), "lies outside|between its|does not end"},
		{"several parts", frame{members: []member{good}, disk: 1}, wheelOf(good), "several parts"},
		{"more members than listed", frame{members: []member{good, {name: "b"}}, count: -1}, wheelOf(good, member{name: "b"}), "more than its members"},
		{"fewer members than listed", frame{members: []member{good}, count: 1}, wheelOf(good), "too short"},
		{"bomb", with(func(m *member) { m.data = zeros(3 * limits.MiB) }), with(func(m *member) { m.data = zeros(limits.MiB) }), "times as many"},
		{"too many members", frame{members: []member{good}, count: limits.WheelFiles}, wheelOf(good), "members, allowed are"},
		{"64-bit extra field", with(func(m *member) { m.packLie = -1 }), with(func(m *member) { m.extra = make([]byte, 20) }), "damaged|promises|overlaps"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := unpackInto(t, tt.attack.bytes())
			ok := err != nil && slices.ContainsFunc(strings.Split(tt.want, "|"), func(w string) bool { return strings.Contains(err.Error(), w) })
			if !ok || fault.KindOf(err) != fault.NotVerified || fault.ReasonOf(err) != "wheel_unsafe" {
				t.Errorf("attack: got %v (%s), want a refusal with %q", err, fault.ReasonOf(err), tt.want)
			}
			if _, err := unpackInto(t, tt.twin.bytes()); err != nil {
				t.Errorf("twin: got %v, want it accepted", err)
			}
		})
	}
}

// What RECORD says is believed neither where it is wrong nor where it is missing:
// the digest of the whole wheel has answered for every byte.
func TestUnpackRecord(t *testing.T) {
	module := member{name: "pkg/__init__.py", data: "x = 1\n"}
	lies := member{name: "pkg-1.dist-info/RECORD", data: "pkg/__init__.py,sha256=AAAA,999\n../../evil.py,,\n/etc/passwd,,\npkg/missing.py,,\n"}
	for _, f := range []frame{wheelOf(module, lies), wheelOf(module)} {
		if files, err := unpackInto(t, f.bytes()); err != nil || !slices.Contains(files, module.name) || len(files) != len(f.members) {
			t.Errorf("got %v, %v, want the members and nothing else", files, err)
		}
	}
}

// A wheel has no place for the end of the world: sums beyond the cap, the
// whole in lies of many members, are refused before a byte is written.
func TestUnpackSum(t *testing.T) {
	var f frame
	for i := range 5 {
		f.members = append(f.members, member{name: fmt.Sprint(i), sizeLie: limits.WheelContent / 4})
	}
	files, err := unpackInto(t, f.bytes())
	if err == nil || !strings.Contains(err.Error(), "unpacks to more than") || len(files) != 0 {
		t.Errorf("got %v and files %v, want a refusal before the first file", err, files)
	}
}

func TestUnpackTruncated(t *testing.T) {
	whole := wheelOf(member{name: "pkg/a.py", data: "print(1)\n"}, member{name: "b.py"}).bytes()
	for n := range len(whole) {
		if _, err := unpackInto(t, whole[:n]); err == nil {
			t.Errorf("the first %d of %d bytes were accepted", n, len(whole))
		}
	}
}

// What is kept of a wheel, and what is left out.
func TestUnpackPlaces(t *testing.T) {
	var f frame
	for _, n := range []string{
		"pkg/__init__.py", "pkg/native.so", "pkg-1.dist-info/METADATA", "pkg-1.dist-info/RECORD", "top.pth",
		"pkg-1.data/purelib/pure/a.py", "pkg-1.data/platlib/plat.so", "empty/",
		"pkg-1.data/scripts/run", "pkg-1.data/headers/a.h", "pkg-1.data/data/etc/conf", "pkg-1.data/other/x", "pkg-1.data/loose",
		"pkg/__pycache__/__init__.cpython-312.pyc", "pkg/old.pyc", "pkg/older.PYO", "__pycache__/x.py",
	} {
		f.members = append(f.members, member{name: n, stored: true, mode: map[bool]uint32{true: 0o040755, false: 0o100777}[strings.HasSuffix(n, "/")]})
	}
	got, err := unpackInto(t, f.bytes())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"pkg-1.dist-info/METADATA", "pkg-1.dist-info/RECORD", "pkg/__init__.py", "pkg/native.so", "plat.so", "pure/a.py", "top.pth"}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// FuzzWheel: whatever the bytes, nothing is written outside, nothing but plain
// read-only files, and no more than the limits allow; what is accepted once is
// accepted again.
func FuzzWheel(f *testing.F) {
	f.Add(wheelOf(member{name: "pkg/__init__.py", data: "x = 1\n"}, member{name: "pkg/b.so", stored: true, data: "\x7fELF"}).bytes())
	f.Add(wheelOf(member{name: "../evil", mode: 0o120777, data: "/etc"}).bytes())
	f.Add(wheelOf(member{name: "a-1.data/platlib/a.py"}, member{name: "A.py", at: 1}).bytes())
	f.Add(frame{members: []member{{name: "a", sizeLie: -1}}, comment: "PK\x05\x06"}.bytes())
	f.Add(wheelOf(member{name: "zero", data: strings.Repeat("\x00", 4096)}, member{name: "dir/"}).bytes())
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, wheel []byte) {
		files, err := unpackInto(t, wheel)
		if err != nil && fault.ReasonOf(err) != "wheel_unsafe" {
			t.Errorf("got %v, want a refusal of the wheel", err)
		}
		if again, err2 := unpackInto(t, wheel); (err == nil) != (err2 == nil) || err == nil && !slices.Equal(files, again) {
			t.Errorf("got %v %v, then %v %v", files, err, again, err2)
		}
	})
}
