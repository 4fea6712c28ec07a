package registrytest

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// ReleaseOf is the release of files, read by their main file, with a report beside
// them; an error where that file has errors.
func ReleaseOf(files ...spec.File) (*spec.Release, error) {
	formats := spec.MainFormats(files)
	if len(formats) != 1 {
		return nil, fmt.Errorf("there are %d main files", len(formats))
	}
	r := &spec.Release{Files: slices.Clone(files)}
	r.Tool.Format = formats[0]
	doc, findings := manifest.Read(formats[0].MainFile(), r.Main(), manifest.Strict)
	if doc == nil || spec.Blocking(findings) {
		return nil, fmt.Errorf("%s: %v", formats[0].MainFile(), findings)
	}
	r.Tool, r.Ref = doc.Tool, spec.Ref{Name: doc.Tool.Name, Version: doc.Tool.Version}
	r.Files = append(r.Files, spec.File{Path: ledger.ReportFileName, Data: fmt.Appendf(nil, "{\"report\":\"of %s\"}\n", r.Ref.At())})
	slices.SortFunc(r.Files, func(a, b spec.File) int { return cmp.Compare(a.Path, b.Path) })
	return r, nil
}

// ReleasesIn are the releases of one format in a folder that is laid out as tools/ is.
func ReleasesIn(dir fs.FS, format spec.Format) ([]*spec.Release, error) {
	mains, err := fs.Glob(dir, "tools/*/*/*/"+format.MainFile())
	if err != nil {
		return nil, err
	}
	var out []*spec.Release
	for _, main := range mains {
		var files []spec.File
		err := fs.WalkDir(dir, path.Dir(main), func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(dir, p)
			files = append(files, spec.File{Path: strings.TrimPrefix(p, path.Dir(main)+"/"), Data: data})
			return err
		})
		if err != nil {
			return nil, err
		}
		r, err := ReleaseOf(files...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", main, err)
		}
		out = append(out, r)
	}
	return out, nil
}
