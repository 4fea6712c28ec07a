package audit_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
)

// clock is a time that moves one millisecond at each look.
func clock() func() time.Time {
	now := time.Date(2026, 3, 14, 15, 9, 26, 535_897_000, time.FixedZone("far", 5*3600))
	return func() time.Time { now = now.Add(time.Millisecond); return now }
}

// nothing is a detector that finds nothing.
func nothing(string) []audit.Secret { return nil }

// journal opens a fresh journal.
func journal(tb testing.TB) (*audit.Journal, paths.Paths) {
	tb.Helper()
	p := paths.Paths{Root: tb.TempDir()}
	return audit.Open(p, clock(), nothing), p
}

// sample is a record as a caller would fill it.
func sample() audit.Record {
	return audit.Record{
		Tool:     audit.Tool{Name: "csv_to_json", Version: "1.2.0", Release: spec.DigestOf([]byte("r")), Source: spec.DigestOf([]byte("s"))},
		Registry: "home",
		Sandbox: audit.Sandbox{
			Driver: "linux", NotEnforced: []string{"memory"}, Capabilities: spec.Permissions{Filesystem: spec.FilesystemReadOnly},
			Grants: []audit.Grant{{Path: "/home/x/a.csv"}}, Limits: audit.Limits{TimeMS: 30_000},
			Python: audit.Python{Version: "3.12.1", Path: "/usr/bin/python3"}, Packages: []string{"a==1.0"}, EnvKeys: []string{"LANG"},
		},
		Trigger: audit.Trigger{HostApp: "cli", User: "x"},
		Inputs:  json.RawMessage(`{"b":1e400,"a":"<é>","a":9007199254740993}`),
	}
}

// finish runs once and returns the id.
func finish(t *testing.T, j *audit.Journal, stdout string) audit.RunID {
	t.Helper()
	rec := sample()
	run, err := j.Begin(t.Context(), rec)
	if err != nil {
		t.Fatal(err)
	}
	rec.Status, rec.Output = audit.Succeeded, json.RawMessage(`null`)
	if err := run.Finish(rec, []byte(stdout), nil); err != nil {
		t.Fatal(err)
	}
	return run.ID()
}

func get(t *testing.T, j *audit.Journal, id audit.RunID) audit.Record {
	t.Helper()
	rec, err := j.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestRun(t *testing.T) {
	j, p := journal(t)
	rec := sample()
	run, err := j.Begin(t.Context(), rec)
	if err != nil {
		t.Fatal(err)
	}
	if got := get(t, j, run.ID()); got.Status != audit.Started || !got.EndedAt.IsZero() || string(got.Inputs) != string(rec.Inputs) {
		t.Errorf("intent: %+v", got)
	}
	rec.Status, rec.Output, rec.StdoutNoise = audit.Succeeded, json.RawMessage(`null`), true
	// What only the journal may say is not taken from the caller.
	rec.RunID, rec.Prev, rec.Schema, rec.StartedAt = "other", spec.DigestOf(nil), "99", time.Time{}
	rec.Seq, rec.Key, rec.Signature, rec.OutputCode = 9, "key", "sig", "code"
	if err := run.Finish(rec, []byte("noise\nnull\n"), []byte("talk")); err != nil {
		t.Fatal(err)
	}
	want := sample()
	want.Schema, want.RunID, want.Status = audit.Schema, run.ID(), audit.Succeeded
	want.StartedAt = time.Date(2026, 3, 14, 10, 9, 26, 536_897_000, time.UTC)
	want.EndedAt, want.DurationMS = want.StartedAt.Add(time.Millisecond), 1
	want.Output, want.StdoutNoise = json.RawMessage(`null`), true
	want.StdoutSHA256, want.StderrSHA256 = spec.DigestOf([]byte("noise\nnull\n")), spec.DigestOf([]byte("talk"))
	got := get(t, j, run.ID())
	if len(got.OutputCode) != 64 || len(got.Key) != 43 || len(got.Signature) != 86 || got.Seq != 1 || got.Replayable == nil || !*got.Replayable {
		t.Errorf("what the journal says is %q, %q, %q, %d, %v", got.OutputCode, got.Key, got.Signature, got.Seq, got.Replayable)
	}
	want.OutputCode, want.Key, want.Signature, want.Seq, want.Replayable, want.Assertions = got.OutputCode, got.Key, got.Signature, got.Seq, got.Replayable, got.Assertions
	if !reflect.DeepEqual(got, want) {
		t.Errorf("result:\n%+v, want\n%+v", got, want)
	}
	for d, want := range map[spec.Digest]string{want.StdoutSHA256: "noise\nnull\n", want.StderrSHA256: "talk"} {
		if b, err := j.Blob(d); err != nil || string(b) != want {
			t.Errorf("blob: %q, %v, want %q", b, err, want)
		}
	}
	if !strings.HasPrefix(string(run.ID()), "20260314-100926-536897-") {
		t.Errorf("id %s does not begin with the time in UTC", run.ID())
	}
	if err := run.Finish(rec, nil, nil); fault.ReasonOf(err) != "finished" {
		t.Errorf("second Finish: %v", err)
	}
	if filepath.Separator == '/' {
		modes(t, p)
	}
}

// modes checks that nobody else can read anything below the runs.
func modes(t *testing.T, p paths.Paths) {
	t.Helper()
	err := filepath.WalkDir(p.Runs(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, which lets others in", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Each way a run can end, with what its record must and must not say.
func TestStatus(t *testing.T) {
	failure := audit.FailureOf(fault.New(fault.Denied, "consent", "no"))
	for _, tt := range []struct {
		status audit.Status
		err    *audit.Failure
		keys   []string
		ok     bool
	}{
		{audit.Succeeded, nil, nil, true},
		{audit.Succeeded, failure, nil, false},
		{audit.Failed, failure, nil, true},
		{audit.Failed, nil, nil, false},
		{audit.Refused, failure, nil, true},
		{audit.Refused, nil, nil, false},
		{audit.Started, nil, nil, false},
		{"done", nil, nil, false},
		{"", nil, nil, false},
		{audit.Succeeded, nil, []string{"PATCH_ACCESS_TOKEN"}, true},
		{audit.Succeeded, nil, []string{"PATCH_ACCESS_TOKEN=hunter2"}, false},
	} {
		j, _ := journal(t)
		rec := sample()
		run, err := j.Begin(t.Context(), rec)
		if err != nil {
			t.Fatal(err)
		}
		rec.Status, rec.Error, rec.Sandbox.EnvKeys = tt.status, tt.err, tt.keys
		err = run.Finish(rec, nil, nil)
		if (err == nil) != tt.ok {
			t.Errorf("status %q, error %v, keys %v: %v, want ok %v", tt.status, tt.err, tt.keys, err, tt.ok)
		}
		want := tt.status
		if !tt.ok {
			want = audit.Started
		}
		got := get(t, j, run.ID())
		if got.Status != want || tt.ok && !reflect.DeepEqual(got.Error, tt.err) {
			t.Errorf("status %q: recorded %q %+v", tt.status, got.Status, got.Error)
		}
	}
}

func TestBeginRefuses(t *testing.T) {
	for name, change := range map[string]func(*audit.Record){
		"no tool":        func(r *audit.Record) { r.Tool.Name = "" },
		"broken inputs":  func(r *audit.Record) { r.Inputs = json.RawMessage(`{"a":`) },
		"value in key":   func(r *audit.Record) { r.Sandbox.EnvKeys = []string{"A=b"} },
		"huge inputs":    func(r *audit.Record) { r.Inputs = json.RawMessage(`"` + strings.Repeat("x", 20<<20) + `"`) },
		"negative time":  func(r *audit.Record) { r.DurationMS = -1 },
		"error too soon": func(r *audit.Record) { r.Error = audit.FailureOf(errors.New("x")) },
	} {
		j, p := journal(t)
		rec := sample()
		change(&rec)
		if _, err := j.Begin(t.Context(), rec); err == nil {
			t.Errorf("%s: began", name)
		}
		if _, err := os.Stat(p.Runs()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: something was written", name)
		}
	}
}

// When the result cannot be written, the intent stays, and trying again works.
func TestFinishAgain(t *testing.T) {
	j, p := journal(t)
	rec := sample()
	run, err := j.Begin(t.Context(), rec)
	if err != nil {
		t.Fatal(err)
	}
	rec.Status = audit.Succeeded
	if err := os.WriteFile(p.Blobs(), []byte("in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run.Finish(rec, []byte("x"), nil); err == nil {
		t.Error("finished without a place for blobs")
	}
	if got := get(t, j, run.ID()).Status; got != audit.Started {
		t.Errorf("status %q, want started", got)
	}
	if err := os.Remove(p.Blobs()); err != nil {
		t.Fatal(err)
	}
	if err := run.Finish(rec, []byte("x"), nil); err != nil {
		t.Errorf("second try: %v", err)
	}
}

func blob(t *testing.T, j *audit.Journal, d spec.Digest) string {
	t.Helper()
	b, err := j.Blob(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestList(t *testing.T) {
	j, p := journal(t)
	if got, broken, err := j.List(audit.Filter{}); len(got)+len(broken) > 0 || err != nil {
		t.Errorf("no runs: %v, %v, %v", got, broken, err)
	}
	var ids []audit.RunID
	for range 3 {
		ids = append(ids, finish(t, j, "x"))
	}
	other := sample()
	other.Tool.Name = "text_diff"
	run, err := j.Begin(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	ids = append(ids, run.ID())
	for _, tt := range []struct {
		filter audit.Filter
		want   []int // indices into ids
	}{
		{audit.Filter{}, []int{3, 2, 1, 0}},
		{audit.Filter{Limit: 2}, []int{3, 2}},
		{audit.Filter{Name: "csv_to_json"}, []int{2, 1, 0}},
		{audit.Filter{Name: "csv_to_json", Limit: 1}, []int{2}},
		{audit.Filter{Name: "text_diff"}, []int{3}},
		{audit.Filter{Name: "none_such"}, nil},
	} {
		got, broken, err := j.List(tt.filter)
		if len(broken) > 0 || err != nil {
			t.Fatal(broken, err)
		}
		var want []audit.RunID
		for _, i := range tt.want {
			want = append(want, ids[i])
		}
		var have []audit.RunID
		for _, s := range got {
			have = append(have, s.RunID)
		}
		if !slices.Equal(have, want) {
			t.Errorf("%+v: %v, want %v", tt.filter, have, want)
		}
	}

	// Broken records of every kind, and files that are no records at all.
	good, err := os.ReadFile(filepath.Join(p.Runs(), string(ids[0])+".json"))
	if err != nil {
		t.Fatal(err)
	}
	base := "20270101-000000-00000"
	for name, content := range map[string]string{
		base + "0-aaaaaaaaaa.json":      "",
		base + "1-aaaaaaaaaa.json":      "{}",
		base + "2-aaaaaaaaaa.json":      string(good), // another run's
		base + "3-aaaaaaaaaa.json":      string(good) + "x",
		"README":                        "not a record",
		"20270101-000000-000000-x.json": "not a run id",
	} {
		if err := os.WriteFile(filepath.Join(p.Runs(), name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(p.Runs(), base+"4-aaaaaaaaaa.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	got, broken, err := j.List(audit.Filter{})
	if len(got) != 4 || len(broken) != 5 || err != nil {
		t.Errorf("%d runs, broken %+v, %v, want 4 and 5", len(got), broken, err)
	}
}

func TestGetRefuses(t *testing.T) {
	j, p := journal(t)
	id := finish(t, j, "x")
	if err := os.WriteFile(filepath.Join(p.Root, "secret.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for bad, want := range map[string]fault.Kind{
		"../secret": fault.Usage, "": fault.Usage, string(id) + "/": fault.Usage, string(id) + ".json": fault.Usage,
		strings.ToUpper(string(id)):             fault.Usage,
		"20260314-100926-536897-aaaaaaaaaa":     fault.NotFound,
		"20260314-100926-536897-aaaaaaaaaa\n":   fault.Usage,
		"20260314-100926-536897-../../../../xx": fault.Usage,
	} {
		if _, err := j.Get(audit.RunID(bad)); err == nil || fault.KindOf(err) != want {
			t.Errorf("Get(%q): %v, want %v", bad, err, want)
		}
	}
	get(t, j, id)
}

func TestBlob(t *testing.T) {
	j, p := journal(t)
	d := get(t, j, finish(t, j, "output")).StdoutSHA256
	finish(t, j, "output") // the same again is stored once
	list, err := os.ReadDir(p.Blobs())
	if err != nil || len(list) != 2 {
		t.Errorf("blobs %v, %v, want one for stdout and the empty one", list, err)
	}
	if _, err := j.Blob(spec.DigestOf([]byte("never"))); fault.KindOf(err) != fault.NotFound {
		t.Errorf("missing: %v, want not found", err)
	}
	path := filepath.Join(p.Blobs(), d.Hex())
	for name, tamper := range map[string]func() error{
		"changed": func() error { return os.WriteFile(path, []byte("0utput"), 0o600) },
		"torn":    func() error { return os.WriteFile(path, nil, 0o600) },
		"link": func() error {
			twin := filepath.Join(p.Root, "twin")
			return errors.Join(os.WriteFile(twin, []byte("output"), 0o600), os.Remove(path), os.Symlink(twin, path))
		},
	} {
		if err := tamper(); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Blob(d); fault.KindOf(err) != fault.NotVerified {
			t.Errorf("%s: %v, want not verified", name, err)
		}
		// The next run with this output puts it right.
		finish(t, j, "output")
		if b, err := j.Blob(d); string(b) != "output" || err != nil {
			t.Errorf("%s, afterwards: %q, %v", name, b, err)
		}
	}
}
