package contribute

import (
	"bytes"

	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// calledSo returns the aliases of a tool by which a reader takes a new name for
// it. They are those of the newest version that can be read, because the search
// finds no other. A file without the word has none, which saves parsing ten
// thousand manifests for a few.
func calledSo(tree *registry.Tree, other, name spec.Name) ([]spec.Name, error) {
	versions, _, err := tree.Versions(other)
	if err != nil || len(versions) == 0 {
		return nil, ignoreBroken(err)
	}
	files, _, err := tree.Files(other, versions[len(versions)-1])
	if err != nil {
		return nil, ignoreBroken(err)
	}
	_, data, wrong := mainOf(files)
	if wrong != nil || !bytes.Contains(data, []byte("aliases")) {
		return nil, nil
	}
	tool := manifestOf(files)
	if tool == nil {
		return nil, nil
	}
	var called []spec.Name
	for _, alias := range tool.Aliases {
		if quarantine.ReadAs(alias, name) {
			called = append(called, alias)
		}
	}
	return called, nil
}

// ignoreBroken: what nobody can read of another tool leads nobody to it.
func ignoreBroken(err error) error {
	if broken(err) {
		return nil
	}
	return err
}
