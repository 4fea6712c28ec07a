package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
)

func check(t *testing.T, j *audit.Journal) audit.Report {
	t.Helper()
	rep, err := j.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// Every way of tampering leaves a trace, and each without its tampering none.
func TestCheck(t *testing.T) {
	edit := func(path string, from, to string) error {
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !bytes.Contains(b, []byte(from)) {
			return fmt.Errorf("%s does not hold %s", path, from)
		}
		return os.WriteFile(path, bytes.ReplaceAll(b, []byte(from), []byte(to)), 0o600)
	}
	for name, tt := range map[string]struct {
		tamper func(p paths.Paths, record [3]string) error
		want   []string // reasons
	}{
		"nothing":                {func(paths.Paths, [3]string) error { return nil }, nil},
		"first record changed":   {func(_ paths.Paths, r [3]string) error { return edit(r[0], `"exit_code":0`, `"exit_code":1`) }, []string{"signature", "chain"}},
		"middle record changed":  {func(_ paths.Paths, r [3]string) error { return edit(r[1], "home", "away") }, []string{"signature", "chain"}},
		"last record changed":    {func(_ paths.Paths, r [3]string) error { return edit(r[2], "home", "away") }, []string{"signature", "chain", "anchor"}},
		"first record removed":   {func(_ paths.Paths, r [3]string) error { return os.Remove(r[0]) }, []string{"chain"}},
		"middle record removed":  {func(_ paths.Paths, r [3]string) error { return os.Remove(r[1]) }, []string{"chain"}},
		"last record removed":    {func(_ paths.Paths, r [3]string) error { return os.Remove(r[2]) }, []string{"chain", "anchor"}},
		"record made unreadable": {func(_ paths.Paths, r [3]string) error { return edit(r[1], `"succeeded"`, `"splendid"`) }, []string{"chain", "record"}},
		"record back to started": {func(_ paths.Paths, r [3]string) error { return edit(r[1], `"succeeded"`, `"started"`) }, []string{"chain", "record"}},
		"record under other name": {func(_ paths.Paths, r [3]string) error {
			return os.Rename(r[1], filepath.Join(filepath.Dir(r[1]), "20260314-100926-536897-aaaaaaaaaa.json"))
		}, []string{"record", "chain"}},
		"blob changed": {func(p paths.Paths, _ [3]string) error {
			return edit(filepath.Join(p.Blobs(), spec.DigestOf([]byte("out 1")).Hex()), "out", "oops")
		}, []string{"blob"}},
		"blob removed": {func(p paths.Paths, _ [3]string) error {
			return os.Remove(filepath.Join(p.Blobs(), spec.DigestOf([]byte("out 1")).Hex()))
		}, []string{"blob"}},
		"hint forged": {func(p paths.Paths, _ [3]string) error {
			return os.WriteFile(filepath.Join(p.Runs(), ".head"), []byte(spec.DigestOf(nil).Hex()+" 00000000000000000003\n"), 0o600)
		}, []string{"chain"}},
		"hint torn": {func(p paths.Paths, _ [3]string) error { return os.Truncate(filepath.Join(p.Runs(), ".head"), 7) }, nil},
		"hint lost": {func(p paths.Paths, _ [3]string) error { return os.Remove(filepath.Join(p.Runs(), ".head")) }, nil},
		"hint longer": {func(p paths.Paths, _ [3]string) error {
			return os.WriteFile(filepath.Join(p.Runs(), ".head"), make([]byte, 999), 0o600)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			j, p := journal(t)
			var records [3]string
			for i := range records {
				records[i] = filepath.Join(p.Runs(), string(finish(t, j, fmt.Sprintf("out %d", i)))+".json")
			}
			if err := tt.tamper(p, records); err != nil {
				t.Fatal(err)
			}
			rep := check(t, j)
			if len(rep.Problems) != len(tt.want) {
				t.Fatalf("problems %+v, want %v", rep.Problems, tt.want)
			}
			seen := map[string]bool{}
			for _, p := range rep.Problems {
				seen[p.Reason] = true
			}
			for _, want := range tt.want {
				if !seen[want] {
					t.Errorf("problems %+v, want %v", rep.Problems, tt.want)
				}
			}
			// Life goes on: the next run follows the last without a fork.
			id := finish(t, j, "next")
			if rep := check(t, j); rep.Forks != 0 || len(rep.Problems) == 0 && len(tt.want) > 0 {
				t.Errorf("after another run: %+v", rep)
			}
			get(t, j, id)
		})
	}
}

func TestCheckOfNothing(t *testing.T) {
	j, p := journal(t)
	if rep := check(t, j); rep.Records != 0 || len(rep.Problems) != 0 || !rep.Head.IsZero() {
		t.Errorf("got %+v", rep)
	}
	if list, err := os.ReadDir(p.Root); len(list) != 0 || err != nil {
		t.Errorf("a check left %v, %v", list, err)
	}
	if _, err := j.Begin(t.Context(), sample()); err != nil {
		t.Fatal(err)
	}
	if rep := check(t, j); rep.Unfinished != 1 || rep.Records != 0 || len(rep.Problems) != 0 {
		t.Errorf("one intent: %+v", rep)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.Check(gone); err == nil {
		t.Error("checked although cancelled")
	}
}

// TestMain lets the test binary be another process that records runs:
// arguments "record", as a command does, or "live", as a server does, the state
// directory, and how many.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && (os.Args[1] == "record" || os.Args[1] == "live") {
		n, err := strconv.Atoi(os.Args[3])
		j := audit.Open(paths.Paths{Root: os.Args[2]}, time.Now, nothing)
		stop := func() error { return nil }
		if os.Args[1] == "live" {
			stop = j.Live()
		}
		for range n {
			if err == nil {
				err = recordOne(j)
			}
		}
		err = errors.Join(err, stop())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func recordOne(j *audit.Journal) error {
	rec := sample()
	run, err := j.Begin(context.Background(), rec)
	if err != nil {
		return err
	}
	rec.Status, rec.Output = audit.Succeeded, json.RawMessage(`{}`)
	if err := run.Finish(rec, []byte(run.ID()), nil); err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, run.ID())
	return nil
}

func recorder(t *testing.T, how string, p paths.Paths, n int) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd, out := exec.Command(exe, how, p.Root, strconv.Itoa(n)), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// Sixteen processes, commands and servers, record at once: nothing is lost and the chain is one line.
func TestProcesses(t *testing.T) {
	const processes, each = 16, 10
	j, p := journal(t)
	var cmds []*exec.Cmd
	for i := range processes {
		cmd, _ := recorder(t, []string{"record", "live"}[i%2], p, each)
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	rep := check(t, j)
	if rep.Records != processes*each || rep.Unfinished+rep.Forks+len(rep.Problems) != 0 {
		t.Errorf("got %+v, want %d records and nothing else", rep, processes*each)
	}
}

// Processes are killed while they record: what they said was recorded is, and
// nothing looks tampered with.
func TestKill(t *testing.T) {
	j, p := journal(t)
	for round := range 5 {
		var cmds []*exec.Cmd
		var outs []*bytes.Buffer
		for i := range 4 {
			cmd, out := recorder(t, []string{"record", "live"}[i%2], p, 1_000_000)
			cmds, outs = append(cmds, cmd), append(outs, out)
		}
		for { // until there is work in progress to be interrupted
			list, broken, err := j.List(audit.Filter{Limit: 10 * (round + 1)})
			if err != nil || len(broken) > 0 {
				t.Fatal(broken, err)
			}
			if len(list) == 10*(round+1) {
				break
			}
		}
		for _, cmd := range cmds {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		for i, cmd := range cmds {
			_ = cmd.Wait() // always the kill
			lines := bytes.Split(outs[i].Bytes(), []byte("\n"))
			for _, line := range lines[:len(lines)-1] {
				if got := get(t, j, audit.RunID(line)).Status; got != audit.Succeeded {
					t.Errorf("run %s is %s, but was reported as finished", line, got)
				}
			}
		}
		if rep := check(t, j); len(rep.Problems) > 0 {
			t.Fatalf("round %d: %+v", round, rep.Problems)
		}
	}
}

// BenchmarkRun records a run of a command, which waits for the disk, and of a
// server, which does not.
func BenchmarkRun(b *testing.B) {
	b.Run("command", func(b *testing.B) { benchmarkRun(b, false) })
	b.Run("live", func(b *testing.B) { benchmarkRun(b, true) })
}

func benchmarkRun(b *testing.B, live bool) {
	b.Helper()
	j, rec := audit.Open(paths.Paths{Root: b.TempDir()}, time.Now, nothing), sample()
	if live {
		stop := j.Live()
		defer func() {
			if err := stop(); err != nil {
				b.Error(err)
			}
		}()
	}
	rec.Output = json.RawMessage(`{"rows":[1,2,3]}`)
	var begin time.Duration
	for b.Loop() {
		t := time.Now()
		rec.Status = ""
		run, err := j.Begin(b.Context(), rec)
		if err != nil {
			b.Fatal(err)
		}
		begin += time.Since(t)
		rec.Status = audit.Succeeded
		if err := run.Finish(rec, []byte(run.ID()), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(begin.Microseconds())/float64(b.N), "µs/begin")
}
