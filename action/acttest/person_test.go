//go:build linux

package acttest

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sigtest"
)

// person types commands. Nothing of who runs the tests is theirs, and the world
// of the forge is all that they can reach.
type person struct {
	env []string
	dir string // where they are
}

// sits puts a person before a machine. who is their account, nil of somebody without.
func (f *forge) sits(t *testing.T, who *caller) person {
	t.Helper()
	home := t.TempDir()
	p := person{dir: filepath.Join(home, "work"), env: []string{
		"HOME=" + home, "PATCH_GIT_HOME=" + filepath.Join(home, "state"), "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
		"PATCH_GIT_TEST_DRIVERS=" + os.Getenv("PATCH_GIT_TEST_DRIVERS"),
	}}
	for name, value := range f.env() {
		p.env = append(p.env, name+"="+value)
	}
	if who != nil {
		p.env = append(p.env, "GITHUB_TOKEN="+who.token)
	}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f.trust(t, filepath.Join(home, "state", "trust"), f.sigstore.Serve(t, sigtest.GitHub("nobody", "nothing")))
	return p
}

// trust writes what "patch-git trust update" leaves, for the Sigstore of this
// world.
func (f *forge) trust(tb testing.TB, dir string, v *sigtest.Server) {
	tb.Helper()
	data, err := json.Marshal(map[string]any{"schema": 1, "fetched_at": time.Now().UTC().Format(time.RFC3339), "trusted_root": v.TrustedRoot, "signing_config": v.SigningConfig})
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "sigstore.json"), data, 0o600)
	}
	if err != nil {
		tb.Error(err)
	}
}

// said is what a command said.
type said struct {
	exit           int
	stdout, stderr string
}

// types runs a command to its end.
func (p person) types(t *testing.T, args ...string) said {
	t.Helper()
	var stdout, stderr strings.Builder
	c := exec.CommandContext(t.Context(), program("patch-git"), args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = p.dir, p.env, &stdout, &stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err := c.Run()
	if exit := (&exec.ExitError{}); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return said{c.ProcessState.ExitCode(), stdout.String(), stderr.String()}
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
	var doc struct {
		Reason string `json:"reason"`
		Exit   int    `json:"exit"`
	}
	last := a.stderr[strings.LastIndexByte(strings.TrimSpace(a.stderr), '\n')+1:]
	if err := json.Unmarshal([]byte(last), &doc); err != nil {
		t.Errorf("what it says is no JSON: %v", err)
	}
	if a.exit != exit || doc.Exit != exit || doc.Reason != reason {
		t.Errorf("patch-git %s ended with exit code %d, want %d for %q:\n%s%s", strings.Join(args, " "), a.exit, exit, reason, a.stdout, a.stderr)
	}
}

// writes puts a file where the person is.
func (p person) writes(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(p.dir, name)
	keep(t, file, []byte(text), 0o644)
	return file
}
