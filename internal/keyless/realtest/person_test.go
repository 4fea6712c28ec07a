package realtest

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// product builds the program of this repository, as it is released.
func product(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "patch-git")
	c := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, "../../../cmd/patch-git")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := output(c); err != nil {
		t.Fatalf("build the program: %v\n%s", err, text)
	}
	return file
}

// person types commands. Nothing of who runs the tests is theirs, and they have
// no way off this machine.
type person struct {
	program string
	env     []string
}

// person makes one, whose commands run in a job where it has variables.
func (in *instance) person(t *testing.T, program string, job map[string]string) person {
	t.Helper()
	home := t.TempDir()
	p := person{program, append(in.gitHub.env(), "HOME="+home, "PATCH_GIT_HOME="+filepath.Join(home, "state"), "PATH="+os.Getenv("PATH"))}
	for name, value := range job {
		p.env = append(p.env, name+"="+value)
	}
	return p
}

// answer is what a command said.
type answer struct {
	exit           int
	stdout, stderr string
}

// types runs a command to its end.
func (p person) types(t *testing.T, args ...string) answer {
	t.Helper()
	var stdout, stderr strings.Builder
	c := exec.CommandContext(t.Context(), p.program, args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = t.TempDir(), p.env, &stdout, &stderr
	own(c)
	err := onKeeper(c.Start)
	if err == nil {
		err = c.Wait()
	}
	if exit := (&exec.ExitError{}); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return answer{c.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// does runs a command that has to succeed, and returns what it printed.
func (p person) does(t *testing.T, args ...string) string {
	t.Helper()
	a := p.types(t, args...)
	if a.exit != 0 {
		t.Fatalf("patch-git %s ended with exit code %d:\n%s%s", strings.Join(args, " "), a.exit, a.stdout, a.stderr)
	}
	return a.stdout
}

// fails runs a command that has to end with the exit code, for the reason.
func (p person) fails(t *testing.T, exit int, reason string, args ...string) {
	t.Helper()
	a := p.types(t, append(args, "--json")...)
	var said struct {
		Reason string `json:"reason"`
		Exit   int    `json:"exit"`
	}
	if err := json.Unmarshal([]byte(a.stderr), &said); err != nil {
		t.Errorf("what it says is no JSON: %v", err)
	}
	if a.exit != exit || said.Exit != exit || said.Reason != reason {
		t.Errorf("patch-git %s ended with exit code %d, want %d for %q:\n%s%s", strings.Join(args, " "), a.exit, exit, reason, a.stdout, a.stderr)
	}
}
