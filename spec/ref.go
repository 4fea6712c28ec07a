package spec

import (
	"fmt"
	"strings"
)

// Ref points at a tool. It only ever gains precision: name, then version, then
// the digest of the release document, and once it has a digest nobody resolves
// it again.
type Ref struct {
	Name    Name
	Version Version // "" until resolved
	Digest  Digest  // of release.json; zero until resolved
}

// ParseRef reads name, name@1.2.0 or name@1.2.0#sha256:<hex>.
func ParseRef(s string) (Ref, error) {
	var r Ref
	rest, digest, hasDigest := strings.Cut(s, "#")
	name, version, hasVersion := strings.Cut(rest, "@")
	var err error
	if r.Name, err = ParseName(name); err != nil {
		return Ref{}, err
	}
	if hasVersion {
		if r.Version, err = ParseVersion(version); err != nil {
			return Ref{}, err
		}
	}
	if hasDigest {
		if !hasVersion {
			return Ref{}, fmt.Errorf("reference %s has a digest but no version", Quote(s))
		}
		if !strings.HasPrefix(digest, "sha256:") {
			return Ref{}, fmt.Errorf("reference %s: the digest must begin with %q", Quote(s), "sha256:")
		}
		if r.Digest, err = ParseDigest(digest); err != nil {
			return Ref{}, err
		}
	}
	return r, nil
}

// Pinned tells whether the reference names one exact content.
func (r Ref) Pinned() bool { return !r.Digest.IsZero() }

// String is the inverse of [ParseRef].
func (r Ref) String() string {
	s := string(r.Name)
	if r.Version != "" {
		s += "@" + string(r.Version)
	}
	if r.Pinned() {
		s += "#" + r.Digest.String()
	}
	return s
}

// At is name@version, without the digest: what a person types and reads.
func (r Ref) At() string { return Ref{Name: r.Name, Version: r.Version}.String() }
