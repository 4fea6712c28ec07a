package host

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// startedBy are the processes above this one.
func startedBy() ([]Process, error) { return above(os.Getpid(), parentOf) }

// parentOf asks the kernel.
func parentOf(pid int) (Process, int, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return Process{}, 0, err
	}
	if int(info.Proc.P_pid) != pid {
		return Process{}, 0, fmt.Errorf("no process %d", pid)
	}
	p := Process{PID: pid, Args: []string{unix.ByteSliceToString(info.Proc.P_comm[:])}}
	if raw, err := unix.SysctlRaw("kern.procargs2", pid); err == nil {
		if args := parseArgs(raw); len(args) > 0 {
			p.Args = args
		}
	}
	return p, int(info.Eproc.Ppid), nil
}

// parseArgs reads the count of the arguments, the path of the program, padding, and
// the arguments, each ended by a zero byte.
func parseArgs(raw []byte) []string {
	if len(raw) < 4 {
		return nil
	}
	count := int(binary.LittleEndian.Uint32(raw))
	_, rest, found := strings.Cut(string(raw[4:]), "\x00")
	args := strings.Split(strings.TrimLeft(rest, "\x00"), "\x00")
	if !found || count < 1 || count > len(args) {
		return nil
	}
	return args[:count]
}
