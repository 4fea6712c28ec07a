//go:build linux

// Package acttest has the tests of the workflows themselves: act, a runner of
// GitHub workflows, runs the very files that a registry has, on git repositories
// that are served over HTTPS, for the events that what people do brings about.
//
// What is GitHub's is played here: the events and who may see which secret (a
// [forge]), its API (githubtest), the machine that a job runs on (act, and the
// shell that act believes to be bash, see shell_test.go), the actions that
// workflows use (testdata/actions), Pages. Everything else is what people have:
// git, the program, and a Sigstore (package sigtest).
//
// The tests run by "make test-act" alone. They run in a network of their own in
// which there is nothing but loopback. Names such as github.com lead to this
// process, by a proxy that knows no others and reports who asks for one.
package acttest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

const (
	// lane is the variable that asks for these tests; "0" asks for none.
	lane = "PATCH_GIT_ACT_TESTS"
	// programs is set inside, to the folder with act and patch-git.
	programs = "PATCH_GIT_ACT_PROGRAMS"
	// absent is set inside, to why there are none.
	absent = "PATCH_GIT_ACT_ABSENT"
)

// TestMain is the shell of a step where act started it under that name. Else it
// builds what the tests run and starts them once more, where they can reach
// nobody.
func TestMain(m *testing.M) {
	switch v := os.Getenv(lane); {
	case filepath.Base(os.Args[0]) == shellName:
		os.Exit(shell(os.Args[1:]))
	case v == "" || v == "0" || os.Getenv(programs) != "" || os.Getenv(absent) != "":
		os.Exit(m.Run())
	}
	os.Exit(startInside())
}

// startInside runs this test binary as it was called, without a network.
func startInside() int {
	dir, err := os.MkdirTemp("", "acttest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	env := append(os.Environ(), programs+"="+dir)
	switch err := build(dir); {
	case errors.Is(err, errOffline):
		env = append(env, absent+"="+err.Error())
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c := exec.Command("/proc/self/exe", os.Args[1:]...)
	c.Env, c.Stdin, c.Stdout, c.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	c.SysProcAttr = lonely()
	// Who interrupts means the tests, which are in the same group; this process
	// waits for them.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	err = c.Run()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		fmt.Fprintf(os.Stderr, "acttest: no network of their own for the tests (%v); the proxy alone keeps them here\n", err)
		c = exec.Command("/proc/self/exe", os.Args[1:]...)
		c.Env, c.Stdin, c.Stdout, c.Stderr = append(env, shared+"=1"), os.Stdin, os.Stdout, os.Stderr
		err = c.Run()
	}
	if exit := (&exec.ExitError{}); errors.As(err, &exit) {
		return max(1, exit.ExitCode())
	} else if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// wanted skips a test that nobody asked for, or that lacks act.
func wanted(t *testing.T) {
	t.Helper()
	if v := os.Getenv(lane); v == "" || v == "0" {
		t.Skipf("%s=%q: the workflows are not run; see make test-act", lane, v)
	}
	if why := os.Getenv(absent); why != "" {
		t.Skipf("act is not in the cache and cannot be fetched: %s", why)
	}
}

// program is the file of one that was built.
func program(name string) string { return filepath.Join(os.Getenv(programs), name) }
