package verify

import (
	"bytes"
	"slices"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// File verifies a tool's main file by the evidence for it and nothing else: no
// release.json, no proof, no head. It shows that the registry accepted these
// bytes under the name and version that they state; whether they were revoked
// since is for a caller who has a head. The format says how the file is read: only
// Patch tools have files of any name.
func (p Policy) File(evidence []byte, format spec.Format, main []byte) (*ledger.Acceptance, error) {
	m, findings := manifest.Read(format.MainFile(), main, manifest.Strict)
	if m == nil || m.Tool.Name == "" || m.Tool.Version == "" {
		why := "it has no name and version"
		if spec.SortFindings(findings); len(findings) > 0 {
			why = findings[0].String()
		}
		return nil, refuse(ReasonManifest, "the manifest of the file is not readable: %s", why)
	}
	ref := spec.Ref{Name: m.Tool.Name, Version: m.Tool.Version}
	s, err := p.statement(evidence, p.Registry.Subject(ref), ledger.PredicateAcceptance)
	if err != nil {
		return nil, err
	}
	digest := spec.DigestOf(main)
	if s.Subject[0].Digest.SHA256 != digest {
		return nil, refuse(ReasonFile, "the file is not the one that was accepted as %s", ref.At())
	}
	a, err := ledger.ParseAcceptance(s)
	if err != nil {
		return nil, refuse(ReasonStatement, "%s: %w", ref.At(), err)
	}
	listed := slices.ContainsFunc(a.Files, func(f ledger.ReleaseFile) bool {
		return f.Path == format.MainFile() && f.SHA256 == digest && f.Size == int64(len(main))
	})
	switch {
	case a.Registry.Name != p.Registry:
		return nil, refuse(ReasonRegistry, "evidence for %s is of the registry %s", ref.At(), a.Registry.Name)
	case a.Name != ref.Name || a.Version != ref.Version || a.Format != format:
		return nil, refuse(ReasonSubject, "evidence for %s is about %s@%s", ref.At(), a.Name, a.Version)
	case !listed:
		return nil, refuse(ReasonFile, "evidence for %s does not list the file", ref.At())
	case !bytes.Equal(ledger.Encode(m.Tool.Permissions()), ledger.Encode(a.Permissions)):
		return nil, refuse(ReasonManifest, "the file of %s asks for other permissions than were signed", ref.At())
	}
	return a, nil
}
