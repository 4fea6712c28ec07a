package ptytest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Pty is a pseudo-terminal with a screen: what the program writes is seen there.
type Pty struct {
	*Terminal
	person, program *os.File
	tb              testing.TB
}

// Open makes a pseudo-terminal. The test is skipped where there are none.
func Open(tb testing.TB, columns, rows int) *Pty {
	tb.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		tb.Skipf("no pseudo-terminals here: %v", err)
	}
	p := &Pty{Terminal: New(columns, rows), person: person, tb: tb}
	tb.Cleanup(func() { _ = person.Close() })
	var n int
	p.control(func(fd int) error {
		if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
			return err
		}
		n, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		return err
	})
	p.program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		tb.Skipf("pseudo-terminals are not mounted here: %v", err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = p.program.Close() })
	p.Size(columns, rows)
	go func() { _, _ = io.Copy(p.Terminal, person) }()
	return p
}

// control calls the terminal's side of the person without making it blocking,
// so that closing it ends its reader.
func (p *Pty) control(call func(fd int) error) {
	p.tb.Helper()
	raw, err := p.person.SyscallConn()
	if err != nil {
		p.tb.Fatal(err)
	}
	if err := errors.Join(raw.Control(func(fd uintptr) { err = call(int(fd)) }), err); err != nil {
		p.tb.Fatal(err)
	}
}

// Size gives the terminal another size, of which its program is told.
func (p *Pty) Size(columns, rows int) {
	p.tb.Helper()
	p.Resize(columns, rows)
	p.control(func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(rows), Col: uint16(columns)})
	})
}

// Start starts a program whose streams, where they are not set, are the
// terminal, which controls it.
func (p *Pty) Start(cmd *exec.Cmd) {
	p.tb.Helper()
	if cmd.Stdin == nil {
		cmd.Stdin = p.program
	}
	if cmd.Stdout == nil {
		cmd.Stdout = p.program
	}
	if cmd.Stderr == nil {
		cmd.Stderr = p.program
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, p.program)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 2 + len(cmd.ExtraFiles)}
	if err := cmd.Start(); err != nil {
		p.tb.Fatal(err)
	}
	p.tb.Cleanup(func() { _ = cmd.Process.Kill() })
}

// Type presses keys.
func (p *Pty) Type(keys string) {
	p.tb.Helper()
	if _, err := p.person.WriteString(keys); err != nil {
		p.tb.Fatal(err)
	}
}

// Raw tells whether lines are not edited, and keys are not shown.
func (p *Pty) Raw() bool {
	p.tb.Helper()
	var raw bool
	p.control(func(fd int) error {
		t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		raw = err == nil && t.Lflag&(unix.ICANON|unix.ECHO) == 0
		return err
	})
	return raw
}
