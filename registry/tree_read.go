package registry

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Names lists the tools of the tree, sorted, with a finding for everything in
// tools/ that is no tool.
func (t *Tree) Names() ([]spec.Name, []spec.Finding, error) {
	var names []spec.Name
	var findings []spec.Finding
	shards, err := readFolder(filepath.Join(t.dir, treeTools))
	if err != nil {
		return nil, nil, err
	}
	for _, s := range shards {
		if s.Name() == ".gitkeep" {
			continue
		}
		if !s.IsDir() {
			findings = append(findings, misplaced(treeTools+"/"+s.Name()))
			continue
		}
		tools, err := readFolder(filepath.Join(t.dir, treeTools, s.Name()))
		if err != nil {
			return nil, nil, err
		}
		for _, e := range tools {
			n, err := spec.ParseName(e.Name())
			if err != nil || !e.IsDir() || n.Shard() != s.Name() {
				findings = append(findings, misplaced(treeTools+"/"+s.Name()+"/"+e.Name()))
				continue
			}
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names, findings, nil
}

func misplaced(path string) spec.Finding {
	return spec.Finding{
		ID: "GOV-003", Severity: spec.SeverityError, File: spec.Quote(path), Message: "this is not where a registry has anything",
		Fix: "tools lie at tools/<first two letters>/<name>/<version>/",
	}
}

// readFolder lists a folder; one that is not there is empty, a symbolic link
// to one is refused.
func readFolder(dir string) ([]fs.DirEntry, error) {
	info, err := os.Lstat(dir)
	switch {
	case os.IsNotExist(err):
		return nil, nil
	case err == nil && !info.IsDir():
		return nil, fault.New(fault.Findings, "not_a_folder", "%s is not a folder", spec.Quote(dir))
	case err == nil:
		var entries []fs.DirEntry
		if entries, err = os.ReadDir(dir); err == nil {
			return entries, nil
		}
	}
	return nil, durable.Classify("read folder", dir, err)
}

// Versions lists the version directories of a tool, lowest first.
func (t *Tree) Versions(n spec.Name) ([]spec.Version, []spec.Finding, error) {
	entries, err := readFolder(t.toolDir(n))
	if err != nil {
		return nil, nil, err
	}
	var versions []spec.Version
	var findings []spec.Finding
	for _, e := range entries {
		v, err := spec.ParseVersion(e.Name())
		switch {
		case err == nil && e.IsDir():
			versions = append(versions, v)
		case e.Name() == treeMeta && e.Type().IsRegular():
		case durable.IsTemp(e.Name()), strings.HasPrefix(e.Name(), stagingPrefix): // what a crash left
		default:
			findings = append(findings, misplaced(treeTools+"/"+n.Shard()+"/"+string(n)+"/"+e.Name()))
		}
	}
	slices.SortFunc(versions, spec.Version.Compare)
	return versions, findings, nil
}

// Files reads the files of one version directory, sorted by path. Symbolic
// links, special files, executable bits and anything over the caps of a
// release are findings, and then there are no files.
func (t *Tree) Files(n spec.Name, v spec.Version) ([]spec.File, []spec.Finding, error) {
	root := filepath.Join(t.toolDir(n), string(v))
	var files []spec.File
	var findings []spec.Finding
	total := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return durable.Classify("read", path, err)
		}
		if d.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		bad := func(format string, args ...any) error {
			findings = append(findings, spec.Finding{
				ID: "GOV-003", Severity: spec.SeverityError, File: spec.Quote(rel), Message: fmt.Sprintf(format, args...),
				Fix: "a version directory holds regular files within the limits of a release",
			})
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return durable.Classify("read", path, err)
		}
		switch {
		case !d.Type().IsRegular():
			return bad("this is not a regular file")
		case info.Mode().Perm()&0o111 != 0:
			return bad("the file has executable bits")
		case info.Size() > limits.ReleaseBytes:
			return bad("the file has %d bytes, a release may have %d", info.Size(), limits.ReleaseBytes)
		case len(files) == limits.ReleaseFiles:
			findings = append(findings, spec.Finding{
				ID: "GOV-003", Severity: spec.SeverityError, File: spec.Quote(rel), Message: fmt.Sprintf("there are more than %d files", limits.ReleaseFiles),
			})
			return fs.SkipAll
		}
		data, err := durable.ReadFileNoFollow(path, limits.ReleaseBytes)
		if err != nil {
			return err
		}
		if total += len(data); total > limits.ReleaseBytes {
			_ = bad("the files have more than %d bytes together", limits.ReleaseBytes)
			return fs.SkipAll
		}
		files = append(files, spec.File{Path: rel, Data: data})
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if len(findings) > 0 {
		return nil, findings, nil
	}
	slices.SortFunc(files, func(a, b spec.File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil, nil
}
