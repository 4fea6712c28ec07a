package sandbox

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asleep starts a process in a group: of its own, or with the number of another one's.
func asleep(t *testing.T, group int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "read word") // a small machine has no sleep
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: group}
	if _, err := cmd.StdinPipe(); err != nil { // nothing comes
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd
}

// endedBy asks a process to end, and tells what ended it: a kill that came before wins.
func endedBy(t *testing.T, cmd *exec.Cmd) syscall.Signal {
	t.Helper()
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
	return cmd.ProcessState.Sys().(syscall.WaitStatus).Signal()
}

// TestStaleKill: who asks for the end of a run that is over, as a gate may that is
// still being asked, ends no group that was given the same number since.
func TestStaleKill(t *testing.T) {
	k, err := newKeeper()
	if err != nil {
		t.Fatal(err)
	}
	k.dismiss()
	stranger := asleep(t, 0)
	k.proc.pid = stranger.Process.Pid
	k.killGroup()
	if by := endedBy(t, stranger); by != syscall.SIGTERM {
		t.Errorf("a stranger was ended by %v", by)
	}
	// The twin.
	if k, err = newKeeper(); err != nil {
		t.Fatal(err)
	}
	defer k.dismiss()
	member := asleep(t, k.proc.pid)
	k.killGroup()
	if by := endedBy(t, member); by != syscall.SIGKILL {
		t.Errorf("one of the group was ended by %v", by)
	}
}

// TestKillSession: what a process has just started ends with it.
func TestKillSession(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	proc, ended, err := start(func() (*child, error) {
		return fork(command{path: "/bin/sh", argv: []string{"sh", "-c", "sleep 60 & echo ready; wait"}}, []*os.File{nil, w, nil}, &syscall.SysProcAttr{Setsid: true})
	}, nil)
	_ = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(r)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	proc.killSession()
	if end := <-ended; end.signal != "SIGKILL" {
		t.Errorf("it ended by %+v", end)
	}
	if err := r.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(lines); err != nil {
		t.Errorf("what it had started lives on: %v", err)
	}
	proc.killSession() // it is gone, and its number with it
}

// TestSlowEngine: an engine that does not answer is not waited for, nor what it has
// started and left behind.
func TestSlowEngine(t *testing.T) {
	sh, err := os.Open("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sh.Close() }()
	f := &found{engine{}, sh, t.TempDir()}
	for name, script := range map[string]string{
		"its own":      "sleep 60 & sleep 60",
		"one set free": "setsid sleep 20 & sleep 60",
	} {
		began := time.Now()
		if said, err := f.askWithin(100*time.Millisecond, []string{"sh", "-c", script}, nil); err == nil || time.Since(began) > 15*time.Second {
			t.Errorf("%s: %q, %v after %v", name, said, err, time.Since(began))
		}
	}
	// The twin.
	if said, err := f.askWithin(time.Minute, []string{"sh", "-c", "cat; echo is what it says"}, []byte("this ")); err != nil || strings.TrimSpace(said) != "this is what it says" {
		t.Errorf("%q, %v", said, err)
	}
}
