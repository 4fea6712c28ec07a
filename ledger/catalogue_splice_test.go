package ledger_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Replacing lines must come to the same bytes as writing them all.
func TestUpdateCatalogueIsRewriting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := map[spec.Name]*ledger.Listing{}
	got := ledger.EmptyCatalogue()
	for round := range 400 {
		change := map[spec.Name]*ledger.Listing{}
		for range 1 + r.IntN(4) {
			n := spec.Name(fmt.Sprintf("tool_%d", r.IntN(60)))
			if change[n] = nil; r.IntN(3) > 0 {
				change[n] = line(n, fmt.Sprintf("Round %d, {\"name\":\"x\"}.", round))
			}
			all[n] = change[n]
		}
		var err error
		if got, err = ledger.UpdateCatalogue(got, change); err != nil {
			t.Fatal(err)
		}
		want, err := ledger.UpdateCatalogue(ledger.EmptyCatalogue(), all)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("round %d: %v\n%s\nwant\n%s", round, err, got, want)
		}
		list, err := ledger.ParseCatalogue(got)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, l := range all {
			if l != nil {
				count++
			}
		}
		if len(list) != count {
			t.Fatalf("round %d: %d listings, want %d", round, len(list), count)
		}
	}
}

func TestUpdateCatalogueRefuses(t *testing.T) {
	one, err := ledger.UpdateCatalogue(ledger.EmptyCatalogue(), map[spec.Name]*ledger.Listing{"abc": line("abc", "")})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"empty": nil, "cut": one[:len(one)-1], "other begin": one[1:], "without line feed": bytes.Replace(one, []byte("\n]}"), []byte("]}"), 1),
		"line without name": bytes.Replace(one, []byte(`{"name":"abc"`), []byte(`{"latest":"abc"`), 1),
		"blank line":        []byte("{\"schema\":\"patch-git/catalogue/v2\",\"tools\":[\n\n]}\n"),
	} {
		if _, err := ledger.UpdateCatalogue(data, map[spec.Name]*ledger.Listing{"xyz": nil}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if got, err := ledger.UpdateCatalogue(one, map[spec.Name]*ledger.Listing{"xyz": nil}); err != nil || !bytes.Equal(got, one) {
		t.Errorf("the twin: %v", err)
	}
}
