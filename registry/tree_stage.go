package registry

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Stage adds a release to the source tree: its version directory appears whole
// or not at all. The same bytes there already are success; other bytes are
// refused ("immutable"), because a version has one content [PM-10]. A new name
// gets a tool.yaml with the owner. Whoever proposed the tree may have put links
// into it; none is followed.
func (t *Tree) Stage(r *spec.Release, owner ledger.Owner) error {
	if err := checkOwners(r.Ref.Name, []ledger.Owner{owner}); err != nil {
		return err // before tool.yaml says what no publication takes
	}
	if err := checkProposal(r); err != nil {
		return err
	}
	switch _, err := t.within(treeTools, r.Ref.Name.Shard(), string(r.Ref.Name), string(r.Ref.Version)); {
	case err == nil:
		return t.same(r)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	dir := t.toolDir(r.Ref.Name)
	if err := os.MkdirAll(dir, treeDirPerm); err != nil {
		return durable.Classify("make folder", dir, err)
	}
	if _, err := t.tool(r.Ref.Name); err != nil {
		return err // a link was slipped in
	}
	temp, err := os.MkdirTemp(dir, stagingPrefix+"*")
	if err != nil {
		return durable.Classify("make folder", dir, err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	if err := writeFolder(temp, r.Files); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(dir, treeMeta)); errors.Is(err, fs.ErrNotExist) {
		if err := t.writeMeta(r.Ref.Name, Meta{Owners: []ledger.Owner{owner}}); err != nil {
			return err
		}
	}
	final := filepath.Join(dir, string(r.Ref.Version))
	if err := os.Rename(temp, final); err != nil {
		if _, statErr := os.Lstat(final); statErr == nil {
			return t.same(r) // another process was first
		}
		return durable.Classify("make folder", final, err)
	}
	return durable.SyncDir(dir)
}

// checkProposal refuses what [Tree.Files] would not read back.
func checkProposal(r *spec.Release) error {
	if _, err := spec.ParseName(string(r.Ref.Name)); err != nil {
		return fault.New(fault.Findings, "release", "%w", err)
	}
	if _, err := spec.ParseVersion(string(r.Ref.Version)); err != nil {
		return fault.New(fault.Findings, "release", "%w", err)
	}
	total := 0
	for _, f := range r.Files {
		total += len(f.Data)
	}
	switch {
	case len(r.Main()) == 0:
		return fault.New(fault.Findings, "release", "%s has no main file", r.Ref.At())
	case len(r.Main()) > limits.ToolFile:
		return fault.New(fault.Findings, "release", "the main file of %s has %d bytes, allowed are %d", r.Ref.At(), len(r.Main()), limits.ToolFile)
	case len(r.Files) > limits.ReleaseFiles, total > limits.ReleaseBytes:
		return fault.New(fault.Findings, "release", "%s has %d files of %d bytes, allowed are %d of %d",
			r.Ref.At(), len(r.Files), total, limits.ReleaseFiles, limits.ReleaseBytes)
	}
	return nil
}

// writeFolder fills a new folder, durably.
func writeFolder(dir string, files []spec.File) error {
	if err := os.Chmod(dir, treeDirPerm); err != nil {
		return durable.Classify("make folder", dir, err)
	}
	root, err := durable.OpenRoot(dir)
	if err != nil {
		return err
	}
	err = root.WriteFiles(files, treeFilePerm)
	return errors.Join(err, root.Close())
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

// writeMeta writes tool.yaml, unless it could not be read back.
func (t *Tree) writeMeta(n spec.Name, m Meta) error {
	data, err := m.Encode(n)
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(t.toolDir(n), treeMeta), data, treeFilePerm)
}
