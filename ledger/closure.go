package ledger

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// ClosureSchema is the edition of [Closure].
const ClosureSchema = "patch-git/closure/v1"

// Closure is closure.json: every wheel that a release needs, by digest, for
// each target platform. It is resolved once, when the version is accepted, so
// that a client needs neither a resolver nor an index.
type Closure struct {
	Schema       string             `json:"schema"`
	Python       string             `json:"python"` // "3.12"
	Resolver     string             `json:"resolver"`
	ExcludeNewer string             `json:"exclude_newer,omitempty"`
	Targets      map[string][]Wheel `json:"targets"` // sorted by file within a target
}

// Wheel is one file of a closure. Only the digest counts; the address is a
// suggestion that a mirror may replace.
type Wheel struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	File    string      `json:"file"`
	URL     string      `json:"url"`
	SHA256  spec.Digest `json:"sha256"`
	Size    int64       `json:"size"`
}

// isPackageWord tells whether s is a name as packages, versions, targets and
// wheels have them: ASCII, a letter or digit first, at most most characters.
func isPackageWord(s string, most int) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || strings.IndexByte("._+!-", c) < 0) {
			return false
		}
	}
	return s != "" && len(s) <= most
}

// isMinor tells whether s is "3." and one or two digits.
func isMinor(s string) bool {
	digits, ok := strings.CutPrefix(s, "3.")
	return ok && (len(digits) == 1 || len(digits) == 2) && strings.Trim(digits, "0123456789") == ""
}

const (
	wheelFileName = 200 // characters
	packageName   = 100
)

// ParseClosure reads closure.json.
func ParseClosure(data []byte) (*Closure, error) {
	c, err := decode[Closure]("closure", data, limits.ClosureBytes)
	if err != nil {
		return nil, err
	}
	if err := checkSchema("closure", c.Schema, ClosureSchema); err != nil {
		return nil, err
	}
	if !isMinor(c.Python) {
		return nil, fmt.Errorf("closure has the Python version %s", spec.Quote(c.Python))
	}
	for target, wheels := range c.Targets {
		if !isPackageWord(target, packageName) {
			return nil, fmt.Errorf("closure has the target %s", spec.Quote(target))
		}
		if len(wheels) > limits.ClosureItems {
			return nil, fmt.Errorf("closure has %d wheels for %s, allowed are %d", len(wheels), target, limits.ClosureItems)
		}
		for i, w := range wheels {
			if err := w.check(); err != nil {
				return nil, fmt.Errorf("closure for %s: %w", target, err)
			}
			if i > 0 && wheels[i-1].File >= w.File {
				return nil, fmt.Errorf("closure for %s is out of order", target)
			}
		}
	}
	return c, nil
}

func (w Wheel) check() error {
	if !isPackageWord(w.File, wheelFileName) || !strings.HasSuffix(w.File, ".whl") || !isPackageWord(w.Name, packageName) || !isPackageWord(w.Version, packageName) {
		return fmt.Errorf("wheel %s of %s %s has a name that is not allowed", spec.Quote(w.File), spec.Quote(w.Name), spec.Quote(w.Version))
	}
	if w.Size <= 0 || w.Size > limits.WheelBytes {
		return fmt.Errorf("wheel %s has %d bytes, allowed are %d", w.File, w.Size, limits.WheelBytes)
	}
	if u, err := url.Parse(w.URL); err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return fmt.Errorf("wheel %s has an address that is not https", w.File)
	}
	return nil
}
