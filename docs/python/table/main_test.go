package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/standalone"
)

// sample is a part of uv's metadata: what the table has, and near misses of it.
func sample(t *testing.T) map[string]map[string]any {
	t.Helper()
	data, err := os.ReadFile("testdata/metadata.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// The table in the program is what this command writes of the sample, which
// also has what the table must not take: pre-releases, other C libraries,
// variants, older patches, other implementations.
func TestTable(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{"testdata/metadata.json"}, &out); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.FromSlash("../../../internal/standalone/table.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("got\n%s", &out)
	}
	if all, err := standalone.ParseTable(out.String()); err != nil || len(all) != 25 {
		t.Errorf("%d rows, %v", len(all), err)
	}
	if n := len(sample(t)); n <= 25 {
		t.Errorf("the sample has %d entries and so no near misses", n)
	}
}

// What would put a wrong row into the table stops it.
func TestTableRefuses(t *testing.T) {
	const key = "cpython-3.12.14-linux-x86_64-gnu"
	for name, change := range map[string]func(entry map[string]any){
		"no digest":     func(e map[string]any) { e["sha256"] = nil },
		"short digest":  func(e map[string]any) { e["sha256"] = "abc" },
		"other address": func(e map[string]any) { e["url"] = strings.Replace(e["url"].(string), "astral-sh", "evil", 1) },
		"other date":    func(e map[string]any) { e["build"] = "20260815" },
		"missing":       func(e map[string]any) { e["prerelease"] = "rc1" },
		"nothing":       nil,
	} {
		all := sample(t)
		if all[key] == nil {
			t.Fatalf("the sample has no %s", key)
		}
		// Else an older patch of the same place would stand in.
		for k := range all {
			if strings.HasPrefix(k, "cpython-3.12.") && k != key && strings.HasSuffix(k, "-linux-x86_64-gnu") {
				delete(all, k)
			}
		}
		if change != nil {
			change(all[key])
		}
		data, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		if table, err := write(data); (err == nil) != (change == nil) {
			t.Errorf("%s: got %v and a table of %d bytes", name, err, len(table))
		}
	}
	if _, err := write([]byte("{")); err == nil {
		t.Error("half a document passes")
	}
	if err := run(nil, nil); err == nil {
		t.Error("no argument passes")
	}
}
