package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Names lists the tools of the tree, sorted, with a finding for everything in
// tools/ that is no tool.
func (t *Tree) Names() ([]spec.Name, []spec.Finding, error) {
	var names []spec.Name
	var findings []spec.Finding
	shards, err := t.folder(treeTools)
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
		tools, err := t.folder(treeTools, s.Name())
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

// folder lists a folder below the tree; one that is not there is empty.
func (t *Tree) folder(parts ...string) ([]fs.DirEntry, error) {
	dir, err := t.within(parts...)
	if err == nil {
		var entries []fs.DirEntry
		if entries, err = os.ReadDir(dir); err == nil {
			return entries, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return nil, durable.Classify("read folder", filepath.Join(parts...), err)
}

// Has tells whether the tree has a folder for a name, whatever is in it: then
// the name is taken.
func (t *Tree) Has(n spec.Name) (bool, error) {
	_, err := t.tool(n)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Versions lists the version directories of a tool, lowest first.
func (t *Tree) Versions(n spec.Name) ([]spec.Version, []spec.Finding, error) {
	entries, err := t.folder(treeTools, n.Shard(), string(n))
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
			findings = append(findings, misplaced(toolPath(n, e.Name())))
		}
	}
	slices.SortFunc(versions, spec.Version.Compare)
	return versions, findings, nil
}

// Files reads the files of one version directory, sorted by path. Symbolic
// links, special files, executable bits, names that a release may not have,
// names that differ in case only and anything over the caps of a release are
// findings, and then there are no files.
func (t *Tree) Files(n spec.Name, v spec.Version) ([]spec.File, []spec.Finding, error) {
	root, err := t.within(treeTools, n.Shard(), string(n), string(v))
	if err != nil {
		return nil, nil, err
	}
	r := folderReader{root: root, seen: map[string]bool{}}
	if err := filepath.WalkDir(root, r.visit); err != nil {
		return nil, nil, err
	}
	if len(r.findings) > 0 {
		return nil, r.findings, nil
	}
	slices.SortFunc(r.files, func(a, b spec.File) int { return strings.Compare(a.Path, b.Path) })
	return r.files, nil, nil
}

// folderReader reads a version directory.
type folderReader struct {
	root     string
	files    []spec.File
	findings []spec.Finding
	seen     map[string]bool // paths in lower case
	entries  int
	total    int
}

func (r *folderReader) visit(path string, d fs.DirEntry, err error) error {
	if err != nil {
		return durable.Classify("read", path, err)
	}
	if path == r.root {
		return nil
	}
	rel, err := filepath.Rel(r.root, path)
	if err != nil {
		return err
	}
	rel = filepath.ToSlash(rel)
	// Folders count too: what has no file must have an end as well.
	if r.entries++; r.entries > 2*limits.ReleaseFiles || len(r.files) == limits.ReleaseFiles && !d.IsDir() {
		return r.stop(rel, "there are more than %d files", limits.ReleaseFiles)
	}
	if err := spec.CheckPath(rel); err != nil {
		r.bad(rel, "%s", err)
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	if low := strings.ToLower(rel); r.seen[low] {
		r.bad(rel, "another name differs from this one in case only")
	} else {
		r.seen[low] = true
	}
	if d.IsDir() {
		return nil
	}
	info, err := d.Info()
	if err != nil {
		return durable.Classify("read", path, err)
	}
	switch {
	case !d.Type().IsRegular():
		r.bad(rel, "this is not a regular file")
		return nil
	case info.Mode().Perm()&0o111 != 0:
		r.bad(rel, "the file has executable bits")
		return nil
	case int64(r.total)+info.Size() > limits.ReleaseBytes:
		return r.stop(rel, "the files have more than %d bytes together", limits.ReleaseBytes)
	}
	data, err := durable.ReadFileNoFollow(path, limits.ReleaseBytes)
	if err != nil {
		return err
	}
	r.total += len(data)
	r.files = append(r.files, spec.File{Path: rel, Data: data})
	return nil
}

func (r *folderReader) bad(rel, format string, args ...any) {
	r.findings = append(r.findings, spec.Finding{
		ID: "GOV-003", Severity: spec.SeverityError, File: spec.Quote(rel), Message: fmt.Sprintf(format, args...),
		Fix: "a version directory holds regular files within the limits of a release",
	})
}

// stop is bad for what makes reading on pointless.
func (r *folderReader) stop(rel, format string, args ...any) error {
	r.bad(rel, format, args...)
	return fs.SkipAll
}
