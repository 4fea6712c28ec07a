package spec

import "fmt"

const (
	minTag = 2
	maxTag = 24
)

// ParseTag reads a tag: lower-case words of ASCII letters and digits joined by
// single hyphens, 2 to 24 characters. It is safe in an address and needs no
// quotes in a query.
func ParseTag(s string) (string, error) {
	if len(s) < minTag || len(s) > maxTag {
		return "", fmt.Errorf("tag %s has %d characters, allowed are %d to %d", Quote(s), len(s), minTag, maxTag)
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case c == '-' && i > 0 && s[i-1] != '-' && i < len(s)-1:
		default:
			return "", fmt.Errorf("tag %s is not of lower-case letters and digits, words joined by one hyphen", Quote(s))
		}
	}
	return s, nil
}
