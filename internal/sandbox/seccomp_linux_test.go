package sandbox

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"
)

// verdictOf runs a filter as the kernel would, for one call.
func verdictOf(t *testing.T, p program, arch, number uint32, args ...uint64) uint32 {
	t.Helper()
	data := make([]byte, 64)
	binary.LittleEndian.PutUint32(data, number)
	binary.LittleEndian.PutUint32(data[4:], arch)
	for i, a := range args {
		binary.LittleEndian.PutUint64(data[16+8*i:], a)
	}
	var acc uint32
	for pc := 0; pc < len(p); pc++ {
		in := p[pc]
		test := false
		switch in.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			acc = binary.LittleEndian.Uint32(data[in.K:])
			continue
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			acc &= in.K
			continue
		case unix.BPF_RET | unix.BPF_K:
			return in.K
		case unix.BPF_JMP | unix.BPF_JA:
			pc += int(in.K)
			continue
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			test = acc == in.K
		case unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K:
			test = acc > in.K
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			test = acc >= in.K
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			test = acc&in.K != 0
		default:
			t.Fatalf("instruction %d is %+v", pc, in)
		}
		if test {
			pc += int(in.Jt)
		} else {
			pc += int(in.Jf)
		}
	}
	t.Fatalf("call %d runs off the end", number)
	return 0
}

func TestFilter(t *testing.T) {
	if !filterExists {
		t.Skip("no filter for this architecture")
	}
	const (
		allow = uint32(scAllow)
		high  = 1 << 40 // the kernel does not look at it where it takes an int
		self  = 4711
	)
	eperm, eacces, enosys := scErrno(unix.EPERM), scErrno(unix.EACCES), scErrno(unix.ENOSYS)
	closed := filter(false, false, 0)
	online := filter(true, false, 0)
	leashed := filter(false, true, 0)
	oldLandlock := filter(false, true, self)
	for name, c := range map[string]struct {
		p      program
		arch   uint32
		number uint32
		args   []uint64
		want   uint32
	}{
		"read":                     {closed, auditArch, unix.SYS_READ, nil, allow},
		"execve":                   {closed, auditArch, unix.SYS_EXECVE, nil, allow},
		"other architecture":       {closed, 0x40000003, unix.SYS_READ, nil, uint32(scKill)},
		"x32":                      {closed, auditArch, 0x40000000 + unix.SYS_READ, nil, enosys},
		"newer than known":         {closed, auditArch, ceiling + 1, nil, enosys},
		"newest known":             {closed, auditArch, ceiling, nil, eperm},
		"ptrace":                   {closed, auditArch, unix.SYS_PTRACE, nil, eperm},
		"clone3":                   {closed, auditArch, unix.SYS_CLONE3, nil, enosys},
		"io_uring":                 {online, auditArch, unix.SYS_IO_URING_SETUP, nil, enosys},
		"thread":                   {closed, auditArch, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_SIGHAND}, allow},
		"user namespace":           {closed, auditArch, unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)}, eperm},
		"network namespace":        {closed, auditArch, unix.SYS_CLONE, []uint64{unix.CLONE_NEWNET}, eperm},
		"child of the caller":      {closed, auditArch, unix.SYS_CLONE, []uint64{unix.CLONE_PARENT | uint64(unix.SIGCHLD)}, eperm},
		"new file":                 {closed, auditArch, unix.SYS_OPENAT, []uint64{0, 0, unix.O_CREAT | unix.O_WRONLY, 0o1777}, allow},
		"new setuid file":          {closed, auditArch, unix.SYS_OPENAT, []uint64{0, 0, unix.O_CREAT | unix.O_WRONLY, 0o4755}, eperm},
		"nameless setgid file":     {closed, auditArch, unix.SYS_OPENAT, []uint64{0, 0, unix.O_TMPFILE | unix.O_WRONLY, 0o2755}, eperm},
		"old file, no mode":        {closed, auditArch, unix.SYS_OPENAT, []uint64{0, 0, unix.O_DIRECTORY, 0o6000}, allow},
		"mode":                     {closed, auditArch, unix.SYS_FCHMODAT, []uint64{0, 0, 0o1777}, allow},
		"setuid":                   {closed, auditArch, unix.SYS_FCHMODAT, []uint64{0, 0, 0o4755}, eperm},
		"setuid descriptor":        {closed, auditArch, unix.SYS_FCHMOD, []uint64{0, 0o4755}, eperm},
		"setgid node":              {online, auditArch, unix.SYS_MKNODAT, []uint64{0, 0, unix.S_IFREG | 0o2755}, eperm},
		"mode out of reach":        {closed, auditArch, unix.SYS_OPENAT2, nil, enosys},
		"name for a socket":        {closed, auditArch, unix.SYS_BIND, nil, eacces},
		"port":                     {online, auditArch, unix.SYS_BIND, nil, allow},
		"harmless ioctl":           {closed, auditArch, unix.SYS_IOCTL, []uint64{0, unix.TCGETS}, allow},
		"tiocsti":                  {closed, auditArch, unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}, eperm},
		"tiocsti in disguise":      {closed, auditArch, unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI | high}, eperm},
		"process name":             {closed, auditArch, unix.SYS_PRCTL, []uint64{unix.PR_SET_NAME}, allow},
		"death signal":             {closed, auditArch, unix.SYS_PRCTL, []uint64{unix.PR_SET_PDEATHSIG}, eperm},
		"death signal in disguise": {closed, auditArch, unix.SYS_PRCTL, []uint64{unix.PR_SET_PDEATHSIG | high}, eperm},
		"socket":                   {closed, auditArch, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_STREAM}, eacces},
		"tcp":                      {online, auditArch, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, allow},
		"udp6":                     {online, auditArch, unix.SYS_SOCKET, []uint64{unix.AF_INET6, unix.SOCK_DGRAM | unix.SOCK_NONBLOCK}, allow},
		"raw":                      {online, auditArch, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_RAW}, eacces},
		"type zero":                {online, auditArch, unix.SYS_SOCKET, []uint64{unix.AF_INET, 0}, eacces},
		"unix":                     {online, auditArch, unix.SYS_SOCKET, []uint64{unix.AF_UNIX, unix.SOCK_STREAM}, eacces},
		"netlink":                  {online, auditArch, unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_DGRAM}, eacces},
		"vsock":                    {online, auditArch, unix.SYS_SOCKET, []uint64{unix.AF_VSOCK, unix.SOCK_STREAM}, eacces},
		"stream pair":              {closed, auditArch, unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, allow},
		"datagram pair":            {online, auditArch, unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_DGRAM}, eacces},
		"raw pair":                 {online, auditArch, unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_RAW}, eacces},
		"tipc pair":                {online, auditArch, unix.SYS_SOCKETPAIR, []uint64{unix.AF_TIPC, unix.SOCK_STREAM}, eacces},
		"session":                  {closed, auditArch, unix.SYS_SETSID, nil, allow},
		"session on the leash":     {leashed, auditArch, unix.SYS_SETSID, nil, eperm},
		"chmod on the leash":       {leashed, auditArch, unix.SYS_FCHMODAT, nil, scErrno(0)},
		"xattr on the leash":       {leashed, auditArch, unix.SYS_SETXATTR, nil, scErrno(unix.EOPNOTSUPP)},
		"own limit":                {leashed, auditArch, unix.SYS_PRLIMIT64, []uint64{0}, allow},
		"another's limit":          {leashed, auditArch, unix.SYS_PRLIMIT64, []uint64{99}, eperm},
		"own priority":             {leashed, auditArch, unix.SYS_SETPRIORITY, []uint64{unix.PRIO_PROCESS, 0}, allow},
		"another's priority":       {leashed, auditArch, unix.SYS_SETPRIORITY, []uint64{unix.PRIO_PROCESS, 99}, eperm},
		"the user's priority":      {leashed, auditArch, unix.SYS_SETPRIORITY, []uint64{unix.PRIO_USER, 0}, eperm},
		"scoped kill":              {leashed, auditArch, unix.SYS_KILL, []uint64{99}, allow},
		"kill oneself":             {oldLandlock, auditArch, unix.SYS_KILL, []uint64{self}, allow},
		"abort":                    {oldLandlock, auditArch, unix.SYS_TGKILL, []uint64{self, self}, allow},
		"kill another":             {oldLandlock, auditArch, unix.SYS_KILL, []uint64{99}, eperm},
		"kill everyone":            {oldLandlock, auditArch, unix.SYS_KILL, []uint64{1<<64 - 1}, eperm},
		"kill the group":           {oldLandlock, auditArch, unix.SYS_KILL, []uint64{0}, eperm},
		"scoped owner":             {leashed, auditArch, unix.SYS_FCNTL, []uint64{3, unix.F_SETOWN}, allow},
		"owner of a pipe":          {oldLandlock, auditArch, unix.SYS_FCNTL, []uint64{3, unix.F_SETOWN}, eperm},
		"owner in full":            {oldLandlock, auditArch, unix.SYS_FCNTL, []uint64{3, fSetOwnEx | high}, eperm},
		"flags":                    {oldLandlock, auditArch, unix.SYS_FCNTL, []uint64{3, unix.F_SETFL}, allow},
		"owner by ioctl":           {oldLandlock, auditArch, unix.SYS_IOCTL, []uint64{3, fioSetOwn}, eperm},
		"tiocsti, old landlock":    {oldLandlock, auditArch, unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}, eperm},
		"kill by descriptor":       {oldLandlock, auditArch, unix.SYS_PIDFD_SEND_SIGNAL, []uint64{3}, eperm},
	} {
		if got := verdictOf(t, c.p, c.arch, c.number, c.args...); got != c.want {
			t.Errorf("%s: got %#x, want %#x", name, got, c.want)
		}
	}
}

// TestFilterTree compares the search tree with the plain list of rules, for
// every number.
func TestFilterTree(t *testing.T) {
	r := rules{}
	r.all([]uint32{0, 1, 2, 50, 51, 200, ceiling}, scErrno(unix.EPERM))
	r.all([]uint32{3, 100, 300}, scErrno(unix.ENOSYS))
	p := append(program{load(offNumber)}, r.compile()...)
	for n := range uint32(ceiling + 1) {
		want := uint32(scAllow)
		if body, ok := r[n]; ok {
			want = body[0].K
		}
		if got := verdictOf(t, p, auditArch, n); got != want {
			t.Fatalf("call %d: got %#x, want %#x", n, got, want)
		}
	}
	if n := len(filter(true, true, 1)); n > unix.BPF_MAXINSNS {
		t.Errorf("the filter has %d instructions", n)
	}
}
