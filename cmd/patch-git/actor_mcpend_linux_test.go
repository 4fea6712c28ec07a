package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// mcpEnd starts "patch-git mcp", calls a tool that never ends, and once it runs
// ends the call in one way:
//
//	mcp-end eof|interrupt|kill|cancel TOOL ARGUMENTS
//
// Whatever the server started has to be gone then; after a cancelled call what
// waits for the next one may be there.
func mcpEnd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: mcp-end eof|interrupt|kill|cancel tool arguments")
	}
	program := "patch-git"
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if p := filepath.Join(dir, program); isFile(p) {
			program = p
			break
		}
	}
	cmd := exec.Command(program, "mcp")
	for _, n := range []string{"PATH", "HOME", "PATCH_GIT_HOME", "TMPDIR"} {
		cmd.Env = append(cmd.Env, n+"="+ts.Getenv(n))
	}
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() { _ = cmd.Process.Kill() })
	answers := bufio.NewReader(out)
	send := func(frame string) {
		_, err := io.WriteString(in, frame+"\n")
		ts.Check(err)
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	_, err = answers.ReadBytes('\n')
	ts.Check(err)
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, args[1], args[2]))

	busy := func(pid int) bool { // it has used up a quarter of a second
		f := stat(pid)
		return f != nil && f[0] != "Z" && ticks(f) > 25
	}
	until(ts, "nothing runs", func() bool { return len(below(cmd.Process.Pid, busy)) > 0 })
	started := below(cmd.Process.Pid, func(int) bool { return true })
	switch args[0] {
	case "eof":
		ts.Check(in.Close())
	case "interrupt":
		ts.Check(cmd.Process.Signal(os.Interrupt))
	case "kill":
		ts.Check(cmd.Process.Kill())
	case "cancel":
		send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		until(ts, "the tool runs on", func() bool { return len(below(cmd.Process.Pid, busy)) == 0 })
		send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		line, err := answers.ReadString('\n')
		ts.Check(err)
		if !strings.Contains(line, `"id":3`) {
			ts.Fatalf("after a cancelled call the server says %s", line)
		}
		ts.Check(in.Close())
	default:
		ts.Fatalf("no such end: %s", args[0])
	}
	late := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
	_, _ = io.Copy(io.Discard, answers)
	_ = cmd.Wait()
	if !late.Stop() {
		ts.Fatalf("the server did not end")
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 && args[0] != "kill" {
		ts.Fatalf("exit code %d", code)
	}
	until(ts, "processes are left", func() bool {
		for _, pid := range started {
			if f := stat(pid); f != nil && f[0] != "Z" {
				return false
			}
		}
		return true
	})
}

func until(ts *testscript.TestScript, otherwise string, is func() bool) {
	for range 500 {
		if is() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	ts.Fatalf("%s", otherwise)
}

// stat is what /proc says of a process, from its state on; nil where there is none.
func stat(pid int) []string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
}

// ticks is the time of the processor that a process used, in hundredths of a second.
func ticks(stat []string) int {
	user, _ := strconv.Atoi(stat[11])
	system, _ := strconv.Atoi(stat[12])
	return user + system
}

// below are the descendants of a process of which is is true.
func below(root int, is func(pid int) bool) []int {
	parents := map[int]int{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		if pid, err := strconv.Atoi(filepath.Base(d)); err == nil {
			if f := stat(pid); f != nil {
				parents[pid], _ = strconv.Atoi(f[1])
			}
		}
	}
	var out []int
	for pid := range parents {
		for p := parents[pid]; p > 1; p = parents[p] {
			if p == root {
				if is(pid) {
					out = append(out, pid)
				}
				break
			}
		}
	}
	return out
}
