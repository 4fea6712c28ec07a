package registry_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
)

// TestKeylessTree: registry.yaml holds the identity of a workflow and gives it
// back, with all that it can have and with no more than it must have.
func TestKeylessTree(t *testing.T) {
	template := ledger.GitHubIdentity("acme/tools")
	whole := template
	whole.RepositoryID, whole.OwnerID = "900000001", "800000001"
	whole.Environment, whole.TokenSubject = "publish", "repo:acme@800000001/tools@900000001:environment:publish"
	for name, id := range map[string]ledger.Identity{"template": template, "whole": whole} {
		dir := t.TempDir()
		want := &ledger.Registry{
			Schema: ledger.RegistrySchema, Name: "acme/tools", Source: "https://github.com/acme/tools",
			Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: &id},
		}
		if err := registry.InitTree(dir, want); err != nil {
			t.Fatal(err)
		}
		tree, err := registry.OpenTree(dir)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := ledger.Encode(tree.Registry()); !bytes.Equal(got, ledger.Encode(want)) {
			t.Errorf("%s: read back was %s", name, got)
		}
	}
}

func TestKeylessTreeRefuses(t *testing.T) {
	dir := t.TempDir()
	id := ledger.GitHubIdentity("acme/tools")
	if err := registry.InitTree(dir, &ledger.Registry{Name: "acme/tools", Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: &id}}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "registry.yaml")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(good)
	for name, c := range map[string]struct{ yaml, want string }{
		"a number in words": {text + "    repository_id: many\n", "repository_id"},
		"a broken number":   {text + "    repository_id: 9.5\n", "repository_id"},
		"a negative number": {text + "    owner_id: -1\n", "owner_id"},
		"an unknown field":  {text + "    colour: red\n", "colour"},
		"no trigger":        {strings.Replace(text, "    trigger: \"push\"\n", "", 1), "no trigger"},
		"a key as well":     {text + "  key: AAAA\n", "key"},
		"no identity":       {text[:strings.Index(text, "  identity:")], "identity is missing"},
		"the other kind":    {strings.Replace(text, "kind: keyless", "kind: key", 1), "identity"},
		"a line in a field": {strings.Replace(text, `"push"`, `"push\npull"`, 1), "trigger"},
	} {
		writeText(t, file, c.yaml)
		if _, err := registry.OpenTree(dir); fault.KindOf(err) != fault.Findings || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	// The twins: a number is one with quotes or without.
	for _, number := range []string{"900000001", `"900000001"`} {
		writeText(t, file, text+"    repository_id: "+number+"\n")
		tree, err := registry.OpenTree(dir)
		if err != nil || tree.Registry().Trust.Identity.RepositoryID != "900000001" {
			t.Errorf("the number %s: %v", number, err)
		}
	}
}
