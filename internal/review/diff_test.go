package review

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

func TestUnified(t *testing.T) {
	of := func(text string) []spec.File { return []spec.File{{Path: "tool.py", Data: []byte(text)}} }
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	for name, c := range map[string]struct {
		a, b []spec.File
		want string
	}{
		"nothing":      {of(ten), of(ten), ""},
		"a line":       {of(ten), of(strings.Replace(ten, "5\n", "five\n", 1)), "--- a/tool.py\n+++ b/tool.py\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
		"two hunks":    {of(ten), of("0\n" + ten + "11"), "--- a/tool.py\n+++ b/tool.py\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -8,3 +9,4 @@\n 8\n 9\n 10\n+11\n\\ No newline at end of file\n"},
		"one hunk":     {of(ten), of("0\n" + strings.Replace(ten, "7\n", "", 1)), "--- a/tool.py\n+++ b/tool.py\n@@ -1,10 +1,10 @@\n+0\n 1\n 2\n 3\n 4\n 5\n 6\n-7\n 8\n 9\n 10\n"},
		"a file":       {nil, of("x\n"), "--- /dev/null\n+++ b/tool.py\n@@ -0,0 +1,1 @@\n+x\n"},
		"no file":      {of("x"), nil, "--- a/tool.py\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n\\ No newline at end of file\n"},
		"an odd name":  {nil, []spec.File{{Path: "a b\n", Data: []byte("x\n")}}, "--- /dev/null\n+++ b/\"a b\\n\"\n@@ -0,0 +1,1 @@\n+x\n"},
		"not UTF-8":    {nil, of("\xff\n"), "--- /dev/null\n+++ b/tool.py\n@@ -0,0 +1,1 @@\n+\uFFFD\n"},
		"empty, added": {nil, of(""), "--- /dev/null\n+++ b/tool.py\n"},
	} {
		if got, cut := unified(c.a, c.b); got != c.want || cut {
			t.Errorf("%s: got %v\n%s\nwant\n%s", name, cut, got, c.want)
		}
	}
}

// TestUnifiedIsBounded: files that differ everywhere, in the way that makes the
// search longest, end soon and in bounds.
func TestUnifiedIsBounded(t *testing.T) {
	var a, b strings.Builder
	for i := 0; a.Len() < limits.ToolFile-8; i++ {
		fmt.Fprintf(&a, "%c\n", 'a'+i*7%3)
		fmt.Fprintf(&b, "%c\n", 'a'+i*i%5)
	}
	start := time.Now() //floors:allow
	text, cut := unified([]spec.File{{Path: "tool.py", Data: []byte(a.String())}}, []spec.File{{Path: "tool.py", Data: []byte(b.String())}})
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %s", took)
	} else {
		t.Logf("it took %s", took)
	}
	if !cut || len(text) > limits.DiffBytes {
		t.Errorf("cut %v after %d bytes", cut, len(text))
	}
	// One line as long as the file: cut, not half shown.
	long := strings.Repeat("x", limits.DiffBytes)
	if text, cut = unified(nil, []spec.File{{Path: "tool.py", Data: []byte(long)}}); !cut || strings.Contains(text, "xx") {
		t.Errorf("cut %v after %d bytes", cut, len(text))
	}
}

func FuzzUnified(f *testing.F) {
	f.Add("a\nb\n", "b\na\n")
	f.Add("", "\n\n")
	f.Add("a", "a\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 1<<16 {
			return
		}
		text, cut := unified([]spec.File{{Path: "f", Data: []byte(a)}}, []spec.File{{Path: "f", Data: []byte(b)}})
		if len(text) > limits.DiffBytes || (text == "") != (a == b) && !cut {
			t.Fatalf("%q to %q is %q", a, b, text)
		}
	})
}
