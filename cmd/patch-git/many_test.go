package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/paths"
)

// household is one user's state and a registry, driven by processes of their own.
type household struct {
	t    *testing.T
	dir  string
	home paths.Paths
}

func newHousehold(t *testing.T, tools ...string) *household {
	t.Helper()
	haveProgram(t)
	h := &household{t: t, dir: t.TempDir()}
	h.home = paths.Paths{Root: filepath.Join(h.dir, "user")}
	var sources [][]byte
	for _, at := range tools {
		data, err := fixture(at)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, data)
	}
	made, err := stockUp(h.dir, "demo/tools", sources)
	if err != nil {
		t.Fatal(err)
	}
	h.must("registry", "add", filepath.Join(made, "registry"))
	return h
}

func (h *household) command(args ...string) *exec.Cmd {
	cmd := exec.Command("patch-git", args...)
	cmd.Dir, cmd.Env = h.dir, append(os.Environ(), "PATCH_GIT_HOME="+h.home.Root)
	return cmd
}

// play runs a command and returns its exit code and both streams.
func (h *household) play(args ...string) (code int, stdout, stderr string) {
	cmd := h.command(args...)
	var out, talk strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &talk
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			return -1, "", err.Error()
		}
		code = exit.ExitCode()
	}
	return code, out.String(), talk.String()
}

func (h *household) must(args ...string) string {
	h.t.Helper()
	code, out, talk := h.play(args...)
	if code != 0 {
		h.t.Fatalf("patch-git %s: exit code %d\n%s", strings.Join(args, " "), code, talk)
	}
	return out
}

// installed is what list says: name -> versions, with the current one marked.
func (h *household) installed() map[string][]string {
	h.t.Helper()
	var doc struct {
		Tools []struct {
			Name, Version string
			Versions      []string
		}
	}
	if err := json.Unmarshal([]byte(h.must("list", "--json")), &doc); err != nil {
		h.t.Fatal(err)
	}
	out := map[string][]string{}
	for _, t := range doc.Tools {
		if !slices.Contains(t.Versions, t.Version) {
			h.t.Errorf("the current version of %s is %s, of which there are %v", t.Name, t.Version, t.Versions)
		}
		out[t.Name] = t.Versions
	}
	return out
}

// agrees checks that every part of the state says the same: list, receipts,
// index.json, tools/, what verifies, and the journal.
//
// forks is how many records may stand beside another in the journal: a kill
// between a record and the note that it is the last one leaves such a pair, of
// which nothing is missing.
func (h *household) agrees(forks int) map[string][]string {
	h.t.Helper()
	list := h.installed()
	receipts := map[string][]string{}
	found, err := filepath.Glob(filepath.Join(h.home.Receipts(), "*", "*", "receipt.json"))
	if err != nil {
		h.t.Fatal(err)
	}
	for _, r := range found {
		dir := filepath.Dir(r)
		name := filepath.Base(filepath.Dir(dir))
		receipts[name] = append(receipts[name], filepath.Base(dir))
	}
	if !maps.EqualFunc(list, receipts, slices.Equal) {
		h.t.Errorf("list says %v, the receipts %v", list, receipts)
	}
	h.must("verify")
	rep, err := audit.Open(h.home, time.Now, nil).Check(h.t.Context())
	if err != nil || len(rep.Problems) > 0 || rep.Forks > forks {
		h.t.Errorf("the journal: %v, %+v", err, rep)
	}
	return list
}

// settled checks besides that the index and tools/ hold just what is installed,
// which is so once every command has come to its end.
func (h *household) settled(forks int) {
	h.t.Helper()
	list := h.agrees(forks)
	var ix struct {
		Tools map[string]struct{ Version, File string }
	}
	if data, err := os.ReadFile(h.home.Index()); err != nil {
		h.t.Error(err)
	} else if err := json.Unmarshal(data, &ix); err != nil {
		h.t.Error(err)
	}
	var files []string
	for name, e := range ix.Tools {
		if !slices.Contains(list[name], e.Version) {
			h.t.Errorf("index.json has %s@%s, which is not installed", name, e.Version)
		}
		files = append(files, filepath.Base(e.File))
	}
	entries, err := os.ReadDir(h.home.Tools())
	if err != nil {
		h.t.Fatal(err)
	}
	var there []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".patch-tmp-") { // what a killed writer leaves is nobody's file
			there = append(there, e.Name())
		}
	}
	slices.Sort(files)
	if len(ix.Tools) != len(list) || !slices.Equal(files, there) {
		h.t.Errorf("installed are %v, index.json has %v, tools/ has %v", list, files, there)
	}
}

// TestManyAtOnce: sixteen processes pull, run and remove the same tools of one
// user at once, as several hosts with several servers do. Nothing is lost:
// every command ends as it must, every run is on record, and the parts of the
// state agree in the end.
func TestManyAtOnce(t *testing.T) {
	h := newHousehold(t, "echo_text@1.0.0", "echo_text@1.1.0", "case_text@1.0.0")
	const processes, rounds = 16, 4
	allowed := map[string][]int{"pull": {0}, "run": {0, 6}, "remove": {0, 6}}
	var mu sync.Mutex
	var wg sync.WaitGroup
	ran, kept := 0, map[string]bool{}
	for p := range processes {
		wg.Go(func() {
			for r := range rounds {
				at := []string{"echo_text@1.0.0", "echo_text@1.1.0", "case_text@1.0.0", "case_text"}[(p+r)%4]
				args := [][]string{
					{"pull", at, "--json"},
					{"run", at, "--text", fmt.Sprint(p), "--json"},
					{"remove", at, "--json"},
					{"run", at, "--text", fmt.Sprint(p), "--json"},
				}[(p/4+r)%4]
				code, out, talk := h.play(args...)
				mu.Lock()
				if !slices.Contains(allowed[args[0]], code) {
					t.Errorf("patch-git %s: exit code %d\n%s", strings.Join(args, " "), code, talk)
				}
				if args[0] == "run" && code == 0 {
					var doc struct {
						RunID string `json:"run_id"`
					}
					if err := json.Unmarshal([]byte(out), &doc); err != nil || kept[doc.RunID] {
						t.Errorf("the run %q is not one of its own: %v", doc.RunID, err)
					}
					kept[doc.RunID] = true
					ran++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	h.settled(0)
	var doc struct {
		Runs []struct {
			RunID  string `json:"run_id"`
			Status string
		}
	}
	if err := json.Unmarshal([]byte(h.must("runs", "--limit", "0", "--json")), &doc); err != nil {
		t.Fatal(err)
	}
	for _, r := range doc.Runs {
		if r.Status == "started" {
			t.Errorf("run %s was begun and not finished", r.RunID)
		}
		delete(kept, r.RunID)
	}
	if len(kept) > 0 || ran == 0 {
		t.Errorf("of %d runs these are not on record: %v", ran, slices.Collect(maps.Keys(kept)))
	}
	// Whoever comes next finds everything in order.
	h.must("pull", "echo_text@1.0.0", "echo_text@1.1.0", "case_text")
	h.must("run", "echo_text", "--text", "a")
	h.settled(0)
}

// TestKilled kills commands at any instant. What was there before or what was
// to be there is there, whole; the next command needs no repair and finishes
// the job.
func TestKilled(t *testing.T) {
	h := newHousehold(t, "echo_text@1.0.0", "echo_text@1.1.0")
	h.must("pull", "echo_text@1.0.0")
	h.must("run", "echo_text", "--text", "a")
	begin := time.Now()
	h.must("pull", "echo_text@1.1.0")
	usual := time.Since(begin)
	h.must("remove", "echo_text@1.1.0")

	old, both := []string{"1.0.0"}, []string{"1.0.0", "1.1.0"}
	jobs := []struct {
		args          []string
		before, after []string
	}{
		{[]string{"pull", "echo_text@1.1.0"}, old, both},
		{[]string{"run", "echo_text@1.1.0", "--text", "a"}, both, both},
		{[]string{"remove", "echo_text@1.1.0"}, both, old},
	}
	limit := 8 * time.Second
	if testing.Short() {
		limit = 2 * time.Second
	}
	deadline, killed := time.Now().Add(limit), 0
	for n := 0; time.Now().Before(deadline); n++ {
		// The instants cover a command evenly, in an order that repeats nothing:
		// multiples of the golden section.
		share := float64(n) * 0.6180339887
		after := time.Duration((share - float64(int(share))) * float64(usual))
		for _, job := range jobs {
			cmd := h.command(job.args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
			if err := cmd.Wait(); err != nil {
				killed++
			}
			timer.Stop()
			got := h.agrees(killed)["echo_text"]
			if !slices.Equal(got, job.before) && !slices.Equal(got, job.after) {
				t.Fatalf("killed after %v, patch-git %s left %v, neither %v nor %v", after, strings.Join(job.args, " "), got, job.before, job.after)
			}
			if code, _, talk := h.play(job.args...); code != 0 && (job.args[0] != "remove" || code != 6) {
				t.Fatalf("after a kill, patch-git %s: exit code %d\n%s", strings.Join(job.args, " "), code, talk)
			}
			if got := h.installed()["echo_text"]; !slices.Equal(got, job.after) {
				t.Fatalf("after a kill and once more, patch-git %s leaves %v, not %v", strings.Join(job.args, " "), got, job.after)
			}
		}
	}
	if killed == 0 {
		t.Error("nothing was killed")
	}
	t.Logf("killed %d commands", killed)
	h.settled(killed)
}
