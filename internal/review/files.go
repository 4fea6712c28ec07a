package review

import (
	"bytes"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// modeFile is git's mode of a regular file that nobody can execute.
const modeFile = "100644"

// made are the files that acceptance puts beside those of the contributor. One
// that was contributed would stand where clients look for what was resolved.
var made = []string{
	ledger.ReportFileName, ledger.ClosureFileName, ledger.PylockFileName,
	ledger.ReleaseFileName, ledger.EvidenceFileName, ledger.ProofFileName,
}

var lfsPointer = []byte("version https://git-lfs.github.com/spec/")

// file judges one file below tools/ by what git says of it and by its bytes.
func (o *Outline) file(c Change) {
	if c.Status == Removed {
		return
	}
	switch c.Mode {
	case modeFile:
	case "100755":
		o.findings.addAs(shape, bad, c.Path, "git update-index --chmod=-x, and commit", "the file has executable bits")
	case "120000":
		o.findings.addAs(shape, bad, c.Path, "commit the file itself", "the file is a symbolic link")
	case "160000":
		o.findings.addAs(shape, bad, c.Path, "commit the files themselves", "it is a submodule")
	default:
		o.findings.add(shape, c.Path, "the file has the mode %s", spec.Quote(c.Mode))
	}
	switch {
	case c.Refused != "":
		o.findings.add(shape, c.Path, "the file was not read: %s", spec.Quote(c.Refused))
	case c.Data == nil:
		o.findings.add(shape, c.Path, "the file was not read")
	case len(c.Data) > limits.ToolFile:
		o.findings.addAs(shape, bad, c.Path, "keep data out of the release", "the file has %d bytes, allowed are %d", len(c.Data), limits.ToolFile)
	case bytes.HasPrefix(c.Data, lfsPointer):
		o.findings.addAs(shape, bad, c.Path, "commit the file itself", "the file is a pointer into large file storage")
	case bytes.IndexByte(c.Data, 0) >= 0 || !utf8.Valid(c.Data):
		o.findings.addAs(shape, bad, c.Path, "keep binary data out of the release, and save text as UTF-8", "the file is not text")
	}
}

// checkFiles judges the files of a version together.
func (j *judgement) checkFiles(v version) {
	dir, total, count := versionDir(j.Name, v.number), 0, 0
	for _, c := range v.changes {
		if c.Status == Removed {
			continue
		}
		count++
		total += len(c.Data)
		if err := spec.CheckPath(c.Path); err != nil {
			j.findings.addAs(shape, bad, path.Join(dir, c.Path), "rename the file", "%v", err)
		}
		if slices.Contains(made, c.Path) {
			j.findings.addAs(shape, bad, path.Join(dir, c.Path), "remove it", "the file is one that the registry makes")
		}
	}
	if count > limits.ReleaseFiles {
		j.findings.addAs(shape, bad, dir, "keep data out of the release", "the version has %d files, allowed are %d", count, limits.ReleaseFiles)
	}
	if total > limits.ReleaseBytes {
		j.findings.addAs(shape, bad, dir, "keep data out of the release", "the files have %d bytes together, allowed are %d", total, limits.ReleaseBytes)
	}
}
