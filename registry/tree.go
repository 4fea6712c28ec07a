package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
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
	treeLock   = ".patch-git.lock"
)

// Tree is the source tree of a registry, branch main: what people propose and
// review. Version directories never change once they are published; tool.yaml
// is the only file of a tool that does.
type Tree struct {
	dir    string
	config treeDocument
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
	if t.config, err = readConfig(data); err != nil {
		return nil, err
	}
	return t, nil
}

// readConfig reads registry.yaml.
func readConfig(data []byte) (treeDocument, error) {
	c := treeDocument{Policy: treePolicy(defaultPolicy())}
	if err := decodeYAML(treeConfig, data, &c); err != nil {
		return treeDocument{}, err
	}
	if _, err := ledger.ParseRegistry(ledger.Encode(c.registry())); err != nil {
		return treeDocument{}, fault.New(fault.Findings, "registry_yaml", "%s: %w", treeConfig, err)
	}
	return c, nil
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
	problems := decodeFields(file, doc, into)
	if len(problems) > 0 {
		return fault.New(fault.Findings, "yaml", "%s", strings.Join(problems, "\n"))
	}
	return nil
}

// decodeFields decodes a mapping key by key, so that one bad value does not
// hide the next. into points to a struct of the same keys.
func decodeFields(file string, doc json.RawMessage, into any) []string {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(doc, &members); err != nil {
		return []string{file + ": it is not a mapping"}
	}
	var problems []string
	if key, ok := oddKey(doc); ok {
		problems = append(problems, fmt.Sprintf("%s: there is no key %s", file, spec.Quote(key)))
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if string(members[key]) == "null" {
			continue // as if it were not there
		}
		one := ledger.Encode(map[string]json.RawMessage{key: members[key]})
		d := json.NewDecoder(bytes.NewReader(one))
		d.DisallowUnknownFields()
		if err := d.Decode(into); err != nil {
			problems = append(problems, fmt.Sprintf("%s: %s: %s", file, spec.Quote(key), spec.Quote(err.Error())))
		}
	}
	return problems
}

// oddKey finds a key that the package json would take for another one, because
// it does not count case: ID beside id would be what counts, and id what a
// person reads. Keys that begin with a digit are versions.
func oddKey(doc json.RawMessage) (key string, found bool) {
	var members map[string]json.RawMessage
	var items []json.RawMessage
	if json.Unmarshal(doc, &members) != nil {
		_ = json.Unmarshal(doc, &items) // neither: a scalar, which has no keys
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		version := key != "" && key[0] >= '0' && key[0] <= '9'
		if !version && strings.ContainsFunc(key, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
			return key, true
		}
		items = append(items, members[key])
	}
	for _, item := range items {
		if key, found := oddKey(item); found {
			return key, true
		}
	}
	return "", false
}

// toolDir is the folder of a name, for messages and for making it.
func (t *Tree) toolDir(n spec.Name) string {
	return filepath.Join(t.dir, treeTools, n.Shard(), string(n))
}

// toolPath is how a file of a tool is named in messages.
func toolPath(n spec.Name, rest ...string) string {
	return path.Join(append([]string{treeTools, n.Shard(), string(n)}, rest...)...)
}

// within returns the folder at parts below the tree. The tree is what people
// propose: a symbolic link on the way would lead out of what they may change,
// so it is refused; so is anything else that is not a folder. The error of one
// that is not there is fs.ErrNotExist.
func (t *Tree) within(parts ...string) (string, error) {
	dir := t.dir
	for _, p := range parts {
		dir = filepath.Join(dir, p)
		info, err := os.Lstat(dir)
		if err != nil {
			return "", durable.Classify("open folder", dir, err)
		}
		if !info.IsDir() {
			return "", fault.New(fault.Findings, "not_a_folder", "%s is a link or a file where a folder must be", spec.Quote(dir))
		}
	}
	return dir, nil
}

// tool returns the folder of a name.
func (t *Tree) tool(n spec.Name) (string, error) {
	return t.within(treeTools, n.Shard(), string(n))
}
