package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
)

// live opens a journal as a server does; stop ends it.
func live(t *testing.T, p paths.Paths) (j *audit.Journal, stop func()) {
	t.Helper()
	j = audit.Open(p, time.Now, nothing)
	end := j.Live()
	stop = func() {
		t.Helper()
		if err := end(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return j, stop
}

func segments(t *testing.T, p paths.Paths) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(p.Runs(), "live", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// What a server records can be read at once by itself and by others, becomes a
// file of its own soon, and says the same then.
func TestLive(t *testing.T) {
	p := paths.Paths{Root: t.TempDir()}
	j, stop := live(t, p)
	other := audit.Open(p, time.Now, nil)
	big := strings.Repeat("x", 200_000)
	ids := []audit.RunID{finish(t, j, "one"), finish(t, j, "two"), finish(t, j, "one"), finish(t, j, big)}
	intent, err := j.Begin(t.Context(), sample())
	if err != nil {
		t.Fatal(err)
	}
	var before [4][]byte
	for i, id := range ids {
		rec := get(t, other, id)
		if before[i], err = json.Marshal(rec); err != nil {
			t.Fatal(err)
		}
		if want := []string{"one", "two", "one", big}[i]; blob(t, other, rec.StdoutSHA256) != want || rec.Seq != uint64(i+1) {
			t.Errorf("run %d: %.40q, number %d", i, blob(t, other, rec.StdoutSHA256), rec.Seq)
		}
	}
	if list, broken, err := other.List(audit.Filter{}); len(list) != 5 || len(broken) > 0 || err != nil || list[0].RunID != intent.ID() {
		t.Errorf("got %v, %v, %v", list, broken, err)
	}
	if rep := check(t, other); rep.Records != 4 || rep.Signed != 4 || rep.Unfinished != 1 || len(rep.Problems) > 0 || rep.Forks > 0 {
		t.Errorf("while live: %+v", rep)
	}
	stop()
	if left := segments(t, p); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	rep := check(t, other)
	if rep.Records != 4 || rep.Signed != 4 || rep.Unfinished != 1 || len(rep.Problems) > 0 || rep.Anchor != rep.Head || rep.Seq != 4 {
		t.Errorf("afterwards: %+v", rep)
	}
	for i, id := range ids {
		if _, err := os.Stat(filepath.Join(p.Runs(), string(id)+".json")); err != nil {
			t.Error(err)
		}
		rec := get(t, other, id)
		if rec.Signature == "" {
			t.Errorf("run %s is not signed", id)
		}
		rec.Signature = ""
		if after, err := json.Marshal(rec); !bytes.Equal(after, before[i]) || err != nil {
			t.Errorf("run %d: %s, was %s", i, after, before[i])
		}
	}
	// The run that was under way ends as one of a command.
	rec := sample()
	rec.Status, rec.Output = audit.Succeeded, json.RawMessage(`1`)
	if err := intent.Finish(rec, nil, nil); err != nil {
		t.Fatal(err)
	}
	if rep := check(t, other); rep.Records != 5 || rep.Unfinished != 0 || len(rep.Problems) > 0 || rep.Forks > 0 {
		t.Errorf("at last: %+v", rep)
	}
	modes(t, p)
}

// An intent that waited long is a file, and its end replaces it.
func TestLiveLong(t *testing.T) {
	p := paths.Paths{Root: t.TempDir()}
	j, end := live(t, p)
	run, err := j.Begin(t.Context(), sample())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(p.Runs(), string(run.ID())+".json")
	for late := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil && len(segments(t, p)) == 2 { // the lock, and one for what comes next
			break
		} else if time.Now().After(late) {
			t.Fatal("no file was made")
		}
	}
	rec := sample()
	rec.Status, rec.Output = audit.Succeeded, json.RawMessage(`1`)
	if err := run.Finish(rec, nil, nil); err != nil {
		t.Fatal(err)
	}
	if got := get(t, j, run.ID()); got.Status != audit.Succeeded {
		t.Errorf("status %q while its file says started", got.Status)
	}
	if list, _, err := j.List(audit.Filter{}); err != nil || len(list) != 1 || list[0].Status != audit.Succeeded {
		t.Errorf("got %v, %v", list, err)
	}
	// Nothing stays of what was made for more.
	time.Sleep(2 * limits.AuditCommit)
	end()
	if left := segments(t, p); len(left) > 0 {
		t.Errorf("left is %v", left)
	}
}

// killed records as a server that is then killed, and returns its segment, which
// has records.
func killed(t *testing.T, p paths.Paths) (segment string, data []byte) {
	t.Helper()
	for range 50 { // it may be killed between two segments
		cmd, _ := recorder(t, "live", p, 1_000_000)
		data = nil
		for end := time.Now().Add(20 * time.Second); len(data) < 100_000 && time.Now().Before(end); time.Sleep(time.Millisecond) {
			for _, path := range segments(t, p) {
				if strings.HasSuffix(path, ".log") {
					segment = path
					data, _ = os.ReadFile(path) // it may be gone
				}
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // always the kill
		if data, _ = os.ReadFile(segment); bytes.Contains(data, []byte(`"output":{}`)) {
			return segment, data
		}
	}
	t.Fatal("no killed server left a segment")
	return "", nil
}

// What a killed server left in its segment can be read, whoever lives next makes
// files of it, and nobody can put a line there that is signed with the others.
func TestLiveKilled(t *testing.T) {
	for name, tt := range map[string]struct {
		tamper func(line string) string
		want   []string
	}{
		"nothing": {func(s string) string { return s }, nil},
		"torn":    {func(s string) string { return s + `{"schema_version":"1","run_id":"2026` }, nil},
		"garbage": {func(s string) string { return s + "garbage\nb 00 !!\n\n" }, nil},
		"changed": {func(s string) string { return strings.Replace(s, `"output":{}`, `"output":[]`, 1) }, []string{"signature", "chain"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := paths.Paths{Root: t.TempDir()}
			segment, data := killed(t, p)
			if err := os.WriteFile(segment, []byte(tt.tamper(string(data))), 0o600); err != nil {
				t.Fatal(err)
			}
			reader := audit.Open(p, time.Now, nil)
			first := check(t, reader)
			_, stop := live(t, p) // whose background looks for what the dead left
			for end := time.Now().Add(20 * time.Second); len(segments(t, p)) > 0; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the segments of the dead were left")
				}
			}
			stop()
			second := check(t, reader)
			for _, rep := range []audit.Report{first, second} {
				seen := map[string]bool{}
				for _, p := range rep.Problems {
					seen[p.Reason] = true
				}
				if len(seen) != len(tt.want) {
					t.Fatalf("problems %+v, want %v", rep.Problems, tt.want)
				}
				for _, want := range tt.want {
					if !seen[want] {
						t.Errorf("problems %+v, want %v", rep.Problems, tt.want)
					}
				}
			}
			if first.Records != second.Records || first.Records < 10 || first.Head != second.Head {
				t.Errorf("%+v became %+v", first, second)
			}
		})
	}
}

// A disk that takes nothing more refuses the next run before it starts.
func TestLiveWithoutPlace(t *testing.T) {
	p := paths.Paths{Root: t.TempDir()}
	j, _ := live(t, p)
	if err := os.MkdirAll(p.Runs(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.Runs(), "live"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Begin(t.Context(), sample()); err == nil {
		t.Error("began without a place for its intent")
	}
	if err := os.Remove(filepath.Join(p.Runs(), "live")); err != nil {
		t.Fatal(err)
	}
	finish(t, j, "x") // the twin
}

// The end of the chain is cut off together with the hint: the chain looks whole,
// the anchor says that it is not, and so does a head that was kept elsewhere.
func TestTruncated(t *testing.T) {
	cut := func(t *testing.T, keepAnchor bool) (*audit.Journal, spec.Digest) {
		j, p := journal(t)
		finish(t, j, "1")
		head, err := os.ReadFile(filepath.Join(p.Runs(), ".head"))
		if err != nil {
			t.Fatal(err)
		}
		anchor, err := os.ReadFile(filepath.Join(p.Audit(), "head"))
		if err != nil {
			t.Fatal(err)
		}
		last := finish(t, j, "2")
		full := check(t, j).Head
		for path, b := range map[string][]byte{filepath.Join(p.Runs(), ".head"): head, filepath.Join(p.Audit(), "head"): anchor} {
			if keepAnchor && strings.HasPrefix(path, p.Audit()) {
				continue
			}
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Remove(filepath.Join(p.Runs(), string(last)+".json")); err != nil {
			t.Fatal(err)
		}
		return j, full
	}
	j, _ := cut(t, true)
	if rep := check(t, j); len(rep.Problems) != 1 || rep.Problems[0].Reason != "anchor" {
		t.Errorf("cut: %+v", rep)
	}
	finish(t, j, "3")
	if rep := check(t, j); len(rep.Problems) != 1 || rep.Problems[0].Reason != "anchor" {
		t.Errorf("cut, and gone on: %+v", rep)
	}
	if err := j.Accept(); err != nil {
		t.Fatal(err)
	}
	if rep := check(t, j); len(rep.Problems) != 0 {
		t.Errorf("accepted: %+v", rep)
	}
	rolled, full := cut(t, false) // by somebody who kept an older anchor too
	if rep := check(t, rolled); len(rep.Problems) != 0 {
		t.Errorf("rolled back: %+v", rep)
	}
	rep, err := rolled.Check(t.Context(), full)
	if err != nil || len(rep.Problems) != 1 || rep.Problems[0].Reason != "expect" {
		t.Errorf("rolled back, with a head kept elsewhere: %+v, %v", rep, err)
	}
	if rep, err := rolled.Check(t.Context(), rep.Head); err != nil || len(rep.Problems) != 0 {
		t.Errorf("the twin: %+v, %v", rep, err)
	}
}

// The anchor and the key, each damaged in a way, and what is told of it.
func TestAnchor(t *testing.T) {
	for name, tt := range map[string]struct {
		tamper func(p paths.Paths) error
		want   []string
	}{
		"nothing":        {func(paths.Paths) error { return nil }, nil},
		"anchor gone":    {func(p paths.Paths) error { return os.Remove(filepath.Join(p.Audit(), "head")) }, []string{"anchor"}},
		"anchor empty":   {func(p paths.Paths) error { return os.Truncate(filepath.Join(p.Audit(), "head"), 0) }, []string{"anchor"}},
		"anchor changed": {func(p paths.Paths) error { return flip(filepath.Join(p.Audit(), "head"), 30) }, []string{"anchor"}},
		"anchor signed by another": {func(p paths.Paths) error {
			other := paths.Paths{Root: filepath.Join(p.Root, "other")}
			if err := recordOne(audit.Open(other, time.Now, nothing)); err != nil {
				return err
			}
			return os.Rename(filepath.Join(other.Audit(), "head"), filepath.Join(p.Audit(), "head"))
		}, []string{"anchor"}},
		"another key": {func(p paths.Paths) error {
			return os.WriteFile(filepath.Join(p.Audit(), "key"), bytes.Repeat([]byte("ab"), 32), 0o600)
		}, []string{"key", "anchor"}},
		"key for all to read": {func(p paths.Paths) error { return os.Chmod(filepath.Join(p.Audit(), "key"), 0o644) }, []string{"key", "anchor"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := paths.Paths{Root: t.TempDir()}
			j := audit.Open(p, time.Now, nothing)
			finish(t, j, "x")
			if err := tt.tamper(p); err != nil {
				t.Fatal(err)
			}
			j = audit.Open(p, time.Now, nothing) // which has read no key yet
			rep := check(t, j)
			var got []string
			for _, p := range rep.Problems {
				got = append(got, p.Reason)
			}
			if len(got) != len(tt.want) {
				t.Fatalf("got %+v, want %v", rep.Problems, tt.want)
			}
			for _, want := range tt.want {
				if !strings.Contains(fmt.Sprint(got), want) {
					t.Errorf("got %v, want %v", got, tt.want)
				}
			}
		})
	}
}

// A run is refused when its record could not be signed by a key of the user's own.
func TestKeyOfOthers(t *testing.T) {
	p := paths.Paths{Root: t.TempDir()}
	if err := os.MkdirAll(p.Audit(), 0o700); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(p.Audit(), "key")
	if err := os.WriteFile(key, bytes.Repeat([]byte("ab"), 32), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := audit.Open(p, time.Now, nothing).Begin(t.Context(), sample()); fault.KindOf(err) != fault.NotVerified {
		t.Errorf("began under a key for all to read: %v", err)
	}
	if _, err := os.Stat(p.Runs()); err == nil {
		t.Error("something was recorded")
	}
	if err := os.Chmod(key, 0o600); err != nil {
		t.Fatal(err)
	}
	finish(t, audit.Open(p, time.Now, nothing), "x") // the twin
	if _, err := audit.Open(p, time.Now, nil).Begin(t.Context(), sample()); fault.ReasonOf(err) != "no_detector" {
		t.Errorf("began without a detector: %v", err)
	}
}

func flip(path string, at int) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	b[at] ^= 1
	return os.WriteFile(path, b, 0o600)
}

// Calls go on while the server ends: each that was told it is recorded is.
func TestLiveClosing(t *testing.T) {
	p := paths.Paths{Root: t.TempDir()}
	j, stop := live(t, p)
	var all sync.WaitGroup
	done := make(chan int, 8)
	for range cap(done) {
		all.Go(func() {
			n := 0
			for range 40 {
				if err := recordOne(j); err != nil {
					t.Error(err)
					break
				}
				n++
			}
			done <- n
		})
	}
	time.Sleep(10 * time.Millisecond)
	stop()
	all.Wait()
	close(done)
	total := 0
	for n := range done {
		total += n
	}
	if rep := check(t, j); rep.Records != total || rep.Signed != total || rep.Unfinished+rep.Forks+len(rep.Problems) != 0 {
		t.Errorf("%d were recorded, found %+v", total, rep)
	}
}

// Whatever lies in the files that the journal reads besides records, it neither
// panics nor takes for its own what it did not write.
func FuzzFiles(f *testing.F) {
	p := paths.Paths{Root: f.TempDir()}
	j := audit.Open(p, time.Now, nothing)
	run, err := j.Begin(f.Context(), sample())
	if err != nil {
		f.Fatal(err)
	}
	rec := sample()
	rec.Status, rec.Output = audit.Succeeded, json.RawMessage(`1`)
	if err := run.Finish(rec, nil, nil); err != nil {
		f.Fatal(err)
	}
	record, err := os.ReadFile(filepath.Join(p.Runs(), string(run.ID())+".json"))
	if err != nil {
		f.Fatal(err)
	}
	files := []string{filepath.Join(p.Runs(), ".head"), filepath.Join(p.Audit(), "head"), filepath.Join(p.Runs(), ".pruned"), filepath.Join(p.Runs(), "live", "a-1.log")}
	if err := os.MkdirAll(filepath.Dir(files[3]), 0o700); err != nil {
		f.Fatal(err)
	}
	for i, path := range files {
		b, _ := os.ReadFile(path) // some are not there
		f.Add(uint8(i), b)
	}
	f.Add(uint8(3), append(bytes.TrimSuffix(record, []byte("\n")), " 00\n"...))
	f.Add(uint8(3), bytes.ReplaceAll(record, []byte("succeeded"), []byte("started")))
	f.Add(uint8(3), []byte("b 0000 eA==\nb \n \n{} \n"))
	f.Add(uint8(2), []byte(`{"schema_version":"1","ends":["`+strings.Repeat("0", 64)+`"]}`))
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		path := files[int(which)%len(files)]
		old, readErr := os.ReadFile(path)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		defer func() { // as it was for the next
			if readErr != nil {
				_ = os.Remove(path)
			} else if err := os.WriteFile(path, old, 0o600); err != nil {
				t.Fatal(err)
			}
		}()
		rep, err := j.Check(t.Context())
		if err != nil {
			t.Fatalf("could not look: %v", err)
		}
		if rep.Signed > 1 {
			t.Fatalf("a line that was planted counts as signed: %+v", rep)
		}
		if _, _, err := j.List(audit.Filter{}); err != nil {
			t.Fatal(err)
		}
		if got := get(t, j, run.ID()); got.Status != audit.Succeeded {
			t.Fatalf("a planted line hides a record: %+v", got)
		}
	})
}
