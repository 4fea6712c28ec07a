package host_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/picker/ptytest"
)

// takeOver is the program of TestScreen: it shows each key and each size until
// a q, then asks a question as any program does.
func takeOver(h *host.Host) {
	s, err := h.Terminal.Screen()
	if err != nil {
		fmt.Fprintln(h.Stdout, err)
		return
	}
	size := func() {
		columns, rows := s.Size()
		fmt.Fprintf(s, "size %d %d\r\n", columns, rows)
	}
	size()
	keys, after := make(chan string), make(chan bool)
	ended := make(chan error)
	go func() {
		b := make([]byte, 100)
		for {
			n, err := s.Read(b)
			if err != nil {
				ended <- err
				return
			}
			keys <- string(b[:n])
			if b[0] == 'q' {
				<-after
			}
		}
	}()
	for open := true; open; {
		select {
		case k := <-keys:
			fmt.Fprintf(s, "key %q\r\n", k)
			if open = k != "q"; !open {
				// Nobody reads what comes now: it stays with the terminal.
				for n := 0; n < len("yes\n"); {
					n, err = unix.IoctlGetInt(int(h.Stdin.(*os.File).Fd()), unix.TIOCINQ)
					if err != nil {
						panic(err)
					}
				}
			}
		case <-s.Resized():
			size()
		}
	}
	closed := s.Close()
	after <- true
	fmt.Fprintf(h.Stdout, "closed: %v, then %v; the reader ends: %v\n", closed, s.Close(), <-ended)
	fmt.Fprint(h.Stdout, "sure? ")
	answer, err := bufio.NewReader(h.Stdin.(*os.File)).ReadString('\n')
	fmt.Fprintf(h.Stdout, "answer %q %v\n", answer, err)
}

// TestScreen: keys come as they are pressed, and are not shown; another size is
// told; and what was typed before the terminal was given back answers no
// question that comes then, while a reader was waiting all the time.
func TestScreen(t *testing.T) {
	p := ptytest.Open(t, 60, 20)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "screen")
	p.Start(cmd)
	see := func(text string) {
		t.Helper()
		p.Until(t, text, func(s *ptytest.Terminal) bool { return strings.Contains(s.Text(), text) })
	}
	see("size 60 20")
	if !p.Raw() {
		t.Error("the terminal is not raw")
	}
	p.Type("a")
	see(`key "a"`)
	p.Type("\x03")
	see(`key "\x03"`)
	p.Type("\x1b[A")
	see(`key "\x1b[A"`)
	p.Size(100, 22)
	see("size 100 22")
	p.Type("q")
	see(`key "q"`)
	p.Type("yes\n") // to a question that does not stand there yet
	see("closed: <nil>, then file already closed; the reader ends: file already closed")
	see("sure?")
	if p.Raw() {
		t.Error("the terminal is still raw")
	}
	p.Type("no\n")
	see(`answer "no\n" <nil>`)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// Without a terminal there is no screen either.
func TestNoScreen(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("setsid", "-w", exe, "screen").Output()
	if err != nil {
		t.Skipf("setsid: %v", err)
	}
	if !strings.HasPrefix(string(out), "open /dev/tty: ") {
		t.Errorf("the program says %q", out)
	}
}
