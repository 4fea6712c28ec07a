package manifest

import (
	"bytes"
	"path"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Mode says how forgiving a reading is.
type Mode int

const (
	// Strict is for registries: what is missing or unknown is an error.
	Strict Mode = iota
	// Lenient is for files of one's own: keys that have a default may be
	// missing [C-14] and unknown ones are left out, both with a warning.
	Lenient
	// StrictAgentskills is Strict, and of skills takes the six fields that the
	// published rules know and no other [C-36].
	StrictAgentskills
)

// Document is a file that was read.
type Document struct {
	Tool     spec.Tool
	Raw      []byte // the file's bytes, never altered
	Body     int    // byte offset in Raw where the code begins
	BodyLine int    // line of the file on which the code begins, from 1
	places   map[string]pos
	// Lost is what the file says and the tool has no place for: members of other
	// editions of an Arcade definition.
	Lost []Loss
	root *node // of a file in which any pointer has its place
}

// Place tells where a field stands in the file, line and column from 1. The
// field is named by a JSON Pointer into the manifest as written, such as
// "/description" or "/inputs/0/default". Zeros mean that the file lacks it.
func (d *Document) Place(pointer string) (line, col int) {
	p := d.places[pointer]
	if n := d.root; n != nil {
		if n = n.exactly(pointer); n != nil {
			p = n.at
		}
	}
	return p.line, p.col
}

// Read reads a tool file and reports everything that is wrong with it, sorted
// by place. The file's name chooses the format, and every finding carries it.
//
// The document is nil when there is nothing that could be called a tool: no
// trustworthy frontmatter, or no name and version in it. When a finding is an
// error ([spec.Blocking]) a document may still be returned, to show what the
// file is about; it must not be published or run then.
func Read(file string, data []byte, mode Mode) (*Document, []spec.Finding) {
	return read(&report{file: file, mode: mode}, data)
}

// ReadAsserting is [Read] where "format" of a schema is not a remark but must hold:
// an address must be a URI, a mailbox one of RFC 5321. It concerns the formats that
// have a JSON Schema for their whole file.
func ReadAsserting(file string, data []byte, mode Mode) (*Document, []spec.Finding) {
	return read(&report{file: file, mode: mode, formats: true}, data)
}

func read(r *report, data []byte) (*Document, []spec.Finding) {
	if len(data) > limits.SourceScan {
		r.add(notScanned, pos{}, "the file has %d bytes, at most %d are read", len(data), limits.SourceScan)
		return nil, r.finish()
	}
	var doc *Document
	switch formatOf(r.file) {
	case spec.FormatPatch:
		doc = readPatch(r, data)
	case spec.FormatInstall:
		doc = readInstall(r, data)
	case spec.FormatSkill:
		doc = readSkill(r, data)
	case spec.FormatArcade:
		doc = readArcade(r, data)
	default:
		r.add(unknownFile, pos{}, "file name %s belongs to no manifest format", spec.Quote(path.Base(r.file)))
	}
	return doc, r.finish()
}

// Sniff tells the format of a JSON file of any name by the members of its outermost
// object; "" where they tell none. Only a file that a person names by hand is looked
// at so; what a registry holds has the name of its format [C-37].
func Sniff(data []byte) spec.Format {
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("[")) {
		return spec.FormatArcade // which alone is also kept in lists
	}
	members, _ := Object(data, limits.ToolFile) // those before an error count, too
	for _, m := range members {
		switch m.Name {
		case "manifest_version", "runtime", "kill_switch", "smoke":
			return spec.FormatInstall
		case "fully_qualified_name", "toolkit":
			return spec.FormatArcade
		}
	}
	return ""
}

// formatOf tells the format of a file by its name alone, never by what is in
// it: several formats use the same keys for different things [C-37].
func formatOf(file string) spec.Format {
	switch base := path.Base(file); {
	case strings.HasSuffix(file, ".py"):
		return spec.FormatPatch
	case base == spec.FormatInstall.MainFile():
		return spec.FormatInstall
	case strings.EqualFold(base, spec.FormatSkill.MainFile()):
		return spec.FormatSkill
	case base == spec.FormatArcade.MainFile():
		return spec.FormatArcade
	}
	return ""
}
