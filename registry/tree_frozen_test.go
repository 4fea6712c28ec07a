package registry_test

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// TestTreeTaken: who puts a tool of their own where a published one was does not
// become the owner of what users have. Each case also has a tool.yaml of
// somebody else, and a version that would be picked as the newest.
func TestTreeTaken(t *testing.T) {
	const at = "tools/cs/csv_to_json/"
	mallory := "owners:\n  - login: mallory\n    id: 66\n"
	for name, c := range map[string]struct {
		do   func(t *testing.T, dir string)
		meta string
	}{
		"the folder is replaced":      {func(t *testing.T, dir string) { remove(t, dir, at) }, mallory},
		"one of two versions is gone": {func(t *testing.T, dir string) { remove(t, dir, at+"1.0.0") }, mallory},
		"a version has other bytes":   {func(t *testing.T, dir string) { writeText(t, filepath.Join(dir, at, "1.0.0/tool.py"), "x") }, mallory},
		"a version has a file more":   {func(t *testing.T, dir string) { writeText(t, filepath.Join(dir, at, "1.0.0/NOTES.md"), "x") }, mallory},
		"a version is not readable":   {func(t *testing.T, dir string) { relink(t, dir, at+"1.0.0", "/etc") }, mallory},
		"a file is a link":            {func(t *testing.T, dir string) { relink(t, dir, at+"1.0.0/tool.py", "/etc/hostname") }, mallory},
		"nobody owns it":              {func(*testing.T, string) {}, "owners: []\n"},
		"by the owner, who is named":  {func(t *testing.T, dir string) { remove(t, dir, at+"1.0.0") }, "owners:\n  - login: ada\n    id: 7\ndeprecated: \"it is\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			tree, dir := newTree(t)
			s := registry.NewMemory()
			if err := tree.Stage(contributed("csv_to_json", "1.1.0"), ada); err != nil {
				t.Fatal(err)
			}
			if err := setYanked(tree, "csv_to_json", "1.1.0", "loses lines"); err != nil {
				t.Fatal(err)
			}
			publishTree(t, tree, s, 1)
			publishTree(t, tree, s, 2)
			before := s.Files()

			c.do(t, dir)
			writeText(t, filepath.Join(dir, at, "tool.yaml"), c.meta)
			writeText(t, filepath.Join(dir, at, "9.0.0/tool.py"), "# takes over\n")
			got := mustDiff(t, tree, s)
			if len(got.New)+len(got.Meta)+len(got.Withdraw) != 0 || !spec.Blocking(got.Findings) || !got.Frozen["csv_to_json"] || got.Frozen["text_diff"] {
				t.Fatalf("proposed: %+v", got)
			}
			if out := mustSeal(t, s, registry.Batch{Withdraw: got.Withdraw, Meta: got.Meta}, sealOptions(t, 3)); out.New || !maps.EqualFunc(before, s.Files(), bytes.Equal) {
				t.Errorf("something was published: %+v", out)
			}

			// What is withdrawn is withdrawn all the same.
			writeText(t, filepath.Join(dir, at, "tool.yaml"), c.meta+"yanked:\n  \"1.1.0\": \"loses lines\"\nrevoked:\n  \"1.0.0\": malware\n")
			got = mustDiff(t, tree, s)
			want := []registry.Withdrawal{{Event: ledger.EventRevoke, Name: "csv_to_json", Version: "1.0.0", Reason: "malware"}}
			if len(got.New)+len(got.Meta) != 0 || !slices.Equal(got.Withdraw, want) {
				t.Fatalf("proposed: %+v", got)
			}
			mustSeal(t, s, registry.Batch{Withdraw: got.Withdraw}, sealOptions(t, 4))
			r := auditSettled(t, s.Files()).records["csv_to_json"]
			if r.Find("1.0.0").Revoked != "malware" || r.Find("1.1.0").Yanked != "loses lines" || !slices.Equal(r.Owners, []ledger.Owner{ada}) {
				t.Errorf("the record is %+v", r)
			}
		})
	}
	// The twin: the same tool.yaml and the same version beside all that was
	// published, which is what a transfer is.
	tree, dir := newTree(t)
	s := registry.NewMemory()
	publishTree(t, tree, s, 1)
	writeText(t, filepath.Join(dir, at, "tool.yaml"), mallory)
	writeText(t, filepath.Join(dir, at, "9.0.0/tool.py"), "# takes over\n")
	got := mustDiff(t, tree, s)
	if len(got.New) != 1 || len(got.Meta) != 1 || got.Meta[0].Owners[0].ID != 66 || got.New[0].Owners[0].ID != 66 || len(got.Findings) != 0 || got.Frozen["csv_to_json"] {
		t.Errorf("the twin: %+v", got)
	}
}

// TestTreeMetaComments: what a program passes over and a person believes.
func TestTreeMetaComments(t *testing.T) {
	const plain = "owners:\n  - login: \"ada\"\n    id: 7\nyanked:\n  \"1.0.0\": \"see #12 # or not\"\n"
	for text, want := range map[string][]string{
		plain:                                           nil,
		"owners: [{login: ada, id: 7}]\n":               nil,
		plain + "# safe, says ada\n":                    {`"1.0.0": "see #12 # or not"`, "# safe, says ada"},
		"owners: [{login: ada, id: 7}] # safe\n":        {"owners: [{login: ada, id: 7}] # safe"},
		"owners: [{login: ada, id: 7}]\r\n  # safe\r\n": {"# safe"},
		"owners: [{login: ada, id: 7}]\ndeprecated: 'it\n  is: \"a' # b\"\n": {"is: \"a' # b\""}, // a comment behind a text of two lines
	} {
		m, err := registry.ParseMeta("tool.yaml", []byte(text))
		if err != nil || !slices.Equal(m.Comments, want) {
			t.Errorf("%q: %q, %v, want %q", text, m.Comments, err, want)
		}
	}
}
