package durable_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// roles are what the test binary does when a test starts it again as another
// process: os.Args is the binary, "role", the name, a path.
var roles = map[string]func(path string) error{
	"write": roleWrite, "count": roleCount, "hold": roleHold, "full": roleFull,
}

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "role" {
		if err := roles[os.Args[2]](os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// child prepares this binary as another process in a role.
func child(t *testing.T, role, path string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "role", role, path)
	cmd.Stderr = os.Stderr
	return cmd
}

// sealed is content that proves itself whole: a body after its digest.
func sealed(n int) []byte {
	body := bytes.Repeat([]byte(strconv.Itoa(n)+" "), 1+n*37%9000)
	return append([]byte(spec.DigestOf(body).Hex()), body...)
}

func whole(b []byte) bool {
	return len(b) > 64 && string(b[:64]) == spec.DigestOf(b[64:]).Hex()
}

// roleWrite replaces a file for ever and says so after every tenth time. Most
// writes skip the fsync, which a kill does not care about and a slow disk does.
func roleWrite(path string) error {
	for n := 1; ; n++ {
		write := durable.Replace
		if n%8 == 0 {
			write = durable.WriteFile
		}
		if err := write(path, sealed(n), 0o600); err != nil {
			return err
		}
		if n%10 != 0 {
			continue
		}
		if err := durable.WriteImmutable(fmt.Sprintf("%s.%d.%d", path, os.Getpid(), n), sealed(n), 0o600); err != nil {
			return err
		}
		fmt.Fprintln(os.Stdout, n)
	}
}

// kills is how often; each time the writer has made at least 80 writes.
const kills = 14

// A writer is killed over and over; every reader, during and after, sees whole
// content, and what the kills leave behind is only what Sweep takes away.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := durable.WriteFile(path, sealed(0), 0o600); err != nil {
		t.Fatal(err)
	}
	check := func() {
		b, err := durable.ReadFileNoFollow(path, 1<<20)
		if err != nil || !whole(b) {
			t.Fatalf("read %d bytes, %v, want whole content", len(b), err)
		}
	}
	for round := range kills {
		cmd := child(t, "write", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(out); lines.Scan(); {
			for range 20 + round {
				check()
			}
			if lines.Text() == "80" {
				break
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // always the kill
		check()
	}
	if _, err := durable.Sweep(dir, 0, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	list := names(t, dir)
	if len(list) < kills*8 {
		t.Errorf("%d files, want at least %d", len(list), kills*8)
	}
	for _, name := range list {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !whole(b) {
			t.Errorf("%s: %d bytes, %v, want whole content", name, len(b), err)
		}
	}
}

// Each of the counting processes adds counts to the number in a file.
const (
	counters = 16
	counts   = 40
)

func roleCount(path string) error {
	for range counts {
		unlock, err := durable.Lock(context.Background(), path+".lock", time.Minute)
		if err != nil {
			return err
		}
		b, err := durable.ReadFile(path, 100)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(b))
		if err != nil {
			return err
		}
		if err := durable.Replace(path, []byte(strconv.Itoa(n+1)), 0o600); err != nil {
			return err
		}
		unlock()
	}
	return nil
}

func TestLockBetweenProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counter")
	if err := os.WriteFile(path, []byte("0"), 0o600); err != nil {
		t.Fatal(err)
	}
	var cmds []*exec.Cmd
	for range counters {
		cmd := child(t, "count", path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if got, want := content(t, path), strconv.Itoa(counters*counts); got != want {
		t.Errorf("counted %s, want %s", got, want)
	}
}

// roleHold takes a lock, says so, and keeps it until it is killed.
func roleHold(path string) error {
	if _, err := durable.Lock(context.Background(), path, time.Minute); err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "held")
	_, err := os.Stdin.Read(make([]byte, 1))
	return err
}

func TestLockOfKilledProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "lock")
	cmd := child(t, "hold", path)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _, err := bufio.NewReader(out).ReadLine(); string(line) != "held" {
		t.Fatalf("child says %q, %v", line, err)
	}
	_, err = durable.Lock(t.Context(), path, 5*time.Millisecond)
	if fault.ReasonOf(err) != "locked" || fault.KindOf(err) != fault.Unavailable || len(fault.HintsOf(err)) == 0 {
		t.Errorf("while it is held: %v, want locked with a hint", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	unlock, err := durable.Lock(t.Context(), path, 0)
	if err != nil {
		t.Fatalf("after its holder died: %v", err)
	}
	unlock()
}

func TestLockShares(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	locks := map[bool]func(context.Context, string, time.Duration) (func(), error){true: durable.Lock, false: durable.RLock}
	for _, tt := range []struct{ first, second, ok bool }{
		{true, true, false}, {true, false, false}, {false, true, false}, {false, false, true},
	} {
		unlock, err := locks[tt.first](t.Context(), path, 0)
		if err != nil {
			t.Fatal(err)
		}
		second, err := locks[tt.second](t.Context(), path, 0)
		if (err == nil) != tt.ok {
			t.Errorf("exclusive %v then exclusive %v: %v, want ok %v", tt.first, tt.second, err, tt.ok)
		}
		if err == nil {
			second()
		}
		unlock()
		unlock() // harmless
		if third, err := durable.Lock(t.Context(), path, 0); err != nil {
			t.Errorf("after release: %v", err)
		} else {
			third()
		}
	}
}

func TestLockWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := durable.Lock(t.Context(), path, 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := durable.Lock(ctx, path, time.Hour); fault.KindOf(err) != fault.Interrupted {
		t.Errorf("cancelled: %v, want interrupted", err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var order []string
	note := func(s string) { mu.Lock(); order = append(order, s); mu.Unlock() }
	started := make(chan bool)
	wg.Go(func() {
		close(started)
		second, err := durable.Lock(t.Context(), path, time.Minute)
		if err != nil {
			t.Error(err)
			return
		}
		note("second")
		second()
	})
	<-started
	note("first")
	unlock()
	wg.Wait()
	if !slices.Equal(order, []string{"first", "second"}) {
		t.Errorf("order %v", order)
	}
}
