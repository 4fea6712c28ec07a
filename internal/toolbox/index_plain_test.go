package toolbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
)

// written is index.json as this program writes it.
func written(tb testing.TB, ix *index) []byte {
	tb.Helper()
	box, err := Open(paths.Paths{Root: tb.TempDir()}, time.Now)
	if err != nil {
		tb.Fatal(err)
	}
	if err := box.writeIndex(ix, false); err != nil {
		tb.Fatal(err)
	}
	data, err := os.ReadFile(box.paths.Index())
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func someIndex(n int) *index {
	ix := &index{Schema: indexSchema, Tools: map[spec.Name]IndexEntry{}}
	for i := range n {
		e := IndexEntry{Version: "1.0.0", File: fmt.Sprintf("tools/tool_%d.py", i)}
		if i%3 == 1 {
			e.Version, e.LastUsed = "1.2.0-rc.1", "2026-11-22T10:00:00Z"
		}
		if i%6 == 1 {
			e.Weight = 1 + 1234*int64(i)
		}
		ix.Tools[spec.Name(fmt.Sprintf("tool_%d", i))] = e
	}
	return ix
}

// TestPlainIndex: what this program wrote is read without the decoder, to the last
// tool; what anybody else wrote is left to it.
func TestPlainIndex(t *testing.T) {
	for _, n := range []int{1, 2, 100} {
		want := someIndex(n)
		got := plainIndex(written(t, want))
		if got == nil || !maps.Equal(got.Tools, want.Tools) || got.Schema != indexSchema {
			t.Errorf("%d tools: %+v", n, got)
		}
	}
	good := string(written(t, someIndex(2)))
	for what, text := range map[string]string{
		"nothing":           "",
		"no tools":          "{\n  \"schema\": 1,\n  \"tools\": {}\n}\n",
		"another schema":    strings.Replace(good, `"schema": 1`, `"schema": 2`, 1),
		"no name":           strings.Replace(good, `"tool_0"`, `"../tool"`, 1),
		"an escape":         strings.Replace(good, `"tools/tool_0.py"`, `"tools\/tool_0.py"`, 1),
		"no version":        strings.Replace(good, `"1.0.0"`, `"1.0"`, 1),
		"a member of ours":  strings.Replace(good, `"version"`, `"Version"`, 1),
		"a tool twice":      strings.Replace(good, `"tool_1"`, `"tool_0"`, 1),
		"a member too many": strings.Replace(good, "\n    }", ",\n      \"x\": \"y\"\n    }", 1),
		"an end too many":   good + "}",
		"no number":         strings.Replace(good, `"weight": 1235`, `"weight": "1"`, 1),
		"a zero before it":  strings.Replace(good, `"weight": 1235`, `"weight": 01235`, 1),
		"a fraction":        strings.Replace(good, `"weight": 1235`, `"weight": 1235.5`, 1),
		"a huge number":     strings.Replace(good, `"weight": 1235`, `"weight": 99999999999999999999`, 1),
		"cut":               good[:len(good)-4],
	} {
		if text == good {
			t.Fatalf("%s: nothing was changed", what)
		}
		if ix := plainIndex([]byte(text)); ix != nil {
			t.Errorf("%s: read as %+v", what, ix)
		}
	}
}

// FuzzPlainIndex: what is read without the decoder is what the decoder reads.
func FuzzPlainIndex(f *testing.F) {
	good := written(f, someIndex(4))
	f.Add(good)
	f.Add([]byte(strings.Replace(string(good), "tool_1", "tool_0", 1)))
	f.Add([]byte(strings.Replace(string(good), "py", "\\u0070y", 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := plainIndex(data)
		if got == nil {
			return
		}
		var want index
		if err := json.Unmarshal(data, &want); err != nil || want.Schema != got.Schema || !maps.Equal(want.Tools, got.Tools) {
			t.Errorf("%q: %+v, and of the decoder %+v, %v", data, got, want, err)
		}
	})
}

// BenchmarkIndex reads the index of 10,000 tools.
func BenchmarkIndex(b *testing.B) {
	data := written(b, someIndex(10_000))
	for b.Loop() {
		if plainIndex(data) == nil {
			b.Fatal("not read")
		}
	}
}
