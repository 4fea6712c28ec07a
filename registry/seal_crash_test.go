//go:build unix

package registry_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/patch-cat/patch-git/registry"
)

// killer is a store whose process is killed, as by kill -9, in place of the
// write or removal after the first left ones.
type killer struct {
	*registry.Dir
	left atomic.Int64
}

func (k *killer) step() {
	if k.left.Add(-1) < 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
}

func (k *killer) Write(ctx context.Context, path string, data []byte, durable bool) error {
	k.step()
	return k.Dir.Write(ctx, path, data, durable)
}

func (k *killer) Remove(ctx context.Context, path string) error {
	k.step()
	return k.Dir.Remove(ctx, path)
}

func (k *killer) Link(ctx context.Context, from, path string) error {
	k.step()
	return k.Dir.Link(ctx, from, path)
}

// What the process that is to be killed is told: "<batch> <writes> <folder>".
const sealCrashEnv = "PATCH_GIT_TEST_SEAL_CRASH"

// TestSealCrashChild is the process that is killed; without orders it is none.
func TestSealCrashChild(t *testing.T) {
	order := os.Getenv(sealCrashEnv)
	if order == "" {
		t.Skip("only for TestSealCrash, which starts it")
	}
	var batch, writes int
	var dir string
	if _, err := fmt.Sscanf(order, "%d %d %s", &batch, &writes, &dir); err != nil {
		t.Fatal(err)
	}
	k := &killer{Dir: registry.OpenDir(dir)}
	k.left.Store(int64(writes))
	mustSeal(t, k, sealStory()[batch], sealOptions(t, batch))
}

// TestSealCrash kills the publishing process at every one of its writes and
// removals. Each time a reader finds a whole tree, the old or the new one; the
// same command finishes the job; and the tree ends in the same bytes as if
// nothing had happened.
func TestSealCrash(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The state before each batch, and what the batch makes of it.
	s := registry.NewMemory()
	states := []map[string][]byte{{}}
	for i, b := range sealStory()[:4] {
		mustSeal(t, s, b, sealOptions(t, i))
		states = append(states, s.Files())
	}
	kills, old := atomic.Int64{}, atomic.Int64{}
	t.Run("batches", func(t *testing.T) {
		for batch := range states[1:] {
			for half := range 2 { // the odd and the even writes, for two cores
				t.Run(fmt.Sprintf("%d/%d", batch, half), func(t *testing.T) {
					t.Parallel()
					for n := half; ; n += 2 {
						dir := filepath.Join(memoryDir(t), "v1")
						unpackTree(t, dir, states[batch])
						cmd := exec.Command(exe, "-test.run=^TestSealCrashChild$")
						cmd.Env = append(os.Environ(), sealCrashEnv+"="+strconv.Itoa(batch)+" "+strconv.Itoa(n)+" "+dir)
						out, err := cmd.CombinedOutput()
						if err == nil {
							if n < 10 {
								t.Fatalf("the child ended after %d writes: %s", n, out)
							}
							checkTree(t, dir, states[batch+1])
							return
						}
						if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !ws.Signaled() || ws.Signal() != syscall.SIGKILL {
							t.Fatalf("the child was not killed at write %d: %v\n%s", n, err, out)
						}
						kills.Add(1)
						if seq := checkKilled(t, dir, batch, n); seq == int64(batch) {
							old.Add(1)
						}
						mustSeal(t, registry.OpenDir(dir), sealStory()[batch], sealOptions(t, batch))
						checkTree(t, dir, states[batch+1])
						if t.Failed() {
							t.Fatalf("killed at write %d", n)
						}
					}
				})
			}
		}
	})
	t.Logf("killed %d times, %d of them before the pointer moved", kills.Load(), old.Load())
	if kills.Load() < 60 || old.Load() == 0 || old.Load() == kills.Load() {
		t.Errorf("%d kills, %d before the pointer: too few to mean anything", kills.Load(), old.Load())
	}
}

// memoryDir is a folder on a disk in memory, where there is one: a kill does
// not reach the disk, and the writes that wait for it take most of the time.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "patch-git-seal-*") //nolint:usetesting // t.TempDir is on a real disk
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// checkKilled audits what a killed process left and returns the sequence of
// the head that stands, 0 where there is none yet.
func checkKilled(t *testing.T, dir string, batch, n int) int64 {
	t.Helper()
	d := registry.OpenDir(dir)
	if _, err := d.Read(t.Context(), "head.sigstore.json", 1<<20); err != nil {
		if batch != 0 {
			t.Errorf("write %d: the pointer is gone: %v", n, err)
		}
		return 0
	}
	a, err := audit(d)
	if err != nil {
		t.Errorf("write %d: %v", n, err)
		return -1
	}
	if a.head.Seq != int64(batch) && a.head.Seq != int64(batch)+1 {
		t.Errorf("write %d: head %d after batch %d", n, a.head.Seq, batch)
	}
	return a.head.Seq
}

// unpackTree writes files without waiting for the disk.
func unpackTree(tb testing.TB, dir string, files map[string][]byte) {
	tb.Helper()
	for p, b := range files {
		f := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(f, b, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}

// checkTree compares a folder with what it should be, temporary files of a
// killed writer aside.
func checkTree(t *testing.T, dir string, want map[string][]byte) {
	t.Helper()
	got := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name()[0] == '.' {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		got[filepath.ToSlash(rel)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for p := range maps.Keys(got) {
		if _, ok := want[p]; !ok {
			t.Errorf("%s is left over", p)
		}
	}
	for p, b := range want {
		if !bytes.Equal(got[p], b) {
			t.Errorf("%s has other bytes than without the kill", p)
		}
	}
}
