package registry_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Everything that a stranger can put into a proposal is found, and the tool
// beside it is published all the same.
func TestTreeDiffFinds(t *testing.T) {
	in := func(p string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { writeText(t, filepath.Join(dir, p), "x") }
	}
	csv := "tools/cs/csv_to_json/"
	for name, c := range map[string]struct {
		do   func(t *testing.T, dir string)
		want string // in a finding
	}{
		"published file changed":   {in(csv + "1.0.0/tool.py"), "other content"},
		"file added to a version":  {in(csv + "1.0.0/more.txt"), "other content"},
		"file as if generated":     {in(csv + "1.0.0/report.json"), "other content"},
		"published version gone":   {func(t *testing.T, dir string) { remove(t, dir, csv+"1.0.0") }, "gone"},
		"published tool gone":      {func(t *testing.T, dir string) { remove(t, dir, csv) }, "gone"},
		"tool.yaml gone":           {func(t *testing.T, dir string) { remove(t, dir, csv+"tool.yaml") }, "owner"},
		"tool.yaml broken":         {in(csv + "tool.yaml"), "tool.yaml"},
		"tool.yaml is a link":      {func(t *testing.T, dir string) { relink(t, dir, csv+"tool.yaml", "/etc/hostname") }, "not a regular file"},
		"unknown key in tool.yaml": {func(t *testing.T, dir string) { appendTo(t, dir, csv+"tool.yaml", "admin: true\n") }, "admin"},
		"yank of what never was":   {func(t *testing.T, dir string) { appendTo(t, dir, csv+"tool.yaml", "yanked:\n  \"9.9.9\": no\n") }, "9.9.9"},
		"yank without reason":      {func(t *testing.T, dir string) { appendTo(t, dir, csv+"tool.yaml", "yanked:\n  \"1.0.0\": \"\"\n") }, "reason"},
		"reason with an escape":    {func(t *testing.T, dir string) { appendTo(t, dir, csv+"tool.yaml", "deprecated: \"a\\u001b[2J\"\n") }, "one line"},
		"stray file beside shards": {in("tools/readme"), "not where"},
		"stray file in a tool":     {in(csv + "notes.txt"), "not where"},
		"name in the wrong shard":  {in("tools/ab/csv_to_json/1.0.0/tool.py"), "not where"},
		"name in capitals":         {in("tools/CS/CSV_to_json/1.0.0/tool.py"), "not where"},
		"version that is none":     {in(csv + "v2/tool.py"), "not where"},
		"hidden file":              {in(csv + "2.0.0/.env"), "dot"},
		"file with a space":        {in(csv + "2.0.0/a b"), "character"},
		"twins":                    {func(t *testing.T, dir string) { in(csv+"2.0.0/a")(t, dir); twin(t, dir, csv+"2.0.0/A") }, "case only"},
		"executable":               {func(t *testing.T, dir string) { in(csv+"2.0.0/a")(t, dir); chmod(t, dir, csv+"2.0.0/a") }, "executable"},
		"link in a version": {func(t *testing.T, dir string) {
			in(csv+"2.0.0/a")(t, dir)
			relink(t, dir, csv+"2.0.0/b", "/etc/hostname")
		}, "not a regular file"},
		"link as a tool":  {func(t *testing.T, dir string) { relink(t, dir, "tools/cs/csv_two", "csv_to_json") }, "not where"},
		"link as a shard": {func(t *testing.T, dir string) { relink(t, dir, "tools/zz", "cs") }, "not where"},
		"too many files": {func(t *testing.T, dir string) {
			for i := range 201 {
				in(csv+fmt.Sprint("2.0.0/f", i))(t, dir)
			}
		}, "more than 200 files"},
		"too many folders": {func(t *testing.T, dir string) {
			for i := range 401 {
				if err := os.MkdirAll(filepath.Join(dir, csv, fmt.Sprint("2.0.0/f", i)), 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}, "more than 200 files"},
		"too many bytes": {func(t *testing.T, dir string) {
			writeText(t, filepath.Join(dir, csv, "2.0.0/a"), strings.Repeat("x", 2<<20))
			in(csv+"2.0.0/b")(t, dir)
		}, "bytes together"},
	} {
		t.Run(name, func(t *testing.T) {
			tree, dir := newTree(t)
			s := registry.NewMemory()
			publishTree(t, tree, s, 1)
			if err := tree.Stage(contributed("text_diff", "0.2.0"), ada); err != nil {
				t.Fatal(err)
			}
			if got := mustDiff(t, tree, s); len(got.Findings) != 0 {
				t.Fatalf("the twin: %v", got.Findings)
			}
			c.do(t, dir)
			got := mustDiff(t, tree, s)
			if !slices.ContainsFunc(got.Findings, func(f spec.Finding) bool {
				return f.Severity == spec.SeverityError && strings.Contains(f.String(), c.want)
			}) {
				t.Errorf("%q is not among %v", c.want, got.Findings)
			}
			if !slices.ContainsFunc(got.New, func(p registry.Proposal) bool { return p.Ref.Name == "text_diff" }) {
				t.Error("the tool beside it was held back")
			}
			if slices.ContainsFunc(got.New, func(p registry.Proposal) bool { return p.Ref.Name == "csv_to_json" && p.Ref.Version == "1.0.0" }) || len(got.Withdraw) > 0 {
				t.Errorf("proposed: %v, %v", got.New, got.Withdraw)
			}
		})
	}
}

// twin writes a file whose name differs from another one's in case only.
func twin(t *testing.T, dir, path string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, path)); err == nil {
		t.Skip("this file system does not tell the cases apart")
	}
	writeText(t, filepath.Join(dir, path), "x")
}

func remove(t *testing.T, dir, path string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, path)); err != nil {
		t.Fatal(err)
	}
}

func relink(t *testing.T, dir, path, target string) {
	t.Helper()
	remove(t, dir, path)
	link(t, target, filepath.Join(dir, path))
}

func chmod(t *testing.T, dir, path string) {
	t.Helper()
	if err := os.Chmod(filepath.Join(dir, path), 0o755); err != nil {
		t.Fatal(err)
	}
}

func appendTo(t *testing.T, dir, path, text string) {
	t.Helper()
	old, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(dir, path), string(old)+text)
}
