package sandbox

import (
	"bytes"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
)

func TestLimitsDefaults(t *testing.T) {
	l := Limits{}.withDefaults()
	if l.Wall != limits.RunTime || l.Memory != limits.RunMemory || l.Processes != limits.RunProcesses || l.OpenFiles != limits.RunFiles ||
		l.FileSize != limits.RunFileSize || l.Scratch != limits.RunScratch || l.Stdout != limits.Stdout || l.Stderr != limits.Stderr {
		t.Errorf("got %+v", l)
	}
	if l.CPU < l.Wall {
		t.Errorf("processor time %v ends a run before %v", l.CPU, l.Wall)
	}
	set := Limits{time.Second, 2, 3, 4, 5, 6, 7, 8, 9}
	if got := set.withDefaults(); got != set {
		t.Errorf("got %+v, want %+v", got, set)
	}
}

func TestReadHead(t *testing.T) {
	for _, n := range []int{0, 1, 99_999, 100_000, 100_001, 1_000_000} {
		all := bytes.Repeat([]byte("a"), n)
		for name, r := range map[string]io.Reader{
			"whole": bytes.NewReader(all), "halves": iotest.HalfReader(bytes.NewReader(all)), "data with the end": iotest.DataErrReader(bytes.NewReader(all)),
		} {
			full := 0
			got := readHead(r, 100_000, func() { full++ }, nil)
			if len(got) != min(n, 100_000) || (full == 1) != (n > 100_000) || full > 1 {
				t.Errorf("%d bytes %s: kept %d, full %d times", n, name, len(got), full)
			}
		}
	}
}

// parts is a reader of what comes at several times.
type parts []string

func (p *parts) Read(b []byte) (int, error) {
	if len(*p) == 0 {
		return 0, io.EOF
	}
	n := copy(b, (*p)[0])
	if (*p)[0] = (*p)[0][n:]; (*p)[0] == "" {
		*p = (*p)[1:]
	}
	return n, nil
}

// TestHeard: it is the first beginning that ends with a line, unless it is long, and
// what comes is read on.
func TestHeard(t *testing.T) {
	long := strings.Repeat("a", readChunk) + "\n"
	for _, c := range []struct {
		parts parts
		heard string // "" never
	}{
		{parts{"a\n"}, "a\n"},
		{parts{"a", "b\n"}, "ab\n"},
		{parts{"a\n", "b\n"}, "a\n"},
		{parts{"a\nb", "c\n"}, "a\nbc\n"},
		{parts{"a"}, ""},
		{parts{}, ""},
		{parts{long[2:]}, long[2:]},
		{parts{long}, ""},
		{parts{long[1:]}, long[1:]},
	} {
		all, heard := strings.Join(c.parts, ""), []string(nil)
		r := slices.Clone(c.parts)
		got := readHead(&r, 1<<20, func() { t.Error("full") }, func(b []byte) { heard = append(heard, string(b)) })
		if string(got) != all || strings.Join(heard, "|") != c.heard {
			t.Errorf("%d bytes: kept %d, heard %.20q", len(all), len(got), heard)
		}
	}
	full := parts{"abc\n"}
	if got := readHead(&full, 2, func() {}, func([]byte) { t.Error("heard") }); string(got) != "ab" {
		t.Errorf("too much: %q", got)
	}
}

func TestReadTail(t *testing.T) {
	for _, n := range []int{0, 1, 100, 101, 199, 200, 201, 1000, 500_000} {
		all := []byte(strings.Repeat("0123456789", n/10+1)[:n])
		for name, r := range map[string]io.Reader{
			"whole": bytes.NewReader(all), "bytes": iotest.OneByteReader(bytes.NewReader(all)), "data with the end": iotest.DataErrReader(bytes.NewReader(all)),
		} {
			got, cut := readTail(r, 100)
			if want := all[max(0, n-100):]; !bytes.Equal(got, want) || cut != (n > 100) {
				t.Errorf("%d bytes %s: kept %d, cut %v", n, name, len(got), cut)
			}
		}
	}
}

func TestRelocation(t *testing.T) {
	r := relocate("/var/s", []Mount{
		{Source: "/opt/py", Target: "/py"}, {Source: "/opt/other", Target: "/py/lib"}, {Source: "/tmp/granted", Target: "/tmp/granted"},
	})
	for in, want := range map[string]string{
		"/tmp": "/var/s", "/tmp/tool.py": "/var/s/tool.py", "/tmpfile": "/tmpfile", "/py/bin/x": "/opt/py/bin/x",
		"/py/lib/y": "/opt/other/y", "/py/library": "/opt/py/library", "/tmp/granted/f": "/tmp/granted/f", "/tmp/grantedly": "/var/s/grantedly",
		"-x": "-x", "": "", "see /tmp": "see /tmp", "/usr/tmp": "/usr/tmp",
	} {
		if got := r.path(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	j := Job{
		Argv: []string{"/py/bin/x", "--at", "/tmp/a"}, Env: []string{"HOME=/tmp", "LIST=/py/lib:/usr:/tmp/b", "URL=http://h/tmp", "EMPTY="},
		Dir: "/tmp", StdinFile: "/tmp/in", Files: []File{{Target: "/tmp/in"}},
	}
	want := Job{
		Argv: []string{"/opt/py/bin/x", "--at", "/var/s/a"}, Env: []string{"HOME=/var/s", "LIST=/opt/other:/usr:/var/s/b", "URL=http://h/tmp", "EMPTY="},
		Dir: "/var/s", StdinFile: "/var/s/in", Files: []File{{Target: "/var/s/in"}},
	}
	before := j.Files[0].Target + j.Argv[0] + j.Env[0]
	if got := r.job(j); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if before != j.Files[0].Target+j.Argv[0]+j.Env[0] {
		t.Error("the caller's job was changed")
	}
}
