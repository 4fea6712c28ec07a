//go:build unix

package sandbox

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
)

// start runs the job with its paths moved to a scratch on the host.
func (n none) start(j Job, _ *group, _ bool) (*tree, func(), error) {
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
	t := &tree{stdout: outR, stderr: errR, shut: make(chan error, 1)}
	var in *os.File
	if j.StdinFile != "" {
		in, err = os.Open(j.StdinFile)
	} else {
		in, t.stdin, err = os.Pipe()
	}
	if err != nil {
		t.close()
		return nil, fault.New(fault.Unavailable, "scratch", "open standard input: %w", err)
	}
	defer func() { _ = in.Close() }()
	proc, err := os.StartProcess(j.Argv[0], j.Argv, &os.ProcAttr{
		Dir: j.Dir, Files: []*os.File{in, outW, errW},
		Env: append([]string{}, j.Env...), // nil would be the caller's own environment
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		t.close()
		return nil, fault.New(fault.Unavailable, "exec", "start the tool: %w", err)
	}
	if !j.Late && t.stdin != nil {
		go func() {
			// The program need not read all of its input.
			_, _ = t.stdin.Write(j.Stdin)
			_ = t.stdin.Close()
		}()
	}
	ended := make(chan ending, 1)
	go func() { ended <- await(proc, t.stdin) }()
	t.ended = ended
	t.kill = func() { _ = syscall.Kill(-proc.Pid, syscall.SIGKILL) }
	return t, nil
}

// await waits for the end of the program and then ends the writing to it: a
// process that got away can hold the other end and never read.
func await(proc *os.Process, stdin *os.File) ending {
	state, err := proc.Wait()
	_ = stdin.Close()
	if err != nil {
		return ending{err: err}
	}
	end := ending{code: state.ExitCode()}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		end.signal = unix.SignalName(ws.Signal())
	}
	return end
}
