package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/patch-cat/patch-git/internal/mcpserver/mcptest"
)

// contender is a server that is measured.
type contender struct {
	name    string
	confine bool // its calls run in a sandbox, are verified and recorded
	start   func(ctx context.Context, n int) *exec.Cmd
}

// field has the toolboxes, the peers' list of the same tools, and the servers.
type field struct {
	dir        string
	contenders []contender
}

// prepare makes the toolboxes and builds what has to be built.
func prepare(ctx context.Context, o options) (*field, error) {
	f := &field{dir: o.dir}
	for _, n := range o.sizes {
		if _, err := os.Stat(f.state(n)); err == nil {
			continue // of the last time
		}
		if err := mcptest.Many(ctx, f.state(n), n); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(f.state(n), "config.json"), []byte(`{"schema":1,"mcp":{"expose":"all"}}`), 0o600); err != nil {
			return nil, err
		}
	}
	f.contenders = append(f.contenders, contender{"patch-git", true, func(ctx context.Context, n int) *exec.Cmd {
		cmd := exec.CommandContext(ctx, o.program, "mcp")
		cmd.Env = append(os.Environ(), "PATCH_GIT_HOME="+f.state(n))
		return cmd
	}})
	other := filepath.Join(f.dir, "mark3labs")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", other, "./mark3labs")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, err
	}
	f.contenders = append(f.contenders, contender{"mark3labs/mcp-go 1.2.1", false, func(ctx context.Context, n int) *exec.Cmd {
		return exec.CommandContext(ctx, other, f.list(n))
	}})
	node := filepath.Join(o.clients, "node_modules", "node-linux-"+map[string]string{"amd64": "x64"}[runtime.GOARCH], "bin", "node")
	if _, err := os.Stat(node); err == nil {
		f.contenders = append(f.contenders, contender{"TypeScript SDK 1.32.2, node 22", false, func(ctx context.Context, n int) *exec.Cmd {
			return exec.CommandContext(ctx, node, filepath.Join(o.clients, "server.mjs"), f.list(n))
		}})
	}
	return f, nil
}

// state is the folder of a user with n tools.
func (f *field) state(n int) string { return filepath.Join(f.dir, "state-"+number(n)) }

// list is the file of the same tools for the others.
func (f *field) list(n int) string { return f.state(n) + ".json" }

// same writes down what patch-git lists, so that the others list it too.
func (f *field) same(ctx context.Context, n int) error {
	p, err := mcptest.Start(f.contenders[0].start(ctx, n), mcptest.Legacy)
	if err != nil {
		return err
	}
	var all []mcptest.Tool
	for len(all) < n { // it lists what it has verified so far
		if all, err = p.Tools(); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	list := []json.RawMessage{}
	for _, t := range all {
		list = append(list, t.Raw)
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.list(n), data, 0o600); err != nil {
		return err
	}
	return p.End()
}
