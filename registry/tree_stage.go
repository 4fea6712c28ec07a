package registry

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Stage adds a release to the source tree: its version directory appears whole
// or not at all. The same bytes there already are success; other bytes are
// refused, because a version has one content [PM-10]. A new name gets a
// tool.yaml with the owner.
func (t *Tree) Stage(r *spec.Release, owner ledger.Owner) error {
	final := filepath.Join(t.toolDir(r.Ref.Name), string(r.Ref.Version))
	if _, err := os.Lstat(final); err == nil {
		return t.same(r)
	}
	meta := filepath.Join(t.toolDir(r.Ref.Name), treeMeta)
	if _, err := os.Lstat(meta); errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(t.toolDir(r.Ref.Name), treeDirPerm); err != nil {
			return durable.Classify("make folder", t.toolDir(r.Ref.Name), err)
		}
		if err := durable.WriteFile(meta, Meta{Owners: []ledger.Owner{owner}}.encode(), treeFilePerm); err != nil {
			return err
		}
	}
	temp, err := os.MkdirTemp(t.toolDir(r.Ref.Name), stagingPrefix+"*")
	if err != nil {
		return durable.Classify("make folder", t.toolDir(r.Ref.Name), err)
	}
	defer os.RemoveAll(temp)
	if err := os.Chmod(temp, treeDirPerm); err != nil {
		return durable.Classify("make folder", temp, err)
	}
	root, err := durable.OpenRoot(temp)
	if err != nil {
		return err
	}
	err = root.WriteFiles(r.Files, treeFilePerm)
	if closeErr := root.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if err := os.Rename(temp, final); err != nil {
		if _, statErr := os.Lstat(final); statErr == nil {
			return t.same(r) // another process was first
		}
		return durable.Classify("make folder", final, err)
	}
	return durable.SyncDir(t.toolDir(r.Ref.Name))
}

// stagingPrefix names the folder that a version is written in; no version has
// such a name, and a publication passes over it.
const stagingPrefix = ".staging-"

// same tells whether the tree has the release with just these bytes.
func (t *Tree) same(r *spec.Release) error {
	files, findings, err := t.Files(r.Ref.Name, r.Ref.Version)
	if err != nil {
		return err
	}
	equal := len(findings) == 0 && len(files) == len(r.Files)
	for _, f := range r.Files {
		equal = equal && containsFile(files, f)
	}
	if !equal {
		return fault.New(fault.Findings, "immutable", "%s is in the registry already with other content", r.Ref.At()).
			Hint("new content is a new version: raise the version in the manifest")
	}
	return nil
}

func containsFile(files []spec.File, f spec.File) bool {
	for _, g := range files {
		if g.Path == f.Path {
			return bytes.Equal(g.Data, f.Data)
		}
	}
	return false
}

// SetYanked writes into tool.yaml that a version is yanked.
func (t *Tree) SetYanked(n spec.Name, v spec.Version, reason string) error {
	return t.withdraw(n, v, reason, func(m *Meta) *map[spec.Version]string { return &m.Yanked })
}

// SetRevoked writes into tool.yaml that a version is revoked.
func (t *Tree) SetRevoked(n spec.Name, v spec.Version, reason string) error {
	return t.withdraw(n, v, reason, func(m *Meta) *map[spec.Version]string { return &m.Revoked })
}

func (t *Tree) withdraw(n spec.Name, v spec.Version, reason string, list func(*Meta) *map[spec.Version]string) error {
	versions, _, err := t.Versions(n)
	if err != nil {
		return err
	}
	for _, have := range versions {
		if have != v {
			continue
		}
		m, err := t.Meta(n)
		if err != nil {
			return err
		}
		of := list(&m)
		if *of == nil {
			*of = map[spec.Version]string{}
		}
		(*of)[v] = reason
		return durable.WriteFile(filepath.Join(t.toolDir(n), treeMeta), m.encode(), treeFilePerm)
	}
	return fault.New(fault.NotFound, "no_version", "the registry has no %s@%s", n, v)
}
