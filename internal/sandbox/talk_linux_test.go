package sandbox_test

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

const echo = `
import sys
for line in sys.stdin:
    print("you said " + line.strip(), flush=True)
print("goodbye", flush=True)
`

// TestTalk: a conversation goes to and fro, in every driver, and all of what the
// program said is in the outcome too.
func TestTalk(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		job := speaker(t, echo)
		job.Late = true
		var heard []string
		job.Talk = func(in io.Writer, out io.Reader) {
			lines := bufio.NewScanner(out)
			for _, word := range []string{"one", "two", "three"} {
				if _, err := io.WriteString(in, word+"\n"); err != nil || !lines.Scan() {
					t.Errorf("%s: %v, %v", word, err, lines.Err())
					return
				}
				heard = append(heard, lines.Text())
			}
		}
		out, err := s.Run(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(heard, ", "); got != "you said one, you said two, you said three" {
			t.Errorf("heard %q", got)
		}
		if out.Exit != 0 || string(out.Stdout) != "you said one\nyou said two\nyou said three\ngoodbye\n" {
			t.Errorf("%+v", out)
		}
	})
}

// TestTalkEnds: a conversation ends with its program, with its time and with its gate,
// whatever the program does, and nobody waits for anybody.
func TestTalkEnds(t *testing.T) {
	no := errors.New("no")
	listen := func(_ io.Writer, out io.Reader) { _, _ = io.Copy(io.Discard, out) }
	for name, c := range map[string]struct {
		source string
		talk   func(in io.Writer, out io.Reader)
		gate   func() error
		check  func(sandbox.Outcome, error) bool
	}{
		"it says nothing":       {"import time\ntime.sleep(60)\n", listen, nil, func(o sandbox.Outcome, err error) bool { return err == nil && o.TimedOut }},
		"it ends at once":       {"", listen, nil, func(o sandbox.Outcome, err error) bool { return err == nil && o.Exit == 0 }},
		"nobody listens":        {"while True: print('x' * 4096)\n", func(io.Writer, io.Reader) {}, nil, func(o sandbox.Outcome, err error) bool { return err == nil && o.Exit != 0 }},
		"it says too much":      {"while True: print('x' * 4096)\n", listen, nil, func(o sandbox.Outcome, err error) bool { return err == nil && o.StdoutCut }},
		"it reads nothing":      {"import time\ntime.sleep(60)\n", func(in io.Writer, _ io.Reader) { _, _ = in.Write(make([]byte, 1<<20)) }, nil, func(o sandbox.Outcome, err error) bool { return err == nil && o.TimedOut }},
		"it does not go":        {"import time\ntime.sleep(60)\n", func(io.Writer, io.Reader) {}, nil, func(o sandbox.Outcome, err error) bool { return err == nil && !o.TimedOut && o.Signal == "SIGKILL" }},
		"the gate stays shut":   {"print('x')\n", func(io.Writer, io.Reader) { t.Error("somebody spoke") }, func() error { return no }, func(_ sandbox.Outcome, err error) bool { return errors.Is(err, no) }},
		"it writes without end": {"import sys\nwhile True: sys.stdout.write('x'); sys.stdout.flush()\n", listen, nil, func(o sandbox.Outcome, err error) bool { return err == nil && (o.TimedOut || o.StdoutCut) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			job := speaker(t, c.source)
			job.Late, job.Talk, job.Gate = true, c.talk, c.gate
			job.Limits.Wall = 2 * time.Second
			job.Limits.Stdout = 1 << 20
			began := time.Now()
			out, err := anyDriver(t).Run(t.Context(), job)
			if !c.check(out, err) {
				t.Errorf("%+v, %v", out, err)
			}
			if took := time.Since(began); took > 8*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func anyDriver(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	for _, r := range probed() {
		if r.Works {
			return open(t, r.Name)
		}
	}
	t.Fatal("no driver works on this host")
	return nil
}

// TestTalkNeedsAnInput: whoever speaks has an input of one's own.
func TestTalkNeedsAnInput(t *testing.T) {
	talk := func(io.Writer, io.Reader) {}
	for name, change := range map[string]func(*sandbox.Job){
		"not late":      func(j *sandbox.Job) { j.Talk = talk },
		"with an input": func(j *sandbox.Job) { j.Talk, j.Late, j.Stdin = talk, true, []byte("x") },
	} {
		job := speaker(t, "")
		change(&job)
		if _, err := anyDriver(t).Run(t.Context(), job); err == nil {
			t.Errorf("%s: it ran", name)
		}
	}
}

// speaker is a tool whose input is not a file.
func speaker(t *testing.T, source string) sandbox.Job {
	t.Helper()
	job := tool(t, source)
	job.StdinFile = ""
	return job
}
