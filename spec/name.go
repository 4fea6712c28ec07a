package spec

import (
	"fmt"
	"strings"
)

// Name is the name of a tool: lower-case words of ASCII letters and digits
// joined by single underscores, beginning with a letter, 3 to 48 characters
// [C-4, PM-7]. Only [ParseName] makes one. Its spelling is safe as a file name
// on every system, as a Python identifier and as a tool name of every AI host.
type Name string

const (
	minName = 3
	maxName = 48
	// ReservedPrefix marks names that belong to patch-git's own meta-tools [C-4].
	ReservedPrefix = "patch_"
)

// isSnake tells whether s is [a-z][a-z0-9]*(_[a-z0-9]+)*. It is written out
// because a regular expression at package level costs every start of the
// program what the whole verification of a release costs.
func isSnake(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
		case c >= '0' && c <= '9' && i > 0:
		case c == '_' && i > 0 && s[i-1] != '_' && i < len(s)-1:
		default:
			return false
		}
	}
	return s != ""
}

// windowsDevices cannot be file names on Windows, whatever their extension.
var windowsDevices = map[string]bool{
	"con": true, "prn": true, "aux": true, "nul": true,
	"com1": true, "com2": true, "com3": true, "com4": true, "com5": true, "com6": true, "com7": true, "com8": true, "com9": true,
	"lpt1": true, "lpt2": true, "lpt3": true, "lpt4": true, "lpt5": true, "lpt6": true, "lpt7": true, "lpt8": true, "lpt9": true,
}

// ParseName reads a tool name. The error says which rule is broken.
func ParseName(s string) (Name, error) {
	switch {
	case len(s) < minName || len(s) > maxName:
		return "", fmt.Errorf("name %s has %d characters, allowed are %d to %d", Quote(s), len(s), minName, maxName)
	case !isSnake(s):
		return "", fmt.Errorf("name %s is not snake_case (lower-case letters and digits, words joined by one underscore, a letter first)", Quote(s))
	case strings.HasPrefix(s, ReservedPrefix):
		return "", fmt.Errorf("name %s begins with %q, which is reserved", Quote(s), ReservedPrefix)
	case windowsDevices[s]:
		return "", fmt.Errorf("name %s is a device name on Windows", Quote(s))
	}
	return Name(s), nil
}

// Shard is the first two letters of the name, the directory level that keeps
// folders of a registry small.
func (n Name) Shard() string { return string(n[:2]) }

func (n Name) String() string { return string(n) }

// UnmarshalText implements encoding.TextUnmarshaler by way of [ParseName].
func (n *Name) UnmarshalText(b []byte) error {
	p, err := ParseName(string(b))
	if err != nil {
		return err
	}
	*n = p
	return nil
}
