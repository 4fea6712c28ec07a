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
	"slices"
	"strings"
	"sync/atomic"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
)

//go:embed try_hold.py
var holdScript []byte

// mustHold shows that the sandbox stops a program which tries to read a file of
// this machine, to write beside it and to reach a server on it, and that the
// recorder sees each of these, a process that is started and a variable that is
// read [DYN-003]. The program says what it tried, and the file and the server say
// whether it came through; one that did not run has shown nothing.
func (w *Workshop) mustHold(ctx context.Context, box *sandbox.Sandbox, in *pyenv.Interpreter) (err error) {
	cannot := func(err error) error {
		return fault.New(fault.Unavailable, "selftest", "nobody can tell whether the sandbox holds (%s): %w", quarantine.SelfTest, err)
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
	bad := map[string]any{
		"bait": bait, "beside": filepath.Join(dir, "beside"), "port": server.Addr().(*net.TCPAddr).Port, "variable": "V" + rand.Text(),
		"elsewhere": "/" + rand.Text(), // the cache may lie where the program has its own folder
	}
	order, err := json.Marshal(bad)
	if err != nil {
		return cannot(err)
	}
	t := &trial{box: box, in: in, source: holdScript, wall: limits.ParseTime, out: &Tried{Tool: &spec.Tool{}}}
	out, r, err := t.record(ctx, "call", order)
	if err != nil {
		return err
	}
	var tried []string
	if err := json.Unmarshal(lastLine(r.stdout), &tried); err != nil || out.Exit != 0 || len(tried) != 7 {
		return cannot(errors.New("the program that tries it did not come to its end"))
	}
	_, err = os.Lstat(filepath.Join(dir, "beside"))
	switch broken := func(what string) error {
		return fault.New(fault.Unavailable, "selftest", "the sandbox does not hold (%s): a program in it could %s", quarantine.SelfTest, what).
			Hint("patch-git doctor tells what this machine can enforce")
	}; {
	case bytes.Contains(r.stdout, []byte(secret)):
		return broken("read a file of this machine")
	case !errors.Is(err, fs.ErrNotExist):
		return broken("write a file on this machine")
	case reached.Load() > 0:
		return broken("reach a server on this machine")
	}
	if r.damage != nil || !r.ended {
		return cannot(errors.New("the record of the program that tries it is not whole"))
	}
	for uses, what := range map[string]string{
		"read": bad["elsewhere"].(string), "write": bad["elsewhere"].(string), "network": "", "process": bait, "environment": bad["variable"].(string),
	} {
		if !slices.ContainsFunc(t.out.Seen, func(o quarantine.Observation) bool { return o.Uses == uses && strings.Contains(o.What, what) }) {
			return fault.New(fault.Unavailable, "selftest", "the recorder is blind (%s): it did not see a program use %s", quarantine.SelfTest, uses)
		}
	}
	return nil
}
