// Command table writes internal/standalone/table.txt, the pinned table of
// builds of CPython, out of the metadata that uv keeps of the releases of
// python-build-standalone: crates/uv-python/download-metadata.json in uv's
// repository, which names the digest of every archive. Read the difference
// before you commit it.
//
//	go run ./docs/python/table download-metadata.json >internal/standalone/table.txt
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/standalone"
	"github.com/patch-cat/patch-git/spec"
)

// Minor versions that the table has.
const (
	lowestMinor  = 10
	highestMinor = 14
)

// platforms are those that the table has, by what uv calls them.
var platforms = map[string]struct{ goos, goarch, triple string }{
	"linux x86_64 gnu":    {"linux", "amd64", "x86_64-unknown-linux-gnu"},
	"linux aarch64 gnu":   {"linux", "arm64", "aarch64-unknown-linux-gnu"},
	"darwin x86_64 none":  {"darwin", "amd64", "x86_64-apple-darwin"},
	"darwin aarch64 none": {"darwin", "arm64", "aarch64-apple-darwin"},
	"windows x86_64 none": {"windows", "amd64", "x86_64-pc-windows-msvc"},
}

// download is what uv's metadata says of one archive.
type download struct {
	Name string `json:"name"`
	Arch struct {
		Family  string  `json:"family"`
		Variant *string `json:"variant"`
	} `json:"arch"`
	OS         string  `json:"os"`
	Libc       string  `json:"libc"`
	Major      int     `json:"major"`
	Minor      int     `json:"minor"`
	Patch      int     `json:"patch"`
	Prerelease *string `json:"prerelease"`
	URL        string  `json:"url"`
	SHA256     *string `json:"sha256"`
	Variant    *string `json:"variant"`
	Build      *string `json:"build"`
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(args []string, w io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: table download-metadata.json")
	}
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	table, err := write(data)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, table)
	return err
}

// write makes the table: for each minor version and platform the newest build.
func write(metadata []byte) (string, error) {
	var all map[string]download
	if err := json.Unmarshal(metadata, &all); err != nil {
		return "", err
	}
	newest := map[string]standalone.Build{}
	for key, d := range all {
		b, ok, err := build(d)
		if err != nil {
			return "", fmt.Errorf("%s: %w", key, err)
		}
		place := b.Minor() + " " + b.Triple
		if old, has := newest[place]; ok && (!has || order(old, b) < 0) {
			newest[place] = b
		}
	}
	if want := (highestMinor - lowestMinor + 1) * len(platforms); len(newest) != want {
		return "", fmt.Errorf("the metadata has %d builds of those that the table wants, not %d", len(newest), want)
	}
	var rows []standalone.Build
	for _, b := range newest {
		rows = append(rows, b)
	}
	slices.SortFunc(rows, order)
	var out strings.Builder
	out.WriteString("# Builds of CPython by python-build-standalone: version, date of the release,\n" +
		"# platform, triple, SHA-256 of the archive. Written by docs/python/table.\n")
	for _, b := range rows {
		fmt.Fprintf(&out, "%s %s %s/%s %s %s\n", b.Version, b.Date, b.GOOS, b.GOARCH, b.Triple, b.SHA256.Hex())
	}
	return out.String(), nil
}

func order(a, b standalone.Build) int {
	return cmp.Or(standalone.CompareVersions(a.Version, b.Version), cmp.Compare(a.Date, b.Date), cmp.Compare(a.Triple, b.Triple))
}

// build reads one entry; ok is false for what the table does not have. An
// entry that it would have, and that is not named as the program will ask for
// it, is an error: the program puts addresses together by itself.
func build(d download) (b standalone.Build, ok bool, err error) {
	p, known := platforms[d.OS+" "+d.Arch.Family+" "+d.Libc]
	b = standalone.Build{Version: fmt.Sprintf("%d.%d.%d", d.Major, d.Minor, d.Patch), GOOS: p.goos, GOARCH: p.goarch, Triple: p.triple}
	special := text(d.Arch.Variant) + text(d.Prerelease) + text(d.Variant)
	if !known || d.Name != "cpython" || special != "" || d.Major != 3 || d.Minor < lowestMinor || d.Minor > highestMinor ||
		!strings.HasSuffix(d.URL, "-install_only_stripped.tar.gz") {
		return b, false, nil
	}
	b.Date = text(d.Build)
	if b.SHA256, err = spec.ParseDigest(text(d.SHA256)); err != nil {
		return b, false, err
	}
	if want := b.URL(standalone.Upstream); d.URL != want {
		return b, false, fmt.Errorf("it lies at %s, not at %s", d.URL, want)
	}
	return b, true, nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
