package manifest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// FuzzJSONTree holds the tree of a text against the canonical text of the same
// grammar and against Go's own reader: what it takes, both take, as the same value,
// and every node has a place in the file.
func FuzzJSONTree(f *testing.F) {
	for _, text := range []string{`{}`, "[1,\n \"é\",{\"a\":null}]", `{"a":1,"a":2}`, `{"A":1,"a":2}`, "\ufeff[]", `"\ud800"`, `1e400`, `[[[[`, `{"__proto__":{"x":[true,-0.0]}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &report{file: "x.json"}
		root := parseJSON(data, r)
		canonical, _, err := scanJSON(bytes.TrimPrefix(data, []byte("\ufeff")))
		switch {
		case len(data) > limits.ToolFile:
			return
		case root == nil:
			if err == nil || !r.blocked {
				t.Fatalf("refused by the tree alone: %v", r.found)
			}
			return
		case err != nil:
			if !r.blocked {
				t.Fatalf("taken by the tree alone: %v", err)
			}
			return
		}
		if got := root.json(); !bytes.Equal(got, canonical) {
			t.Fatalf("the tree says\n%s\nthe text says\n%s", got, canonical)
		}
		if !json.Valid(canonical) {
			t.Fatalf("Go does not take %s", canonical)
		}
		lines := bytes.Split(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\n"))
		var placed func(n *node)
		placed = func(n *node) {
			if n.at.line < 1 || n.at.line > len(lines) || n.at.col < 1 || n.at.col > len([]rune(string(lines[n.at.line-1]))) {
				t.Fatalf("%s is at %v, which is nowhere", n.json(), n.at)
			}
			for _, item := range n.items {
				placed(item)
			}
			for _, m := range n.members {
				placed(m.value)
			}
		}
		placed(root)
	})
}

// FuzzInstall reads whatever comes: it never panics, what Strict accepts Lenient
// accepts as the same tool, and a document whose schemas passed can be called.
func FuzzInstall(f *testing.F) {
	for _, pattern := range []string{"testdata/install/ok/*.json", "testdata/ajv/*.json"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatal(err)
		}
		for _, p := range paths {
			data, err := os.ReadFile(p)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, findings := Read("install.json", data, Strict)
		lenient, more := Read("install.json", data, Lenient)
		if doc == nil && !spec.Blocking(findings) {
			t.Fatal("neither read nor refused")
		}
		if spec.Blocking(findings) {
			return
		}
		if lenient == nil || spec.Blocking(more) {
			t.Fatalf("only strict accepts it: %v", more)
		}
		a, err := json.Marshal(doc.Tool)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := json.Marshal(lenient.Tool); err != nil || !bytes.Equal(a, b) {
			t.Fatalf("strict and lenient differ: %v\n%s\n%s", err, a, b)
		}
		for _, op := range doc.Tool.Operations {
			if err := OperationInput(&op).Err(); err != nil {
				t.Fatalf("the input of %s was passed and cannot be used: %v\n%s", op.Name, err, op.Input)
			}
			if s := OperationOutput(&op); s != nil && s.Err() != nil {
				t.Fatalf("the output of %s was passed and cannot be used: %v\n%s", op.Name, s.Err(), op.Output.Schema)
			}
		}
	})
}

// BenchmarkInstall reads whole manifests, schemas and examples and all.
func BenchmarkInstall(b *testing.B) {
	for name, text := range installs(b) {
		data := []byte(text)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if doc, findings := Read("install.json", data, Strict); doc == nil || spec.Blocking(findings) {
					b.Fatal("refused")
				}
			}
		})
	}
}
