package registry

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// Names inside a source tree.
const (
	treeConfig = "registry.yaml"
	treeTools  = "tools"
	treeMeta   = "tool.yaml"
)

// Tree is the source tree of a registry, branch main: what people propose and
// review. Version directories never change once they are published; tool.yaml
// is the only file of a tool that does.
type Tree struct {
	dir    string
	config treeDocument
}

// treeDocument is registry.yaml.
type treeDocument struct {
	Name    spec.RegistryName `json:"name"`
	Source  string            `json:"source"`
	Mirrors []string          `json:"mirrors"`
	Trust   struct {
		Kind string `json:"kind"`
		Key  []byte `json:"key"`
	} `json:"trust"`
}

// OpenTree reads registry.yaml of a source tree.
func OpenTree(dir string) (*Tree, error) {
	t := &Tree{dir: dir}
	data, err := durable.ReadFileNoFollow(filepath.Join(dir, treeConfig), limits.ManifestBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "no_registry", "there is no registry in %s", spec.Quote(dir)).
			Hint("patch-git registry init %q", dir)
	}
	if err != nil {
		return nil, err
	}
	if err := decodeYAML(treeConfig, data, &t.config); err != nil {
		return nil, err
	}
	if _, err := ledger.ParseRegistry(ledger.Encode(t.Registry())); err != nil {
		return nil, fault.New(fault.Findings, "registry_yaml", "%s: %w", treeConfig, err)
	}
	return t, nil
}

// decodeYAML reads a YAML file of a tree strictly; every problem is in the error.
func decodeYAML(file string, data []byte, into any) error {
	doc, findings := manifest.ReadYAML(file, data)
	if doc == nil {
		var lines []string
		for _, f := range findings {
			lines = append(lines, f.String())
		}
		return fault.New(fault.Findings, "yaml", "%s", strings.Join(lines, "\n"))
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fault.New(fault.Findings, "yaml", "%s: %s", file, spec.Quote(err.Error()))
	}
	return nil
}

// Registry is the document that the tree publishes about itself.
func (t *Tree) Registry() *ledger.Registry {
	return &ledger.Registry{
		Schema: ledger.RegistrySchema, Name: t.config.Name, Source: t.config.Source, Mirrors: t.config.Mirrors,
		Trust: ledger.Trust{Kind: t.config.Trust.Kind, Key: t.config.Trust.Key},
	}
}

// InitTree makes an empty source tree. Files that are there already stay.
func InitTree(dir string, r *ledger.Registry) error {
	yaml := fmt.Sprintf("name: %s\ntrust:\n  kind: %s\n  key: %s\n", r.Name, r.Trust.Kind, base64.StdEncoding.EncodeToString(r.Trust.Key))
	for _, f := range []struct{ path, text string }{
		// Digests are over raw bytes: git must not touch line ends [C-44].
		{".gitattributes", "tools/** -text\n"},
		{".gitignore", "/published/\n"},
		{"README.md", fmt.Sprintf("# %s\n\nA patch-git registry. Tools are in tools/, what clients read is in published/.\n\n    patch-git publish tool.py --to .\n    patch-git registry publish .\n", r.Name)},
		{treeTools + "/.gitkeep", ""},
		{treeConfig, yaml}, // last: with it the folder is a registry
	} {
		path := filepath.Join(dir, filepath.FromSlash(f.path))
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), treeDirPerm); err != nil {
			return durable.Classify("make folder", filepath.Dir(path), err)
		}
		if err := durable.WriteFile(path, []byte(f.text), treeFilePerm); err != nil {
			return err
		}
	}
	return nil
}

// Meta is tool.yaml: what may change about a published tool.
type Meta struct {
	Owners     []ledger.Owner          `json:"owners"`
	Yanked     map[spec.Version]string `json:"yanked"`
	Revoked    map[spec.Version]string `json:"revoked"`
	Deprecated string                  `json:"deprecated"`
	ReplacedBy spec.Name               `json:"replaced_by"`
}

func (t *Tree) toolDir(n spec.Name) string {
	return filepath.Join(t.dir, treeTools, n.Shard(), string(n))
}

// Meta reads tool.yaml of a name; the zero Meta where there is none.
func (t *Tree) Meta(n spec.Name) (Meta, error) {
	var m Meta
	data, err := durable.ReadFileNoFollow(filepath.Join(t.toolDir(n), treeMeta), limits.ManifestBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	return m, decodeYAML(treeTools+"/"+n.Shard()+"/"+string(n)+"/"+treeMeta, data, &m)
}

// encode writes tool.yaml; every text in double quotes, which YAML and JSON
// read alike.
func (m Meta) encode() []byte {
	var b strings.Builder
	b.WriteString("owners:\n")
	for _, o := range m.Owners {
		fmt.Fprintf(&b, "  - login: %s\n    id: %d\n", jsonText(o.Login), o.ID)
	}
	if len(m.Owners) == 0 {
		b.Reset()
		b.WriteString("owners: []\n")
	}
	for _, list := range []struct {
		key string
		of  map[spec.Version]string
	}{{"yanked", m.Yanked}, {"revoked", m.Revoked}} {
		if len(list.of) == 0 {
			continue
		}
		b.WriteString(list.key + ":\n")
		for _, v := range sortedVersions(list.of) {
			fmt.Fprintf(&b, "  %q: %s\n", string(v), jsonText(list.of[v]))
		}
	}
	if m.Deprecated != "" {
		fmt.Fprintf(&b, "deprecated: %s\n", jsonText(m.Deprecated))
	}
	if m.ReplacedBy != "" {
		fmt.Fprintf(&b, "replaced_by: %s\n", m.ReplacedBy)
	}
	return []byte(b.String())
}

func jsonText(s string) string {
	b := ledger.Encode(s)
	return string(b[:len(b)-1])
}

func sortedVersions(m map[spec.Version]string) []spec.Version {
	out := make([]spec.Version, 0, len(m))
	for v := range m {
		out = append(out, v)
	}
	slices.SortFunc(out, spec.Version.Compare)
	return out
}
