package registry_test

import (
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// TestTreeDiffOfADamagedTree: a published tree that has lost something does not
// pass for one that never had it, or the name would look free.
func TestTreeDiffOfADamagedTree(t *testing.T) {
	for _, path := range []string{
		ledger.HeadEvidencePath, ledger.HeadPath, ledger.BucketsPath, ledger.BucketPath(ledger.BucketOf("csv_to_json")), ledger.RecordPath("csv_to_json"),
		ledger.ReleasePath("csv_to_json", "1.0.0", ledger.ReleaseFileName),
	} {
		for how, do := range map[string]func(*registry.Memory) error{
			"other bytes": func(s *registry.Memory) error { return s.Write(t.Context(), path, []byte("{}\n"), true) },
			"gone":        func(s *registry.Memory) error { return s.Remove(t.Context(), path) },
		} {
			if how == "gone" && path == ledger.HeadEvidencePath {
				continue // that is no registry at all
			}
			tree, _ := newTree(t)
			s := registry.NewMemory()
			publishTree(t, tree, s, 1)
			objects, err := s.List(t.Context(), ledger.ObjectsDir)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range objects { // a second place to find it
				if err := s.Remove(t.Context(), o); err != nil {
					t.Fatal(err)
				}
			}
			if c, err := tree.Diff(t.Context(), s, []spec.Name{"csv_to_json"}); err != nil || len(c.New) != 0 || !slices.Equal(c.Owners["csv_to_json"], []ledger.Owner{ada}) {
				t.Fatalf("the twin: %+v, %v", c, err)
			}
			if err := do(s); err != nil {
				t.Fatal(err)
			}
			if c, err := tree.Diff(t.Context(), s, []spec.Name{"csv_to_json"}); fault.KindOf(err) != fault.NotVerified || c != nil {
				t.Errorf("%s of %s: %+v, %v", how, path, c, err)
			}
		}
	}
}
