package sandbox_test

import (
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// effect is what an attempt brought about. All but two are seen by the host.
type effect string

const (
	bytesArrived    effect = "bytes arrived"        // at a server, or in a pipe
	secretRead      effect = "secret read"          // it returned a text that only the host knows
	fileChanged     effect = "file changed"         // contents, mode, times, owner, name, attributes
	madeInGrant     effect = "left a trap"          // in a directory that it may write to
	processHarmed   effect = "process harmed"       // dead, stopped, traced, slower, written to
	signalArrived   effect = "signal arrived"       //
	terminalWritten effect = "reached the terminal" //
	hostChanged     effect = "host changed"         // its name, mounts, keys, queues, settings
	beyondLimit     effect = "beyond its limit"     //
	outlived        effect = "outlived its run"     //
	seenInside      effect = "seen inside"          // verified by the attempt, for what exists nowhere else
	reachedKernel   effect = "reached the kernel"   // a call got an answer that is none of the filter's
)

// finding is what came of one attempt.
type finding struct {
	Effects map[effect]string // to where it was seen
	Answer  string            // what the attempt itself says, for people
	Errno   unix.Errno        // the call's, or 0
	Ran     bool              // it came to an end, or was ended once it had begun
}

func (f *finding) String() string {
	if len(f.Effects) == 0 {
		return "nothing (" + f.Answer + ")"
	}
	var all []string
	for e, where := range f.Effects {
		all = append(all, string(e)+": "+where)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func (p *place) saw(e effect, where string) { p.w.saw(p.probe.name, e, where) }

func (w *world) saw(name string, e effect, where string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.found[name]
	if f == nil {
		return
	}
	if f.Effects == nil {
		f.Effects = map[effect]string{}
	}
	f.Effects[e] = where
}

// reply is what an attempt says of itself, as the harness writes it.
type reply struct {
	Probe  string
	Begun  bool
	Got    *string
	Inside *string
	Errno  unix.Errno
	Error  string
}

var secretShape = regexp.MustCompile(`sec-[0-9a-f]{16}|\b1[0-9]{18}\b`)

// said judges what an attempt says: only a secret is taken at its word.
func (p *place) said(r reply) {
	f := p.w.found[p.probe.name]
	f.Ran = true
	switch {
	case r.Inside != nil:
		f.Answer = "verified: " + *r.Inside
		if p.probe.want == reachedKernel {
			p.saw(reachedKernel, *r.Inside)
		} else {
			p.saw(seenInside, *r.Inside)
		}
	case r.Got != nil:
		f.Answer = "returned " + *r.Got
	default:
		f.Answer, f.Errno = r.Error, r.Errno
		if p.probe.want == reachedKernel && r.Errno != 0 && !slices.Contains([]unix.Errno{unix.EPERM, unix.ENOSYS, unix.EACCES}, r.Errno) {
			p.saw(reachedKernel, unix.ErrnoName(r.Errno))
		}
	}
	for _, s := range secretShape.FindAllString(f.Answer, -1) {
		p.w.mu.Lock()
		whose := p.w.secrets[s]
		p.w.mu.Unlock()
		if whose != "" {
			p.saw(secretRead, whose)
		}
	}
}

// look looks at everything of an attempt that could have changed.
func (p *place) look() {
	if base := p.w.cage.Base; os.Rename(base+"/rw-away", base+"/rw") == nil {
		p.saw(fileChanged, "the grant was moved")
	}
	for path, was := range p.before {
		if is := stateOf(path)[path]; is != was {
			p.saw(fileChanged, fmt.Sprintf("%s was %s, is %s", path, was, is))
		}
	}
	for path := range stateOf(p.out(), p.ro()) {
		if _, ok := p.before[path]; !ok {
			p.saw(fileChanged, path+" is new")
		}
	}
	for path, is := range stateOf(p.rw()) {
		mode, _ := strconv.ParseUint(strings.Fields(is)[1], 8, 32)
		switch kind := mode & unix.S_IFMT; {
		case kind == unix.S_IFSOCK, kind == unix.S_IFCHR, kind == unix.S_IFBLK, mode&(unix.S_ISUID|unix.S_ISGID) != 0 && kind == unix.S_IFREG:
			p.saw(madeInGrant, path+" has "+is)
		case strings.Contains(is, "security.capability"):
			p.saw(madeInGrant, path+" has capabilities")
		}
	}
	if v := p.victim; v != nil {
		if is := v.state(); is != v.before {
			p.saw(processHarmed, "was "+v.before+", is "+is)
		}
		p.ask(v)
	}
	for _, d := range []string{"/", "/etc", "/usr", "/usr/lib", "/var", "/var/tmp", "/run", "/home", "/root", "/opt", "/srv", "/mnt", "/dev", "/dev/shm", "/tmp", "/sys", p.w.cage.Base} {
		if _, err := os.Lstat(d + "/" + p.token); err == nil {
			p.saw(fileChanged, d)
			_ = os.Remove(d + "/" + p.token)
		}
	}
	p.lookAtSystem()
	if l := p.probe.limit; l != nil && l.allowed > 0 {
		var held float64
		if b, err := os.ReadFile(p.rw() + "/held"); err == nil {
			held, _ = strconv.ParseFloat(strings.TrimSpace(string(b)), 64)
		}
		if info, err := os.Stat(p.rw() + "/big"); err == nil {
			held = max(held, float64(info.Size()))
		}
		if held > l.allowed {
			p.saw(beyondLimit, fmt.Sprintf("%.0f of %.0f", held, l.allowed))
		}
	}
}

// ask reads what the victim noticed itself.
func (p *place) ask(v *victim) {
	if strings.HasPrefix(v.state(), "alive") {
		_, _ = v.in.Write([]byte("\n"))
	}
	for end := time.After(time.Second); ; {
		select {
		case line, ok := <-v.lines:
			switch line {
			case "signal":
				p.saw(signalArrived, "at the victim")
			case "memory":
				p.saw(processHarmed, "its memory was written to")
			}
			if !ok || line == "so far" {
				return
			}
		case <-end:
			return
		}
	}
}

// lookAtSystem looks at what belongs to the cage as a whole and has the
// attempt's word, number or path in it.
func (p *place) lookAtSystem() {
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		for name, text := range map[string][65]byte{"host": u.Nodename, "domain": u.Domainname} {
			if strings.Contains(unix.ByteSliceToString(text[:]), p.token) {
				p.saw(hostChanged, "the "+name+" name")
			}
		}
	}
	for _, line := range mountLines() {
		if f := strings.Fields(line); len(f) > 4 && strings.HasPrefix(f[4], p.rw()+"/") {
			p.saw(hostChanged, "a mount on "+f[4])
		}
	}
	if p.probe.name == "sysctl_write" {
		if b, _ := os.ReadFile("/proc/sys/net/ipv4/ip_default_ttl"); strings.TrimSpace(string(b)) == fmt.Sprint(p.w.facts["ttl"]) {
			p.saw(hostChanged, "ip_default_ttl")
		}
	}
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		if strings.HasPrefix(a.String(), p.args["address"].(string)+"/") {
			p.saw(hostChanged, "an address of the host")
		}
	}
	if _, err := unix.KeyctlSearch(p.w.cage.Ring, "user", p.token, 0); err == nil {
		p.saw(hostChanged, "a key in the host's keyring")
	}
	for _, kind := range []string{"shm", "msg", "sem"} {
		b, _ := os.ReadFile("/proc/sysvipc/" + kind)
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) > 0 && f[0] == fmt.Sprint(p.args["key"]) {
				p.saw(hostChanged, "left behind in "+kind)
			}
		}
	}
	name, _ := unix.BytePtrFromString(p.token)
	if fd, _, e := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(name)), unix.O_RDWR, 0, 0, 0, 0); e == 0 {
		_ = unix.Close(int(fd))
		p.saw(hostChanged, "a message queue left behind")
	}
	if p.probe.name == "semaphore" {
		if id, _, e := unix.Syscall(unix.SYS_SEMGET, ipcKey, 0, 0); e == 0 {
			if n, _, e := unix.Syscall6(unix.SYS_SEMCTL, id, 0, 12, 0, 0, 0); e == 0 && n == 7 {
				p.saw(hostChanged, "the host's semaphore")
			}
		}
	}
}

// alive looks, after the run, for anything that still holds its end of the pipe.
func (p *place) alive() {
	if p.life == nil {
		return
	}
	b := make([]byte, 1)
	gone := eventually(time.Second, func() bool {
		n, err := unix.Read(int(p.life.Fd()), b)
		return n == 0 && err == nil
	})
	if !gone {
		p.saw(outlived, "by a second")
	}
}
