package ledger

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Listing is one tool in search/tools.json.
type Listing struct {
	Name        spec.Name    `json:"name"`
	Latest      spec.Version `json:"latest"`
	Description string       `json:"description"`
	Deprecated  bool         `json:"deprecated,omitempty"`
}

// The catalogue is JSON with one listing in each line, sorted by name, so that
// changing one tool is replacing one line: sealing a version must not cost
// more in a registry of ten thousand tools than in one of a hundred.
const (
	catalogueOpen  = `{"schema":"patch-git/catalogue/v1","tools":[` + "\n"
	catalogueClose = "]}\n"
)

// EmptyCatalogue is search/tools.json of a registry without tools.
func EmptyCatalogue() []byte { return []byte(catalogueOpen + catalogueClose) }

// NewListing returns the line of a record; nil when no version of it can be resolved.
func NewListing(r *Record) *Listing {
	v := r.Latest()
	if v == nil {
		return nil
	}
	return &Listing{Name: r.Name, Latest: v.Version, Description: r.Description, Deprecated: r.Deprecated != ""}
}

// ParseCatalogue reads search/tools.json.
func ParseCatalogue(data []byte) ([]Listing, error) {
	lines, err := catalogueLines(data)
	if err != nil {
		return nil, err
	}
	out := make([]Listing, 0, len(lines))
	for i, l := range lines {
		one, err := decode[Listing]("catalogue line", append(l[:len(l):len(l)], '\n'), limits.LogEntry)
		if err != nil {
			return nil, err
		}
		if i > 0 && out[i-1].Name >= one.Name {
			return nil, fmt.Errorf("catalogue is out of order at %q", one.Name)
		}
		out = append(out, *one)
	}
	return out, nil
}

// UpdateCatalogue returns the catalogue with the lines of the names replaced;
// a nil listing takes a line out.
func UpdateCatalogue(data []byte, change map[spec.Name]*Listing) ([]byte, error) {
	lines, err := catalogueLines(data)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(change))
	out := bytes.NewBuffer(make([]byte, 0, len(data)+256*len(change)))
	out.WriteString(catalogueOpen)
	first := true
	add := func(line []byte) {
		if !first {
			out.WriteString(",\n")
		}
		first = false
		out.Write(line)
	}
	insert := func(n spec.Name) {
		if l := change[n]; l != nil {
			b := Encode(l)
			add(b[:len(b)-1])
		}
	}
	for _, line := range lines {
		name, err := lineName(line)
		if err != nil {
			return nil, err
		}
		for len(names) > 0 && string(names[0]) < name {
			insert(names[0])
			names = names[1:]
		}
		if len(names) > 0 && string(names[0]) == name {
			insert(names[0])
			names = names[1:]
			continue
		}
		add(line)
	}
	for _, n := range names {
		insert(n)
	}
	if !first {
		out.WriteByte('\n')
	}
	out.WriteString(catalogueClose)
	return out.Bytes(), nil
}

// catalogueLines returns the listings, undecoded and without their commas.
func catalogueLines(data []byte) ([][]byte, error) {
	if len(data) > limits.Catalogue {
		return nil, fmt.Errorf("catalogue has %d bytes, allowed are %d", len(data), limits.Catalogue)
	}
	body, ok := bytes.CutPrefix(data, []byte(catalogueOpen))
	if !ok {
		return nil, fmt.Errorf("catalogue does not begin as this program writes it")
	}
	if body, ok = bytes.CutSuffix(body, []byte(catalogueClose)); !ok {
		return nil, fmt.Errorf("catalogue is cut")
	}
	if len(body) == 0 {
		return nil, nil
	}
	if body, ok = bytes.CutSuffix(body, []byte("\n")); !ok {
		return nil, fmt.Errorf("catalogue is cut")
	}
	lines := bytes.Split(body, []byte("\n"))
	for i, l := range lines {
		if i < len(lines)-1 {
			if l, ok = bytes.CutSuffix(l, []byte(",")); !ok {
				return nil, fmt.Errorf("catalogue has a line without a comma")
			}
			lines[i] = l
		}
	}
	return lines, nil
}

// lineName reads the name of a line without decoding the rest.
func lineName(line []byte) (string, error) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"name":"`))
	end := bytes.IndexByte(rest, '"')
	if !ok || end < 0 {
		return "", fmt.Errorf("catalogue has the line %s", spec.Quote(string(line)))
	}
	return string(rest[:end]), nil
}
