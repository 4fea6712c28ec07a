package approval_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/paths"
)

// busyVariable makes this binary a server and a person in one, over that state.
const busyVariable = "PATCH_GIT_TEST_APPROVALS"

func TestMain(m *testing.M) {
	if root := os.Getenv(busyVariable); root != "" {
		fmt.Fprintln(os.Stderr, busy(root))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// busy holds, approves and takes for ever, and tells what it took.
func busy(root string) error {
	s, ctx := approval.Open(paths.Paths{Root: root}, time.Now), context.Background()
	for n := 0; ; n++ {
		a := action()
		a.Session, a.Arguments = fmt.Sprint(os.Getpid()), json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))
		e, err := s.Hold(ctx, a)
		if err != nil {
			return err
		}
		if _, err := s.Decide(ctx, e.ID, true, approval.ViaPage, false); err != nil {
			return err
		}
		if _, err := s.Take(ctx, e.ID, a.Session); err != nil {
			return err
		}
		fmt.Fprintln(os.Stdout, e.ID)
	}
}

// TestKilled: a process that dies anywhere leaves nothing that is taken twice,
// nothing that cannot be read, and no lock.
func TestKilled(t *testing.T) {
	d := newDesk(t)
	d.now = time.Now()
	taken := map[approval.ID]bool{}
	for n := range 8 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), busyVariable+"="+d.paths.Root)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for seen := 0; lines.Scan(); seen++ {
			taken[approval.ID(lines.Text())] = true
			if seen == 2 { // from now on anywhere
				time.AfterFunc(time.Duration(n*7)*time.Millisecond, func() { _ = cmd.Process.Kill() })
			}
		}
		_ = cmd.Wait()
	}
	list, damaged, err := d.List()
	if err != nil || len(damaged) != 0 || len(taken) < 20 {
		t.Fatalf("%d are taken, %v, %v", len(taken), damaged, err)
	}
	for _, e := range list {
		_, first := d.Take(t.Context(), e.ID, e.Action.Session)
		_, second := d.Take(t.Context(), e.ID, e.Action.Session)
		if first == nil && taken[e.ID] || second == nil {
			t.Errorf("%s is taken twice", e.ID)
		}
		if first != nil && fault.KindOf(first) != fault.Denied {
			t.Errorf("%s: %v", e.ID, first)
		}
	}
	if _, err := d.Hold(t.Context(), confirmed()); err != nil {
		t.Errorf("after that: %v", err)
	}
}
