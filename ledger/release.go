package ledger

import (
	"fmt"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// ReleaseSchema is the edition of [Release].
const ReleaseSchema = "patch-git/release/v1"

// Release is release.json: the files of one name@version.
type Release struct {
	Schema      string            `json:"schema"`
	Registry    spec.RegistryName `json:"registry"`
	Name        spec.Name         `json:"name"`
	Version     spec.Version      `json:"version"`
	Format      spec.Format       `json:"format"`
	Permissions spec.Permissions  `json:"permissions"`
	Files       []ReleaseFile     `json:"files"` // sorted by path
}

// ReleaseFile is one file of a release.
type ReleaseFile struct {
	Path   string      `json:"path"`
	Size   int64       `json:"size"`
	SHA256 spec.Digest `json:"sha256"`
}

// NewRelease describes a release.
func NewRelease(registry spec.RegistryName, r *spec.Release) *Release {
	doc := &Release{
		Schema: ReleaseSchema, Registry: registry, Name: r.Ref.Name, Version: r.Ref.Version,
		Format: r.Tool.Format, Permissions: r.Tool.Permissions(),
	}
	for _, f := range r.Files {
		doc.Files = append(doc.Files, ReleaseFile{Path: f.Path, Size: int64(len(f.Data)), SHA256: spec.DigestOf(f.Data)})
	}
	return doc
}

// ParseRelease reads release.json. The paths are safe to join, sorted, free of
// twins that differ in case only, and the main file of the format is there.
func ParseRelease(data []byte) (*Release, error) {
	r, err := decode[Release]("release", data, smallDocument)
	if err != nil {
		return nil, err
	}
	if err := checkSchema("release", r.Schema, ReleaseSchema); err != nil {
		return nil, err
	}
	if r.Format.MainFile() == "" {
		return nil, fmt.Errorf("release has the unknown format %s", spec.Quote(string(r.Format)))
	}
	if len(r.Files) > limits.ReleaseFiles {
		return nil, fmt.Errorf("release has %d files, allowed are %d", len(r.Files), limits.ReleaseFiles)
	}
	var total int64
	seen := map[string]bool{}
	for i, f := range r.Files {
		if err := spec.CheckPath(f.Path); err != nil {
			return nil, fmt.Errorf("release: %w", err)
		}
		switch f.Path {
		case ReleaseFileName, EvidenceFileName, ProofFileName:
			return nil, fmt.Errorf("release lists %q, which is not a file of a release", f.Path)
		}
		if i > 0 && r.Files[i-1].Path >= f.Path {
			return nil, fmt.Errorf("release has files out of order")
		}
		fold := strings.ToLower(f.Path)
		if seen[fold] {
			return nil, fmt.Errorf("release has two files that differ in case only: %q", f.Path)
		}
		seen[fold] = true
		if f.Size < 0 || f.Size > limits.ReleaseBytes {
			return nil, fmt.Errorf("release has file %q of %d bytes, allowed are %d", f.Path, f.Size, limits.ReleaseBytes)
		}
		total += f.Size
	}
	if total > limits.ReleaseBytes {
		return nil, fmt.Errorf("release has %d bytes, allowed are %d", total, limits.ReleaseBytes)
	}
	if r.MainFile() == nil {
		return nil, fmt.Errorf("release has no %s", r.Format.MainFile())
	}
	return r, nil
}

// MainFile returns the entry of the format's main file.
func (r *Release) MainFile() *ReleaseFile { return r.Find(r.Format.MainFile()) }

// Find returns the entry of a file, nil when there is none.
func (r *Release) Find(path string) *ReleaseFile {
	for i := range r.Files {
		if r.Files[i].Path == path {
			return &r.Files[i]
		}
	}
	return nil
}

// Ref is the pinned reference of the release, given the digest of its document.
func (r *Release) Ref(digest spec.Digest) spec.Ref {
	return spec.Ref{Name: r.Name, Version: r.Version, Digest: digest}
}
