package registry

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// treeDocument is registry.yaml.
type treeDocument struct {
	Name    spec.RegistryName `json:"name"`
	Source  string            `json:"source"`
	Mirrors []string          `json:"mirrors"`
	Trust   struct {
		Kind     string        `json:"kind"`
		Key      []byte        `json:"key"`
		Identity *treeIdentity `json:"identity"`
	} `json:"trust"`
	Policy treePolicy `json:"policy"`
}

// treeIdentity is an identity as people write it.
type treeIdentity struct {
	ledger.Identity

	RepositoryID treeNumber `json:"repository_id"`
	OwnerID      treeNumber `json:"owner_id"`
}

// treeNumber is written with quotes or without. Whether it is a number at all
// is for package ledger to say.
type treeNumber string

// UnmarshalJSON takes what is between the quotes, where there are any.
func (n *treeNumber) UnmarshalJSON(b []byte) error {
	*n = treeNumber(strings.Trim(string(b), `"`))
	return nil
}

// Registry is the document that the tree publishes about itself. The identity
// of a workflow may lack its numbers.
func (t *Tree) Registry() *ledger.Registry { return t.config.registry() }

func (c *treeDocument) registry() *ledger.Registry {
	r := &ledger.Registry{
		Schema: ledger.RegistrySchema, Name: c.Name, Source: c.Source, Mirrors: c.Mirrors,
		Trust: ledger.Trust{Kind: c.Trust.Kind, Key: c.Trust.Key},
	}
	if written := c.Trust.Identity; written != nil {
		id := written.Identity
		id.RepositoryID, id.OwnerID = string(written.RepositoryID), string(written.OwnerID)
		r.Trust.Identity = &id
	}
	return r
}

// InitTree makes an empty source tree. Files that are there already stay.
func InitTree(dir string, r *ledger.Registry) error {
	readme := fmt.Sprintf("# %s\n\nA patch-git registry. Tools are in tools/, what clients read is in published/.\n\n", r.Name)
	if r.Trust.Kind == ledger.TrustKey {
		readme += "    patch-git publish tool.py --to .\n"
	} else {
		readme += "Its workflow signs it; only there can it be published:\n\n"
	}
	readme += "    patch-git registry publish .\n"
	for _, f := range []struct{ path, text string }{
		// Digests are over raw bytes: git must not touch line ends [C-44].
		{".gitattributes", "tools/** -text\n"},
		{".gitignore", "/published/\n/" + treeLock + "\n"},
		{"README.md", readme},
		{treeTools + "/.gitkeep", ""},
		{treeConfig, treeYAML(r)}, // last: with it the folder is a registry
	} {
		file := filepath.Join(dir, filepath.FromSlash(f.path))
		if _, err := os.Lstat(file); err == nil {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), treeDirPerm); err != nil {
			return durable.Classify("make folder", filepath.Dir(file), err)
		}
		if err := durable.WriteFile(file, []byte(f.text), treeFilePerm); err != nil {
			return err
		}
	}
	return nil
}

// treeYAML writes registry.yaml; what is not of our own making is in double
// quotes, which YAML and JSON read alike.
func treeYAML(r *ledger.Registry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\n", r.Name)
	if r.Source != "" {
		fmt.Fprintf(&b, "source: %s\n", jsonText(r.Source))
	}
	if len(r.Mirrors) > 0 {
		b.WriteString("mirrors:\n")
	}
	for _, m := range r.Mirrors {
		fmt.Fprintf(&b, "  - %s\n", jsonText(m))
	}
	b.WriteString(policyYAML())
	fmt.Fprintf(&b, "trust:\n  kind: %s\n", r.Trust.Kind)
	if id := r.Trust.Identity; id == nil {
		fmt.Fprintf(&b, "  key: %s\n", base64.StdEncoding.EncodeToString(r.Trust.Key))
	} else {
		b.WriteString("  identity:\n")
		for _, f := range id.Fields() {
			if f.Value != "" {
				fmt.Fprintf(&b, "    %s: %s\n", f.Name, jsonText(f.Value))
			}
		}
	}
	return b.String()
}
