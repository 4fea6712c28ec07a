//go:build unix

package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
)

// start runs the job with its paths moved to a scratch on the host.
func (n none) start(j Job, _ bool) (*tree, func(), error) {
	s, err := newScratch(n.temp, os.Getuid())
	if err != nil {
		return nil, nil, err
	}
	j = relocate(s.dir, j.Mounts).job(j)
	var t *tree
	if !j.Late {
		err = j.open()
	}
	if err == nil {
		t, err = n.launch(s, j)
	}
	if err != nil {
		s.remove()
		return nil, nil, err
	}
	return t, s.remove, nil
}

func (none) launch(s *scratch, j Job) (*tree, error) {
	if err := s.fill(j.Files); err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, fault.New(fault.Unavailable, "pipe", "make pipe: %w", err)
	}
	defer func() { _ = outW.Close() }()
	errR, errW, err := os.Pipe()
	if err != nil {
		_ = outR.Close()
		return nil, fault.New(fault.Unavailable, "pipe", "make pipe: %w", err)
	}
	defer func() { _ = errW.Close() }()
	cmd := &exec.Cmd{
		Path: j.Argv[0], Args: j.Argv, Env: j.Env, Dir: j.Dir,
		Stdout: outW, Stderr: errW,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
		// The program need not read all of its input, nor close it.
		WaitDelay: drain,
	}
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would be the caller's own environment
	}
	t := &tree{stdout: outR, stderr: errR, shut: make(chan error, 1)}
	var in *os.File
	switch {
	case j.Late:
		in, t.stdin, err = os.Pipe()
	case j.StdinFile != "":
		in, err = os.Open(j.StdinFile)
	default:
		cmd.Stdin = bytes.NewReader(j.Stdin)
	}
	if err != nil {
		t.close()
		return nil, fault.New(fault.Unavailable, "scratch", "open standard input: %w", err)
	}
	if in != nil {
		defer func() { _ = in.Close() }()
		cmd.Stdin = in
	}
	if err := cmd.Start(); err != nil {
		t.close()
		return nil, fault.New(fault.Unavailable, "exec", "start the tool: %w", err)
	}
	ended := make(chan ending, 1)
	go func() {
		// An unread rest of the input is no error of the program.
		_ = cmd.Wait()
		end := ending{code: cmd.ProcessState.ExitCode()}
		if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			end.signal = unix.SignalName(ws.Signal())
		}
		ended <- end
	}()
	t.ended = ended
	t.kill = func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return t, nil
}
