package served_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
)

// TestPages: what the pages search by is that of the catalogue, stands beside a
// head with an index and beside one without, and goes with its state.
func TestPages(t *testing.T) {
	tr, dst := newTree(t), registry.NewMemory()
	var before string
	for _, state := range []string{"with an index", "without"} {
		if state == "without" {
			tr.index = nil
		}
		list := tr.publish("csv_" + strings.ReplaceAll(state, " ", "_") + "@1.0.0")
		tr.serve(dst, nil)
		tools, err := ledger.ParseCatalogue(list)
		if err != nil {
			t.Fatal(err)
		}
		built, err := index.Build(t.Context(), tools)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range built.Pages() {
			if !bytes.Equal(dst.Files()["search/"+name], want) {
				t.Errorf("%s: search/%s is %d bytes, want %d", state, name, len(dst.Files()["search/"+name]), len(want))
			}
		}
		for path := range dst.Files() {
			if state == "without" && strings.HasPrefix(path, before) {
				t.Errorf("%s is of the state before", path)
			}
			if folder, _, ok := strings.Cut(strings.TrimPrefix(path, "search/"), "/"); ok && strings.HasSuffix(path, ".bin") && state == "with an index" {
				before = "search/" + folder + "/"
			}
		}
		if f := tr.serve(dst, nil); f.Written != 0 {
			t.Errorf("%s: once more writes %d files", state, f.Written)
		}
	}
	if before == "" {
		t.Error("there was no folder")
	}
}
