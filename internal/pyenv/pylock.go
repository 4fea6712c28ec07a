package pyenv

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// lockedPackage is what is used of one [[packages]] entry of a pylock.toml
// (PEP 751).
type lockedPackage struct {
	name, version string
	wheels        []ledger.Wheel // Size is 0 where the lock does not tell it
}

// parseLock reads a lock file that a resolver wrote.
func parseLock(text string) ([]lockedPackage, error) {
	doc, err := parseTOML(text)
	if err != nil {
		return nil, fmt.Errorf("lock file: %w", err)
	}
	if v, _ := doc["lock-version"].(string); v != "1.0" {
		return nil, fmt.Errorf("lock file has version %s, this program reads \"1.0\"", spec.Quote(v))
	}
	var out []lockedPackage
	list, _ := doc["packages"].([]any)
	for _, item := range list {
		p, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("lock file has a package that is not a table")
		}
		locked := lockedPackage{name: field(p, "name"), version: field(p, "version")}
		// What is not a file of the index has nobody who keeps it as it is,
		// and could be anything by the time that it is built.
		for _, foreign := range []string{"vcs", "directory", "archive"} {
			if _, ok := p[foreign]; ok {
				return nil, fault.New(fault.Findings, "unresolvable", "package %s comes from a %s, not from the package index", spec.Quote(locked.name), foreign)
			}
		}
		wheels, _ := p["wheels"].([]any)
		for _, item := range wheels {
			w, err := lockedWheel(item, locked)
			if err != nil {
				return nil, err
			}
			locked.wheels = append(locked.wheels, w)
		}
		out = append(out, locked)
	}
	return out, nil
}

func lockedWheel(item any, p lockedPackage) (ledger.Wheel, error) {
	table, _ := item.(map[string]any)
	hashes, _ := table["hashes"].(map[string]any)
	digest, err := spec.ParseDigest(field(hashes, "sha256"))
	if err != nil {
		return ledger.Wheel{}, fmt.Errorf("lock file has a wheel of %s without a SHA-256", spec.Quote(p.name))
	}
	u, err := url.Parse(field(table, "url"))
	if err != nil || u.Host == "" {
		return ledger.Wheel{}, fmt.Errorf("lock file has a wheel of %s without an address", spec.Quote(p.name))
	}
	u.Fragment = ""
	w := ledger.Wheel{Name: p.name, Version: p.version, File: or(field(table, "name"), path.Base(u.Path)), URL: u.String(), SHA256: digest}
	w.Size, _ = table["size"].(int64)
	return w, nil
}

// field is the string at a key of a table, "" when there is none.
func field(table map[string]any, key string) string {
	s, _ := table[key].(string)
	return s
}

// pick takes the wheel of each package that an installer would take on the
// target, sorted by file name.
func pick(packages []lockedPackage, python string, t target) ([]ledger.Wheel, error) {
	_, minor := versionParts(python)
	out := []ledger.Wheel{}
	for _, p := range packages {
		best, found := 0, false
		var chosen ledger.Wheel
		for _, w := range p.wheels {
			score, fits := rank(w.File, minor, t)
			// Equal scores are builds of one wheel: the highest name is the
			// newest build.
			if fits && (!found || score < best || score == best && w.File > chosen.File) {
				best, chosen, found = score, w, true
			}
		}
		if !found {
			return nil, fmt.Errorf("package %s %s has no wheel for %s", spec.Quote(p.name), spec.Quote(p.version), t)
		}
		out = append(out, chosen)
	}
	slices.SortFunc(out, func(a, b ledger.Wheel) int { return strings.Compare(a.File, b.File) })
	return out, nil
}
