package sandbox

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestFrames(t *testing.T) {
	var b bytes.Buffer
	f := &framer{w: &b}
	big := bytes.Repeat([]byte("x"), maxFrame+1)
	for _, data := range [][]byte{nil, []byte("a"), big} {
		if err := f.send(frameStdout, data); err != nil {
			t.Fatal(err)
		}
	}
	var sizes []int
	buf := make([]byte, maxFrame)
	for {
		kind, data, err := readFrame(&b, buf)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || kind != frameStdout {
			t.Fatal(kind, err)
		}
		sizes = append(sizes, len(data))
	}
	if want := []int{0, 1, maxFrame, 1}; !reflect.DeepEqual(sizes, want) {
		t.Errorf("got %v", sizes)
	}
}

func TestFrameNumbers(t *testing.T) {
	for _, e := range []ending{{code: -1, signal: "SIGKILL", used: time.Second, oom: true}, {code: 255}, {}} {
		var got ending
		if err := got.decode(e.encode()); err != nil || got != e {
			t.Errorf("got %+v, %v", got, err)
		}
		if err := got.decode(append(e.encode(), 0)); err == nil {
			t.Error("one byte more was accepted")
		}
	}
	c, o := count{7, 1 << 40}, opening{true, 1 << 31, 64}
	var gotC count
	var gotO opening
	if gotC.decode(c.encode()) != nil || gotC != c || gotO.decode(o.encode()) != nil || gotO != o {
		t.Errorf("got %v %v", gotC, gotO)
	}
}

// FuzzFrames is what a container says, which another program carries here: it
// ends, and nothing but a status frame becomes a status.
func FuzzFrames(f *testing.F) {
	good := func(kind byte, data string) []byte {
		return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(data))), data...)
	}
	f.Add(append(good(frameStatus, "s"), good(frameEnding, string(ending{code: 3}.encode()))...))
	f.Add(append(good(frameStdout, "s"), good(frameCount, string(count{1, 2}.encode()))...))
	f.Add([]byte{frameStatus, 0xff, 0xff, 0xff, 0xff})
	f.Add(good('?', ""))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 4096 {
			return // pipes hold that much
		}
		p, err := newPipes(false)
		if err != nil {
			t.Fatal(err)
		}
		defer p.closeAll()
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(b)
		_ = w.Close()
		wr := &wire{p: p}
		wr.listen(r)
		_ = r.Close()
		status, _ := io.ReadAll(p.status)
		var want []byte
		for in, buf := bytes.NewReader(b), make([]byte, maxFrame); ; {
			kind, data, err := readFrame(in, buf)
			if err != nil || !bytes.Contains([]byte{frameStatus, frameStdout, frameStderr, frameCount, frameEnding}, []byte{kind}) {
				break
			}
			if kind == frameStatus {
				want = append(want, data...)
			}
			if kind == frameCount && new(count).decode(data) != nil || kind == frameEnding && new(ending).decode(data) != nil {
				break
			}
		}
		if !bytes.Equal(status, want) {
			t.Errorf("status %q, want %q", status, want)
		}
		if e := wr.ending(ending{}); wr.end == nil && e.signal != "SIGKILL" {
			t.Errorf("a container that did not tell its end ended as %+v", e)
		}
	})
}

// TestSystemProgram: only what root alone can change is executed.
func TestSystemProgram(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("for root only: nobody else can make what is root's")
	}
	for name, c := range map[string]struct {
		spoil func(path string) error
		ok    bool
	}{
		"good":            {func(string) error { return nil }, true},
		"writable":        {func(p string) error { return os.Chmod(p, 0o757) }, false},
		"group can write": {func(p string) error { return os.Chmod(p, 0o775) }, false},
		"not root's":      {func(p string) error { return os.Chown(p, 1, 0) }, false},
		"no program":      {func(p string) error { return os.Chmod(p, 0o644) }, false},
		"directory":       {func(p string) error { _ = os.Remove(p); return os.Mkdir(p, 0o755) }, false},
		"pipe":            {func(p string) error { _ = os.Remove(p); return unix.Mkfifo(p, 0o755) }, false},
		"dangling":        {func(p string) error { _ = os.Remove(p); return os.Symlink("/nowhere", p) }, false},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/prog", []byte("x"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := c.spoil(dir + "/prog"); err != nil {
			t.Fatal(err)
		}
		f, err := systemProgram("prog", dir)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		_ = f.Close()
	}
}

// TestProgramsKey: what was remembered of a driver is forgotten when the
// program that it lives on changes, or another one comes.
func TestProgramsKey(t *testing.T) {
	dir := t.TempDir()
	keys := map[string]string{}
	see := func(when string) {
		k := programsKey([]string{dir})
		if other, seen := keys[k]; seen {
			t.Errorf("%s is as %s", when, other)
		}
		keys[k] = when
	}
	see("nothing")
	if err := os.WriteFile(dir+"/bwrap", []byte("a"), 0o755); err != nil {
		t.Fatal(err)
	}
	see("bwrap")
	time.Sleep(20 * time.Millisecond) // a tick of the file system's clock
	if err := os.WriteFile(dir+"/bwrap", []byte("b"), 0o755); err != nil {
		t.Fatal(err)
	}
	see("another bwrap of the same size")
	if err := os.WriteFile(dir+"/docker", nil, 0o755); err != nil {
		t.Fatal(err)
	}
	see("docker, too")
}

// TestDeviceKey: what was remembered of one device is not said of another one
// at its path, whatever number the mount namespace has.
func TestDeviceKey(t *testing.T) {
	keys := map[string]string{}
	for _, path := range []string{os.DevNull, "/dev/zero", t.TempDir() + "/absent"} {
		k := deviceKey(path)
		if other, seen := keys[k]; seen {
			t.Errorf("%s is as %s", path, other)
		}
		keys[k] = path
	}
	if again := deviceKey(os.DevNull); keys[again] != os.DevNull {
		t.Errorf("the same device has another key: %q", again)
	}
	if k := bootKey(); !strings.HasSuffix(k, " "+deviceKey(tunDevice)) {
		t.Errorf("the boot does not name the device of networks: %q", k)
	}
}

func TestNeedsLoader(t *testing.T) {
	f, err := elf.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	want := false
	for _, p := range f.Progs {
		want = want || p.Type == elf.PT_INTERP
	}
	if got := linked(); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzNeedsLoader(f *testing.F) {
	if b, err := os.ReadFile(self); err == nil {
		f.Add(b[:4096])
	}
	f.Add([]byte{})
	f.Fuzz(func(_ *testing.T, b []byte) { needsLoader(b) })
}
