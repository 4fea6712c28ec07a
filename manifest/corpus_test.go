package manifest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

var update = flag.Bool("update", false, "write the golden .out files anew")

// corpus returns the files of testdata/<dir>, by name without suffix.
func corpus(tb testing.TB, dir string) map[string][]byte {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.py"))
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no corpus in testdata/%s: %v", dir, err)
	}
	files := map[string][]byte{}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			tb.Fatal(err)
		}
		files[strings.TrimSuffix(filepath.Base(p), ".py")] = data
	}
	return files
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs, run go test -update and look at the difference\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

func listing(doc *Document, findings []spec.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s\n    %s\n", f, f.Fix)
	}
	if len(findings) == 0 {
		b.WriteString("no findings\n")
	}
	if doc == nil {
		b.WriteString("no document\n")
	}
	return b.String()
}

// TestAccepted reads every file of testdata/ok without an error and compares
// the tool, what is printed of it, and its schemas.
func TestAccepted(t *testing.T) {
	for name, data := range corpus(t, "ok") {
		t.Run(name, func(t *testing.T) {
			doc, findings := Read("tool.py", data, Strict)
			if doc == nil || spec.Blocking(findings) {
				t.Fatalf("refused:\n%s", listing(doc, findings))
			}
			tool, err := json.MarshalIndent(doc.Tool, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			inputs, output := Inputs(&doc.Tool), Output(&doc.Tool)
			for _, s := range []*Schema{inputs, output} {
				if err := s.compile(); err != nil {
					t.Errorf("schema %s: %v", s.JSON(), err)
				}
			}
			golden(t, filepath.Join("testdata", "ok", name+".out"), fmt.Sprintf(
				"%sbody at byte %d, line %d\n\n%s\n\n%s\ninputs %s\noutput %s\n",
				listing(doc, findings), doc.Body, doc.BodyLine, tool, Print(&doc.Tool), inputs.JSON(), output.JSON()))
		})
	}
}

// TestRefused reads every file of testdata/err, which strict reading refuses.
func TestRefused(t *testing.T) {
	files := corpus(t, "err")
	if len(files) < 60 {
		t.Errorf("got %d error cases, want at least 60", len(files))
	}
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			doc, findings := Read("tool.py", data, Strict)
			if !spec.Blocking(findings) {
				t.Errorf("accepted:\n%s", listing(doc, findings))
			}
			loose, lenient := Read("tool.py", data, Lenient)
			golden(t, filepath.Join("testdata", "err", name+".out"),
				"strict\n"+listing(doc, findings)+"\nlenient\n"+listing(loose, lenient))
		})
	}
}

// severalChanges are the refused files that don't differ from an accepted one
// in a single place, because there is no such twin.
var severalChanges = map[string]bool{
	"empty_file": true, "bom_and_nothing": true, "empty_manifest": true, "comment_manifest": true,
	"list_manifest": true, "text_manifest": true, "docstring_holds_block": true, "no_frontmatter": true,
	"lookalike_only": true, "cookie_in_manifest": true, "flood": true, "missing_and_wrong": true,
}

// TestTwins shows that it is the one thing named by a refused file that makes
// it refused: apart from one place it is an accepted file.
func TestTwins(t *testing.T) {
	twins := corpus(t, "ok")
	for name, data := range corpus(t, "err") {
		if severalChanges[name] {
			continue
		}
		most := 0.0
		for _, twin := range twins {
			prefix, suffix := 0, 0
			for prefix < min(len(data), len(twin)) && data[prefix] == twin[prefix] {
				prefix++
			}
			for suffix < min(len(data), len(twin))-prefix && data[len(data)-1-suffix] == twin[len(twin)-1-suffix] {
				suffix++
			}
			most = max(most, float64(prefix+suffix)/float64(len(twin)))
		}
		if most < 0.7 {
			t.Errorf("%s shares only %.0f %% with the accepted file that is nearest", name, most*100)
		}
	}
}

// TestEveryRule checks the table of rules, and that the corpus or a case made
// here breaks each of them.
func TestEveryRule(t *testing.T) {
	seen := map[string]bool{}
	note := func(file string, data []byte) {
		for _, mode := range []Mode{Strict, Lenient} {
			_, findings := Read(file, data, mode)
			for _, f := range findings {
				seen[f.ID] = true
			}
		}
	}
	for _, dir := range []string{"ok", "err"} {
		for _, data := range corpus(t, dir) {
			note("tool.py", data)
		}
	}
	for _, c := range installCases {
		note("install.json", []byte(strings.Replace(installs(t)[c.file], c.old, c.new, 1)))
	}
	note("install.json", hostileInstalls(t)["a pattern without end"])
	for _, text := range arcadeBreaks() {
		note("arcade.json", []byte(text))
	}
	for _, c := range slices.Concat(skillCases, skillNotes) {
		note(skillFile, c.data(t))
	}
	for id, text := range brokenArcades() {
		note("arcade.json", []byte(text))
		if !seen[id] {
			t.Errorf("the definition for %s does not break it", id)
		}
	}
	note("work-log/skill.md", []byte(workSkill))
	agentskills := func(data string) {
		_, findings := Read(skillFile, []byte(data), StrictAgentskills)
		for _, f := range findings {
			seen[f.ID] = true
		}
	}
	agentskills(workSkill)
	agentskills("---\nname: a\ndescription: b\nmetadata: {a: 1}\n---\n")
	small := string(corpus(t, "ok")["small"])
	note("tool.txt", []byte(small))
	note("tool.py", []byte(small+strings.Repeat("#", limits.ToolFile)))
	note("tool.py", []byte(small+strings.Repeat("#", limits.SourceScan)))
	note("tool.py", []byte(strings.Replace(small, "Greet", strings.Repeat("G", limits.ManifestBytes), 1)))
	note("tool.py", []byte(strings.Replace(small, "inputs: []", "inputs: []\n# x-a: ["+strings.Repeat("1,", limits.ManifestNodes)+"1]", 1)))
	rank := map[spec.Severity]int{spec.SeverityNote: 1, warn: 2, bad: 3}
	last := ""
	for _, r := range Rules() {
		switch {
		case !seen[r.ID]:
			t.Errorf("%s (%s) is broken by no test", r.ID, r.Means)
		case r.ID <= last:
			t.Errorf("%s stands behind %s", r.ID, last)
		case r.Means == "" || r.Fix == "" || rank[r.Strict] == 0 || rank[r.Lenient] == 0 || rank[r.Lenient] > rank[r.Strict]:
			t.Errorf("%s is incomplete or stricter for local files", r.ID)
		}
		last = r.ID
	}
}

// checkInvariants holds what is true of any bytes whatever.
func checkInvariants(t *testing.T, data []byte) {
	t.Helper()
	before := bytes.Clone(data)
	strict, problems := Read("tool.py", data, Strict)
	lenient, warnings := Read("tool.py", data, Lenient)
	if !bytes.Equal(before, data) {
		t.Fatal("reading changed the bytes")
	}
	for _, list := range [][]spec.Finding{problems, warnings} {
		if len(list) > limits.ManifestProblems {
			t.Fatalf("got %d findings, want at most %d", len(list), limits.ManifestProblems)
		}
		for _, f := range list {
			if f.ID == "" || f.Message == "" || f.Fix == "" || f.File != "tool.py" || strings.ContainsFunc(f.Message, breaksLine) {
				t.Fatalf("finding is incomplete or not printable: %+v", f)
			}
		}
	}
	if spec.Blocking(problems) || strict == nil {
		if strict == nil && !spec.Blocking(problems) {
			t.Fatal("neither a document nor an error")
		}
		return
	}
	if spec.Blocking(warnings) || lenient == nil || !reflect.DeepEqual(strict.Tool, lenient.Tool) {
		t.Fatalf("strict accepts what lenient refuses or reads differently:\n%s", listing(lenient, warnings))
	}
	if !bytes.Equal(strict.Raw, data) || strict.Body > len(data) || strict.BodyLine != bytes.Count(data[:strict.Body], []byte("\n"))+1 && strict.Body < len(data) {
		t.Fatalf("raw bytes or body are wrong: body at %d, line %d", strict.Body, strict.BodyLine)
	}
	printed := Print(&strict.Tool)
	again, findings := Read("tool.py", printed, Strict)
	if again == nil || spec.Blocking(findings) {
		t.Fatalf("what was printed is refused:\n%s\n%s", printed, listing(again, findings))
	}
	if !reflect.DeepEqual(again.Tool, strict.Tool) {
		t.Fatalf("printing and reading changed the tool\ngot  %+v\nwant %+v", again.Tool, strict.Tool)
	}
	if twice := Print(&again.Tool); !bytes.Equal(printed, twice) {
		t.Fatalf("printing is not stable:\n%s\n%s", printed, twice)
	}
	for _, s := range []*Schema{Inputs(&strict.Tool), Output(&strict.Tool)} {
		if err := s.compile(); err != nil {
			t.Fatalf("schema %s cannot be compiled: %v", s.JSON(), err)
		}
	}
}

func TestInvariants(t *testing.T) {
	for _, dir := range []string{"ok", "err"} {
		files := corpus(t, dir)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			t.Run(dir+"/"+name, func(t *testing.T) { checkInvariants(t, files[name]) })
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, dir := range []string{"ok", "err"} {
		for _, data := range corpus(f, dir) {
			f.Add(data)
		}
	}
	f.Fuzz(checkInvariants)
}

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"example", "full"} {
		data := corpus(b, "ok")[name]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if doc, _ := Read("tool.py", data, Strict); doc == nil {
					b.Fatal("refused")
				}
			}
		})
	}
}
