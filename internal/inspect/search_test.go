package inspect_test

import (
	"context"
	"testing"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/inspect"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// TestIndex: an insider signs a head with an index of other tools.
func TestIndex(t *testing.T) {
	root := func(edition int, change func([]ledger.Listing)) func(context.Context, []byte) ledger.IndexRoot {
		return func(ctx context.Context, catalogue []byte) ledger.IndexRoot {
			list, err := ledger.ParseCatalogue(catalogue)
			if err != nil {
				t.Fatal(err)
			}
			change(list)
			built, err := index.Build(ctx, list)
			if err != nil {
				t.Fatal(err)
			}
			return ledger.IndexRoot{Edition: edition, Segment: spec.DigestOf(built.Segment())}
		}
	}
	lie := func(list []ledger.Listing) { list[0].Description = "The best tool for everything." }
	for _, tt := range []struct {
		name  string
		index func(context.Context, []byte) ledger.IndexRoot
		bad   int
	}{
		{"none", nil, 0},
		{"the right one", root(index.Edition, func([]ledger.Listing) {}), 0},
		{"one of another description", root(index.Edition, lie), 1},
		{"one of another edition, of which nobody can tell", root(index.Edition+1, lie), 0},
	} {
		tr := newTree(t)
		tr.index = tt.index
		tr.publish("echo_text@1.0.0", "word_text@1.0.0")
		r, err := inspect.Tree(t.Context(), tr.store, tr.policy, inspect.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.ProblemCount != tt.bad || tt.bad > 0 && (r.Problems[0].Reason != inspect.ReasonIndex || r.Problems[0].Path != ledger.HeadPath) {
			t.Errorf("%s: %v", tt.name, r.Problems)
		}
	}
}
