package mcptest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkTurns compares programs, such as one of before a change and one of after
// it, while others work on the machine: each serves a toolbox of its own over stdio,
// and they are called in turns, after a pause and at once again. It reports medians,
// and for all but the first program what a call takes more than that one's of the same
// round.
//
//	PATCH_GIT_BENCH=/tmp/old,/tmp/new go test -run '^$' -bench Turns -benchtime 100x ./internal/mcpserver/mcptest
func BenchmarkTurns(b *testing.B) {
	programs := os.Getenv("PATCH_GIT_BENCH")
	if programs == "" {
		b.Skip("PATCH_GIT_BENCH names no programs")
	}
	var lanes []lane
	for i, program := range strings.Split(programs, ",") {
		root := filepath.Join(b.TempDir(), "state")
		if err := Many(b.Context(), root, 10); err != nil {
			b.Fatal(err)
		}
		lanes = append(lanes, lane{name: strconv.Itoa(i) + "-" + filepath.Base(program), call: serving(b, program, root)})
	}
	time.Sleep(3 * time.Second) // what was written a moment ago is read at each call
	moments := []string{"idle", "next"}
	took := map[string][]time.Duration{}
	for round := -3; b.Loop(); round++ { // some to warm up
		first := map[string]time.Duration{}
		for i, l := range lanes {
			for _, m := range moments {
				began := time.Now()
				l.call()
				d := time.Since(began)
				if round < 0 {
					continue
				}
				name := l.name + "-" + m
				took[name] = append(took[name], d)
				if i == 0 {
					first[m] = d
				} else {
					took[name+"-more"] = append(took[name+"-more"], d-first[m])
				}
			}
			time.Sleep(pause)
		}
	}
	for name, d := range took {
		report(b, d, name)
	}
}

// serving starts a server and gives what calls its first tool.
func serving(b *testing.B, program, root string) func() bool {
	b.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(b.Context()), program, "mcp") // Cleanup ends it
	cmd.Env = append(os.Environ(), "PATCH_GIT_HOME="+root)
	p, err := Start(cmd, Legacy)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := p.End(); err != nil {
			b.Error(err)
		}
	})
	return func() bool {
		r, err := p.Tool(string(Name(0)), map[string]any{"text": "hello", "times": 1, "loud": false})
		if err != nil || r.IsError || !strings.Contains(r.Text(), "hello") {
			b.Fatal(fmt.Sprintf("%+v", r), err)
		}
		return true
	}
}
