package sandbox

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// walked follows a plan in a process of its own and returns what it said and
// how it ended.
func walked(t *testing.T, make func(p *plan, out uintptr)) (string, ending, *plan) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := newPlan()
	p.call(stepSeal, "", unix.SYS_FCNTL, w.Fd(), unix.F_DUPFD_CLOEXEC, 16).to(regStatus)
	make(p, w.Fd())
	_, ended, err := start(func() (*child, error) { return p.spawn(0, nil) }, nil)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	end := <-ended
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), end, p
}

func TestPlan(t *testing.T) {
	word := new(uint64)
	read := func(p *plan) {
		p.call(stepFile, "", unix.SYS_OPENAT, num(unix.AT_FDCWD), p.text("/dev/zero"), unix.O_RDONLY).to(regFile)
		p.call(stepFile, "", unix.SYS_READ, reg(regFile), p.at(unsafe.Pointer(word)), 8).exactly(8)
	}
	for _, c := range []struct {
		name string
		make func(p *plan, out uintptr)
		said string
		exit int
	}{
		{"nothing", func(*plan, uintptr) {}, "", 0},
		{"a word", func(p *plan, _ uintptr) { p.note('x') }, "x", 0},
		{"a failure", func(p *plan, _ uintptr) {
			p.note('x')
			p.call(stepFile, "it", unix.SYS_OPENAT, num(unix.AT_FDCWD), p.text("/none"), 0).to(regFile)
			p.note('y')
		}, "xl\x00\x00\x00\x02\x00\x00\x00\x02" + string(rune(stepFile)), 126},
		{"an excuse", func(p *plan, _ uintptr) {
			p.call(stepFile, "it", unix.SYS_OPENAT, num(unix.AT_FDCWD), p.text("/none"), 0).excuse(unix.ENOENT)
			p.note('y')
		}, "y", 0},
		{"another error than the excuse", func(p *plan, _ uintptr) {
			p.call(stepFile, "it", unix.SYS_OPENAT, num(unix.AT_FDCWD), p.text("/none"), 0).excuse(unix.EPERM)
			p.note('y')
		}, "l\x00\x00\x00\x01\x00\x00\x00\x02" + string(rune(stepFile)), 126},
		{"a note goes on behind what it skips", func(p *plan, _ uintptr) {
			o := p.call(stepFile, "it", unix.SYS_OPENAT, num(unix.AT_FDCWD), p.text("/none"), 0)
			o.note, o.skip = 'n', 2
			p.note('1')
			p.note('2')
			p.note('3')
		}, "n3", 0},
		{"a note that is not needed skips nothing", func(p *plan, _ uintptr) {
			o := p.call(stepFile, "it", unix.SYS_GETPID)
			o.note, o.skip = 'n', 2
			p.note('1')
			p.note('2')
		}, "12", 0},
		{"another result than it must be", func(p *plan, _ uintptr) {
			p.call(stepFile, "it", unix.SYS_GETPPID).exactly(0)
		}, "l\x00\x00\x00\x01\x00\x00\x00\x05" + string(rune(stepFile)), 126},
		{"a check that holds", func(p *plan, _ uintptr) {
			read(p)
			p.check(stepFile, "it", word, 0xff, 0, unix.ESTALE)
			p.note('y')
		}, "y", 0},
		{"a check that does not", func(p *plan, _ uintptr) {
			read(p)
			p.check(stepFile, "it", word, 0xff, 1, unix.ESTALE)
			p.note('y')
		}, "l\x00\x00\x00\x03\x00\x00\x00\x74" + string(rune(stepFile)), 126},
		{"what a call stores", func(p *plan, out uintptr) {
			at := new(int32)
			p.call(stepFile, "", unix.SYS_UMASK, 0o12)
			p.call(stepFile, "", unix.SYS_UMASK, 0).store = at
			p.call(stepFile, "", unix.SYS_WRITE, out, p.at(unsafe.Pointer(at)), 1)
		}, "\n", 0},
	} {
		*word = 7
		said, end, p := walked(t, c.make)
		if said != c.said || end.code != c.exit || end.signal != "" {
			t.Errorf("%s: said %q, want %q; ended %+v", c.name, said, c.said, end)
		}
		runtime.KeepAlive(p)
	}
}

// TestPlanForgetsHandlers: a signal that this program handles ends a process
// that was cloned from it.
func TestPlanForgetsHandlers(t *testing.T) {
	said, end, _ := walked(t, func(p *plan, _ uintptr) {
		p.call(stepFile, "", unix.SYS_GETPID).to(regFile)
		p.call(stepFile, "", unix.SYS_KILL, reg(regFile), uintptr(unix.SIGUSR1))
		p.note('x')
		p.forgetHandlers()
		none := new(uint64)
		p.call(stepFile, "", unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, p.at(unsafe.Pointer(none)), 0, unsafe.Sizeof(*none))
		p.note('y')
	})
	if said != "x" || end.signal != "SIGUSR1" {
		t.Errorf("said %q and ended %+v", said, end)
	}
}

// TestKeeperLeavesTheGroup: a keeper whose caller had no time for it makes its
// own group before it kills one.
func TestKeeperLeavesTheGroup(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p, group := keeping(r.Fd()), new(int32)
	last := &p.ops[len(p.ops)-1]
	if last.nr != unix.SYS_KILL {
		t.Fatal("the last line is another")
	}
	*last = op{nr: unix.SYS_GETPGID, must: -1, store: group}
	proc, ended, err := start(func() (*child, error) { return p.spawn(0, nil) }, nil)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	if end := <-ended; end.code != 0 || int(*group) != proc.pid {
		t.Errorf("process %d would kill group %d; it ended %+v", proc.pid, *group, end)
	}
}

// TestPlanOutlivesItsMaker: a process whose plan nobody remembers goes on along
// it, however long it waits.
func TestPlanOutlivesItsMaker(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	goR, goW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer goR.Close()
	var freed atomic.Bool
	ended := func() <-chan ending {
		p, word := newPlan(), new(uint64)
		p.call(stepSeal, "", unix.SYS_FCNTL, w.Fd(), unix.F_DUPFD_CLOEXEC, 16).to(regStatus)
		p.call(stepSeal, "", unix.SYS_READ, goR.Fd(), p.at(unsafe.Pointer(word)), 1).exactly(1)
		p.note('x')
		runtime.AddCleanup(p, func(int) { freed.Store(true) }, 0)
		_, ended, err := start(func() (*child, error) { return p.spawn(0, nil) }, nil)
		if err != nil {
			t.Fatal(err)
		}
		return ended
	}()
	w.Close()
	for range 5 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if freed.Load() {
		t.Error("the plan was collected")
	}
	goW.Write([]byte("g"))
	goW.Close()
	end := <-ended
	if b, err := io.ReadAll(r); string(b) != "x" || end.code != 0 || err != nil {
		t.Errorf("said %q, %v; ended %+v", b, err, end)
	}
}

// TestPlanStreams: a process keeps its own ends and nothing else, also where the
// caller has no number left.
func TestPlanStreams(t *testing.T) {
	for _, lowest := range []int{3, 200} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		own, last := ends{}, 0
		for i := range own {
			if own[i], err = unix.FcntlInt(w.Fd(), unix.F_DUPFD_CLOEXEC, lowest); err != nil {
				t.Fatal(err)
			}
			last = max(last, own[i])
		}
		mine := own
		mine[regNone], mine[regIn], mine[regLink] = -1, -1, -1
		var limit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		limit.Cur = uint64(max(last, 20) + 1)
		p := newPlan()
		p.call(stepLimit, "", unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, p.at(unsafe.Pointer(&limit)), 0)
		p.streams(mine)
		for _, end := range []uint8{regOrder, regOut, regErr} {
			p.write(stepSeal, "", end, []byte{'0' + end})
		}
		for fd := range limit.Cur {
			p.call(stepSeal, "", unix.SYS_FCNTL, uintptr(fd), unix.F_GETFD).note = '.' // not open
		}
		_, ended, err := start(func() (*child, error) { return p.spawn(0, nil) }, nil)
		w.Close()
		for _, fd := range own {
			unix.Close(fd)
		}
		if err != nil {
			t.Fatal(err)
		}
		end := <-ended
		said, err := io.ReadAll(r)
		if want := "245" + strings.Repeat(".", int(limit.Cur)-4); string(said) != want || err != nil {
			t.Errorf("from %d on: said %q, %v, want %q; ended %+v", lowest, said, err, want, end)
		}
	}
}

// TestCageNeedsItsNamespaces: a process that is not alone ends before it mounts
// anything, and that is what the caller hears, whether it had a name by then or
// not.
func TestCageNeedsItsNamespaces(t *testing.T) {
	for range 5 {
		o := &order{job: Job{Argv: []string{"/"}, Dir: ScratchDir, Limits: Limits{}.withDefaults()}, rehearsal: true}
		tr, _, err := startCage(o, nil, unix.CLONE_NEWUSER|unix.CLONE_NEWNS, mapping{uid: os.Getuid(), gid: os.Getgid()}, nil)
		if err == nil {
			<-tr.ended
			_, err = tr.verdict()
			tr.close()
		}
		if errors.Is(err, unix.EPERM) {
			t.Skipf("no user namespace: %v", err)
		}
		if err == nil || !strings.Contains(err.Error(), "no namespaces of its own") {
			t.Errorf("got %v", err)
		}
	}
}

// TestPlanNames: what a line is about is known to who made the plan.
func TestPlanNames(t *testing.T) {
	said, _, p := walked(t, func(p *plan, _ uintptr) {
		p.call(stepSource, "/the/source", unix.SYS_OPENAT, num(unix.AT_FDCWD), p.text("/none"), 0)
	})
	_, err := readStatus([]byte(said), p)
	if s, ok := err.(*setupError); !ok || s.what != "/the/source" || s.step != stepSource || s.errno != unix.ENOENT { //nolint:errorlint // exactly this
		t.Errorf("got %v", err)
	}
	if _, err := readStatus([]byte(said), nil); err == nil {
		t.Error("a plan that is not known made the failure none")
	}
}

// TestSpawnAmidGo starts processes while this program does what a Go program
// does: it collects, moves stacks, and is interrupted by signals. Neither may
// be seen by the other side.
func TestSpawnAmidGo(t *testing.T) {
	stop := make(chan struct{})
	var busy sync.WaitGroup
	for range 2 {
		busy.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					runtime.GC()
					grow(200)
					_ = unix.Kill(os.Getpid(), unix.SIGURG)
				}
			}
		})
	}
	defer func() { close(stop); busy.Wait() }()
	deadline := time.Now().Add(2 * time.Second)
	for n := 0; time.Now().Before(deadline) || n < 20; n++ {
		said, end, _ := walked(t, func(p *plan, _ uintptr) {
			for c := range byte(50) {
				p.note('A' + c)
			}
		})
		want := make([]byte, 50)
		for c := range want {
			want[c] = 'A' + byte(c)
		}
		if said != string(want) || end.code != 0 {
			t.Fatalf("process %d said %q and ended %+v", n, said, end)
		}
	}
}

// grow needs a stack of n frames.
func grow(n int) int {
	var room [64]int
	if n == 0 {
		return room[0]
	}
	return grow(n-1) + room[n%64]
}
