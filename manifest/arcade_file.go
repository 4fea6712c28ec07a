package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// ArcadeDefinition is one definition of a file that was read for import.
type ArcadeDefinition struct {
	Arcade *spec.Arcade // nil where it could not be read; its findings say why
	// Tool is the neutral model; its name or version is empty where a registry can
	// have none of that kind.
	Tool     spec.Tool
	Raw      []byte // as it stands in the file
	Line     int    // on which it begins
	Losses   []Loss // what the specified edition cannot say of it
	Findings []spec.Finding

	file   string
	places map[string]pos
	whole  bool // nothing else is in the file
}

// ReadArcade reads all definitions of a file for import, leniently and each by its
// own edition [C-33]: one definition, JSON Lines, an array of them, an object whose
// member items or tools is such an array, or one whose every member is a definition.
//
// A definition that cannot be read does not keep the others from being read. The
// error is of a file that is none of these: not JSON, too large, empty.
func ReadArcade(file string, data []byte) ([]ArcadeDefinition, error) {
	if len(data) > limits.ArcadeFile {
		return nil, fmt.Errorf("%w: %d bytes, allowed are %d", errTooLarge, len(data), limits.ArcadeFile)
	}
	s := &partScanner{in: data}
	parts, err := s.parts()
	if err != nil {
		return nil, err
	}
	if len(parts) > limits.ArcadeDefinitions {
		return nil, fmt.Errorf("%w: %d definitions, allowed are %d", errTooLarge, len(parts), limits.ArcadeDefinitions)
	}
	place := &scanner{in: data, tree: &jsonTree{line: 1}}
	all := make([]ArcadeDefinition, 0, len(parts))
	for _, part := range parts {
		place.i = part.start
		at, raw := place.here(), data[part.start:part.end:part.end]
		r := &report{file: file, mode: Lenient}
		d := readDefinition(r, raw, at)
		if d == nil {
			d = &ArcadeDefinition{Raw: raw, Line: at.line}
		}
		d.Findings, d.places, d.file = r.finish(), nil, file
		d.whole = len(parts) == 1 && len(bytes.TrimSpace(data)) == len(raw)
		if d.whole {
			d.Raw = data
		}
		all = append(all, *d)
	}
	return all, nil
}

// Publishable is the main file of a release of a definition: what stood in the file
// where that is of the specified edition and has nothing wrong, byte for byte (and a
// line feed behind one of several), else what [PrintArcade] writes. The findings are those of a strict reading of it; with
// an error among them nothing may be published.
func (d *ArcadeDefinition) Publishable() ([]byte, []spec.Finding) {
	if d.Arcade == nil || spec.Blocking(d.Findings) {
		return nil, d.Findings
	}
	name := spec.FormatArcade.MainFile()
	if d.Arcade.Edition == ArcadeSpecified && len(d.Losses) == 0 {
		if doc, findings := Read(name, d.Raw, Strict); doc != nil && !spec.Blocking(findings) {
			if d.whole {
				return d.Raw, findings
			}
			return append(bytes.Clone(d.Raw), '\n'), findings
		}
	}
	data := PrintArcade(d.Arcade)
	_, findings := Read(name, data, Strict)
	for i := range findings { // of a text that nobody has seen
		findings[i].File, findings[i].Line, findings[i].Col = d.file, d.Line, 0
	}
	return data, findings
}

// SetVersion gives a definition a version, where that of its toolkit is missing or
// none that a registry can have.
func (d *ArcadeDefinition) SetVersion(v spec.Version) {
	kind, reason := Synthesised, "the toolkit has no version"
	if d.Arcade.Toolkit.Version != "" {
		kind, reason = Approximated, "the toolkit's version "+spec.Quote(d.Arcade.Toolkit.Version)+" is none that a registry can have"
	}
	d.Losses = append(d.Losses, Loss{"/toolkit/version", kind, reason, false})
	d.Arcade.FQN, _ = ArcadeFQN(d.Arcade.FQN)
	d.Arcade.Toolkit.Version = string(v)
	d.Tool, _ = ArcadeTool(d.Arcade)
}

// part is where one definition stands.
type part struct{ start, end int }

// partScanner finds definitions without reading them: it looks at quotes and
// brackets alone, once, whatever lies between.
type partScanner struct {
	in []byte
	i  int
}

// ErrNoDefinition is the error of a file without a definition.
var ErrNoDefinition = errors.New("the file holds no definition")

// definitionKeys are members that a definition has and no list of them.
var definitionKeys = []string{"fully_qualified_name", "toolkit", "input", "fullyQualifiedName", "qualifiedName"}

func (s *partScanner) parts() ([]part, error) {
	var all []part
	for s.space(); s.i < len(s.in); s.space() {
		whole := part{start: s.i}
		members, err := s.members()
		if err != nil {
			return nil, err
		}
		whole.end = s.i
		all = append(all, s.definitions(whole, members)...)
	}
	if len(all) == 0 {
		return nil, ErrNoDefinition
	}
	return all, nil
}

// definitions are the parts of one value at the top of the file.
func (s *partScanner) definitions(whole part, members []keyed) []part {
	if s.in[whole.start] == '[' {
		return partsOf(members)
	}
	objects := len(members) > 0
	for _, m := range members {
		if slices.Contains(definitionKeys, m.key) {
			return []part{whole}
		}
		objects = objects && s.in[m.start] == '{'
	}
	for _, m := range members {
		if (m.key == "items" || m.key == "tools") && s.in[m.start] == '[' {
			inner := &partScanner{in: s.in[:m.end], i: m.start}
			if elements, err := inner.members(); err == nil {
				return partsOf(elements)
			}
		}
	}
	if objects {
		return partsOf(members)
	}
	return nil
}

func partsOf(members []keyed) []part {
	var list []part
	for _, m := range members {
		list = append(list, m.part)
	}
	return list
}

// keyed is a member or an element of the value at the top.
type keyed struct {
	part

	key string
}

var errNotClosed = errors.New("the file is not JSON: a bracket or string is not closed")

// members reads one value and lists what it holds.
func (s *partScanner) members() ([]keyed, error) {
	open := s.in[s.i]
	if open != '{' && open != '[' {
		return nil, errors.New("the file is not JSON of definitions: it holds something other than objects")
	}
	s.i++
	var list []keyed
	for {
		s.space()
		if s.i >= len(s.in) {
			return nil, errNotClosed
		}
		switch s.in[s.i] {
		case '}', ']':
			s.i++
			return list, nil
		case ',', ':':
			s.i++
			continue
		}
		start := s.i
		if err := s.skip(); err != nil {
			return nil, err
		}
		one := keyed{part: part{start, s.i}}
		if open == '{' {
			one.key = string(bytes.Trim(s.in[start:s.i], `"`))
			for s.space(); s.i < len(s.in) && s.in[s.i] == ':'; s.space() {
				s.i++
			}
			one.start = s.i
			if err := s.skip(); err != nil {
				return nil, err
			}
			one.end = s.i
		}
		if one.start == one.end {
			return nil, errNotClosed
		}
		list = append(list, one)
	}
}

// skip goes past one value.
func (s *partScanner) skip() error {
	for depth := 0; s.i < len(s.in); {
		switch c := s.in[s.i]; c {
		case '"':
			if err := s.text(); err != nil {
				return err
			}
		case '{', '[':
			depth++
			s.i++
		case '}', ']':
			if depth == 0 {
				return nil
			}
			depth--
			s.i++
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return nil
			}
			s.i++
			continue
		default:
			for s.i < len(s.in) && !bytes.ContainsRune([]byte("\"{}[],: \t\n\r"), rune(s.in[s.i])) {
				s.i++
			}
		}
		if depth == 0 {
			return nil
		}
	}
	return errNotClosed
}

func (s *partScanner) text() error {
	for s.i++; s.i < len(s.in); s.i++ {
		switch s.in[s.i] {
		case '\\':
			s.i++
		case '"':
			s.i++
			return nil
		}
	}
	return errNotClosed
}

func (s *partScanner) space() {
	for s.i < len(s.in) && (s.in[s.i] == ' ' || s.in[s.i] == '\t' || s.in[s.i] == '\n' || s.in[s.i] == '\r') {
		s.i++
	}
}
