package contribute

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

//go:embed try_hold.py
var holdScript string

// mustHold shows that the sandbox stops a program which tries to read a file of
// this machine, to write beside it and to reach a server on it. The program says
// what it tried, and the file and the server say whether it came through; one
// that did not run has shown nothing.
func (w *Workshop) mustHold(ctx context.Context, box *sandbox.Sandbox, in *pyenv.Interpreter) (err error) {
	cannot := func(err error) error {
		return fault.New(fault.Unavailable, "selftest", "nobody can tell whether the sandbox holds: %w", err)
	}
	if err := os.MkdirAll(w.host.Paths.Cache(), 0o700); err != nil {
		return cannot(durable.Classify("make folder", w.host.Paths.Cache(), err))
	}
	dir, err := os.MkdirTemp(w.host.Paths.Cache(), "selftest-")
	if err != nil {
		return cannot(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	secret, bait := rand.Text(), filepath.Join(dir, "bait")
	if err := os.WriteFile(bait, []byte(secret), 0o644); err != nil {
		return cannot(err)
	}
	server, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return cannot(err)
	}
	var reached atomic.Int32
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		for {
			conn, err := server.Accept()
			if err != nil {
				return
			}
			reached.Add(1)
			_ = conn.Close()
		}
	}()
	defer func() { _ = server.Close(); <-closed }()
	order, err := json.Marshal(map[string]any{"bait": bait, "beside": filepath.Join(dir, "beside"), "port": server.Addr().(*net.TCPAddr).Port})
	if err != nil {
		return cannot(err)
	}
	out, err := box.Run(ctx, in.Script(holdScript, order, sandbox.Limits{Wall: limits.ParseTime}))
	if err != nil {
		return err
	}
	var tried []string
	if err := json.Unmarshal(lastLine(out.Stdout), &tried); err != nil || out.Exit != 0 || len(tried) != 3 {
		return cannot(errors.New("the program that tries it did not come to its end"))
	}
	_, err = os.Lstat(filepath.Join(dir, "beside"))
	switch broken := func(what string) error {
		return fault.New(fault.Denied, "selftest", "the sandbox does not hold: a program in it could %s", what).
			Hint("patch-git doctor tells what this machine can enforce")
	}; {
	case bytes.Contains(out.Stdout, []byte(secret)):
		return broken("read a file of this machine")
	case !errors.Is(err, fs.ErrNotExist):
		return broken("write a file on this machine")
	case reached.Load() > 0:
		return broken("reach a server on this machine")
	}
	return nil
}
