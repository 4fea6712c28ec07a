package sandbox

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
)

func fullOrder() *order {
	return &order{
		job: Job{
			Argv: []string{"/usr/bin/python3", "-I", ""}, Env: []string{"A=b"}, Dir: "/tmp",
			Stdin: []byte{0, 255}, StdinFile: "/tmp/x",
			Mounts: []Mount{
				{Source: "/a", Target: "/b", Write: true},
				{Source: "/c", Target: "/d", Optional: true},
				{Source: "/c", Target: "/c", Is: Identity{1 << 40, 2, 3}, Hide: []Hidden{{"/c/d", Identity{4, 5, 6}}}},
			},
			Files:   []File{{"/tmp/f", []byte("data"), 0o640}, {"/tmp/g", []byte{}, 0}},
			Network: true,
			Limits:  Limits{CPU: 5 * time.Second, Memory: 1 << 40, Processes: 7, OpenFiles: 8, FileSize: 9, Scratch: 10},
		},
		pidMax: 301, others: 12, links: []link{{"lib", "usr/lib"}}, rehearsal: true, leash: true, scratchDir: "/var/x",
		shape: shape{apart: []string{"net:[1]"}, seen: []Identity{{Dev: 1, Ino: 1 << 63}, {Dev: 2, Ino: 3, Kind: 4}}, room: 1 << 40},
	}
}

func TestOrderTravels(t *testing.T) {
	for _, o := range []*order{fullOrder(), {job: Job{Argv: []string{"/x"}, Env: []string{}, Mounts: []Mount{}, Files: []File{}, Late: true}, links: []link{}, shape: shape{apart: []string{}, seen: []Identity{}}}} {
		travels(t, o)
	}
}

// TestLateInputStays: the input of a late program is no part of its order, so
// that an order for it is one with the same bytes whatever the input.
func TestLateInputStays(t *testing.T) {
	with, without := Job{Late: true, Stdin: []byte("00")}, Job{Late: true}
	a, _ := with.MarshalBinary()
	b, _ := without.MarshalBinary()
	if !bytes.Equal(a, b) {
		t.Errorf("%x, %x", a, b)
	}
	var got Job
	if err := got.UnmarshalBinary(a); err != nil || got.Stdin != nil {
		t.Errorf("%v: an input of %q", err, got.Stdin)
	}
}

func travels(t *testing.T, want *order) {
	t.Helper()
	b := want.encode()
	var got order
	if err := got.decode(b[8:]); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&got, want) {
		t.Errorf("got %+v\nwant %+v", got, *want)
	}
	// Cut anywhere, it is no order; and neither with more behind it.
	for n := range len(b) - 8 {
		if err := new(order).decode(b[8 : 8+n]); !errors.Is(err, errWire) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
	if err := new(order).decode(append(b[8:], 0)); !errors.Is(err, errWire) {
		t.Errorf("one byte more: %v", err)
	}
}

func FuzzOrder(f *testing.F) {
	f.Add(fullOrder().encode()[8:])
	f.Add((&order{job: Job{Late: true}}).encode()[8:])
	f.Add([]byte{})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		var o order
		if o.decode(b) != nil {
			return
		}
		var again order
		if err := again.decode(o.encode()[8:]); err != nil || !reflect.DeepEqual(o, again) {
			t.Errorf("%v: %+v, then %+v", err, o, again)
		}
	})
}

func TestStatus(t *testing.T) {
	fail := failed(stepProc, "/proc", unix.EPERM)
	for _, c := range []struct {
		name     string
		in       []byte
		noPidMax bool
		reason   string // of the classified error, "" for none
		kind     fault.Kind
	}{
		{"started", []byte("s"), false, "", 0},
		{"started with a note", []byte("ps"), true, "", 0},
		{"died", nil, false, "sandbox_setup", fault.Unavailable},
		{"note, then died", []byte("p"), true, "sandbox_setup", fault.Unavailable},
		{"host refuses", fail.encode(), false, "sandbox_unavailable", fault.Denied},
		{"no memory", failed(stepProc, "", unix.ENOMEM).encode(), false, "sandbox_setup", fault.Unavailable},
		{"no program", append([]byte("s"), failed(stepExec, "/x", unix.ENOENT).encode()...), false, "exec", fault.Unavailable},
		{"a link", failed(stepSource, "/x", unix.ELOOP).encode(), false, "mount_source", fault.Denied},
		{"missing", failed(stepSource, "/x", unix.ENOENT).encode(), false, "mount_source", fault.Unavailable},
		{"unreadable", failed(stepSource, "/x", unix.EACCES).encode(), false, "mount_source", fault.Denied},
		{"caller died", failed(stepParent, "", unix.ESRCH).encode(), false, "sandbox_setup", fault.Interrupted},
	} {
		noPidMax, err := readStatus(c.in, nil)
		if s, ok := errors.AsType[*setupError](err); ok {
			err = s.classify()
		}
		if noPidMax != c.noPidMax || fault.ReasonOf(err) != c.reason || (err != nil && fault.KindOf(err) != c.kind) {
			t.Errorf("%s: %v %v (%s, %v)", c.name, noPidMax, err, fault.ReasonOf(err), fault.KindOf(err))
		}
		var refusal *hostRefusal
		if errors.As(err, &refusal) != (c.name == "host refuses") {
			t.Errorf("%s: another driver would be tried: %v", c.name, errors.As(err, &refusal))
		}
	}
}

func FuzzStatus(f *testing.F) {
	f.Add([]byte("ps"))
	f.Add(failed(stepExec, "/x", unix.ENOENT).encode())
	f.Add([]byte{'f', 255, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := readStatus(b, nil)
		var s *setupError
		if errors.As(err, &s) && s.classify() == nil {
			t.Error("a failure became none")
		}
		// Notes may come before and after it.
		if err == nil && !bytes.Contains(b, []byte{statusStarted}) {
			t.Errorf("%q counts as started", b)
		}
	})
}

func TestProcStatusFields(t *testing.T) {
	b := []byte("Name:\tx\nVmRSS:\t  1234 kB\nVmSwap:\t 0 kB\nThreads:\t7\n")
	for name, want := range map[string]int64{"\nVmRSS:": 1234, "\nVmSwap:": 0, "\nThreads:": 7, "\nNone:": 0} {
		if got := field(b, name); got != want {
			t.Errorf("%q: got %d, want %d", name, got, want)
		}
	}
}
