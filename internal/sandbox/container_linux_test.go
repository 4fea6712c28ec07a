package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// inContainer is the actor of TestInContainer. The filter of a container, as
// Docker has it by default, answers clone3 as if the kernel did not have it and
// refuses clone with new namespaces.
func inContainer() {
	const answerENOSYS, answerEPERM = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS), unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	rules := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_CLONE3, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: answerENOSYS},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_CLONE, Jt: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 16},
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.CLONE_NEWUSER, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: answerEPERM},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	runtime.LockOSThread()
	program := unix.SockFprog{Len: uint16(len(rules)), Filter: &rules[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		die(err)
	}
	if _, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program))); e != 0 {
		die(e)
	}
	box := actorOpen("", "")
	job := sandbox.Job{Argv: []string{"/usr/bin/true"}, Mounts: append(sandbox.HostLibraries(), ro("/usr/bin/true"))}
	out, err := box.Run(context.Background(), job)
	fmt.Fprintln(os.Stdout, "ran", out.Driver, out.Exit, err)
}

// TestInContainer: where no namespaces can be made, and the newer of the calls
// that clone is hidden, Landlock still confines.
func TestInContainer(t *testing.T) {
	open(t, "landlock")
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{"SANDBOX_TEST_ACTOR=container"}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if got, err := cmd.Output(); err != nil || string(got) != "ran landlock 0 <nil>\n" {
		t.Errorf("got %q, %v\n%s", got, err, stderr.String())
	}
}
