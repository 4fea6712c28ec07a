package manifest

import (
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// with replaces one part of the small accepted file.
func with(tb testing.TB, old, replacement string) []byte {
	tb.Helper()
	small := string(corpus(tb, "ok")["small"])
	if !strings.Contains(small, old) {
		tb.Fatalf("the small file lacks %q", old)
	}
	return []byte(strings.Replace(small, old, replacement, 1))
}

func has(findings []spec.Finding, id rule) bool {
	for _, f := range findings {
		if f.ID == rules[id].ID {
			return true
		}
	}
	return false
}

// TestHostile reads files made to exhaust a reader. Each is refused, and
// quickly: the bound is far above what is measured, so that a slow machine
// passes and a reader that is quadratic in the wrong place doesn't.
func TestHostile(t *testing.T) {
	const n = limits.ManifestBytes - 1000
	fill := func(s string) string { return strings.Repeat(s, n/len(s)) }
	var staircase strings.Builder
	for i := 0; staircase.Len() < n; i++ {
		staircase.WriteString("\n# " + strings.Repeat(" ", i+1) + "a:")
	}
	cases := map[string]struct {
		inputs string
		want   rule
	}{
		"100,000 brackets":  {" " + strings.Repeat("[", 100_000), blockTooLarge},
		"brackets":          {" " + fill("["), tooDeep},
		"braces":            {" " + fill("{"), tooDeep},
		"nested maps":       {" " + fill("{a: "), tooDeep},
		"commented":         {" " + fill("[ # x\n#   "), tooDeep},
		"dashes":            {"\n#   " + fill("- "), tooDeep},
		"questions":         {"\n#   " + fill("? "), tooDeep},
		"staircase":         {staircase.String(), tooDeep},
		"many values":       {" [" + fill("a,") + "]", tooManyNodes},
		"many lists":        {" [" + fill("[],") + "]", tooManyNodes},
		"many pairs":        {" [" + fill("a: b,") + "]", tooManyNodes},
		"many lines":        {"\n" + fill("# - a\n") + "# x-b: 1", tooManyNodes},
		"many keys":         {" []\n" + fill("# a: 1\n") + "# x-b: 1", duplicateKey},
		"many anchors":      {"\n" + fill("#   - &a b\n") + "# x-b: 1", anchor},
		"many aliases":      {" &a []\n# x-b:\n" + fill("#   - *a\n") + "# x-c: 1", anchor},
		"huge text":         {" \"" + fill("x") + "\"", wrongType},
		"huge number":       {" " + fill("9"), hugeNumber},
		"open quote":        {" \"" + fill("x\n#  "), badYAML},
		"open quote, blank": {" \"" + fill("\n#"), badYAML},
		"bad line":          {" []\n" + fill("# x: y: z\n") + "# x-b: 1", badYAML},
		"tabs":              {" []\n" + fill("# \tx: 1\n") + "# x-b: 1", tabIndent},
		"no comments":       {" []\n" + fill("x\n") + "# x-b: 1", notComment},
		"no spaces":         {" []\n" + fill("#x\n") + "# x-b: 1", noSpace},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			data := with(t, " []", c.inputs)
			start := time.Now()
			_, findings := Read("tool.py", data, Strict)
			if took := time.Since(start); took > time.Second {
				t.Errorf("reading took %v", took)
			} else {
				t.Logf("%v", took)
			}
			if !has(findings, c.want) || !spec.Blocking(findings) {
				t.Errorf("got\n%s\nwant %s", listing(nil, findings[:min(len(findings), 3)]), rules[c.want].ID)
			}
		})
	}
}

// TestSizes takes each cap once at and once above its value.
func TestSizes(t *testing.T) {
	small := with(t, "", "")
	pad := func(size int) []byte {
		return append(append([]byte(nil), small...), strings.Repeat("#", size-len(small))...)
	}
	frontmatter := func(size int) []byte {
		head, rest, _ := strings.Cut(string(small), "# ---\ndef")
		lines := (size - len(head) + len("# ---\n")) - len("# ---\n")
		return []byte(head + strings.Repeat("#\n", lines/2) + "# ---\ndef" + rest)
	}
	values := func(n int) []byte {
		return with(t, "inputs: []", "inputs: []\n# x-a: ["+strings.Repeat("1,", n-1)+"1]")
	}
	used := 0 // values of the small file and of the key x-a itself
	for n := range 100 {
		if _, findings := Read("tool.py", values(limits.ManifestNodes-n), Strict); !spec.Blocking(findings) {
			used = n
			break
		}
	}
	cases := []struct {
		name    string
		at, big []byte
		id      rule
	}{
		{"tool file", pad(limits.ToolFile), pad(limits.ToolFile + 1), tooLarge},
		{"source scan", small, pad(limits.SourceScan + 1), notScanned},
		{"frontmatter", frontmatter(limits.ManifestBytes - 10), frontmatter(limits.ManifestBytes + 10), blockTooLarge},
		{"values", values(limits.ManifestNodes - used), values(limits.ManifestNodes - used + 1), tooManyNodes},
		{
			"printed size", with(t, "inputs: []", `inputs: []`+"\n"+`# x-a: "`+strings.Repeat(`\a`, 10_000)+`"`),
			with(t, "inputs: []", `inputs: []`+"\n"+`# x-a: "`+strings.Repeat(`\a`, 20_000)+`"`), blockTooLarge,
		},
	}
	for _, c := range cases {
		if _, findings := Read("tool.py", c.at, Strict); spec.Blocking(findings) {
			t.Errorf("%s at its cap is refused:\n%s", c.name, listing(nil, findings))
		}
		if _, findings := Read("tool.py", c.big, Strict); !has(findings, c.id) {
			t.Errorf("%s above its cap is accepted:\n%s", c.name, listing(nil, findings))
		}
	}
	if used > 40 {
		t.Errorf("the small file takes %d values", used)
	}
}

// TestFormat chooses the format by the file's name alone.
func TestFormat(t *testing.T) {
	small := with(t, "", "")
	for file, want := range map[string]bool{
		"tool.py": true, "tools/a b/x.py": true, `C:\tools\x.py`: true, ".py": true,
		"tool.txt": false, "tool.py.txt": false, "tool.PY": false, "": false, "SKILL.md": false, "tool.py/": false, "x\x1b.txt": false,
	} {
		doc, findings := Read(file, small, Strict)
		if got := doc != nil && !spec.Blocking(findings); got != want {
			t.Errorf("file name %q: accepted %v, want %v", file, got, want)
		}
	}
}

// TestFloodKeepsErrors shows that an error behind a hundred warnings still
// blocks.
func TestFloodKeepsErrors(t *testing.T) {
	flood := "inputs: []\n" + strings.Repeat("# k: 1\n", 0)
	for i := range 200 {
		flood += "# k" + strings.Repeat("k", i%120) + string(rune('a'+i%26)) + ": 1\n"
	}
	data := []byte(strings.Replace(string(with(t, "inputs: []\n", flood)), "language: python", "language: ruby", 1))
	_, findings := Read("tool.py", data, Lenient)
	if len(findings) != limits.ManifestProblems || !spec.Blocking(findings) {
		t.Errorf("got %d findings, blocking %v", len(findings), spec.Blocking(findings))
	}
	if last := findings[len(findings)-1]; last.ID != rules[moreProblems].ID || last.Severity != spec.SeverityError {
		t.Errorf("the last finding is %v", last)
	}
}

// TestLenient fills defaults with warnings where a registry refuses [C-14].
func TestLenient(t *testing.T) {
	data := []byte(`# ---
# name: say_hello
# version: 1.0.0
# description: Greet a person.
# outputs: {type: string}
# runtime: {python_version: 3.10}
# ---
def main(): pass
`)
	doc, findings := Read("tool.py", data, Lenient)
	if doc == nil || spec.Blocking(findings) {
		t.Fatalf("refused:\n%s", listing(doc, findings))
	}
	want := spec.Tool{
		Format: spec.FormatPatch, Name: "say_hello", Version: "1.0.0", Description: "Greet a person.", Inputs: []spec.Input{},
		Output:       spec.Output{Type: spec.TypeString},
		Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone},
		Runtime:      spec.Runtime{Language: "python", PythonVersion: "3.10", Packages: []string{}},
	}
	if got := Print(&doc.Tool); string(got) != string(Print(&want)) {
		t.Errorf("got\n%swant\n%s", got, Print(&want))
	}
	if len(findings) != 5 {
		t.Errorf("got %d warnings, want 5:\n%s", len(findings), listing(doc, findings))
	}
	if doc, findings := Read("tool.py", data, Strict); !spec.Blocking(findings) || doc == nil {
		t.Errorf("strict reading: document %v\n%s", doc != nil, listing(doc, findings))
	}
}

// TestPlace finds fields by JSON Pointer.
func TestPlace(t *testing.T) {
	doc, _ := Read("tool.py", corpus(t, "ok")["full"], Strict)
	for pointer, want := range map[string][2]int{
		"/description": {14, 16}, "/inputs/0/description": {19, 20}, "/runtime/packages/1": {68, 9},
		"/external_auth/0": {70, 7}, "/x-team": {74, 11}, "/nothing": {0, 0},
	} {
		if line, col := doc.Place(pointer); [2]int{line, col} != want {
			t.Errorf("%s stands at %d:%d, want %v", pointer, line, col, want)
		}
	}
}
