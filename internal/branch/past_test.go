package branch_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/patch-cat/patch-git/internal/branch"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry/registrytest"
)

// TestPast: of each earlier commit what is another one now, also of what was
// written and not pushed yet.
func TestPast(t *testing.T) {
	remote := filepath.Join(t.TempDir(), "remote.git")
	git(t, "", "init", "-q", "--bare", remote)
	git(t, remote, "config", "uploadpack.allowFilter", "true") // as GitHub has it
	r := registrytest.New(t)
	var states []map[string][]byte
	push := func() *branch.Branch {
		t.Helper()
		b := open(t, tool(""), remote)
		if past, err := b.Past(t.Context(), 5); err != nil || len(past) != max(0, len(states)-1) {
			t.Errorf("before commit %d: %d states, %v", len(states)+1, len(past), err)
		}
		states = append(states, r.Files())
		if err := b.Push(t.Context(), fill(t, b, r.Files())); err != nil {
			t.Fatal(err)
		}
		return b
	}
	r.Publish(t, registrytest.Release("csv_to_json", "1.0.0"))
	push()
	r.Publish(t, registrytest.Release("csv_to_json", "1.1.0"))
	push()
	r.Publish(t, registrytest.Release("text_diff", "0.1.0"))
	wrote := push()
	for name, b := range map[string]*branch.Branch{"who pushed": wrote, "who comes later": open(t, tool(""), remote)} {
		past, err := b.Past(t.Context(), 5)
		if err != nil {
			t.Fatal(err)
		}
		for len(past) > 2 { // the pusher's own state, which is now
			past = past[1:]
		}
		if len(past) != 2 {
			t.Fatalf("%s: %d states", name, len(past))
		}
		csv, diff := ledger.RecordPath("csv_to_json"), ledger.RecordPath("text_diff")
		for i, p := range past {
			then := states[1-i]
			if !bytes.Equal(p.Head, then[ledger.HeadPath]) {
				t.Errorf("%s: state %d has another head", name, i)
			}
			if data, ok := p.Records[diff]; !ok || data != nil {
				t.Errorf("%s: state %d has the new tool: %q, %v", name, i, data, ok)
			}
			if data := p.Records[csv]; i == 1 && !bytes.Equal(data, then[csv]) {
				t.Errorf("%s: state %d has the record %q", name, i, data)
			}
		}
		if one, err := b.Past(t.Context(), 1); err != nil || len(one) > 2 {
			t.Errorf("%s: asked for one: %d, %v", name, len(one), err)
		}
	}
}
