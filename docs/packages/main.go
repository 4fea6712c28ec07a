// Command packages writes quarantine/packages.txt, the names of the packages
// that a tool may ask for without anybody's word: the 15,000 most downloaded of
// the Python package index, as GuardDog ships them in its wheel. Names are facts;
// nothing else of the wheel is taken. Read the difference before you commit it: a
// name that is new to the list is trusted from then on.
//
//	pip download --no-deps -d bin guarddog && go run ./docs/packages bin/guarddog-*.whl >quarantine/packages.txt
package main

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// resource is the list in the wheel.
const resource = "guarddog/analyzer/metadata/resources/top_pypi_packages.json"

// fewest is how many names a list has that is worth its name; a shorter one
// would refuse what was accepted yesterday.
const fewest = 14000

var (
	separators = regexp.MustCompile(`[-_.]+`)
	normal     = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: go run ./docs/packages guarddog-*.whl")
	}
	names, at, err := read(args[0])
	if err != nil {
		return err
	}
	if len(names) < fewest {
		return fmt.Errorf("%s has %d names, fewer than %d", args[0], len(names), fewest)
	}
	_, err = fmt.Fprintf(out, `# The most downloaded packages of the Python package index: %d normal names (PEP 503),
# sorted as bytes, because they are looked up where they stand. From %s,
# whose list is of %s. Made again, with another wheel, by:
#
#	pip download --no-deps -d bin guarddog && go run ./docs/packages bin/guarddog-*.whl >quarantine/packages.txt

%s
`, len(names), path.Base(args[0]), at.Format(time.DateOnly), strings.Join(names, "\n"))
	return err
}

// read returns the normal names, sorted, and when the list was made.
func read(wheel string) (names []string, at time.Time, err error) {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return nil, at, err
	}
	defer func() { _ = z.Close() }() // read only
	f, err := z.Open(resource)
	if err != nil {
		return nil, at, err
	}
	defer func() { _ = f.Close() }() // read only
	var list struct {
		Downloaded int64    `json:"downloaded_timestamp"`
		Packages   []string `json:"packages"`
	}
	if err := json.NewDecoder(io.LimitReader(f, 8<<20)).Decode(&list); err != nil {
		return nil, at, fmt.Errorf("%s: %w", resource, err)
	}
	for _, p := range list.Packages {
		name := strings.ToLower(separators.ReplaceAllString(p, "-"))
		if !normal.MatchString(name) {
			return nil, at, fmt.Errorf("%q is no name of a package", p)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names), time.Unix(list.Downloaded, 0).UTC(), nil
}
