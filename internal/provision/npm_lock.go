package provision

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// npmPackage is one package of a lock.
type npmPackage struct {
	Path      string // "node_modules/a/node_modules/b"
	Name      string
	Version   string
	URL       string
	Integrity string // "sha512-…"
	sum       [sha512.Size]byte
	Scripts   bool // it has install scripts, which are not run
}

// maxPackages is how many packages one lock may name.
const maxPackages = 3000

// parseNPMLock reads a package-lock.json of edition 3, as npm writes it, and refuses
// every package that is not an archive of the registry with a SHA-512. Packages for
// other platforms than here (operating system and processor in npm's words) are left
// out, as npm does.
func parseNPMLock(data []byte, registry string, here [2]string) ([]npmPackage, error) {
	var doc struct {
		Version  int `json:"lockfileVersion"`
		Packages map[string]struct {
			Name      string          `json:"name"`
			Version   string          `json:"version"`
			Resolved  string          `json:"resolved"`
			Integrity string          `json:"integrity"`
			Link      bool            `json:"link"`
			Dev       bool            `json:"dev"`
			Optional  bool            `json:"optional"`
			InBundle  bool            `json:"inBundle"`
			Scripts   bool            `json:"hasInstallScript"`
			OS        json.RawMessage `json:"os"`
			CPU       json.RawMessage `json:"cpu"`
		} `json:"packages"`
	}
	if json.Unmarshal(data, &doc) != nil || doc.Version != 3 {
		return nil, refused("npm wrote a lock that this program does not know")
	}
	if len(doc.Packages) > maxPackages {
		return nil, refused("it needs %d packages, allowed are %d", len(doc.Packages), maxPackages)
	}
	from, err := url.Parse(registry)
	if err != nil {
		return nil, err
	}
	var out []npmPackage
	for where, p := range doc.Packages {
		if where == "" || p.Dev || p.InBundle {
			continue
		}
		if !fits(p.OS, here[0]) || !fits(p.CPU, here[1]) {
			if !p.Optional {
				return nil, refused("%s is not for %s on %s", spec.Quote(where), here[0], here[1])
			}
			continue
		}
		name, err := npmPath(where)
		if err != nil {
			return nil, err
		}
		q := npmPackage{Path: where, Name: name, Version: p.Version, URL: p.Resolved, Integrity: p.Integrity, Scripts: p.Scripts}
		if p.Name != "" { // an alias: another package lies under that name
			q.Name = p.Name
		}
		u, err := url.Parse(p.Resolved)
		if p.Link || err != nil || u.Scheme != from.Scheme || u.Host != from.Host || u.User != nil {
			return nil, refused("%s is not of the registry", spec.Quote(where))
		}
		if q.sum, err = integrity(p.Integrity); err != nil {
			return nil, refused("%s has no SHA-512 in the lock", spec.Quote(where))
		}
		out = append(out, q)
	}
	slices.SortFunc(out, func(a, b npmPackage) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// npmPath checks where a package is to lie, and returns its name.
func npmPath(where string) (string, error) {
	bad := refused("the package %s would lie elsewhere", spec.Quote(where))
	rest, name := where, ""
	for rest != "" {
		in, ok := strings.CutPrefix(rest, "node_modules/")
		if !ok {
			return "", bad
		}
		name, rest, _ = strings.Cut(in, "/")
		if strings.HasPrefix(name, "@") {
			var second string
			second, rest, _ = strings.Cut(rest, "/")
			name += "/" + second
		}
		if !npmName().MatchString(strings.ToLower(name)) {
			return "", bad
		}
	}
	if name == "" || path.Clean(where) != where || len(where) > 500 {
		return "", bad
	}
	return name, nil
}

// fits tells whether a list of platforms, some with a ! before, has one.
func fits(raw json.RawMessage, here string) bool {
	var list []string
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		list = []string{one}
	} else if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return true
	}
	positive := false
	for _, l := range list {
		if l == "!"+here {
			return false
		}
		positive = positive || !strings.HasPrefix(l, "!")
	}
	return !positive || slices.Contains(list, here) || slices.Contains(list, "any")
}

// integrity reads the SHA-512 of a Subresource Integrity string.
func integrity(text string) (sum [sha512.Size]byte, err error) {
	for word := range strings.FieldsSeq(text) {
		if encoded, ok := strings.CutPrefix(word, "sha512-"); ok {
			b, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil || len(b) != len(sum) {
				return sum, errors.New("no SHA-512")
			}
			return [sha512.Size]byte(b), nil
		}
	}
	return sum, errors.New("no SHA-512")
}

// mainPackage is the package that was asked for.
func mainPackage(all []npmPackage, name, version string) (npmPackage, error) {
	for _, p := range all {
		if p.Path == "node_modules/"+name {
			if p.Version != version || p.Name != name {
				return p, refused("npm chose %s of %s, and not %s", spec.Quote(p.Version), spec.Quote(p.Name), version)
			}
			return p, nil
		}
	}
	return npmPackage{}, refused("npm did not choose %s", spec.Quote(name))
}

// readSmall reads a file of an artifact.
func readSmall(name string) ([]byte, error) {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("no file")
	}
	return durable.ReadFileNoFollow(name, limits.Document)
}
