package packed

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
)

// catalogue is a file of n lines as a registry has it.
func catalogue(n int) [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	out := [][]byte{[]byte("{\"tools\":[\n")}
	for i := range n {
		var b bytes.Buffer
		fmt.Fprintf(&b, `{"name":"tool_%06d","latest":"1.%d.0","description":"`, i, r.IntN(9))
		for range 40 {
			fmt.Fprintf(&b, "w%x ", r.IntN(4000))
		}
		fmt.Fprintf(&b, `","published":"2026-01-%02dT00:00:00Z"},`+"\n", r.IntN(28)+1)
		out = append(out, b.Bytes())
	}
	return append(out, []byte("]}\n"))
}

func join(lines [][]byte) []byte { return bytes.Join(lines, nil) }

// TestPatch: what changed is small, and what comes out is the new file.
func TestPatch(t *testing.T) {
	old := catalogue(2000)
	edit := func(change func(lines [][]byte) [][]byte) []byte {
		return join(change(append([][]byte{}, old...)))
	}
	raised := func(line []byte) []byte {
		return bytes.Replace(bytes.Replace(line, []byte(`"latest":"1.`), []byte(`"latest":"20.`), 1), []byte("2026-01-"), []byte("2026-02-"), 1)
	}
	for _, tt := range []struct {
		name string
		new  []byte
		most int
	}{
		{"the same", join(old), 260},
		{"one raised", edit(func(l [][]byte) [][]byte { l[700] = raised(l[700]); return l }), 400},
		{"the first and the last raised", edit(func(l [][]byte) [][]byte { l[1], l[2000] = raised(l[1]), raised(l[2000]); return l }), 520},
		{"one gone", edit(func(l [][]byte) [][]byte { return append(l[:900:900], l[901:]...) }), 300},
		{"one new", edit(func(l [][]byte) [][]byte {
			return append(append(l[:900:900], catalogue(2100)[2050]), l[900:]...)
		}), 700},
		{"all gone", nil, 20},
		{"all others", bytes.ToUpper(join(old)), 400_000},
		{"turned around", edit(func(l [][]byte) [][]byte {
			for i, j := 0, len(l)-1; i < j; i, j = i+1, j-1 {
				l[i], l[j] = l[j], l[i]
			}
			return l
		}), 60_000},
		{"one byte", []byte("x"), 40},
		{"a line of two bytes, known", []byte("]}"), 40},
	} {
		patch, err := Patch(join(old), tt.new)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Apply(join(old), patch, int64(len(tt.new))+1)
		if err != nil || !bytes.Equal(got, tt.new) {
			t.Errorf("%s: %d bytes, %v, want %d", tt.name, len(got), err, len(tt.new))
		}
		if len(patch) > tt.most {
			t.Errorf("%s: the patch has %d bytes, want at most %d", tt.name, len(patch), tt.most)
		}
		again, err := Patch(join(old), tt.new)
		if err != nil || !bytes.Equal(again, patch) {
			t.Errorf("%s: made again it is another one, %v", tt.name, err)
		}
	}
}

// TestEveryLength of a copy and every distance has its own code.
func TestEveryLength(t *testing.T) {
	old := make([]byte, 3<<17)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range old {
		old[i] = byte(r.Uint32())
	}
	lengths := []int{0, 1, 2, 3, 4, maxBlock - 1, maxBlock, maxBlock + 1, maxBlock + 2, maxBlock + 3, 2 * maxBlock, len(old) - 1}
	for i := 5; i < len(old)-1; i = i*9/8 + 1 {
		lengths = append(lengths, i)
	}
	for _, n := range lengths {
		for _, from := range []int{0, 1, len(old) - n, (len(old) - n) / 2} {
			var f frames
			f.say([]byte("a"))
			f.copy(from, n)
			f.say([]byte("b"))
			f.copy(0, 3)
			patch, err := f.encode(old)
			if err != nil {
				t.Fatal(err)
			}
			want := "a" + string(old[from:from+n]) + "b" + string(old[:3])
			if got, err := Apply(old, patch, 1<<19); err != nil || string(got) != want {
				t.Fatalf("%d bytes from %d: %d bytes, %v", n, from, len(got), err)
			}
		}
	}
}

// TestBounds: a few bytes that promise many cost nothing.
func TestBounds(t *testing.T) {
	data := []byte(strings.Repeat("0123456789", 100_000))
	bomb, err := Pack(data)
	if err != nil || len(bomb) > 1000 {
		t.Fatalf("%d bytes, %v", len(bomb), err)
	}
	liar := bytes.Clone(bomb)
	copy(liar[5:], []byte{0xff, 0xff, 0xff, 0xff})
	for _, tt := range []struct {
		name   string
		data   []byte
		max    int
		reason string
	}{
		{"as much as allowed", bomb, len(data), ""},
		{"a byte more", bomb, len(data) - 1, "too_large"},
		{"twice", append(bytes.Clone(bomb), bomb...), len(data) + 1, "too_large"},
		{"a size that is a lie", liar, len(data), "too_large"},
		{"cut", bomb[:len(bomb)-1], len(data), "packed"},
		{"garbage", []byte("<!doctype html>"), len(data), "packed"},
		{"something after it", append(bytes.Clone(bomb), "<html>"...), len(data), "packed"},
		{"a dictionary that nobody has", []byte{0x28, 0xb5, 0x2f, 0xfd, 0x23, 0x07, 0, 0, 0, 0, 1, 0, 0}, 100, "packed"},
	} {
		got, err := Unpack(tt.data, int64(tt.max))
		if fault.ReasonOf(err) != tt.reason || tt.reason != "" && fault.KindOf(err) != fault.NotVerified {
			t.Errorf("%s: %d bytes, %v, want %q", tt.name, len(got), err, tt.reason)
		}
		if err == nil && !bytes.Equal(got, data) {
			t.Errorf("%s: other bytes", tt.name)
		}
	}
	// A patch that copies from before the beginning of the old file.
	var f frames
	f.copy(0, 50)
	patch, err := f.encode(make([]byte, 100))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Apply(make([]byte, 100), patch, 100); err != nil {
		t.Errorf("of the right file: %v", err)
	}
	if got, err := Apply(make([]byte, 99), patch, 100); fault.KindOf(err) != fault.NotVerified {
		t.Errorf("of a shorter file: %d bytes, %v", len(got), err)
	}
}

func FuzzUnpack(f *testing.F) {
	old := join(catalogue(20))
	packed, err := Pack(old)
	if err != nil {
		f.Fatal(err)
	}
	patch, err := Patch(old, append(bytes.Clone(old[:500]), old[400:]...))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed)
	f.Add(patch)
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		const most = 1 << 16
		if out, err := Unpack(data, most); len(out) > most || err == nil && len(out) > 0 && len(data) == 0 {
			t.Errorf("%d bytes", len(out))
		}
		if out, err := Apply(old, data, most); len(out) > most || err != nil && fault.KindOf(err) != fault.NotVerified {
			t.Errorf("%d bytes, %v", len(out), err)
		}
	})
}

func FuzzPatch(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nc\nb"))
	f.Add(join(catalogue(5)), join(catalogue(6)))
	f.Fuzz(func(t *testing.T, old, new []byte) {
		patch, err := Patch(old, new)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Apply(old, patch, int64(len(new))+1); err != nil || !bytes.Equal(got, new) {
			t.Errorf("%q, %v, want %q", got, err, new)
		}
	})
}

func BenchmarkPatch(b *testing.B) {
	old := catalogue(10_000)
	was := join(old)
	old[5000] = bytes.Replace(old[5000], []byte(`"1.`), []byte(`"2.`), 1)
	now := join(old)
	b.SetBytes(int64(len(now)))
	for b.Loop() {
		patch, err := Patch(was, now)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(patch)), "bytes")
	}
}
