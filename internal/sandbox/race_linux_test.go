package sandbox_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// flip exchanges two names until the test is over.
func flip(t *testing.T, a, b string) {
	t.Helper()
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
				time.Sleep(50 * time.Microsecond)
			}
		}
	})
	t.Cleanup(func() { close(done); ended.Wait() })
}

// TestRace exchanges what was given for a secret, over and over, while runs
// start: the file itself, and the folder around it. Judged is the one file that
// may be given; no run may read the other.
func TestRace(t *testing.T) {
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		dir := realTemp(t)
		mkdir(t, dir+"/given")
		mkdir(t, dir+"/other")
		write(t, dir+"/given/file", "given")
		write(t, dir+"/given/beside", "secret")
		write(t, dir+"/other/file", "secret")
		good := judged(t, dir+"/given/file").Is
		flip(t, dir+"/given/file", dir+"/given/beside")
		flip(t, dir+"/given", dir+"/other")
		job := reader(t, dir+"/given/file")
		ran, refused := 0, 0
		begin := time.Now()
		racing := func() bool { // a busy machine needs longer to see both
			since := time.Since(begin)
			return since < time.Second || (ran == 0 || refused == 0) && since < 20*time.Second
		}
		for racing() {
			src, err := sandbox.Hold(dir + "/given/file")
			if err != nil || src.Is() != good {
				if err == nil {
					_ = src.Close()
				}
				continue
			}
			try := job
			try.Mounts = append(slices.Clip(job.Mounts), sandbox.Mount{Source: src.Path(), Target: src.Path(), Is: good})
			out, err := s.Run(t.Context(), try)
			_ = src.Close()
			switch {
			case strings.Contains(string(out.Stdout), "secret"):
				t.Fatalf("a run read the secret: %s", out.Stdout)
			case err == nil:
				ran++
			case fault.ReasonOf(err) == "mount_changed":
				refused++
			default:
				t.Fatalf("%v (%s)", err, fault.ReasonOf(err))
			}
		}
		t.Logf("%d runs, %d refused", ran, refused)
		if ran == 0 || refused == 0 {
			t.Errorf("%d runs and %d refusals are no race", ran, refused)
		}
	})
}
