package host

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/patch-cat/patch-git/internal/paths"
)

// System describes the machine that the program runs on. It is called once, in
// main. What cannot be found out, such as a working directory that was deleted
// under us, is left empty: who needs it says so, and who does not goes on.
func System() *Host {
	h := &Host{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, LookupEnv: os.LookupEnv, Now: time.Now,
		GOOS: runtime.GOOS, GOARCH: runtime.GOARCH,
		HTTP: sync.OnceValue(newClient),
		Terminal: Terminal{
			Stdin:  term.IsTerminal(int(os.Stdin.Fd())),
			Stdout: term.IsTerminal(int(os.Stdout.Fd())),
			Stderr: term.IsTerminal(int(os.Stderr.Fd())),
			Open:   openTerminal,
			Screen: openScreen,
			Hidden: askHidden,
		},
		StartedBy: startedBy,
	}
	if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil {
		h.Terminal.Width = width
	}
	if dir, err := os.Getwd(); err == nil {
		h.Dir = dir
	}
	if exe, err := os.Executable(); err == nil {
		h.Executable = exe
	}
	// A relative home would put the state below whatever directory we are in.
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		h.Home = home
	}
	h.Paths = paths.Default(h.GOOS, h.Home, h.Getenv)
	return h
}
