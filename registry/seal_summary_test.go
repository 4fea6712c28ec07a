package registry_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// listedRelease is a release whose tool was read from its manifest, with one
// request that it serves.
func listedRelease(t *testing.T, version spec.Version, request string) registry.Acceptance {
	t.Helper()
	data := append(manifest.Print(&spec.Tool{
		Format: spec.FormatPatch, Name: "csv_to_json", Version: version, Description: "Turns CSV into JSON.",
		Inputs:       []spec.Input{{Name: "csv", Type: spec.TypeString, Description: "The text.", Required: true}},
		Output:       spec.Output{Type: spec.TypeObject},
		Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone},
		Runtime:      spec.Runtime{Language: "python", PythonVersion: "3.9", Packages: []string{}},
		License:      "MIT", Tags: []string{"csv"}, Aliases: []spec.Name{"csv2json"}, Examples: []string{request},
	}), "def main(csv):\n    return {}\n"...)
	doc, findings := manifest.Read("tool.py", data, manifest.Strict)
	if doc == nil || spec.Blocking(findings) {
		t.Fatal(findings)
	}
	r := &spec.Release{Ref: spec.Ref{Name: "csv_to_json", Version: version}, Tool: doc.Tool, Files: []spec.File{
		{Path: "report.json", Data: fmt.Appendf(nil, "{\"of\":%q}\n", version)}, {Path: "tool.py", Data: data},
	}}
	a := acceptance(r)
	a.PullRequest = "https://example.com/" + string(version)
	return a
}

// TestSealSummaryFollowsLatest: what a search looks at is of the latest version,
// also where an older one becomes that again, and is in the catalogue as it is
// in the record; who proposed a version stays with it.
func TestSealSummaryFollowsLatest(t *testing.T) {
	s := registry.NewMemory()
	yank := func(event ledger.Event, reason string) registry.Batch {
		return registry.Batch{Withdraw: []registry.Withdrawal{{Event: event, Name: "csv_to_json", Version: "1.1.0", Reason: reason}}}
	}
	for i, c := range []struct {
		batch registry.Batch
		want  string
	}{
		{registry.Batch{Accept: []registry.Acceptance{listedRelease(t, "1.0.0", "Convert my table")}}, "Convert my table"},
		{registry.Batch{Accept: []registry.Acceptance{listedRelease(t, "1.1.0", "Convert any table")}}, "Convert any table"},
		{yank(ledger.EventYank, "slow"), "Convert my table"},
		{yank(ledger.EventUnyank, ""), "Convert any table"},
	} {
		mustSeal(t, s, c.batch, sealOptions(t, i))
		a := auditSettled(t, s.Files())
		r := a.records["csv_to_json"]
		want := ledger.Summary{
			Format: spec.FormatPatch, License: "MIT", Tags: []string{"csv"}, Aliases: []spec.Name{"csv2json"},
			Inputs: []ledger.SummaryInput{{Name: "csv", Description: "The text."}}, Examples: []string{c.want},
		}
		if got, want := ledger.Encode(r.Summary), ledger.Encode(want); !slices.Equal(got, want) {
			t.Errorf("after batch %d: %s, want %s", i, got, want)
		}
		list, err := ledger.ParseCatalogue(s.Files()[ledger.CataloguePath])
		if err != nil || len(list) != 1 || !slices.Equal(list[0].Summary.Examples, []string{c.want}) || list[0].Published != r.Latest().Published || !list[0].Verified {
			t.Errorf("after batch %d the catalogue has %+v, %v", i, list, err)
		}
		for _, v := range r.Versions {
			if v.PullRequest != "https://example.com/"+string(v.Version) || v.Contributor != (ledger.Owner{Login: "ada", ID: 7}) {
				t.Errorf("after batch %d: %+v", i, v)
			}
		}
	}
}
