package spec

import (
	"fmt"
	"strings"
)

// RegistryName is "<owner>/<registry>" in lower case: the owner and the
// repository of a GitHub registry, or two words of one's own choice for a
// registry on one machine. Only [ParseRegistryName] makes one.
type RegistryName string

// isWord tells whether s is at most most characters of a-z, 0-9 and, but for
// the first and the last, of inner.
func isWord(s string, most int, inner string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || i == len(s)-1 || strings.IndexByte(inner, c) < 0) {
			return false
		}
	}
	return s != "" && len(s) <= most
}

// ParseRegistryName reads "<owner>/<registry>".
func ParseRegistryName(s string) (RegistryName, error) {
	owner, name, ok := strings.Cut(s, "/")
	if !ok || !isWord(owner, 39, "-") || !isWord(name, 100, "._-") {
		return "", fmt.Errorf("registry name %s is not of the form owner/registry in lower case", Quote(s))
	}
	return RegistryName(s), nil
}

// ParseRepository reads owner/name of a GitHub repository as it is spelled there,
// and returns the name of its registry: GitHub tells no two repositories apart
// by upper and lower case.
func ParseRepository(s string) (RegistryName, error) {
	lower := []byte(s)
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' { // and no other: letters of other scripts that fold to these are not in names
			lower[i] = c + 'a' - 'A'
		}
	}
	return ParseRegistryName(string(lower))
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
