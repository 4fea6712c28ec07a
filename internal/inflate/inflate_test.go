package inflate

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

func packed(tb testing.TB, data []byte, level int) []byte {
	tb.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, level)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := w.Write(data); err != nil || w.Close() != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// texts are what packs in different ways: runs, noise, words, far copies, and
// more than one window and one buffer of each.
func texts() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 400<<10)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	var words bytes.Buffer
	for words.Len() < 900<<10 {
		fmt.Fprintf(&words, "word%d ", r.IntN(1<<r.IntN(16)))
	}
	skewed := make([]byte, 300<<10) // long codes
	for i := range skewed {
		skewed[i] = byte(r.ExpFloat64() * 9)
	}
	far := bytes.Clone(noise[:window])
	return map[string][]byte{
		"nothing": nil, "one": {7}, "run": bytes.Repeat([]byte{0}, 1<<20), "pairs": bytes.Repeat([]byte("ab"), 300<<10),
		"noise": noise, "words": words.Bytes(), "skewed": skewed, "far": bytes.Repeat(far, 12),
		"mixed": bytes.Join([][]byte{words.Bytes(), noise, skewed, words.Bytes()}, nil),
	}
}

// What the standard library packs comes back, whole, however the source hands it out.
func TestDecode(t *testing.T) {
	d := New()
	for name, text := range texts() {
		for _, level := range []int{flate.HuffmanOnly, flate.NoCompression, 1, 6, 9} {
			data := packed(t, text, level)
			for way, source := range map[string]io.Reader{
				"whole": bytes.NewReader(data), "with its end": iotest.DataErrReader(bytes.NewReader(data)), "halves": iotest.HalfReader(bytes.NewReader(data)),
			} {
				var out bytes.Buffer
				n, err := d.Decode(&out, source, int64(len(text)))
				if err != nil || n != int64(len(text)) || !bytes.Equal(out.Bytes(), text) {
					t.Errorf("%s, level %d, %s: got %d bytes, %v, want %d", name, level, way, n, err, len(text))
				}
			}
		}
	}
	text := texts()["words"][:3000]
	var out bytes.Buffer
	if _, err := d.Decode(&out, iotest.OneByteReader(bytes.NewReader(packed(t, text, 6))), 3000); err != nil || !bytes.Equal(out.Bytes(), text) {
		t.Errorf("byte by byte: %v", err)
	}
}

// A stream ends when more comes out than was expected, and no byte more is written.
func TestDecodeLong(t *testing.T) {
	for name, text := range texts() {
		if len(text) == 0 {
			continue
		}
		for _, level := range []int{flate.NoCompression, 6} {
			var out bytes.Buffer
			n, err := New().Decode(&out, bytes.NewReader(packed(t, text, level)), int64(len(text)-1))
			if !errors.Is(err, ErrLong) || n != int64(len(text)-1) || out.Len() != len(text)-1 {
				t.Errorf("%s: got %d bytes and %v", name, n, err)
			}
		}
	}
}

// Whatever fails, of the source or where it goes, is said.
func TestDecodeFails(t *testing.T) {
	text := texts()["mixed"]
	data := packed(t, text, 6)
	broken := errors.New("broken")
	if _, err := New().Decode(io.Discard, io.MultiReader(bytes.NewReader(data[:5000]), iotest.ErrReader(broken)), int64(len(text))); !errors.Is(err, broken) {
		t.Errorf("a source: got %v", err)
	}
	if _, err := New().Decode(failing{broken}, bytes.NewReader(data), int64(len(text))); !errors.Is(err, broken) {
		t.Errorf("a writer: got %v", err)
	}
	for _, n := range []int{0, 1, 2, 100, len(data) / 2, len(data) - 1} {
		if _, err := New().Decode(io.Discard, bytes.NewReader(data[:n]), int64(len(text))); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut to %d: got %v", n, err)
		}
	}
	for name, s := range map[string]string{
		"a kind that is none":             "\x07",
		"a block with two lengths":        "\x01\x01\x00\x00\x00x",
		"a copy of what was never there":  "\x03\x02\x00",
		"more symbols than there are":     "\xfd\xff\xff",
		"a code that is used up too soon": "\x05\xe0\x81\x08\x00\x00\x00\x00 \xff\xff\xff\xff",
	} {
		if _, err := New().Decode(io.Discard, strings.NewReader(s), 100); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// FuzzDecode: what the standard library accepts is accepted, with the same bytes,
// and what it refuses is refused.
func FuzzDecode(f *testing.F) {
	for _, text := range texts() {
		text = text[:min(len(text), 3000)]
		for _, level := range []int{flate.HuffmanOnly, flate.NoCompression, 6} {
			f.Add(packed(f, text, level))
		}
	}
	f.Add([]byte("\x03\x02\x00"))
	d := New()
	f.Fuzz(func(t *testing.T, data []byte) {
		const most = 1 << 20
		want, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data)), most+1))
		var got bytes.Buffer
		n, err2 := d.Decode(&got, bytes.NewReader(data), most)
		switch {
		case n != int64(got.Len()) || n > most:
			t.Errorf("got %d bytes, said %d", got.Len(), n)
		case len(want) > most:
			if !errors.Is(err2, ErrLong) && err2 == nil {
				t.Errorf("got %v for too much", err2)
			}
		case (err == nil) != (err2 == nil):
			t.Errorf("got %v, the standard library says %v", err2, err)
		case err == nil && !bytes.Equal(got.Bytes(), want):
			t.Error("other bytes come out")
		}
	})
}

// BenchmarkDecode goes over words and over noise, beside the standard library.
func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"words", "skewed", "run"} {
		text := texts()[name]
		data := packed(b, text, 6)
		b.Run(name+"/here", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			d := New()
			for b.Loop() {
				if _, err := d.Decode(io.Discard, bytes.NewReader(data), int64(len(text))); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/standard", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			r := flate.NewReader(nil)
			for b.Loop() {
				if err := r.(flate.Resetter).Reset(bytes.NewReader(data), nil); err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
