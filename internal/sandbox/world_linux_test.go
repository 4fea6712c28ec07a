package sandbox_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/limits"
)

// world is the host's side of the attempts: what they try to reach, made
// anew for each of them, and what is seen to have happened to it.
type world struct {
	cage  cage
	facts map[string]any // what every attempt knows
	ino   uint64

	mu      sync.Mutex
	secrets map[string]string   // text of a secret to whose it is
	tokens  map[string]*place   // the word that an attempt leaves where it comes
	found   map[string]*finding // by name of the attempt
	mounts  int                 // lines of mountinfo before anything was tried
}

// place is one attempt's part of the world.
type place struct {
	probe  probe
	w      *world
	args   map[string]any
	token  string
	n      int
	victim *victim
	life   *os.File
	before map[string]string // of its files, as stateOf tells
}

func (p *place) out() string { return p.w.cage.Base + "/out/" + p.probe.name }
func (p *place) ro() string  { return p.w.cage.Base + "/ro/" + p.probe.name }
func (p *place) rw() string  { return p.w.cage.Base + "/rw/" + p.probe.name }

// plain is what files hold that are no secret.
const plain = "as it was made\n"

// newWorld makes what all attempts share.
func newWorld(c cage) (*world, error) {
	w := &world{cage: c, secrets: c.Secrets, tokens: map[string]*place{}, found: map[string]*finding{}}
	var st unix.Stat_t
	if err := unix.Stat("/proc/self/exe", &st); err != nil {
		return nil, err
	}
	w.ino = st.Ino
	host := c.secret("a host's path")
	if err := os.MkdirAll(c.Base+"/"+host, 0o755); err != nil {
		return nil, err
	}
	if err := os.Chmod(c.Base+"/rw", 0o777); err != nil {
		return nil, err
	}
	w.facts = map[string]any{
		"internet": internet, "internet6": internet6, "lan": lan, "metadata": metadata,
		"home": c.Home, "pts": c.Base + "/pts/0", "self": st.Ino, "ttl": 77, "group": 4, "key": c.Key, "keyring": c.Ring, "keyname": "cage-key",
		"ceiling": unix.SYS_LISTNS, "families": []int{},
		"limits": map[string]int64{"AS": limits.RunMemory, "FSIZE": limits.RunFileSize, "NOFILE": limits.RunFiles, "CORE": 0, "MEMLOCK": 0, "MSGQUEUE": 0},
	}
	if c.Network {
		w.facts["families"] = []int{unix.AF_INET, unix.AF_INET6}
	}
	if err := w.serve(); err != nil {
		return nil, err
	}
	if err := w.leak(); err != nil {
		return nil, err
	}
	w.queues()
	w.mounts = len(mountLines())
	go w.hear()
	go w.watchTerminal()
	return w, nil
}

func mountLines() []string {
	b, _ := os.ReadFile("/proc/self/mountinfo")
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// leak leaves descriptors open that nobody keeps to himself: they go to every
// process that is started from here on without care.
func (w *world) leak() error {
	if _, err := unix.Open(w.cage.Base+"/out", unix.O_RDONLY|unix.O_DIRECTORY, 0); err != nil {
		return err
	}
	file := w.cage.Base + "/leaked"
	if err := os.WriteFile(file, []byte(w.secret("a file that was left open")), 0o600); err != nil {
		return err
	}
	if _, err := unix.Open(file, unix.O_RDONLY, 0); err != nil {
		return err
	}
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_NONBLOCK); err != nil {
		return err
	}
	unix.CloseOnExec(pipe[0])
	go w.listen(os.NewFile(uintptr(pipe[0]), "pipe"), "a pipe")
	s, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	unix.CloseOnExec(s[0])
	if err := unix.SetNonblock(s[0], true); err != nil {
		return err
	}
	go w.listen(os.NewFile(uintptr(s[0]), "socket"), "a socket")
	return nil
}

func (w *world) secret(whose string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cage.secret(whose)
}

// place makes the files, victim and words of one attempt.
func (w *world) place(n int, pr probe) (*place, error) {
	p := &place{probe: pr, w: w, n: n, token: "tok-" + nonce()}
	w.mu.Lock()
	w.tokens[p.token], w.found[pr.name] = p, &finding{}
	w.mu.Unlock()
	old := unix.Umask(0)
	defer unix.Umask(old)
	out, ro, rw := p.out(), p.ro(), p.rw()
	list := w.secret("the name of a file")
	for _, d := range []string{out, ro, out + "/list/empty", out + "/list/" + list} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	if err := os.Mkdir(rw, 0o777); err != nil {
		return nil, err
	}
	for file, text := range map[string]string{
		out + "/secret": w.secret("a file"), out + "/doomed": plain, out + "/dated": plain, ro + "/file": plain,
	} {
		// Anyone may write it: nothing but the sandbox stands before it.
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	if err := os.Symlink(w.secret("a link"), out+"/link"); err != nil {
		return nil, err
	}
	date := time.Unix(1e9+int64(n), int64(n)*7919)
	if err := os.Chtimes(out+"/dated", date, date); err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.secrets[itoa(int(date.UnixNano()))] = "the time of a file"
	w.mu.Unlock()
	_ = unix.Setxattr(out+"/secret", "user.word", []byte(w.secret("an attribute")), 0)
	p.args = map[string]any{
		"probe": pr.name, "token": p.token, "out": out, "ro": ro, "rw": rw, "base": w.cage.Base, "key": 0x70000 + n, "signal": int(syscall.SIGUSR1),
		"address": fmt.Sprintf("10.97.%d.%d", n/250, n%250+1), "alone": pr.alone, "seconds": 4,
	}
	if pr.limit != nil {
		p.args["most"], p.args["bytes"], p.args["limit"] = pr.limit.most, pr.limit.bytes, pr.limit.job.Memory
	}
	if pr.victim {
		v, err := w.newVictim(out)
		if err != nil {
			return nil, err
		}
		p.victim = v
		p.args["victim"] = map[string]any{"pid": v.pid(), "address": v.Address, "fd": v.FD, "group": v.pid()}
	}
	if pr.life {
		if err := unix.Mkfifo(rw+"/life", 0o666); err != nil {
			return nil, err
		}
		f, err := os.OpenFile(rw+"/life", os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			return nil, err
		}
		p.life, p.args["life"] = f, rw+"/life"
	}
	p.before = stateOf(out, ro)
	return p, nil
}

// stateOf is all that can be told of the files below, their atimes aside.
func stateOf(dirs ...string) map[string]string {
	state := map[string]string{}
	for _, dir := range dirs {
		var top unix.Stat_t
		_ = unix.Lstat(dir, &top)
		_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			var st unix.Stat_t
			if err != nil || unix.Lstat(path, &st) != nil {
				return err
			}
			if st.Dev != top.Dev && st.Mode&unix.S_IFMT == unix.S_IFDIR {
				return filepath.SkipDir // an attempt's own mount
			}
			text := fmt.Sprintf("mode %o of %d:%d at %d", st.Mode, st.Uid, st.Gid, st.Mtim.Nano())
			if st.Mode&unix.S_IFMT == unix.S_IFREG {
				b, _ := os.ReadFile(path)
				names := make([]byte, 1024)
				n, _ := unix.Listxattr(path, names)
				flags := 0
				if f, err := os.Open(path); err == nil {
					flags, _ = unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
					_ = f.Close()
				}
				text += fmt.Sprintf(" %x %s %x", hash(b), names[:max(n, 0)], flags)
			}
			state[path] = text
			return nil
		})
	}
	return state
}

func hash(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// victim is a process of the host that runs as the tool does, with a secret in
// all of its parts.
type victim struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	lines   chan string
	before  string
	Address uintptr
	FD      int
}

func (v *victim) pid() int { return v.cmd.Process.Pid }

func (w *world) newVictim(dir string) (*victim, error) {
	v := &victim{cmd: exec.Command("/proc/self/exe", w.secret("an argument")), lines: make(chan string, 10)}
	v.cmd.Env = []string{"SANDBOX_TEST_ACTOR=victim", "A=" + w.secret("another's environment"), "MEMORY=" + w.secret("another's memory"), "FILE=" + w.secret("another's descriptor")}
	v.cmd.Dir = dir
	v.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 && w.cage.User == asRootColumn && !w.cage.control() {
		v.cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobodyID, Gid: nobodyID}
	}
	var err error
	if v.in, err = v.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := v.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := v.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		for s := bufio.NewScanner(stdout); s.Scan(); {
			v.lines <- s.Text()
		}
		close(v.lines)
	}()
	if err := json.Unmarshal([]byte(<-v.lines), v); err != nil {
		return nil, fmt.Errorf("a victim: %w", err)
	}
	v.before = v.state()
	return v, nil
}

// state is what others can do to a process without harming it.
func (v *victim) state() string {
	pid := v.pid()
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(rest)
	if len(f) < 20 || f[0] == "Z" || f[0] == "X" {
		return "dead"
	}
	state := f[0]
	if state != "T" && state != "t" {
		state = "alive"
	}
	if tracer, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); !strings.Contains(string(tracer), "TracerPid:\t0\n") {
		state = "traced"
	}
	var core unix.Rlimit
	_ = unix.Prlimit(pid, unix.RLIMIT_CORE, nil, &core)
	var set unix.CPUSet
	_ = unix.SchedGetaffinity(pid, &set)
	policy, _, _ := unix.RawSyscall(unix.SYS_SCHED_GETSCHEDULER, uintptr(pid), 0, 0)
	io, _, _ := unix.RawSyscall(unix.SYS_IOPRIO_GET, 1, uintptr(pid), 0)
	oom, _ := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid))
	return fmt.Sprintf("%s, nice %s, core %d, processors %v, policy %d, io %d, oom %s", state, f[16], core.Max, set[0], policy, io, strings.TrimSpace(string(oom)))
}

// victimLife is the actor.
func victimLife() {
	memory := []byte(os.Getenv("MEMORY"))
	held := &struct{ b [64]byte }{}
	copy(held.b[:], memory)
	fd, err := unix.Open("/tmp", unix.O_TMPFILE|unix.O_RDWR, 0o600)
	if err != nil {
		die(err)
	}
	if _, err := unix.Write(fd, []byte(os.Getenv("FILE"))); err != nil {
		die(err)
	}
	signals := make(chan os.Signal, 10)
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		for range signals {
			fmt.Fprintln(os.Stdout, "signal")
		}
	}()
	fmt.Fprintf(os.Stdout, "{\"Address\":%d,\"FD\":%d}\n", addressOf(held), fd)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if held.b == ([64]byte{}) || string(held.b[:len(memory)]) != string(memory) {
			fmt.Fprintln(os.Stdout, "memory")
		}
		fmt.Fprintln(os.Stdout, "so far")
	}
}
