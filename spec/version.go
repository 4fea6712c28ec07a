package spec

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"
)

// Version is a version as SemVer 2.0.0 writes it, three numbers and optionally
// a pre-release, without "v" and without build metadata [PM-9, C-22]. Only
// [ParseVersion] makes one.
type Version string

// maxVersion bounds the length of a version; 19 digits is what 2^63 needs.
const maxVersion = 64

// ParseVersion reads a version. Leading zeros, missing numbers, build metadata
// and numbers above 2^63-1 are refused.
func ParseVersion(s string) (Version, error) {
	v := "v" + s
	if len(s) > maxVersion || !semver.IsValid(v) || semver.Canonical(v) != v {
		return "", fmt.Errorf("version %s is not of the form x.y.z (SemVer 2.0.0, without build metadata)", Quote(s))
	}
	core, _, _ := strings.Cut(s, "-")
	for n := range strings.SplitSeq(core, ".") {
		if len(n) > 19 || len(n) == 19 && n > "9223372036854775807" {
			return "", fmt.Errorf("version %s has a number above 2^63-1", Quote(s))
		}
	}
	return Version(s), nil
}

// Compare orders versions by SemVer precedence: negative when v is lower.
func (v Version) Compare(w Version) int { return semver.Compare("v"+string(v), "v"+string(w)) }

// IsPrerelease tells whether the version has a pre-release part; such a
// version is never "latest" [C-43].
func (v Version) IsPrerelease() bool { return semver.Prerelease("v"+string(v)) != "" }

func (v Version) String() string { return string(v) }

// UnmarshalText implements encoding.TextUnmarshaler by way of [ParseVersion].
func (v *Version) UnmarshalText(b []byte) error {
	p, err := ParseVersion(string(b))
	if err != nil {
		return err
	}
	*v = p
	return nil
}
