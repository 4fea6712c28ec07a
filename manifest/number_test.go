package manifest

import (
	"fmt"
	"math/big"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
)

// TestSameNumber holds the comparison of spellings against that of big.Rat.
func TestSameNumber(t *testing.T) {
	all := []string{
		"0", "-0", "0.0", "0e5", "-0.00e-3", "1", "1.0", "10e-1", "0.1e1", "1e0", "100", "1e2", "1E+2", "0.01", "1e-2", "-1", "-1.0", "12", "1.2e1", "0.12e2",
		"9007199254740993", "9007199254740992", "9.007199254740993e15", "1e400", "10e399", "0.1e400", "1e-400", "10", "1.10", "1.1", "11e-1", "101", "1.01e2",
	}
	for _, a := range all {
		for _, b := range all {
			x, _ := new(big.Rat).SetString(a)
			y, _ := new(big.Rat).SetString(b)
			if got := sameNumber(a, b); got != (x.Cmp(y) == 0) {
				t.Errorf("%s and %s: %v", a, b, got)
			}
		}
	}
}

// TestFloods: what is too much of one thing costs no more than a file of that size may.
func TestFloods(t *testing.T) {
	list := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	arcade := func(more, modes string) string {
		return `{"name":"N","fully_qualified_name":"T.N",` + more + `"toolkit":{"name":"T","version":"1.0.0"},"input":{"parameters":[]},"output":{"available_modes":[` + modes + `]}}`
	}
	install := func(input, example string) string {
		return `{"manifest_version":"0.2","tool":{"id":"abc","version":"1.0.0","name":"A","summary":"s","homepage":"https://x.example"},
"runtime":{"kind":"shell-binary","install":{"method":"git","url":"https://x.example","ref":"` + strings.Repeat("0", 40) + `"},"entrypoint":{"command":["a"]}},
"actions":[{"name":"a","summary":"s","side_effects":"none","invocation":{"kind":"stdin-json"},"input":` + input + `,"examples":[{"description":"d","input":` + example + `},{"description":"d","input":` + example + `}]}],
"smoke":{"kind":"shell","command":["a"],"success":{}},"kill_switch":{"kind":"shell","command":["a"]}}`
	}
	for _, c := range []struct{ name, file, doc string }{
		{"wrong modes", "arcade.json", arcade("", list(20_000, `"x%d"`))},
		{"scopes", "arcade.json", arcade(`"requirements":{"authorization":{"provider_type":"a","oauth2":{"scopes":[`+list(20_000, `"k%d"`)+`]}}},`, `"value"`)},
		{"secrets", "arcade.json", arcade(`"requirements":{"secrets":[`+list(9_000, `{"key_id":"k%d"}`)+`]},`, `"value"`)},
		{"names and patterns", "install.json", install(`{"type":"object","patternProperties":{`+list(1_500, `"^(b+)+%d$":{}`)+`}}`, `{`+list(1_500, `"bbbbbbbb%d":1`)+`}`)},
		{"slow names", "install.json", install(`{"type":"object","patternProperties":{`+list(500, `"^(a+)+%d$":{}`)+`}}`, `{"`+strings.Repeat("a", 30)+`!":1}`)},
		{"numbers of an enumeration", "install.json", install(`{"type":"object","additionalProperties":{"items":{"enum":[`+list(3_000, `%de-390`)+`]}}}`, `{"a":[`+list(500, `2%d999.0e-390`)+`]}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if len(c.doc) > limits.ToolFile {
				t.Fatalf("%d bytes", len(c.doc))
			}
			best, least := time.Hour, uint64(1<<62)
			for range 3 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start := time.Now()
				Read(c.file, []byte(c.doc), Strict)
				best = min(best, time.Since(start))
				runtime.ReadMemStats(&after)
				least = min(least, after.TotalAlloc-before.TotalAlloc)
			}
			// A quiet machine needs less than 100 ms; others work on this one.
			if best > time.Second || least > 64*limits.MiB {
				t.Errorf("it takes %v and %d MiB", best, least/limits.MiB)
			}
			t.Logf("%v, %d MiB", best, least/limits.MiB)
		})
	}
}
