package ledger

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// TestListingsNamed: what begins with a prefix is what all of the catalogue has of it.
func TestListingsNamed(t *testing.T) {
	lines := map[spec.Name]*Listing{}
	for i := range 300 {
		n := spec.Name(fmt.Sprintf("%c%c_tool_%03d", 'a'+i%7, 'b'+i%3, i))
		lines[n] = &Listing{
			Name: n, Latest: "1.0.0", Description: "Does it.", Published: "2026-01-01T00:00:00Z", Owners: []string{"ada"},
			Permissions: spec.Permissions{Filesystem: spec.FilesystemNone}, Summary: Summary{Format: spec.FormatPatch},
		}
	}
	data, err := UpdateCatalogue(EmptyCatalogue(), lines)
	if err != nil {
		t.Fatal(err)
	}
	all, err := ParseCatalogue(data)
	if err != nil || len(all) != len(lines) {
		t.Fatal(len(all), err)
	}
	for _, prefix := range []string{"", "a", "ab", "ab_tool_0", "ad", "g", "gd_tool_299", "zz", "0", "ab_tool_000_", "B", "é"} {
		got, err := ListingsNamed(data, prefix)
		if err != nil {
			t.Fatal(err)
		}
		var want []spec.Name
		for _, l := range all {
			if strings.HasPrefix(string(l.Name), prefix) {
				want = append(want, l.Name)
			}
		}
		var names []spec.Name
		for _, l := range got {
			names = append(names, l.Name)
		}
		if fmt.Sprint(names) != fmt.Sprint(want) {
			t.Errorf("%q: got %v, want %v", prefix, names, want)
		}
	}
	for _, bad := range []string{"", "{", catalogueOpen, catalogueOpen + "x\n" + catalogueClose} {
		if _, err := ListingsNamed([]byte(bad), "a"); err == nil {
			t.Errorf("%q is taken for a catalogue", bad)
		}
	}
	if got, err := ListingsNamed(EmptyCatalogue(), "a"); err != nil || len(got) != 0 {
		t.Errorf("of no tools: %v, %v", got, err)
	}
}
