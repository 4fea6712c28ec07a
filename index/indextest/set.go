package indextest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Set is a catalogue with requests of which somebody said what is right.
type Set struct {
	Name     string
	Tools    []Tool // in the order of the file
	Requests []Request
}

// Tool is one line of tools.jsonl.
type Tool struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Params      string          `json:"params,omitempty"` // names and descriptions of the inputs, one after the other
	Category    string          `json:"category,omitempty"`
	Provider    string          `json:"provider,omitempty"`
	Listing     *ledger.Listing `json:"listing,omitempty"` // what our own tools are written as
}

// Request is one line of queries.jsonl.
type Request struct {
	ID       string   `json:"id"`
	Text     string   `json:"text"`
	Relevant []string `json:"relevant"` // ids of tools
}

// Read reads a set from a folder with tools.jsonl and queries.jsonl.
func Read(dir string) (*Set, error) {
	s := &Set{Name: filepath.Base(dir)}
	var err error
	if s.Tools, err = lines[Tool](filepath.Join(dir, "tools.jsonl")); err != nil {
		return nil, err
	}
	if s.Requests, err = lines[Request](filepath.Join(dir, "queries.jsonl")); err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, t := range s.Tools {
		if known[t.ID] {
			return nil, fmt.Errorf("%s: two tools are %s", dir, spec.Quote(t.ID))
		}
		known[t.ID] = true
	}
	for _, r := range s.Requests {
		if len(r.Relevant) == 0 {
			return nil, fmt.Errorf("%s: nothing is right for %s", dir, spec.Quote(r.Text))
		}
		for _, id := range r.Relevant {
			if !known[id] {
				return nil, fmt.Errorf("%s: there is no tool %s", dir, spec.Quote(id))
			}
		}
	}
	return s, nil
}

func lines[T any](path string) ([]T, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []T
	scanner := bufio.NewScanner(bytes.NewReader(data))
	scanner.Buffer(nil, len(data)+1)
	for n := 1; scanner.Scan(); n++ {
		if len(bytes.TrimSpace(scanner.Bytes())) == 0 {
			continue
		}
		var one T
		if err := json.Unmarshal(scanner.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		out = append(out, one)
	}
	return out, scanner.Err()
}

// Listings are the tools as a catalogue has them, sorted by name, and the id of
// each name. A name of other people's is spelled as a registry would have it.
func (s *Set) Listings() ([]ledger.Listing, map[spec.Name]string) {
	ids := map[spec.Name]string{}
	var out []ledger.Listing
	for _, t := range s.Tools {
		l := t.listing()
		name := l.Name
		for n := 2; ids[l.Name] != ""; n++ {
			l.Name = spec.Name(fmt.Sprintf("%s_%d", name, n))
		}
		ids[l.Name] = t.ID
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b ledger.Listing) int { return strings.Compare(string(a.Name), string(b.Name)) })
	return out, ids
}

func (t *Tool) listing() ledger.Listing {
	if t.Listing != nil {
		return *t.Listing
	}
	l := ledger.Listing{
		Name: registered(t.Name), Latest: "1.0.0", Description: t.Description, Published: "2026-01-01T00:00:00Z",
		Permissions: spec.Permissions{Filesystem: spec.FilesystemNone},
		Summary:     ledger.Summary{Format: spec.FormatPatch},
	}
	if t.Params != "" {
		l.Summary.Inputs = []ledger.SummaryInput{{Description: t.Params}}
	}
	if t.Category != "" {
		l.Summary.Tags = []string{t.Category}
	}
	if t.Provider != "" {
		l.Owners = []string{t.Provider}
	}
	return l
}

// registered is a name as a person would spell it to register it: words in lower
// case with underscores between them ("TripAdvice.getAll" is trip_advice_get_all),
// of a legal length, with some room for a number.
func registered(name string) spec.Name {
	var b strings.Builder
	before := '_'
	for _, r := range name {
		if r >= 'A' && r <= 'Z' && before >= 'a' && before <= 'z' {
			b.WriteByte('_')
		}
		before = r
		if r = unicode.ToLower(r); (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			r = '_'
		}
		b.WriteRune(r)
	}
	words := strings.FieldsFunc(b.String(), func(r rune) bool { return r == '_' })
	if len(words) == 0 || words[0][0] <= '9' {
		words = append([]string{"tool"}, words...)
	}
	out := strings.Join(words, "_")
	if len(out) < 3 {
		out += "_tool"
	}
	return spec.Name(strings.TrimRight(out[:min(len(out), 44)], "_"))
}
