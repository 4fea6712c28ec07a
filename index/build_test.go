package index

import (
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// tool is a listing for tests.
func tool(name, description string, edit ...func(*ledger.Listing)) ledger.Listing {
	l := ledger.Listing{
		Name: spec.Name(name), Latest: "1.0.0", Description: description,
		Published: "2026-11-01T00:00:00Z", Owners: []string{"Alice"},
		Permissions: spec.Permissions{Filesystem: spec.FilesystemNone},
		Summary:     ledger.Summary{Format: spec.FormatPatch},
	}
	for _, e := range edit {
		e(&l)
	}
	return l
}

func opened(t *testing.T, tools ...ledger.Listing) *Index {
	t.Helper()
	b, err := Build(t.Context(), tools)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "index")
	if err := Install(t.Context(), dir, b.Segment()); err != nil {
		t.Fatal(err)
	}
	x, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func TestFirst(t *testing.T) {
	x := opened(t,
		tool("csv_to_json", "Convert a CSV file to JSON."),
		tool("json_to_csv", "Convert JSON records to a CSV file."),
		tool("weather", "Tell the weather of a city.", func(l *ledger.Listing) { l.Permissions.Network = true }),
	)
	for _, typed := range []string{"convert csv", "weathr", "conv", "network:yes", "\"csv file\"", "csv to json", "", "the", "nothingness"} {
		q, notes := ParseQuery(typed)
		r, err := x.Search(t.Context(), q, 10)
		if err != nil {
			t.Fatal(typed, err)
		}
		t.Log(typed, q, notes, r.Total, r.Corrections, r.Facets)
		for _, h := range r.Hits {
			t.Log("   ", h.Tool.Name, h.Score, h.Exact, h.Why, h.Also)
		}
	}
}
