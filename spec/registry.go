package spec

import (
	"fmt"
	"regexp"
)

// RegistryName is "<owner>/<registry>" in lower case: the owner and the
// repository of a GitHub registry, or two words of one's own choice for a
// registry on one machine. Only [ParseRegistryName] makes one.
type RegistryName string

var registryGrammar = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,37}[a-z0-9])?/[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9])?$`)

// ParseRegistryName reads "<owner>/<registry>".
func ParseRegistryName(s string) (RegistryName, error) {
	if !registryGrammar.MatchString(s) {
		return "", fmt.Errorf("registry name %s is not of the form owner/registry in lower case", Quote(s))
	}
	return RegistryName(s), nil
}

func (n RegistryName) String() string { return string(n) }

// UnmarshalText implements encoding.TextUnmarshaler by way of [ParseRegistryName].
func (n *RegistryName) UnmarshalText(b []byte) error {
	p, err := ParseRegistryName(string(b))
	if err != nil {
		return err
	}
	*n = p
	return nil
}

// Subject is what a statement about one release is about: a package URL that
// no other release of any registry shares.
func (n RegistryName) Subject(r Ref) string {
	return "pkg:patch-git/" + string(n) + "/" + r.At()
}

// HeadSubject is what a statement about the head of the registry is about.
func (n RegistryName) HeadSubject() string { return "pkg:patch-git/" + string(n) }
