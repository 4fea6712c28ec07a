package review_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/review"
)

// TestDocs: docs/review.md has a row for every rule and for every reason, and
// for none that there is not.
func TestDocs(t *testing.T) {
	doc, err := os.ReadFile("../../docs/review.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, r := range review.Rules() {
		want[r.ID] = true
	}
	for _, r := range reasons(t) {
		want["`"+r+"`"] = true
	}
	for line := range strings.SplitSeq(string(doc), "\n") {
		cell, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if !ok || !strings.HasPrefix(cell, "`") && !strings.Contains(cell, "-") || strings.Contains(cell, ".") {
			continue
		}
		if !want[cell] {
			t.Errorf("there is no %s", cell)
		}
		delete(want, cell)
	}
	for missing := range want {
		t.Errorf("docs/review.md has no row for %s", missing)
	}
}

// reasons are the values of all constants of type Reason.
func reasons(t *testing.T) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "review.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			if id, ok := v.Type.(*ast.Ident); ok && id.Name == "Reason" {
				text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, text)
			}
		}
		return true
	})
	if len(out) < 20 {
		t.Fatalf("only %d reasons found", len(out))
	}
	return out
}
