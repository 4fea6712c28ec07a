package pyenv

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// shelf is a store with environments of wheels without modules, so that nothing
// has to be compiled.
type shelf struct {
	*Pythons
	t  *testing.T
	in *Interpreter
	c  *cellar
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	in := &Interpreter{Path: "/usr/bin/python3.12", Version: "3.12.1", Target: "linux-x86_64-glibc2.36", Build: spec.DigestOf([]byte("build"))}
	return &shelf{New(testHost(t, nil), noBox{t}), t, in, newCellar(t)}
}

// wheel serves a wheel with one file of a size, of which each has its own.
func (s *shelf) wheel(name string, size int) ledger.Wheel {
	return s.c.add(name, member{name: name + ".txt", data: name + strings.Repeat("x", size), stored: true})
}

func (s *shelf) use(c *ledger.Closure) (Env, func()) {
	s.t.Helper()
	env, _, release, err := s.Use(s.t.Context(), s.in, c, InstallOptions{Mirrors: []string{s.c.URL}})
	if err != nil {
		s.t.Fatal(err)
	}
	return env, release
}

func (s *shelf) prune(needs []Need, o PruneOptions) *Pruned {
	s.t.Helper()
	out, err := s.Prune(s.t.Context(), needs, o)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// say lists what went as "kind name", and what stays because it is in use.
func say(p *Pruned) (gone, busy []string) {
	for _, g := range p.Gone {
		if g.InUse {
			busy = append(busy, string(g.Kind)+" "+g.Name)
		} else {
			gone = append(gone, string(g.Kind)+" "+g.Name)
		}
	}
	slices.Sort(gone)
	return gone, busy
}

// diskUse is what du says of the store, by other means than the product's.
func (s *shelf) diskUse() (total int64) {
	s.t.Helper()
	seen := map[[2]uint64]bool{}
	for _, root := range []string{s.host.Paths.Envs(), s.downloads()} {
		_ = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // not there yet
			}
			if info, err := d.Info(); err == nil && !strings.HasPrefix(d.Name(), ".lock") && path != root && path != filepath.Join(root, "wheels") && d.Name() != "staging" && !strings.HasSuffix(path, ".json") {
				id, _, bytes := onDisk(info)
				if !seen[id] {
					total += bytes
				}
				seen[id] = true
			}
			return nil
		})
	}
	return total
}

func TestStored(t *testing.T) {
	s := newShelf(t)
	big, small, other := s.wheel("big", 1_000_000), s.wheel("small", 10_000), s.wheel("other", 200_000)
	one, two := closureFor(s.in, big, small), closureFor(s.in, big, other)
	envOne, release := s.use(one)
	release()
	envTwo, release := s.use(two)
	release()
	got, err := s.Stored([]Need{{"a@1.0.0", one}, {"b@1.0.0", one}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Envs) != 2 || got.Bytes != s.diskUse() {
		t.Fatalf("got %d environments with %d bytes, want 2 with %d", len(got.Envs), got.Bytes, s.diskUse())
	}
	for _, e := range got.Envs {
		want, tools := []string{"big", "other"}, 0
		if e.Key == envOne.Key {
			want, tools = []string{"big", "small"}, 2
		}
		var names []string
		for _, p := range e.Packages {
			names = append(names, p.Name)
		}
		if !slices.Equal(names, want) || len(e.Tools) != tools || e.Python != "3.12.1" || e.Shared < 1_000_000 || e.Own > 10_000 || time.Since(e.LastUsed) > time.Hour {
			t.Errorf("got %+v, want packages %v and %d tools, nearly all of it shared", e, want, tools)
		}
	}
	// Only what has no other name is given back: the environment that goes
	// leaves its large file to the one that stays.
	out := s.prune([]Need{{"a@1.0.0", one}}, PruneOptions{})
	gone, busy := say(out)
	want := []string{"download " + big.SHA256.Short(), "download " + other.SHA256.Short(), "download " + small.SHA256.Short(), "environment " + envTwo.Key.Short(), "wheel " + other.SHA256.Short()}
	slices.Sort(want)
	if !slices.Equal(gone, want) || len(busy) != 0 || out.Kept != s.diskUse() || out.Freed != got.Bytes-out.Kept {
		t.Errorf("got %v, %v in use, %d freed, %d kept, want %v and %d kept", gone, busy, out.Freed, out.Kept, want, s.diskUse())
	}
	if b, err := os.ReadFile(filepath.Join(envOne.Dir, "big.txt")); err != nil || len(b) != 1_000_003 {
		t.Errorf("got %d bytes, %v, want the other environment whole", len(b), err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.host.Paths.Envs(), "*"+envTwo.Key.Short()+"*")); len(left) != 0 || isDir(s.trash()) {
		t.Errorf("got %v left of it", left)
	}
}

func TestPruneChoices(t *testing.T) {
	s := newShelf(t)
	wheel := s.wheel("a", 1000)
	c := closureFor(s.in, wheel)
	needs := []Need{{"a@1.0.0", c}}
	env, release := s.use(c)
	release()
	s.prune(needs, PruneOptions{}) // the download
	now := time.Now()
	s.host.Now = func() time.Time { return now }
	for name, tt := range map[string]struct {
		needs []Need
		o     PruneOptions
		gone  int
	}{
		"needed":                   {needs, PruneOptions{}, 0},
		"no interpreter is known":  {needs, PruneOptions{Builds: nil}, 0},
		"its interpreter is there": {needs, PruneOptions{Builds: []spec.Digest{s.in.Build}}, 0},
		"its interpreter is gone":  {needs, PruneOptions{Builds: []spec.Digest{}}, 1},
		"all":                      {needs, PruneOptions{All: true}, 2},
		"all, but old":             {needs, PruneOptions{All: true, OlderThan: time.Hour}, 0},
		"not needed":               {nil, PruneOptions{}, 2},
		"not needed, but old":      {nil, PruneOptions{OlderThan: time.Hour}, 0},
		"for another Python":       {[]Need{{"a@1.0.0", &ledger.Closure{Python: "3.13", Targets: c.Targets}}}, PruneOptions{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			tt.o.DryRun = true
			out := s.prune(tt.needs, tt.o)
			if len(out.Gone) != tt.gone || !isDir(env.Dir) {
				t.Errorf("got %+v, want %d to go and nothing gone", out.Gone, tt.gone)
			}
		})
	}
	// Used two hours ago is older than one.
	if err := os.Chtimes(s.notePath(env.Key), now, now.Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if gone, _ := say(s.prune(nil, PruneOptions{OlderThan: time.Hour, DryRun: true})); len(gone) != 1 || !strings.HasPrefix(gone[0], "environment") {
		t.Errorf("got %v, want the environment", gone)
	}
	// Using it makes it young again.
	_, release = s.use(c)
	release()
	if gone, _ := say(s.prune(nil, PruneOptions{OlderThan: time.Hour})); len(gone) != 0 {
		t.Errorf("got %v, want nothing", gone)
	}
}

// An environment that somebody uses stays, whatever was asked for; the twin is
// the same one afterwards.
func TestPruneInUse(t *testing.T) {
	s := newShelf(t)
	env, release := s.use(closureFor(s.in, s.wheel("a", 1000)))
	if gone, busy := say(s.prune(nil, PruneOptions{All: true})); len(busy) != 1 || slices.Contains(gone, "environment "+env.Key.Short()) || !isDir(env.Dir) {
		t.Errorf("got %v gone, %v in use, want the environment in use", gone, busy)
	}
	release()
	if gone, busy := say(s.prune(nil, PruneOptions{All: true})); len(busy) != 0 || len(gone) != 1 || isDir(env.Dir) {
		t.Errorf("got %v gone, %v in use, want the environment gone", gone, busy)
	}
}

// While somebody installs, nothing is pruned; it is no error of the store.
func TestPruneWaits(t *testing.T) {
	s := newShelf(t)
	unlock, err := durable.RLock(t.Context(), s.storeLock(), 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Prune(ctx, nil, PruneOptions{}); err == nil {
		t.Error("got no error while an installation is going on")
	}
	unlock()
	s.prune(nil, PruneOptions{})
}

// What a killed process left is taken away: half an environment, half a
// removal, a note without its environment.
func TestPruneLeftovers(t *testing.T) {
	s := newShelf(t)
	stray := s.notePath(spec.DigestOf([]byte("stray")))
	for _, path := range []string{filepath.Join(s.staging(), "half", "x"), filepath.Join(s.trash(), "old", "x"), stray} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	if gone, _ := say(s.prune(nil, PruneOptions{})); len(gone) != 3 {
		t.Errorf("got %v, want three leftovers", gone)
	}
	list, _ := filepath.Glob(filepath.Join(s.host.Paths.Envs(), "*", "*"))
	if _, err := os.Stat(stray); err == nil || len(list) != 0 {
		t.Errorf("got %v left", list)
	}
}

// Runs and prunes at once: whoever was given an environment finds it whole
// until it lets go of it.
func TestPruneWhileUsed(t *testing.T) {
	s := newShelf(t)
	closures := []*ledger.Closure{}
	for i := range 3 {
		closures = append(closures, closureFor(s.in, s.wheel(fmt.Sprint("a", i), 1000), s.wheel("b", 1000)))
	}
	var group sync.WaitGroup
	stop := make(chan struct{})
	for n := range 4 {
		group.Go(func() {
			for i := range 30 {
				c := closures[(n+i)%len(closures)]
				env, _, release, err := s.Use(t.Context(), s.in, c, InstallOptions{Mirrors: []string{s.c.URL}})
				if err != nil {
					if fault.ReasonOf(err) != "store" { // three times in a row it was taken away before it could be used
						t.Error(err)
					}
					continue
				}
				for range 3 {
					if list, err := os.ReadDir(env.Dir); err != nil || len(list) != 2 {
						t.Errorf("got %v, %v in an environment that is used, want two files", list, err)
					}
				}
				release()
			}
		})
	}
	pruned := make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				pruned <- n
				return
			default:
			}
			out, err := s.Prune(t.Context(), nil, PruneOptions{All: true})
			if err != nil {
				t.Error(err)
			} else if gone, _ := say(out); len(gone) > 0 {
				n++
			}
		}
	}()
	group.Wait()
	close(stop)
	if n := <-pruned; n == 0 {
		t.Error("nothing was pruned meanwhile")
	}
}

// What is there needs no network: another interpreter's environment of the same
// wheels is made of the unpacked ones, and one of downloads that were never
// unpacked of those. The twin, of which a wheel is missing, says so.
func TestInstallOffline(t *testing.T) {
	s := newShelf(t)
	a, b, missing := s.wheel("a", 1000), s.wheel("b", 1000), s.wheel("c", 1000)
	_, release := s.use(closureFor(s.in, a))
	release()
	f := s.newFetcher(InstallOptions{Mirrors: []string{s.c.URL}})
	if err := f.take(t, b); err != nil {
		t.Fatal(err)
	}
	s.c.Close()
	other := *s.in
	other.Build = spec.DigestOf([]byte("another build"))
	s.in = &other
	env, release := s.use(closureFor(s.in, a, b))
	release()
	if list, err := os.ReadDir(env.Dir); err != nil || len(list) != 2 {
		t.Errorf("got %v, %v, want both packages", list, err)
	}
	if _, _, _, err := s.Use(t.Context(), s.in, closureFor(s.in, a, missing), InstallOptions{Mirrors: []string{s.c.URL}}); err == nil {
		t.Error("got no error with a wheel that is nowhere")
	}
}
