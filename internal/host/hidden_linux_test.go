package host_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestHidden types at a real terminal, at the moment when the question is seen: of a
// secret nothing is shown, and the echo is back afterwards. The control is an answer that
// is none, which is shown.
func TestHidden(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ how, question, says string }{
		{"hide", "key: ", "\"k-canary\" <nil>\n"},
		{"ask", "sure? ", "false true 91: \"k-canary\\n\" <nil>\n"},
	} {
		person, program := pty(t)
		var out strings.Builder
		cmd := exec.Command(exe, tt.how)
		cmd.Stdout, cmd.Stderr = &out, program
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 2}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		question := make([]byte, len(tt.question))
		if _, err := person.Read(question); err != nil || string(question) != tt.question {
			t.Errorf("the person reads %q, %v", question, err)
		}
		if _, err := person.WriteString("k-canary\n"); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if out.String() != tt.says {
			t.Errorf("%s: the program says %q", tt.how, out.String())
		}
		shown := rest(t, person)
		if (tt.how == "ask") != strings.Contains(shown, "canary") {
			t.Errorf("%s: the terminal shows %q", tt.how, shown)
		}
		state, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
		if err != nil || state.Lflag&unix.ECHO == 0 {
			t.Errorf("%s: the terminal stays silent: %v", tt.how, err)
		}
	}
}

// rest is what a terminal still shows.
func rest(t *testing.T, person *os.File) string {
	t.Helper()
	all, buf := "", make([]byte, 4096)
	for {
		ready, err := unix.Poll([]unix.PollFd{{Fd: int32(person.Fd()), Events: unix.POLLIN}}, int((100 * time.Millisecond).Milliseconds()))
		if err != nil && err != unix.EINTR { //nolint:errorlint // a number of the system's
			t.Fatal(err)
		}
		if ready <= 0 {
			return all
		}
		n, err := person.Read(buf)
		if all += string(buf[:n]); err != nil {
			return all
		}
	}
}
