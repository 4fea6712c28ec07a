package audit_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/audit"
)

const minimal = `{"schema_version":"1","run_id":"20260314-100926-536897-aaaaaaaaaa","status":"started",` +
	`"ran_at":"2026-03-14T10:09:26.536897Z","duration_ms":0,"tool":{"name":"csv_to_json"},"sandbox":{},"trigger":{},"exit_code":0}`

func TestParseRecord(t *testing.T) {
	if _, err := audit.ParseRecord([]byte(minimal)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"schema":           {`"schema_version":"1"`, `"schema_version":"2"`},
		"id":               {"20260314-100926-536897-aaaaaaaaaa", "../../etc/passwd"},
		"no id":            {`"run_id":"20260314-100926-536897-aaaaaaaaaa",`, ``},
		"status":           {`"started"`, `"finished"`},
		"status final":     {`"started"`, `"succeeded"`},
		"no time":          {`"ran_at":"2026-03-14T10:09:26.536897Z",`, ``},
		"bad time":         {`2026-03-14T`, `2026-13-14T`},
		"name":             {`csv_to_json`, `CSV`},
		"no name":          {`"name":"csv_to_json"`, ``},
		"version":          {`"csv_to_json"`, `"csv_to_json","version":"1"`},
		"digest":           {`"csv_to_json"`, `"csv_to_json","source_sha256":"00"`},
		"duration":         {`"duration_ms":0`, `"duration_ms":-5`},
		"fraction":         {`"duration_ms":0`, `"duration_ms":0.5`},
		"end while going":  {`"duration_ms":0`, `"duration_ms":0,"ended_at":"2026-03-14T10:09:26Z"`},
		"link while going": {`"duration_ms":0`, `"duration_ms":0,"prev":"` + strings.Repeat("ab", 32) + `"`},
		"trailing":         {`"exit_code":0}`, `"exit_code":0} {}`},
		"deep":             {`"exit_code":0`, `"inputs":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)},
		"value of env":     {`"sandbox":{}`, `"sandbox":{"envs_keys":["A=b"]}`},
	} {
		bad := strings.Replace(minimal, change[0], change[1], 1)
		if bad == minimal {
			t.Fatalf("%s: nothing to change", name)
		}
		if rec, err := audit.ParseRecord([]byte(bad)); err == nil {
			t.Errorf("%s: accepted as %+v", name, rec)
		}
	}
	// A field of a later patch-git does not hide the run.
	later := strings.Replace(minimal, `"exit_code":0`, `"exit_code":0,"network":[]`, 1)
	if _, err := audit.ParseRecord([]byte(later)); err != nil {
		t.Errorf("unknown field: %v", err)
	}
}

func TestParseRunID(t *testing.T) {
	for s, ok := range map[string]bool{
		"20260314-150926-535897-k3vq7xw2ma": true, "": false, "..": false, "20260314-150926-535897-k3vq7xw2m": false,
		"20260314-150926-535897-k3vq7xw2ma/..": false, "20260314-150926-535897-K3VQ7XW2MA": false,
		"20260314-150926-535897-k3vq7xw2ma\n": false, "20260314-150926-535897-k3vq7xw2m1": false, "２0260314-150926-535897-k3vq7xw2ma": false,
	} {
		if _, err := audit.ParseRunID(s); (err == nil) != ok {
			t.Errorf("ParseRunID(%q): %v, want ok %v", s, err, ok)
		}
	}
}

// What parses is written back by Begin's encoder without loss: a journal that
// holds the record and is asked for it answers the same.
func FuzzParseRecord(f *testing.F) {
	f.Add([]byte(minimal))
	f.Add([]byte(strings.Replace(minimal, `"exit_code":0`, `"exit_code":-1,"inputs":{"a":[1e400,"\u2028"]},"output":null`, 1)))
	done := strings.NewReplacer(`"started"`, `"failed"`, `"exit_code":0`, `"exit_code":1,"ended_at":"2026-03-14T10:09:27Z","stdout_sha256":"`+
		strings.Repeat("ab", 32)+`","stderr_sha256":"`+strings.Repeat("cd", 32)+`","error":{"kind":"tool_failed","message":"x"}`).Replace(minimal)
	if _, err := audit.ParseRecord([]byte(done)); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(done))
	f.Add([]byte(`{"schema_version":"1","RUN_ID":"x"}`))
	f.Add([]byte{0xff, 0xfe})
	f.Fuzz(func(t *testing.T, b []byte) {
		rec, err := audit.ParseRecord(b)
		if err != nil {
			return
		}
		if name := filepath.Base(string(rec.RunID)); name != string(rec.RunID) || strings.HasPrefix(name, ".") {
			t.Fatalf("run id %q leaves its directory", rec.RunID)
		}
		once, err := json.Marshal(rec)
		if err != nil {
			t.Fatalf("a parsed record does not encode: %v", err)
		}
		again, err := audit.ParseRecord(once)
		if err != nil {
			t.Fatalf("an encoded record does not parse: %v", err)
		}
		twice, err := json.Marshal(again)
		if err != nil || !reflect.DeepEqual(once, twice) {
			t.Fatalf("not stable (%v):\n%s\n%s", err, once, twice)
		}
	})
}

// A run whose directory cannot be made is refused before anything runs.
func TestBeginWithoutPlace(t *testing.T) {
	j, p := journal(t)
	if err := os.WriteFile(p.Runs(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Begin(t.Context(), sample()); err == nil {
		t.Error("began without a place for the record")
	}
}
