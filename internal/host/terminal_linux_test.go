package host_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/host"
)

// TestMain lets the test binary be a program that asks a question at its
// terminal and says on stdout what it saw, or takes the terminal over.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "screen" {
		takeOver(host.System())
		return
	}
	if len(os.Args) == 2 && os.Args[1] == "hide" {
		h := host.System()
		answer, err := h.Terminal.Hidden("key: ", nil)
		fmt.Fprintf(h.Stdout, "%q %v\n", answer, err)
		return
	}
	if len(os.Args) != 2 || os.Args[1] != "ask" {
		os.Exit(m.Run())
	}
	h := host.System()
	tty, err := h.Terminal.Open()
	if err != nil {
		fmt.Fprintf(h.Stdout, "%v %v %d: %v\n", h.Terminal.Stdout, h.Terminal.Stderr, h.Terminal.Width, err)
		return
	}
	fmt.Fprint(tty, "sure? ")
	answer, err := bufio.NewReader(tty).ReadString('\n')
	fmt.Fprintf(h.Stdout, "%v %v %d: %q %v\n", h.Terminal.Stdout, h.Terminal.Stderr, h.Terminal.Width, answer, errors.Join(err, tty.Close()))
}

// pty makes a pseudo-terminal of 91 columns: the side of the person and the
// side of the program.
func pty(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	fd := int(person.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("pseudo-terminals are not mounted here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: 91}); err != nil {
		t.Fatal(err)
	}
	return person, program
}

// The question and the answer go through the terminal, while stdout is a pipe
// and stdin is at its end.
func TestTerminal(t *testing.T) {
	person, program := pty(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "ask")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 2}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	question := make([]byte, len("sure? "))
	if _, err := person.Read(question); err != nil || string(question) != "sure? " {
		t.Errorf("the person reads %q, %v", question, err)
	}
	if _, err := person.WriteString("yes\n"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "false true 91: \"yes\\n\" <nil>\n"; got != want {
		t.Errorf("the program says %q, want %q", got, want)
	}
}

// Without a terminal nobody can be asked, even if there is a stdin.
func TestNoTerminal(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "ask")
	cmd.Stdin = strings.NewReader("yes\n")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(out); !strings.HasPrefix(got, "false false 0: open /dev/tty: ") {
		t.Errorf("the program says %q", got)
	}
}
