package registry

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Meta is tool.yaml: what may change about a published tool.
type Meta struct {
	Owners     []ledger.Owner          `json:"owners"`
	Yanked     map[spec.Version]string `json:"yanked"`
	Revoked    map[spec.Version]string `json:"revoked"`
	Deprecated string                  `json:"deprecated"`
	ReplacedBy spec.Name               `json:"replaced_by"`
	// Comments are the lines of the file that may have a comment, which programs
	// pass over and people believe; none where [Tree] wrote it.
	Comments []string `json:"-"`
}

// Meta reads tool.yaml of a name; the zero Meta where there is none.
func (t *Tree) Meta(n spec.Name) (Meta, error) {
	dir, err := t.tool(n)
	var data []byte
	if err == nil {
		data, err = durable.ReadFileNoFollow(filepath.Join(dir, treeMeta), limits.ManifestBytes)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Meta{}, nil
	}
	if err != nil {
		return Meta{}, err
	}
	return ParseMeta(toolPath(n, treeMeta), data)
}

// ParseMeta reads a proposed tool.yaml as [Tree.Meta] would one that is in
// place. file is how it is called in messages.
func ParseMeta(file string, data []byte) (Meta, error) {
	if len(data) > limits.ManifestBytes {
		return Meta{}, fault.New(fault.Findings, "yaml", "%s has %d bytes, allowed are %d", file, len(data), limits.ManifestBytes)
	}
	var m Meta
	err := decodeYAML(file, data, &m)
	if err == nil {
		err = m.check(file)
	}
	if err != nil {
		return Meta{}, err
	}
	m.Comments = m.comments(data)
	return m, nil
}

// comments finds them in the text that the rest was read from. Only a parser of
// YAML could tell a comment from a # in a text, so each counts, unless the text
// is just what would be written here.
func (m Meta) comments(data []byte) []string {
	var out []string
	if bytes.Equal(data, m.encode()) {
		return out
	}
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, "#") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// check refuses what the publication would refuse.
func (m Meta) check(file string) error {
	texts := []string{m.Deprecated}
	for _, list := range []map[spec.Version]string{m.Yanked, m.Revoked} {
		for v, reason := range list {
			if reason == "" {
				return fault.New(fault.Findings, "yaml", "%s: version %s is withdrawn without a reason", file, v)
			}
			texts = append(texts, reason)
		}
	}
	if len(m.Owners) > limits.Owners {
		return fault.New(fault.Findings, "yaml", "%s: there are %d owners, allowed are %d", file, len(m.Owners), limits.Owners)
	}
	for _, o := range m.Owners {
		if o.Login == "" || len(o.Login) > limits.Login || o.ID < 0 {
			return fault.New(fault.Findings, "yaml", "%s: an owner is %s with the number %d", file, spec.Quote(o.Login), o.ID)
		}
		texts = append(texts, o.Login)
	}
	for _, text := range texts {
		if err := checkText("text", text); err != nil {
			return fault.New(fault.Findings, "yaml", "%s: %w", file, err)
		}
	}
	return nil
}

// Encode writes tool.yaml of a name, unless it could not be read back.
func (m Meta) Encode(n spec.Name) ([]byte, error) {
	file := MetaPath(n)
	if err := m.check(file); err != nil {
		return nil, err
	}
	data := m.encode()
	if _, err := ParseMeta(file, data); err != nil {
		return nil, err
	}
	return data, nil
}

// encode writes every text in double quotes, which YAML and JSON read alike.
func (m Meta) encode() []byte {
	var b strings.Builder
	b.WriteString("owners:\n")
	for _, o := range m.Owners {
		fmt.Fprintf(&b, "  - login: %s\n    id: %d\n", jsonText(o.Login), o.ID)
	}
	if len(m.Owners) == 0 {
		b.Reset()
		b.WriteString("owners: []\n")
	}
	for _, list := range []struct {
		key string
		of  map[spec.Version]string
	}{{"yanked", m.Yanked}, {"revoked", m.Revoked}} {
		if len(list.of) == 0 {
			continue
		}
		b.WriteString(list.key + ":\n")
		for _, v := range sortedVersions(list.of) {
			fmt.Fprintf(&b, "  %q: %s\n", string(v), jsonText(list.of[v]))
		}
	}
	if m.Deprecated != "" {
		fmt.Fprintf(&b, "deprecated: %s\n", jsonText(m.Deprecated))
	}
	if m.ReplacedBy != "" {
		fmt.Fprintf(&b, "replaced_by: %s\n", m.ReplacedBy)
	}
	return []byte(b.String())
}

func jsonText(s string) string {
	b := ledger.Encode(s)
	return string(b[:len(b)-1])
}

func sortedVersions(m map[spec.Version]string) []spec.Version {
	out := make([]spec.Version, 0, len(m))
	for v := range m {
		out = append(out, v)
	}
	slices.SortFunc(out, spec.Version.Compare)
	return out
}
