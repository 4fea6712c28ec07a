package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// census counts the processes below first, and their memory. It walks down
// from the first process: in a pid namespace, and below a subreaper, an orphan
// becomes the child of the first.
func census(first int, l Limits) (count, error) {
	var c count
	if !executed(first) {
		return count{processes: 1}, nil
	}
	pids := []int{first}
	for i := 0; i < len(pids); i++ {
		s, err := readProcStatus(pids[i])
		if err != nil {
			if i == 0 && !gone(err) {
				return c, err
			}
			continue // ended meanwhile
		}
		c.processes += s.threads
		c.memory += s.memory
		children, err := childrenOf(pids[i])
		if err != nil && i == 0 && !gone(err) {
			return c, err
		}
		pids = append(pids, children...)
		if c.processes > 4*l.Processes {
			break // enough to know
		}
	}
	if c.memory > l.Memory {
		// Pages that processes share were counted for each of them. Ask for
		// the exact share, which costs the kernel a walk over every page.
		c.memory = 0
		for _, pid := range pids {
			c.memory += proportional(pid)
		}
	}
	return c, nil
}

// gone tells that a process ended before it was opened, or before it was read.
func gone(err error) bool { return os.IsNotExist(err) || errors.Is(err, unix.ESRCH) }

// executed tells whether a process became a program of its own. Until then the
// memory that it shows is that of the process it was cloned from.
func executed(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	// The name, in brackets, may hold anything.
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if err != nil || len(f) < 7 {
		return true // who counts will see why
	}
	const forkedNotExecuted = 0x40
	flags, _ := strconv.ParseUint(string(f[6]), 10, 64)
	return flags&forkedNotExecuted == 0
}

// procStatus is what /proc/PID/status says of a process.
type procStatus struct {
	threads int
	memory  int64 // resident and swapped, bytes
}

func readProcStatus(pid int) (procStatus, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return procStatus{}, err
	}
	// A zombie has neither memory nor, on newer kernels, threads: it still
	// takes a place.
	return procStatus{
		threads: max(1, int(field(b, "\nThreads:"))),
		memory:  (field(b, "\nVmRSS:") + field(b, "\nVmSwap:")) * 1024,
	}, nil
}

// proportional is the memory of a process, shared pages divided among those
// who share them. A process that cannot be asked counts as the whole of it.
func proportional(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil {
		s, _ := readProcStatus(pid)
		return s.memory
	}
	return (field(b, "\nPss:") + field(b, "\nSwapPss:")) * 1024
}

// field is the number after a name, 0 when the name is missing.
func field(b []byte, name string) int64 {
	i := bytes.Index(b, []byte(name))
	if i < 0 {
		return 0
	}
	b = bytes.TrimLeft(b[i+len(name):], " \t")
	end := 0
	for end < len(b) && b[end] >= '0' && b[end] <= '9' {
		end++
	}
	n, _ := strconv.ParseInt(string(b[:end]), 10, 64)
	return n
}

// childrenOf reads the children of every thread of a process.
func childrenOf(pid int) ([]int, error) {
	dir := "/proc/" + strconv.Itoa(pid) + "/task"
	tasks, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var pids []int
	for i, t := range tasks {
		b, err := os.ReadFile(dir + "/" + t.Name() + "/children")
		if err != nil {
			if i == 0 {
				return nil, err // a kernel without this file, or a process that ended
			}
			continue
		}
		for w := range bytes.FieldsSeq(b) {
			if n, err := strconv.Atoi(string(w)); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids, nil
}

// processes lists every process that this one can see.
func processes() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var pids []int
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			pids = append(pids, n)
		}
	}
	return pids
}

// bootKey names this boot of this kernel, this user and these namespaces, and
// the settings that decide about user namespaces: what may change which
// driver works, without a restart or with one. The device of networks is in it
// because the number of a mount namespace is given out again.
func bootKey() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	key := []string{unix.ByteSliceToString(u.Release[:]), strconv.Itoa(os.Getuid())}
	for _, link := range []string{"/proc/self/ns/user", "/proc/self/ns/mnt"} {
		to, _ := os.Readlink(link)
		key = append(key, to)
	}
	for _, file := range []string{
		"/proc/sys/kernel/random/boot_id", "/proc/sys/user/max_user_namespaces",
		"/proc/sys/kernel/unprivileged_userns_clone", "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
	} {
		b, _ := os.ReadFile(file)
		key = append(key, string(bytes.TrimSpace(b)))
	}
	return strings.Join(append(key, deviceKey(tunDevice)), " ")
}

// deviceKey tells which device a path is and who may open it; "" is none.
func deviceKey(path string) string {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return ""
	}
	return fmt.Sprint(st.Mode, st.Uid, st.Gid, st.Rdev)
}
