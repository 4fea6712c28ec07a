package registry_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

func waiver() spec.Waiver {
	return spec.Waiver{
		Rule: "PY-003", Version: "1.2.0", File: "tool.py", Digest: spec.DigestOf([]byte("x")), Line: 41,
		Seen: `"eval" is called with a computed text`, Reason: "The text is one of three constants.",
		Approver: "alice", ApproverID: 7, Since: "2026-01-01", Until: "2026-06-30",
	}
}

func TestParseWaivers(t *testing.T) {
	two := waiver()
	two.File, two.Line, two.ApproverID = "README.md", 0, 0
	want := []spec.Waiver{waiver(), two}
	text := registry.EncodeWaivers(want)
	got, err := registry.ParseWaivers("waivers/x.yaml", text)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, %v, want %+v of\n%s", got, err, want, text)
	}
	change := func(old, with string) []byte {
		out := bytes.Replace(text, []byte(old), []byte(with), 1)
		if bytes.Equal(out, text) {
			t.Fatalf("%q is not in the text", old)
		}
		return out
	}
	for name, data := range map[string][]byte{
		"empty":             {},
		"no list":           []byte("waivers: []\n"),
		"too many":          registry.EncodeWaivers(make([]spec.Waiver, limits.Waivers+1)),
		"too large":         append(bytes.Repeat([]byte("#"), limits.ManifestBytes), text...),
		"unknown key":       change("rule:", "rules:"),
		"key of other case": change("rule:", "Rule:"),
		"key twice":         change("    line: 41\n", "    line: 41\n    line: 42\n"),
		"anchor":            change(`file: "tool.py"`, `file: &a "tool.py"`),
		"second document":   append(text, []byte("---\nwaivers: []\n")...),
		"no rule":           change(`"PY-003"`, `""`),
		"no reason":         change(`"The text is one of three constants."`, `""`),
		"no approver":       change(`"alice"`, `""`),
		"reason of two lines": change(`three constants`,
			`three\nconstants`),
		"no digest":       change(waiver().Digest.Hex(), strings.Repeat("0", 64)),
		"short digest":    change(waiver().Digest.Hex(), "abc"),
		"no version":      change(`"1.2.0"`, `"1.2"`),
		"path upwards":    change(`"tool.py"`, `"../tool.py"`),
		"line below zero": change("line: 41", "line: -1"),
		"no day":          change(`"2026-06-30"`, `"2026-06-31"`),
		"no beginning":    change(`"2026-01-01"`, `""`),
		"half a year and more": change(`"2026-06-30"`,
			`"2026-07-01"`),
		"ends before it begins": change(`"2026-06-30"`, `"2025-12-31"`),
	} {
		if got, err := registry.ParseWaivers("waivers/x.yaml", data); fault.KindOf(err) != fault.Findings {
			t.Errorf("%s: got %+v, %v, want a refusal", name, got, err)
		}
	}
}

func TestWaiversPath(t *testing.T) {
	if n, ok := registry.WaiversOf(registry.WaiversPath("word_count")); !ok || n != "word_count" {
		t.Errorf("got %q, %v", n, ok)
	}
	for _, path := range []string{"waivers/x", "waivers/Word.yaml", "waivers/a/word_count.yaml", "waiver/word_count.yaml", "tools/wo/word_count/tool.yaml", "waivers/word_count.yml"} {
		if n, ok := registry.WaiversOf(path); ok {
			t.Errorf("%s is of %q", path, n)
		}
	}
}

func TestTreeWaivers(t *testing.T) {
	dir := t.TempDir()
	tree, err := policyTree(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tree.Waivers("word_count"); got != nil || err != nil {
		t.Errorf("no folder: got %v, %v", got, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "waivers"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := tree.Waivers("word_count"); got != nil || err != nil {
		t.Errorf("no file: got %v, %v", got, err)
	}
	file := filepath.Join(dir, "waivers", "word_count.yaml")
	writeText(t, file, string(registry.EncodeWaivers([]spec.Waiver{waiver()})))
	if got, err := tree.Waivers("word_count"); len(got) != 1 || err != nil {
		t.Errorf("got %v, %v, want one", got, err)
	}
	if got, err := tree.Waivers("word_counts"); got != nil || err != nil {
		t.Errorf("another name: got %v, %v", got, err)
	}
	writeText(t, file, "waivers: {}\n")
	if _, err := tree.Waivers("word_count"); fault.KindOf(err) != fault.Findings {
		t.Errorf("unreadable: got %v", err)
	}
	// A link would lead to what anybody may change.
	elsewhere := filepath.Join(dir, "tools", "mine.yaml")
	writeText(t, elsewhere, string(registry.EncodeWaivers([]spec.Waiver{waiver()})))
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, file); err != nil {
		t.Skip(err)
	}
	if got, err := tree.Waivers("word_count"); err == nil {
		t.Errorf("a link: got %v, want an error", got)
	}
}

func TestWaiverHolds(t *testing.T) {
	w := waiver()
	for at, want := range map[string]bool{
		"2025-12-31T23:59:59Z": false, "2026-01-01T00:00:00Z": true, "2026-06-30T23:59:59Z": true, "2026-07-01T00:00:00Z": false,
		"2026-06-30T23:00:00-05:00": false,
	} {
		now, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if w.Holds(now) != want {
			t.Errorf("at %s it holds is %v", at, !want)
		}
	}
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	if (&spec.Waiver{}).Holds(now) || (&spec.Waiver{Since: "2026-01-01"}).Holds(now) || (&spec.Waiver{Until: "2027-01-01"}).Holds(now) {
		t.Error("a waiver without its days holds")
	}
}

func FuzzParseWaivers(f *testing.F) {
	f.Add(registry.EncodeWaivers([]spec.Waiver{waiver()}))
	f.Add([]byte("waivers:\n  - {rule: a}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := registry.ParseWaivers("waivers/x.yaml", data)
		if err != nil {
			if fault.KindOf(err) != fault.Findings || got != nil {
				t.Fatalf("got %v, %v", got, err)
			}
			return
		}
		// What is read can be written and read again.
		again, err := registry.ParseWaivers("waivers/x.yaml", registry.EncodeWaivers(got))
		if err != nil && len(registry.EncodeWaivers(got)) <= limits.ManifestBytes || err == nil && !reflect.DeepEqual(got, again) {
			t.Fatalf("%+v is read again as %+v, %v", got, again, err)
		}
	})
}
