package sandbox

import (
	"bytes"
	"io"
	"reflect"
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
			got := readHead(r, 100_000, func() { full++ })
			if len(got) != min(n, 100_000) || (full == 1) != (n > 100_000) || full > 1 {
				t.Errorf("%d bytes %s: kept %d, full %d times", n, name, len(got), full)
			}
		}
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
