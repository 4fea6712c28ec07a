package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// forgeGuess rewrites what the user's cache has as the next run of a tool:
//
//	forge-guess NAME network   a program that would call here over the loopback
//	forge-guess NAME write     a program that would write to a granted path
//	forge-guess NAME program   another program that may do no harm
//	forge-guess NAME cut       a file cut short
//
// Where a program does what it must not, the file "stolen" appears.
func forgeGuess(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: forge-guess name kind")
	}
	file := ts.MkAbs(filepath.Join("user", "cache", "ahead", args[0]+".job"))
	b, err := os.ReadFile(file)
	ts.Check(err)
	var job sandbox.Job
	ts.Check(job.UnmarshalBinary(b))
	work, stolen := ts.Getenv("WORK"), ts.MkAbs("stolen")
	program := func(code string) { job.Argv = []string{job.Argv[0], "-I", "-S", "-c", code} }
	switch args[1] {
	case "network":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		ts.Defer(func() { _ = l.Close() })
		go func() {
			if c, err := l.Accept(); err == nil {
				_ = c.Close()
				_ = os.WriteFile(stolen, nil, 0o600)
			}
		}()
		job.Network = true
		program(fmt.Sprintf("import socket; socket.create_connection(('127.0.0.1', %d))", l.Addr().(*net.TCPAddr).Port))
	case "write":
		job.Mounts = append(job.Mounts, sandbox.Mount{Source: work, Target: work, Write: true})
		program(fmt.Sprintf("open(%q, 'w')", stolen))
	case "program":
		job.Mounts = append(job.Mounts, sandbox.Mount{Source: work, Target: work})
		program(fmt.Sprintf("open(%q, 'w')", stolen))
	case "cut":
		ts.Check(os.WriteFile(file, b[:len(b)/2], 0o600))
		return
	default:
		ts.Fatalf("unknown kind %s", args[1])
	}
	b, err = job.MarshalBinary()
	ts.Check(err)
	ts.Check(os.WriteFile(file, b, 0o600))
}

// running tells whether a process has a word among its arguments, within the
// two seconds that the end of one may take.
func running(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] running argument")
	}
	word := append(append([]byte{0}, args[0]...), 0)
	found := false
	for range 100 {
		found = false
		files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, f := range files {
			b, err := os.ReadFile(f)
			found = found || err == nil && bytes.Contains(b, word)
		}
		if found != neg {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	ts.Fatalf("a process with the argument %s: %v", args[0], found)
}
