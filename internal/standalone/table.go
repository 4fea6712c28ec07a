package standalone

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/spec"
)

// Upstream is where the project publishes its archives. A mirror has the same
// folders below another address, as mirrors for uv do.
const Upstream = "https://github.com/astral-sh/python-build-standalone/releases/download"

// pinned is the table of builds. docs/python/table writes it out of the
// metadata that uv keeps of the project's releases:
//
//	go run ./docs/python/table download-metadata.json >internal/standalone/table.txt
//
//go:embed table.txt
var pinned string

// Build is one archive of the table.
type Build struct {
	Version string      // "3.12.14"
	Date    string      // of the project's release, "20260814"
	GOOS    string      // as Go names it
	GOARCH  string      // as Go names it
	Triple  string      // as the project names both, and the C library
	SHA256  spec.Digest // of the archive
}

// Minor is the version that manifests name: "3.12".
func (b Build) Minor() string { return b.Version[:strings.LastIndexByte(b.Version, '.')] }

// File is the name of the archive.
func (b Build) File() string {
	return "cpython-" + b.Version + "+" + b.Date + "-" + b.Triple + "-install_only_stripped.tar.gz"
}

// URL is where the archive lies below the address of a mirror, or of
// [Upstream].
func (b Build) URL(base string) string {
	// The project writes the plus sign escaped; servers differ in whether they
	// take it for a space.
	return strings.TrimRight(base, "/") + "/" + b.Date + "/" + strings.ReplaceAll(url.PathEscape(b.File()), "+", "%2B")
}

// ID names a build in folders: version, date, and the beginning of the digest.
func (b Build) ID() string { return b.Version + "-" + b.Date + "-" + b.SHA256.Short() }

// builds reads the table when it is first asked for. A test holds it to be
// whole; a damaged one offers nothing.
var builds = sync.OnceValue(func() []Build {
	all, err := ParseTable(pinned)
	if err != nil {
		return nil
	}
	return all
})

// For lists the builds for a platform, the newest version first.
func For(goos, goarch string) []Build {
	var out []Build
	for _, b := range builds() {
		if b.GOOS == goos && b.GOARCH == goarch {
			out = append(out, b)
		}
	}
	slices.SortFunc(out, func(a, b Build) int {
		return cmp.Or(CompareVersions(b.Version, a.Version), cmp.Compare(b.Date, a.Date))
	})
	return out
}

// Find returns the newest build for a platform of a minor version ("3.12") or
// of exactly a version ("3.12.14").
func Find(goos, goarch, version string) (Build, bool) {
	for _, b := range For(goos, goarch) {
		if b.Version == version || b.Minor() == version {
			return b, true
		}
	}
	return Build{}, false
}

// ParseTable reads a table: a line for each build, with version, date,
// GOOS/GOARCH, triple and digest; lines that begin with # say what it is.
func ParseTable(text string) ([]Build, error) {
	var out []Build
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line == "" || line[0] == '#' {
			continue
		}
		b, err := parseBuild(strings.Fields(line))
		if err != nil {
			return nil, fmt.Errorf("line %s: %w", spec.Quote(line), err)
		}
		out = append(out, b)
	}
	return out, nil
}

func parseBuild(f []string) (Build, error) {
	if len(f) != 5 {
		return Build{}, fmt.Errorf("it has %d columns, not 5", len(f))
	}
	goos, goarch, _ := strings.Cut(f[2], "/")
	digest, err := spec.ParseDigest(f[4])
	b := Build{Version: f[0], Date: f[1], GOOS: goos, GOARCH: goarch, Triple: f[3], SHA256: digest}
	switch {
	case err != nil:
		return Build{}, err
	case !plainVersion(b.Version):
		return Build{}, errors.New("the version is not like 3.12.1")
	case len(b.Date) != 8 || !digits(b.Date):
		return Build{}, errors.New("the date is not like 20260814")
	case goos == "" || goarch == "" || strings.Trim(b.Triple, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "":
		return Build{}, errors.New("the platform is not one")
	}
	return b, nil
}

// plainVersion tells whether a text is like 3.12.1.
func plainVersion(v string) bool {
	parts := strings.Split(v, ".")
	return len(parts) == 3 && parts[0] == "3" && !slices.ContainsFunc(parts, func(p string) bool { return len(p) > 3 || !digits(p) })
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// CompareVersions orders versions such as 3.9.2 and 3.12.1 by their numbers.
func CompareVersions(a, b string) int {
	return slices.Compare(numbers(a), numbers(b))
}

func numbers(v string) []int {
	var out []int
	for p := range strings.SplitSeq(v, ".") {
		n, err := strconv.Atoi(p)
		if err != nil {
			return out
		}
		out = append(out, n)
	}
	return out
}
