package vmtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// What the machine says around a scene.
const (
	sceneBegins = "vm: begin "
	sceneEnds   = "vm: end "
)

const cgroups = "/sys/fs/cgroup"

// scene is one situation in which the tests of package sandbox run.
type scene struct {
	name   string
	uid    int
	groups string // whether control groups are to be used: yes or no
	run    string // which tests
	// prepare makes the group that the tests start in.
	prepare func() (string, error)
}

const (
	limitTests = "Memory|Bomb|Threads|Children|Scratch|Groups|Agree|Group|Places|MachineKeeps"
	// Emulation is slow, so what has to be done within a moment is not here.
	lifeTests = limitTests + "|Death|Cancel|HowPrograms|TestManyAtOnce|Late|Warm|PoolKeeps|PoolGrants|PoolEnds"
)

var scenes = []scene{
	// No service manager: everything is in the root of all groups.
	{"root-at-the-top", 0, "yes", lifeTests, func() (string, error) { return cgroups, nil }},
	// A service of systemd's with Delegate=yes and nobody else in it.
	{"root-in-a-service", 0, "yes", "Children|ShortBomb|Agree", func() (string, error) {
		return group("service", 0, true)
	}},
	// A user's terminal: its group has others in it, the one above is the user's.
	{"user-in-a-session", 1000, "yes", lifeTests, func() (string, error) {
		above, err := group("user", 1000, false)
		if err == nil {
			err = enable(above)
		}
		if err != nil {
			return "", err
		}
		return group("user/session", 1000, false)
	}},
	// A terminal on a machine where nothing was handed to anybody.
	{"user-without", 1000, "no", limitTests, func() (string, error) {
		return group("login", 0, false)
	}},
	{"root-in-a-session", 0, "no", "Children|Bomb|Agree", func() (string, error) {
		return group("login", 0, false)
	}},
}

// group makes a group, hands it to a user, and says so as systemd does.
func group(name string, uid int, delegated bool) (string, error) {
	dir := filepath.Join(cgroups, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for _, file := range []string{"", "cgroup.procs", "cgroup.threads", "cgroup.subtree_control"} {
		if err := os.Chown(filepath.Join(dir, file), uid, uid); err != nil {
			return "", err
		}
	}
	if delegated {
		return dir, unix.Setxattr(dir, "trusted.delegate", []byte("1"), 0)
	}
	return dir, nil
}

func enable(dir string) error {
	return os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte("+memory +pids"), 0)
}

// boot is the whole life of the machine.
func boot() {
	if err := mountAll(); err != nil {
		fmt.Fprintln(os.Stdout, "vm:", err)
	}
	var u unix.Utsname
	_ = unix.Uname(&u)
	lsm, _ := os.ReadFile("/sys/kernel/security/lsm")
	for _, s := range scenes {
		fmt.Fprintln(os.Stdout, sceneBegins+s.name)
		fmt.Fprintf(os.Stdout, "vm: Linux %s, %s\n", unix.ByteSliceToString(u.Release[:]), lsm)
		if err := s.play(); err != nil {
			fmt.Fprintln(os.Stdout, "vm:", err)
		}
		fmt.Fprintln(os.Stdout, sceneEnds+s.name)
	}
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART)
}

// play runs the tests as a user in a group of theirs.
func (s scene) play() error {
	dir, err := s.prepare()
	if err != nil {
		return err
	}
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	home := "/tmp/" + s.name
	if err := errors.Join(os.Mkdir(home, 0o755), os.Chown(home, s.uid, s.uid)); err != nil {
		return err
	}
	id := uint32(s.uid)
	attr := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}, UseCgroupFD: true, CgroupFD: fd}
	if !strings.HasSuffix(s.name, "service") {
		// Somebody else in the same group, as the shell of a terminal is.
		shell := exec.Command("/proc/self/exe", "-test.run=^$")
		shell.SysProcAttr = attr
		shell.Env = []string{"VM_SHELL=1"}
		in, err := shell.StdinPipe()
		if err != nil {
			return err
		}
		defer func() { _ = in.Close(); _ = shell.Wait() }()
		if err := shell.Start(); err != nil {
			return err
		}
	}
	tests := exec.Command("/sandbox.test", "-test.v", "-test.run="+s.run, "-test.timeout=10m")
	tests.Dir = home
	tests.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + home, "TMPDIR=" + home, "SANDBOX_TEST_GROUPS=" + s.groups}
	tests.SysProcAttr = attr
	tests.Stdout, tests.Stderr = os.Stdout, os.Stdout
	return tests.Run()
}

// mountAll makes the root one that another can take the place of, which the
// kernel's first one is not, and mounts what a machine has.
func mountAll() error {
	err := errors.Join(
		os.MkdirAll("/mnt", 0o755),
		unix.Mount("/", "/mnt", "", unix.MS_BIND, ""),
		unix.Chdir("/mnt"),
		unix.Mount(".", "/", "", unix.MS_MOVE, ""),
		unix.Chroot("."),
		unix.Chdir("/"),
	)
	for _, m := range []struct{ kind, at, options string }{
		{"proc", "/proc", ""},
		{"sysfs", "/sys", ""},
		{"securityfs", "/sys/kernel/security", ""},
		{"devtmpfs", "/dev", ""},
		{"tmpfs", "/tmp", "mode=1777"},
		{"cgroup2", cgroups, "nsdelegate"},
	} {
		err = errors.Join(err, unix.Mount(m.kind, m.at, m.kind, 0, m.options))
	}
	return errors.Join(err, os.MkdirAll("/dev/shm", 0o777), unix.Mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777"), enable(cgroups))
}
