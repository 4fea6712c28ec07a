package ledger

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Listing is one tool in search/tools.json: all that a search looks at, and all
// that its card shows.
type Listing struct {
	Name        spec.Name        `json:"name"`
	Latest      spec.Version     `json:"latest"`
	Description string           `json:"description"`
	Deprecated  bool             `json:"deprecated,omitempty"`
	Published   string           `json:"published"`          // of the latest version
	Owners      []string         `json:"owners"`             // logins
	Verified    bool             `json:"verified,omitempty"` // the latest version came by a pull request of an owner
	Permissions spec.Permissions `json:"permissions"`        // of the latest version
	Summary     Summary          `json:"summary"`
}

// The catalogue is JSON with one listing in each line, sorted by name, so that
// changing one tool is replacing one line: sealing a version must not cost
// more in a registry of ten thousand tools than in one of a hundred.
const (
	catalogueOpen  = `{"schema":"patch-git/catalogue/v2","tools":[` + "\n"
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
	l := &Listing{
		Name: r.Name, Latest: v.Version, Description: r.Description, Deprecated: r.Deprecated != "",
		Published: v.Published, Permissions: v.Permissions, Summary: r.Summary,
	}
	for _, o := range r.Owners {
		l.Owners = append(l.Owners, o.Login)
	}
	l.Verified = r.ByOwner(v)
	return l
}

// ByOwner tells whether a version came by a pull request of somebody who owns the
// tool now, by the number of their account.
func (r *Record) ByOwner(v *RecordVersion) bool {
	return v.PullRequest != "" && v.Contributor.ID != 0 && slices.ContainsFunc(r.Owners, func(o Owner) bool { return o.ID == v.Contributor.ID })
}

func (l *Listing) check() error {
	if _, err := ParseTime(l.Published); err != nil {
		return err
	}
	owners := make([]Owner, len(l.Owners))
	for i, login := range l.Owners {
		owners[i].Login = login
	}
	if err := checkOwners(owners); err != nil {
		return err
	}
	return l.Summary.check(l.Description)
}

// ParseCatalogue reads search/tools.json.
func ParseCatalogue(data []byte) ([]Listing, error) {
	lines, err := catalogueLines(data)
	if err != nil {
		return nil, err
	}
	out := make([]Listing, 0, len(lines))
	for i, l := range lines {
		one, err := ParseListing(l)
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

// ListingsNamed reads the listings whose names begin with a prefix, and no more lines than
// it takes to find them: whoever completes a name waits for it. The caller has compared
// the digest of data, as the other lines are not looked at.
func ListingsNamed(data []byte, prefix string) ([]Listing, error) {
	body, err := catalogueBody(data)
	if err != nil {
		return nil, err
	}
	start, _, err := findLine(body, prefix)
	if err != nil {
		return nil, err
	}
	var out []Listing
	for rest := body[start:]; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		one, err := ParseListing(bytes.TrimSuffix(line, []byte(",")))
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(string(one.Name), prefix) {
			break
		}
		out = append(out, *one)
	}
	return out, nil
}

// ParseListing reads one line of a catalogue, without its comma and line feed.
func ParseListing(line []byte) (*Listing, error) {
	l, err := decode[Listing]("catalogue line", append(slices.Clip(line), '\n'), limits.Listing)
	if err != nil {
		return nil, err
	}
	if err := l.check(); err != nil {
		return nil, fmt.Errorf("catalogue line of %q: %w", l.Name, err)
	}
	return l, nil
}

// UpdateCatalogue returns the catalogue with the lines of the names replaced;
// a nil listing takes a line out. It looks at the lines on the way to each
// name only and copies the rest as it stands: the caller has compared the
// digest of data with that of what was written before.
func UpdateCatalogue(data []byte, change map[spec.Name]*Listing) ([]byte, error) {
	body, err := catalogueBody(data)
	if err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(make([]byte, 0, len(data)+256*len(change)))
	out.WriteString(catalogueOpen)
	add := func(lines []byte) {
		out.Write(lines)
		if len(lines) > 0 && !bytes.HasSuffix(lines, []byte(",\n")) {
			out.WriteString(",\n") // it was the last line
		}
	}
	for _, n := range slices.Sorted(maps.Keys(change)) {
		start, end, err := findLine(body, string(n))
		if err != nil {
			return nil, err
		}
		add(body[:start])
		if l := change[n]; l != nil {
			add(bytes.TrimSuffix(Encode(l), []byte("\n")))
		}
		body = body[end:]
	}
	add(body)
	if rest, ok := bytes.CutSuffix(out.Bytes(), []byte(",\n")); ok {
		out.Truncate(len(rest))
		out.WriteByte('\n')
	}
	out.WriteString(catalogueClose)
	return out.Bytes(), nil
}

// findLine returns where the line of a name begins and where the next one
// does; the same offset twice, where it would stand, when there is none.
func findLine(body []byte, name string) (start, end int, err error) {
	low, high := 0, len(body) // beginnings of lines
	for low < high {
		middle := low + (high-low)/2
		start := bytes.LastIndexByte(body[low:middle], '\n') + 1 + low
		end := len(body)
		if i := bytes.IndexByte(body[middle:], '\n'); i >= 0 {
			end = middle + i + 1
		}
		got, err := lineName(body[start:end])
		switch {
		case err != nil:
			return 0, 0, err
		case string(got) == name:
			return start, end, nil
		case string(got) < name:
			low = end
		default:
			high = start
		}
	}
	return low, low, nil
}

// catalogueLines returns the listings, undecoded and without their commas.
func catalogueLines(data []byte) ([][]byte, error) {
	body, err := catalogueBody(data)
	if err != nil || len(body) == 0 {
		return nil, err
	}
	lines := bytes.Split(body, []byte("\n"))
	for i, l := range lines {
		var ok bool
		if i < len(lines)-1 {
			if lines[i], ok = bytes.CutSuffix(l, []byte(",")); !ok {
				return nil, fmt.Errorf("catalogue has a line without a comma")
			}
		}
	}
	return lines, nil
}

// catalogueBody returns the lines between the first and the last, without the
// last line feed.
func catalogueBody(data []byte) ([]byte, error) {
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
	if body, ok = bytes.CutSuffix(body, []byte("\n")); !ok || len(body) == 0 {
		return nil, fmt.Errorf("catalogue is cut")
	}
	return body, nil
}

// lineName reads the name of a line without decoding the rest.
func lineName(line []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"name":"`))
	end := bytes.IndexByte(rest, '"')
	if !ok || end < 0 {
		return nil, fmt.Errorf("catalogue has the line %s", spec.Quote(string(line)))
	}
	return rest[:end], nil
}
