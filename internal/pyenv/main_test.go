package pyenv

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(victimVariable); text != "" {
		if err := beVictim(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// box opens the sandbox of this machine, with one driver if named.
func box(tb testing.TB, driver string) *sandbox.Sandbox {
	tb.Helper()
	s, err := sandbox.Open(tb.Context(), sandbox.Options{Now: time.Now, Driver: driver})
	if fault.ReasonOf(err) == "sandbox_unavailable" {
		tb.Skipf("this machine confines nothing, so nothing can be run: %v", err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// testHost is a host whose state lies in a directory of its own and whose
// environment is env alone.
func testHost(tb testing.TB, env map[string]string) *host.Host {
	tb.Helper()
	root, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	home, _ := os.UserHomeDir()
	return &host.Host{
		Getenv: func(name string) string { return env[name] },
		Now:    time.Now,
		GOOS:   runtime.GOOS, GOARCH: runtime.GOARCH,
		Home:  home,
		Paths: paths.Paths{Root: root},
		HTTP:  func() *http.Client { return http.DefaultClient },
	}
}

// real is a Pythons over the machine's own interpreters.
func real(tb testing.TB) *Pythons {
	tb.Helper()
	return New(testHost(tb, map[string]string{"PATH": os.Getenv("PATH")}), box(tb, ""))
}

// anyPython is the lowest interpreter here that tools can run on.
func anyPython(tb testing.TB, p *Pythons) *Interpreter {
	tb.Helper()
	in, err := p.Find(tb.Context(), "3.9", false)
	if fault.ReasonOf(err) == "no_python" {
		tb.Skipf("no Python to run anything on: %v", err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return in
}

// run prepares and runs a tool and fails the test unless it started.
func run(tb testing.TB, p *Pythons, in *Interpreter, source string, c Call) sandbox.Outcome {
	tb.Helper()
	g, err := p.Prepare(tb.Context(), in, []byte(source))
	if err != nil {
		tb.Fatal(err)
	}
	out, err := p.box.Run(tb.Context(), g.Job(c))
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// bare runs a tool as the contract words it, with no help of ours, to compare
// with. Only sources of these tests go here.
func bare(tb testing.TB, in *Interpreter, source, args string) (stdout, stderr string, exit int) {
	tb.Helper()
	dir := tb.TempDir()
	tool := filepath.Join(dir, "tool.py")
	if err := os.WriteFile(tool, []byte(source), 0o600); err != nil {
		tb.Fatal(err)
	}
	var o, e bytes.Buffer
	cmd := exec.CommandContext(tb.Context(), in.Path, "-I", "-X", "utf8", tool)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(args), &o, &e
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LANG=C.UTF-8"}
	_ = cmd.Run()
	return o.String(), strings.ReplaceAll(e.String(), tool, toolPath), cmd.ProcessState.ExitCode()
}

// counting counts the jobs that pass through it.
type counting struct {
	Box
	mu   sync.Mutex
	jobs []sandbox.Job
}

func (c *counting) Run(ctx context.Context, job sandbox.Job) (sandbox.Outcome, error) {
	c.mu.Lock()
	c.jobs = append(c.jobs, job)
	c.mu.Unlock()
	return c.Box.Run(ctx, job)
}

// strconvQuote writes a path as a Python string; test paths are plain ASCII.
func strconvQuote(path string) string { return `"` + path + `"` }

type (
	sandboxJob     = sandbox.Job
	sandboxOutcome = sandbox.Outcome
)
