package pyenv

import (
	"reflect"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
)

func TestParseTOML(t *testing.T) {
	const text = "# comment\nlock-version = \"1.0\" # end\r\nn = 1_000\nyes = true\nwhen = 2026-01-02T03:04:05Z\n" +
		"a.b.'c d' = 'lit\\eral'\nlist = [ 1, \"two\", # in between\n  [3], {x = {y = -4}, z.w = \"\\u00e9\\n\"}, ]\nempty = []\nnone = {}\n" +
		"[table]\nkey = 1\n[table.sub]\nkey = 2\n[[many]]\nname = \"one\"\n[[many]]\nname = \"two\"\n[many.inner]\nk = 3\n[[many.deep]]\nq = 4\n"
	got, err := parseTOML(text)
	if err != nil {
		t.Fatal(err)
	}
	type m = map[string]any
	type l = []any
	want := m{
		"lock-version": "1.0", "n": int64(1000), "yes": true, "when": "2026-01-02T03:04:05Z",
		"a":    m{"b": m{"c d": `lit\eral`}},
		"list": l{int64(1), "two", l{int64(3)}, m{"x": m{"y": int64(-4)}, "z": m{"w": "é\n"}}}, "empty": l{}, "none": m{},
		"table": m{"key": int64(1), "sub": m{"key": int64(2)}},
		"many":  l{m{"name": "one"}, m{"name": "two", "inner": m{"k": int64(3)}, "deep": l{m{"q": int64(4)}}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func TestParseTOMLRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"a = 1\na = 2":                 "line 2: key \"a\" is defined twice",
		"[a]\n[a]":                     "defined twice",
		"a = 1\n[[a]]":                 "both a table and a list",
		"a = []\n[a.b]":                "not a table",
		"a = 1\na.b = 2":               "not a table",
		"a = [1]\n[a.b]":               "not a table",
		"a":                            "has no value",
		"a =":                          "value is missing",
		"= 1":                          "key is missing",
		"a = 1 b = 2":                  "more than one thing",
		"a = \"x":                      "not closed",
		"a = \"x\ny\"":                 "not closed on its line",
		"a = \"\"\"x\"\"\"":            "several lines",
		`a = "\q"`:                     "unknown escape",
		`a = "\x41"`:                   "unknown escape",
		`a = "\ud800"`:                 "broken escape",
		"a = [1":                       "not closed",
		"a = [1 2]":                    "not closed",
		"a = {b = 1":                   "not closed",
		"[a":                           "does not end",
		"[[a]":                         "does not end",
		"a = 1.5":                      "no kind",
		"a = inf":                      "no kind",
		"a = \xff":                     "not UTF-8",
		"a = " + nest("[", 50):         "too deeply",
		"a" + strings.Repeat(".a", 99): "too deep",
		"a" + strings.Repeat(" ", limits.Document): "allowed are",
	} {
		if got, err := parseTOML(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, %v, want %q", text, got, err, want)
		}
	}
}

func nest(s string, n int) string { return strings.Repeat(s, n) }

// FuzzLock: any bytes give a lock or an error, and what is picked from a lock
// has a digest and an address.
func FuzzLock(f *testing.F) {
	f.Add(sampleLock)
	f.Add("a.b = {c = [1, 'x'], \"d\" = \"\\u00e9\"}\n[[e]]\n[e.f]\n")
	f.Add("a = []\n[a.b]\n[[a]]\n")
	f.Fuzz(func(t *testing.T, text string) {
		packages, err := parseLock(text)
		if err != nil {
			return
		}
		target, _ := parseTarget("linux-x86_64-glibc2.28")
		wheels, err := pick(packages, "3.12", target)
		for _, w := range wheels {
			if err == nil && (w.SHA256.IsZero() && !strings.Contains(text, strings.Repeat("0", 64)) || !strings.HasSuffix(w.File, ".whl")) {
				t.Errorf("picked %+v", w)
			}
		}
	})
}
