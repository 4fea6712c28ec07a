package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A cage is a machine for the escape suite alone: mount, pid, net, ipc, uts and
// cgroup namespaces of its own, with the host's side of every attempt inside of
// it: servers, victims, secrets. So nothing that gets out of a sandbox gets
// further than into the cage, and addresses of the internet lead nowhere else.
type cage struct {
	Driver  string // of the sandbox, or bare or unprotected
	User    string // asRootColumn, asRootedColumn or asUserColumn
	Real    bool   // the capabilities inside are the machine's, for attempts that cannot harm it
	Network bool
	Only    []string // names of probes; none are all
	Python  python

	// What the first stage found out for the second.
	Master, Slave, Leak int    // descriptors: both ends of the terminal, and a directory left open
	Home                string // the caller's, as it is in the cage
	Key, Ring           int
	Secrets             map[string]string // text of a secret to whose it is
	Base                string
}

// What runs the attempts instead of a driver, in the controls.
const (
	bare        = "bare"        // nothing: the interpreter is started as any program
	unprotected = "unprotected" // sandbox.OpenUnsafe
)

// Users of a column.
const (
	asRootColumn   = "root"
	asRootedColumn = "root's own file" // a mount that only root can read keeps the tool root
	asUserColumn   = "user"
)

func (c cage) String() string { return c.Driver + ", " + c.User }

// control tells whether attempts must succeed in the cage.
func (c cage) control() bool { return c.Driver == bare || c.Driver == unprotected }

// errNoCage is the answer of a host that does not let one be built.
var errNoCage = errors.New("no cage can be built here")

// run builds the cage, makes all attempts in it and returns what came of each.
func (c cage) run(t *testing.T) (map[string]*finding, error) {
	t.Helper()
	py, err := findPython()
	if err != nil {
		t.Skipf("no python3 on this machine: %v", err)
	}
	c.Python, c.Base = py, "/home/patch"
	order, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", "-test.run=^$")
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/bin:/bin", "SANDBOX_TEST_ACTOR=cage", "CAGE=" + string(order)}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid:     true,
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
	}
	switch uid := os.Getuid(); {
	case uid != 0 && c.control():
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	case uid != 0:
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
		cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SYS_CHROOT, unix.CAP_DAC_OVERRIDE, unix.CAP_SETFCAP, unix.CAP_SYS_RESOURCE}
	case c.control() && !c.Real:
		// Whatever works here works on what the cage owns and no further.
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1 << 16}}
		cmd.SysProcAttr.GidMappings = cmd.SysProcAttr.UidMappings
		cmd.SysProcAttr.GidMappingsEnableSetgroups = true
	}
	in, err := cmd.StdinPipe() // its end is the end of the cage
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoCage, err)
	}
	err = cmd.Wait()
	if cmd.ProcessState.ExitCode() == noCageExit {
		return nil, fmt.Errorf("%w: %s", errNoCage, stderr.String())
	}
	if err != nil {
		return nil, fmt.Errorf("the cage ended: %w\n%s", err, stderr.String())
	}
	if stderr.Len() > 0 {
		t.Logf("%s: %s", c, stderr.String())
	}
	var found map[string]*finding
	if err := json.Unmarshal(stdout.Bytes(), &found); err != nil {
		return nil, fmt.Errorf("the cage's report: %w\n%s\n%s", err, stdout.String(), stderr.String())
	}
	return found, nil
}

const noCageExit = 4

// ordered is the cage that this actor is.
func ordered() (c cage) {
	if err := json.Unmarshal([]byte(os.Getenv("CAGE")), &c); err != nil {
		die(err)
	}
	return c
}

// buildCage is the first stage of the actor: process 1 of the cage, with all
// rights over it, which it gives up for those of the caller that it plays.
func buildCage() {
	runtime.LockOSThread() // user, keyring and all are the thread's, until it becomes the second stage
	c := ordered()
	c.Secrets = map[string]string{}
	if err := c.build(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(noCageExit)
	}
	variable := c.secret("a variable of the environment")
	b, err := json.Marshal(c)
	if err == nil {
		err = syscall.Exec("/proc/self/exe", []string{"host"}, []string{
			"HOST_SECRET=" + variable, "PATH=/usr/bin:/bin", "SANDBOX_TEST_ACTOR=host", "CAGE=" + string(b),
		})
	}
	die(err)
}

// secret makes a text that nobody can guess, and remembers whose it is: who
// says it has read it there.
func (c *cage) secret(whose string) string {
	text := "sec-" + nonce()
	c.Secrets[text] = whose
	return text
}

func (c *cage) build() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	unix.Umask(0)
	for _, d := range []string{"/home", "/tmp", "/dev/shm", "/var/tmp"} {
		if err := unix.Mount("tmpfs", d, "tmpfs", 0, "mode=1777,size=512m"); err != nil && d != "/var/tmp" {
			return fmt.Errorf("mount %s: %w", d, err)
		}
	}
	for _, d := range []string{"", "/out", "/ro", "/rw", "/pts"} {
		if err := os.Mkdir(c.Base+d, 0o755); err != nil {
			return err
		}
	}
	if err := errors.Join(c.hideHost(), c.network(), c.terminal(), c.props()); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte(c.secret("the name of the host"))); err != nil {
		return err
	}
	// The numbers of processes inside of a sandbox and outside shall differ.
	_ = os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte("20000"), 0)
	unix.Umask(0o022)
	return c.becomeCaller()
}

// hideHost puts secrets of the cage where those of the machine are.
func (c *cage) hideHost() error {
	c.Home = "/root"
	for _, m := range c.Python.Mounts {
		if strings.HasPrefix(m.Source, "/root/") {
			c.Home = c.Base + "/home"
		}
	}
	if c.Home == "/root" {
		if err := unix.Mount("tmpfs", c.Home, "tmpfs", 0, "mode=755"); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(c.Home+"/.ssh", 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(c.Home+"/.ssh/id_ed25519", []byte(c.secret("a private key")), 0o644); err != nil {
		return err
	}
	shadow := c.Base + "/shadow"
	if err := os.WriteFile(shadow, []byte(c.secret("the password file")), 0o644); err != nil {
		return err
	}
	return unix.Mount(shadow, "/etc/shadow", "", unix.MS_BIND, "")
}

// terminal gives the cage a terminal that controls it, as a person's shell has.
func (c *cage) terminal() error {
	pts := c.Base + "/pts"
	if err := unix.Mount("devpts", pts, "devpts", 0, "newinstance,ptmxmode=0666,mode=0666"); err != nil {
		return fmt.Errorf("mount terminals: %w", err)
	}
	var err error
	if c.Master, err = unix.Open(pts+"/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0); err != nil {
		return err
	}
	if err := unix.IoctlSetPointerInt(c.Master, unix.TIOCSPTLCK, 0); err != nil {
		return err
	}
	if c.Slave, err = unix.Open(pts+"/0", unix.O_RDWR|unix.O_NONBLOCK, 0); err != nil {
		return err
	}
	// Without an echo, what is typed and what is printed are two things.
	attr, err := unix.IoctlGetTermios(c.Slave, unix.TCGETS)
	if err != nil {
		return err
	}
	attr.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(c.Slave, unix.TCSETS, attr); err != nil {
		return err
	}
	return unix.IoctlSetInt(c.Slave, unix.TIOCSCTTY, 0)
}

// props makes what only the cage's root can make, where the attempts that want
// it will look for it. What cannot be made is missed by the control.
func (c *cage) props() error {
	for _, name := range []string{"grant_remount", "grant_mount_setattr"} {
		door := c.Base + "/ro/" + name + "/door"
		if err := os.MkdirAll(door, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(door+"/file", []byte(plain), 0o666); err != nil {
			return err
		}
		if err := unix.Mount(door, door, "", unix.MS_BIND, ""); err != nil {
			return err
		}
		if err := unix.Mount("", door, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
			return err
		}
	}
	for _, name := range []string{"umount", "fspick"} {
		door := c.Base + "/out/" + name + "/door"
		if err := os.MkdirAll(door, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(door+"/hidden", []byte(c.secret("a file below a mount")), 0o644); err != nil {
			return err
		}
		if err := unix.Mount("tmpfs", door, "tmpfs", 0, "size=1m"); err != nil {
			return err
		}
	}
	exe, err := os.ReadFile(c.Python.Exe)
	if err != nil {
		return err
	}
	for name, change := range map[string]func(string) error{
		"overwrite_program/python": func(string) error { return nil },
		"setuid_program/setuid":    func(p string) error { return errors.Join(os.Chown(p, 1, -1), os.Chmod(p, 0o755|os.ModeSetuid)) },
		"setgid_program/setgid":    func(p string) error { return errors.Join(os.Chown(p, -1, 1), os.Chmod(p, 0o755|os.ModeSetgid)) },
		"capable_program/capable": func(p string) error {
			// Version 2, effective, CAP_NET_RAW: what ping has.
			return unix.Setxattr(p, "security.capability", []byte{1, 0, 0, 2, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0)
		},
	} {
		p := c.Base + "/ro/" + name
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(p, exe, 0o755); err != nil {
			return err
		}
		_ = change(p) // an ordinary user's cage has no second user
	}
	return nil
}

// becomeCaller leaves the rights over the cage where the column is about an
// ordinary user, opens the session's keyring and gives over what was made.
func (c *cage) becomeCaller() error {
	if os.Getuid() == 0 && c.User == asUserColumn && !c.control() {
		for _, d := range []string{"", "/out", "/ro", "/rw"} {
			if err := os.Chown(c.Base+d, nobodyID, nobodyID); err != nil {
				return err
			}
		}
		for _, glob := range []string{"/out/*", "/ro/*"} {
			made, _ := filepath.Glob(c.Base + glob)
			for _, d := range made {
				if err := os.Chown(d, nobodyID, nobodyID); err != nil {
					return err
				}
			}
		}
		for _, change := range []struct{ call, n uintptr }{{unix.SYS_SETGROUPS, 0}, {unix.SYS_SETRESGID, nobodyID}, {unix.SYS_SETRESUID, nobodyID}} {
			if _, _, e := unix.RawSyscall(change.call, change.n, change.n, change.n); e != 0 {
				return e
			}
		}
	} else if os.Getuid() != 0 {
		if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
			return err
		}
	}
	if ring, err := unix.KeyctlJoinSessionKeyring("cage"); err == nil {
		c.Ring = ring
		c.Key, _ = unix.AddKey("user", "cage-key", []byte(c.secret("a key")), ring)
		_ = unix.KeyctlSetperm(c.Key, 0x3f3f3f3f)
	}
	return nil
}

const nobodyID = 65534

func nonce() string {
	var b [8]byte
	if _, err := unix.Getrandom(b[:], 0); err != nil {
		die(err)
	}
	return fmt.Sprintf("%x", b)
}

// eventually polls until the condition holds or the time is over.
func eventually(limit time.Duration, holds func() bool) bool {
	for end := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		if holds() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
