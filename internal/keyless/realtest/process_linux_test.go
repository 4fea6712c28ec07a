package realtest

import (
	"os/exec"
	"syscall"
)

// own gives a command a session of its own, which ends with these tests however
// they end. It has no terminal, where a command could ask who runs the tests.
func own(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	c.Cancel = func() error { return end(c) }
}

// end kills the command's process group.
func end(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }

// freeze has the command neither run nor end until it is thawed.
func freeze(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGSTOP) }

func thaw(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGCONT) }
