package mcptest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestLoad is a mixed load for as long as PATCH_GIT_MCP_LOAD says: two servers on one
// toolbox, one of each era, with calls that succeed, fail, are refused and are held,
// lists and searches, while another process pulls and removes tools. Every answer is
// the right one, hosts hear of every change within a second, memory and open files
// stay what they are, and nothing is left behind.
func TestLoad(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("PATCH_GIT_MCP_LOAD"))
	if err != nil {
		t.Skip("PATCH_GIT_MCP_LOAD=30s (make test-mcp-load) puts the server under load for as long")
	}
	s := newScene(t, `{"schema":1,"mcp":{"expose":"all"}}`)
	until := time.Now().Add(long)
	var peers []*Peer
	for _, era := range []string{Legacy, Modern} {
		p, err := Start(s.command(t.Context(), "mcp"), era)
		if err != nil {
			t.Fatal(err)
		}
		peers = append(peers, p)
		if _, err := p.Tools(); err != nil {
			t.Fatal(err)
		}
	}
	l := &load{t: t, scene: s, peers: peers, took: make([][]time.Duration, 4)}
	var group sync.WaitGroup
	for w := range l.took {
		group.Go(func() { l.calls(w, until) })
	}
	group.Go(func() { l.change(until) })
	for time.Now().Before(until) && !t.Failed() {
		time.Sleep(min(time.Second, long/30))
		for i, p := range peers {
			now, _ := p.Memory()
			l.memory[i] = append(l.memory[i], now)
			l.files[i] = append(l.files[i], int64(p.Open()))
		}
	}
	group.Wait()
	left := map[string]string{}
	for _, p := range peers {
		maps.Copy(left, descendants(t, p.cmd.Process.Pid))
		if err := p.End(); err != nil {
			t.Errorf("%s: %v", p.Era, err)
		}
	}
	for pid, name := range left {
		if gone(pid, name) {
			continue
		}
		t.Errorf("process %s (%s) is left behind", pid, name)
	}
	l.report(long)
	s.run("runs", "verify")
}

type load struct {
	t     *testing.T
	scene *scene
	peers []*Peer

	took          [][]time.Duration // of answered calls, by worker
	counts        [len(kinds)]atomic.Int64
	memory, files [2][]int64
	heard         []time.Duration // from the end of a change to its notification
}

// kinds of requests, and which answer is the right one.
var kinds = [...]struct {
	name      string
	tool      string
	arguments any
	isError   bool
	says      string
}{
	{"echo", "echo_text", map[string]any{"text": "hello", "times": 3}, false, "hellohellohello"},
	{"big", "echo_text", map[string]any{"text": strings.Repeat("0123456789", 1000)}, false, "10000"},
	{"sum", "add_numbers", map[string]any{"numbers": []int{1, 2, 3}}, false, "6"},
	{"through", "patch_run_tool", map[string]any{"name": "echo_text", "arguments": map[string]any{"text": "inner"}}, false, "inner"},
	{"search", "patch_list_tools", map[string]any{"query": "add numbers", "detail": "schema"}, false, "add_numbers"},
	{"runs", "patch_list_runs", map[string]any{"limit": 5}, false, `"runs"`},
	{"fails", "test_error_handling", map[string]any{}, true, "intentionally"},
	{"wrong", "echo_text", map[string]any{"text": 1}, true, "text"},
	{"held", "send_note", map[string]any{"to": "ann@example.org", "text": "x"}, true, "confirmation_required"},
	{"denied", "patch_confirm_action", map[string]any{"confirmation_token": "aaaaaaaaaaaaaaaa"}, true, ""},
	{"list", "", nil, false, "echo_text"},
}

// calls asks one thing after the other, at random.
func (l *load) calls(worker int, until time.Time) {
	random := rand.New(rand.NewPCG(8, uint64(worker)))
	p := l.peers[worker%len(l.peers)]
	for time.Now().Before(until) && !l.t.Failed() {
		i := random.IntN(len(kinds))
		k := kinds[i]
		l.counts[i].Add(1)
		began := time.Now()
		if k.tool == "" {
			all, err := p.Tools()
			if err != nil || !slices.ContainsFunc(all, func(t Tool) bool { return t.Name == k.says }) {
				l.t.Errorf("%s, %s: %d tools, %v", p.Era, k.name, len(all), err)
			}
			continue
		}
		r, err := p.Tool(k.tool, k.arguments)
		if err != nil || r.IsError != k.isError || !strings.Contains(r.Text(), k.says) {
			l.t.Errorf("%s, %s: %.500q, error %v, %v", p.Era, k.name, r.Text(), r.IsError, err)
		}
		l.took[worker] = append(l.took[worker], time.Since(began))
	}
}

// change removes a tool and pulls it again, edits one and mends it, and sees that
// the host of the first server hears of each, and finds it in its list.
func (l *load) change(until time.Time) {
	const tool = "test_audio_content"
	file := filepath.Join(l.scene.state, "tools", tool+".py")
	for step := 0; time.Now().Before(until) && !l.t.Failed(); step++ {
		there := step%2 == 1
		l.drain()
		var began time.Time
		switch step % 4 {
		case 0:
			began = l.command("remove", tool)
		case 1:
			began = l.command("pull", tool, "--yes")
		default:
			data, err := os.ReadFile(file)
			if err != nil {
				l.t.Error(err)
				return
			}
			changed := append(slices.Clone(data), "# more\n"...)
			if there {
				changed = data[:len(data)-len("# more\n")]
			}
			if err := os.WriteFile(file, changed, 0o600); err != nil {
				l.t.Error(err)
				return
			}
			began = time.Now()
		}
		l.hears(tool, there, began)
		time.Sleep(300 * time.Millisecond)
	}
}

// command is one of the program, in a process of its own; it gives the time at
// which that ended.
func (l *load) command(args ...string) time.Time {
	if out, err := l.scene.command(l.t.Context(), args...).CombinedOutput(); err != nil {
		l.t.Errorf("patch-git %q: %v\n%s", args, err, out)
	}
	return time.Now()
}

func (l *load) drain() {
	for {
		select {
		case <-l.peers[0].Notes:
		default:
			return
		}
	}
}

// second is within what a host hears of a change. Half of the changes are judged,
// for a machine that is busy elsewhere is late with some.
const second = time.Second

// hears waits until the list has the change, which a notification came before.
func (l *load) hears(tool string, there bool, began time.Time) {
	const patience = 10 * time.Second
	for {
		select {
		case m := <-l.peers[0].Notes:
			if m.Method != "notifications/tools/list_changed" {
				continue
			}
			all, err := l.peers[0].Tools()
			if err != nil {
				l.t.Error(err)
				return
			}
			if slices.ContainsFunc(all, func(t Tool) bool { return t.Name == tool }) != there {
				continue // of an earlier state
			}
			l.heard = append(l.heard, max(0, m.At.Sub(began)))
			return
		case <-time.After(patience):
			l.t.Errorf("no host heard that %s is there: %v", tool, there)
			return
		}
	}
}

// report prints what was seen and judges memory, files and notifications.
func (l *load) report(long time.Duration) {
	all := slices.Concat(l.took...)
	slices.Sort(all)
	slices.Sort(l.heard)
	at := func(d []time.Duration, percent int) time.Duration {
		if len(d) == 0 {
			return 0
		}
		return d[min(len(d)*percent/100, len(d)-1)].Round(100 * time.Microsecond)
	}
	var counts []string
	for i, k := range kinds {
		counts = append(counts, fmt.Sprintf("%s %d", k.name, l.counts[i].Load()))
	}
	l.t.Logf("%s: %d calls, p50 %s, p95 %s, p99 %s; %s", long, len(all), at(all, 50), at(all, 95), at(all, 99), strings.Join(counts, ", "))
	l.t.Logf("%d changes, heard of after p50 %s, p95 %s, most %s", len(l.heard), at(l.heard, 50), at(l.heard, 95), at(l.heard, 100))
	if at(l.heard, 50) > second {
		l.t.Errorf("a host heard of half the changes after more than %s", second)
	}
	for i, p := range l.peers {
		for what, v := range map[string][]int64{"memory": l.memory[i], "open files": l.files[i]} {
			if len(v) < 9 {
				continue // a machine that was asleep
			}
			third := len(v) / 3
			middle, last := median(v[third:2*third]), median(v[2*third:])
			l.t.Logf("%s: %s: first third %d, second %d, last %d", p.Era, what, median(v[:third]), middle, last)
			// What is kept has its bounds, and the collector takes what it wants up to
			// several times of that: a leak goes on over both.
			slack := map[string]int64{"memory": 16 << 20, "open files": 16}[what]
			if last > middle+middle/10+slack {
				l.t.Errorf("%s: %s grew from %d to %d", p.Era, what, middle, last)
			}
		}
	}
}

func median(v []int64) int64 {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}

// descendants are the processes below one, by number, with what tells them from a
// later process of that number: when they were started.
func descendants(t *testing.T, of int) map[string]string {
	t.Helper()
	if !isDir("/proc/self") {
		t.Log("this system does not tell who was started by whom")
		return nil
	}
	parent, started := map[string]string{}, map[string]string{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		if pid, ppid, start, ok := stat(path); ok {
			parent[pid], started[pid] = ppid, start
		}
	}
	out := map[string]string{}
	for pid := range parent {
		for up := parent[pid]; up != "" && up != "0"; up = parent[up] {
			if up == fmt.Sprint(of) {
				out[pid] = started[pid]
				break
			}
		}
	}
	return out
}

// stat reads the line of a process: its number, its parent and when it was started.
func stat(path string) (pid, parent, started string, ok bool) {
	data, err := os.ReadFile(path)
	pid, rest, found := strings.Cut(string(data), " ")
	at := strings.LastIndexByte(rest, ')')
	if err != nil || !found || at < 0 {
		return "", "", "", false
	}
	f := strings.Fields(rest[at+1:])
	if len(f) < 20 || f[0] == "Z" {
		return "", "", "", false
	}
	return pid, f[1], f[19], true
}

// gone waits a little for a process to end.
func gone(pid, started string) bool {
	for range 50 {
		if _, _, now, ok := stat("/proc/" + pid + "/stat"); !ok || now != started {
			return true
		}
		time.Sleep(50 * time.Millisecond)
	}
	return false
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
