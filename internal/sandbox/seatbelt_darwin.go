package sandbox

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// drivers lists what macOS has.
func drivers(opts Options) []driver { return []driver{seatbelt{temp: opts.Temp}} }

// advice is what a person can do so that a driver works that did not.
func advice(_ string, err error) []string { return fault.HintsOf(err) }

// elsewhere is where tools run when this system has no driver.
func elsewhere() []string { return []string{"run patch-git in a virtual machine with Linux"} }

// beltProgram is Apple's. It is on the system's own read-only volume.
const beltProgram = "/usr/bin/sandbox-exec"

// seatbelt is the driver of macOS: the kernel's own sandbox, by a profile of
// the job. The program keeps the host's root, of which it may read what the job
// lists, and is one process.
type seatbelt struct{ temp string }

func (seatbelt) name() string { return "seatbelt" }

func (seatbelt) open(bool) []string {
	return []string{
		"hidden paths: the system's own libraries and settings can be read, and that a directory on the way to a granted file exists",
		"scratch: each file is limited, their sum is not",
		"memory: only watched from outside, so a burst can exceed the limit before it ends the run",
		"processes: the tool can start none, and its threads are not limited",
		"system calls: not filtered beyond the profile",
		"services: those that every program of macOS may ask can be asked",
		"end: a tool can outlive patch-git where that is killed itself",
	}
}

func (s seatbelt) start(j Job, _ *group, rehearsal bool) (*tree, func(), error) {
	if j.Uplink != nil {
		return nil, nil, noUplink("the seatbelt driver has no network of its own to give")
	}
	for _, m := range j.Mounts {
		if err := realSource(m.Source); err != nil {
			return nil, nil, err
		}
	}
	helper, err := os.Executable()
	if err != nil {
		return nil, nil, beltRefused("find this program: %w", err)
	}
	temp := cmp.Or(s.temp, "/private/tmp") // /tmp is a link
	scratch, err := newScratch(temp, os.Getuid())
	if err != nil {
		return nil, nil, err
	}
	j = relocate(scratch.dir, j.Mounts).job(j)
	t, err := s.launch(scratch, j, helper, rehearsal)
	if err != nil {
		scratch.remove()
		return nil, nil, err
	}
	return t, scratch.remove, nil
}

func (seatbelt) launch(s *scratch, j Job, helper string, rehearsal bool) (*tree, error) {
	if err := s.fill(j.Files); err != nil {
		return nil, err
	}
	j.Files = nil
	if j.StdinFile == "" && !j.Late && len(j.Stdin) > 0 {
		// The helper opens a file; nothing else leads to what it holds.
		j.StdinFile = s.dir + "/.input"
		if err := s.put(File{Target: j.StdinFile, Data: j.Stdin}); err != nil {
			return nil, fault.New(fault.Unavailable, "scratch", "write to scratch directory: %w", err)
		}
		j.Stdin = nil
	}
	b, err := newBelt(j, s.dir, helper)
	if err != nil {
		return nil, err
	}
	var pipes [5][2]*os.File // input, output, error, order, status
	started := false
	defer func() {
		for _, p := range pipes {
			if !started {
				_ = p[0].Close()
				_ = p[1].Close()
			}
		}
	}()
	for i := range pipes {
		if pipes[i][0], pipes[i][1], err = os.Pipe(); err != nil {
			return nil, fault.New(fault.Unavailable, "pipe", "make pipe: %w", err)
		}
	}
	theirs := []*os.File{pipes[0][0], pipes[1][1], pipes[2][1], pipes[3][0], pipes[4][1]}
	proc, err := os.StartProcess(beltProgram, b.argv(helper), &os.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1", "GOGC=off"}, Files: theirs, Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		return nil, beltRefused("start sandbox-exec: %w", err)
	}
	started = true
	for _, f := range theirs {
		_ = f.Close()
	}
	t := &tree{stdin: pipes[0][1], stdout: pipes[1][0], stderr: pipes[2][0], shut: make(chan error, 1)}
	t.kill = func() { _ = syscall.Kill(-proc.Pid, syscall.SIGKILL) }
	t.census = func(Limits) (count, error) { return residentOf(proc.Pid) }
	t.verdict = func() ([]string, error) { return nil, beltVerdict(pipes[4][0]) }
	t.blame = func(stderr []byte) error {
		if len(stderr) == 0 {
			return nil
		}
		return beltRefused("sandbox-exec says %s", spec.Quote(string(stderr[:min(len(stderr), 300)])))
	}
	if !j.Late {
		_ = t.stdin.Close()
		t.stdin = nil
	}
	go func() {
		order := pipes[3][1]
		defer func() { _ = order.Close() }()
		w := &writer{make([]byte, 8)}
		w.yes(rehearsal)
		w.job(&j)
		binary.BigEndian.PutUint64(w.b, uint64(len(w.b)-8))
		_, _ = order.Write(w.b)
		if !j.Late {
			if err := j.open(); err != nil {
				t.shut <- err
				t.kill()
				return
			}
		}
		_, _ = order.Write([]byte{'g'})
	}()
	ended := make(chan ending, 1)
	go func() { ended <- await(proc, t.stdin) }()
	t.ended = ended
	return t, nil
}

func beltRefused(format string, args ...any) error {
	return &hostRefusal{fault.New(fault.Denied, "sandbox_unavailable", format, args...)}
}

// realSource refuses a mount whose path has a link in it. Between this look and
// the start somebody could put one there; the profile speaks of real paths, so
// that what it leads to is refused.
func realSource(p string) error {
	for at := p; at != "/"; at = path.Dir(at) {
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return fault.New(fault.Unavailable, "mount_source", "sandbox: %w", err)
		case err != nil:
			return fault.New(fault.Denied, "mount_source", "sandbox: %w", err)
		case info.Mode()&os.ModeSymlink != 0:
			return fault.New(fault.Denied, "mount_source", "sandbox: mount source %s leads through a symbolic link", spec.Quote(p))
		case at == p && !info.IsDir() && !info.Mode().IsRegular():
			return fault.New(fault.Denied, "mount_source", "sandbox: mount source %s is no file and no directory", spec.Quote(p))
		}
	}
	return nil
}

// residentOf is the memory of the one process, as the kernel tells its owner.
func residentOf(pid int) (count, error) {
	const procInfo, pidInfo, taskInfo, size = 336, 2, 4, 96 // struct proc_taskinfo
	var buf [size]byte
	n, _, e := syscall.Syscall6(procInfo, pidInfo, uintptr(pid), taskInfo, 0, uintptr(unsafe.Pointer(&buf)), size)
	if e != 0 || n < size {
		return count{}, nil // ended meanwhile
	}
	return count{processes: 1, memory: int64(binary.LittleEndian.Uint64(buf[8:]))}, nil // pti_resident_size
}

// beltVerdict reads how the set-up went.
func beltVerdict(pipe *os.File) error {
	defer func() { _ = pipe.Close() }()
	b, err := io.ReadAll(io.LimitReader(pipe, 4096))
	switch {
	case err != nil:
		return fault.New(fault.Unavailable, "sandbox_setup", "read the helper's status: %w", err)
	case len(b) == 0:
		return fault.New(fault.Unavailable, "sandbox_setup", "%w", errNoStart)
	case len(b) > 1 && b[len(b)-1] == 'x':
		return fault.New(fault.Unavailable, "exec", "sandbox: start: %w", syscall.Errno(b[1]))
	case b[0] != 's':
		return fault.New(fault.Denied, "sandbox_setup", "sandbox: the helper could not %s", spec.Quote(string(b)))
	}
	return nil
}

// init is the helper, under the profile, before main and without a call.
func init() {
	if len(os.Args) == 2 && os.Args[1] == beltWord {
		what := buckle()
		_, _ = unix.Write(4, []byte(what))
		syscall.Exit(126)
	}
}

// buckle takes the order, sets the limits and becomes the program. What it
// returns is what it could not do.
func buckle() string {
	order := os.NewFile(3, "order")
	var head [8]byte
	if _, err := io.ReadFull(order, head[:]); err != nil || binary.BigEndian.Uint64(head[:]) > 1<<30 {
		return "read the order"
	}
	text := make([]byte, binary.BigEndian.Uint64(head[:]))
	if _, err := io.ReadFull(order, text); err != nil {
		return "read the order"
	}
	var j Job
	r := &reader{b: text}
	rehearsal := r.yes()
	if r.job(&j); r.end() != nil {
		return "understand the order"
	}
	if !j.Late {
		from := cmp.Or(j.StdinFile, "/dev/null")
		fd, err := unix.Open(from, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil || unix.Dup2(fd, 0) != nil {
			return "open the input"
		}
	}
	if unix.Chdir(j.Dir) != nil {
		return "enter the directory"
	}
	unix.Umask(0o022)
	seconds := uint64(max((j.Limits.CPU+time.Second-1)/time.Second, 1))
	for what, most := range map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_CPU: seconds, unix.RLIMIT_FSIZE: uint64(j.Limits.FileSize), unix.RLIMIT_NOFILE: uint64(j.Limits.OpenFiles),
	} {
		var have unix.Rlimit
		if unix.Getrlimit(what, &have) != nil {
			return "ask for a limit"
		}
		most = min(most, have.Max)
		if unix.Setrlimit(what, &unix.Rlimit{Cur: most, Max: most}) != nil {
			return "set a limit"
		}
	}
	var word [1]byte
	if _, err := io.ReadFull(order, word[:]); err != nil || word[0] != 'g' {
		return "go on without the caller"
	}
	// There is no call for all of them: those that can be open are marked.
	for fd := 3; fd < 10240; fd++ {
		unix.CloseOnExec(fd)
	}
	_, _ = unix.Write(4, []byte("s"))
	if rehearsal {
		syscall.Exit(0)
	}
	errno, _ := errors.AsType[syscall.Errno](syscall.Exec(j.Argv[0], j.Argv, j.Env))
	return string([]byte{byte(errno), 'x'})
}
