package manifest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// patchReader reads the fields of a Patch manifest.
type patchReader struct {
	*report
	tool   *spec.Tool
	places map[string]pos

	// What it took to hold defaults against their schemas.
	matching time.Duration
	steps    int
	schemas  int // in items
}

// readPatch reads a Python file with a manifest in comments.
func readPatch(r *report, data []byte) *Document {
	r.margin = commentSign
	if len(data) > limits.ToolFile {
		r.add(tooLarge, pos{}, "the file has %d bytes, allowed are %d", len(data), limits.ToolFile)
	}
	checkCoding(data, r)
	b := split(data, r)
	if b == nil {
		checkBytes(data, len(data), r)
		return nil
	}
	checkBytes(data, b.body, r)
	root := parseYAML(b.lines, b.first, r)
	if root == nil {
		return nil
	}
	doc := &Document{Raw: data, Body: b.body, BodyLine: b.after, places: map[string]pos{}}
	p := &patchReader{report: r, tool: &doc.Tool, places: doc.places}
	p.read(root)
	// A manifest that fits only in a terse spelling could not be printed and
	// read again.
	if length := b.body; length > limits.ManifestBytes/8 && !p.blocked {
		if printed := len(Print(&doc.Tool)); printed > limits.ManifestBytes {
			r.add(blockTooLarge, pos{b.first, 1}, "the manifest has %d bytes when it is printed, allowed are %d", printed, limits.ManifestBytes)
		}
	}
	if !b.trusted || doc.Tool.Name == "" || doc.Tool.Version == "" {
		return nil
	}
	return doc
}

// topLevel are the keys of a manifest, in the order in which they are printed.
var topLevel = []string{
	"name", "version", "description", "inputs", "outputs", "capabilities", "runtime",
	"external_auth", "generated_by", "generated_at", "x-needs",
	"x-license", "x-tags", "x-aliases", "x-examples",
}

// ours are the keys that look like an author's own and are not.
var ours = topLevel[len(topLevel)-5:]

var extensionKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^x-[A-Za-z0-9_.-]+$`) })

func (p *patchReader) read(root *node) {
	t := p.tool
	t.Format = spec.FormatPatch
	t.Inputs, t.Runtime.Packages = []spec.Input{}, []string{}
	p.keys(root, "", topLevel)
	if n := p.want(root, "", "name", missingKey); n != nil {
		p.name(n)
	}
	if n := p.want(root, "", "version", missingKey); n != nil {
		p.version(n)
	}
	if n := p.want(root, "", "description", missingKey); n != nil {
		t.Description = p.sentence(n, "description")
	}
	if n := p.want(root, "", "inputs", missingDefault); n != nil {
		p.inputs(n)
	}
	if n := p.want(root, "", "outputs", missingKey); n != nil {
		p.output(n)
	}
	p.capabilities(root)
	p.runtime(root)
	if n := root.get("external_auth"); n != nil {
		p.externalAuth(n)
	}
	if n := root.get("generated_by"); n != nil {
		p.generatedBy(n)
	}
	if n := root.get("generated_at"); n != nil {
		p.generatedAt(n)
	}
	if n := root.get("x-needs"); n != nil {
		p.needs(n)
	}
	p.listed(root)
}

// keys reports the members that the format doesn't know, keeps the extensions,
// and notes where every member stands. where is the JSON Pointer of n.
func (p *patchReader) keys(n *node, where string, known []string) {
	for _, m := range n.members {
		p.places[where+"/"+pointerPart(m.name)] = m.value.at
		switch {
		case slices.Contains(known, m.name):
		case where == "" && extensionKey().MatchString(m.name):
			p.unclear(m.value)
			if like := Nearest(m.name, ours); like != "" {
				p.addFix(nearlyOurs, m.at, "write "+like, "the key %s is one of your own, and reads like %s", spec.Quote(m.name), like)
			}
			if p.tool.Extensions == nil {
				p.tool.Extensions = map[string]json.RawMessage{}
			}
			p.tool.Extensions[m.name] = m.value.json()
		default:
			fix := ""
			if like := Nearest(m.name, known); like != "" {
				fix = "write " + like
			}
			p.addFix(unknownKey, m.at, fix, "the key %s is unknown%s", spec.Quote(m.name), inside(where))
		}
	}
}

// want returns a member that should be there and reports it where it isn't.
func (p *patchReader) want(n *node, where, name string, missing rule) *node {
	v := n.get(name)
	if v == nil {
		at := n.at
		if where == "" {
			at = pos{n.at.line, 1}
		}
		p.addFix(missing, at, "add the key "+name, "the key %q is missing%s", name, inside(where))
	}
	return v
}

// is reports a value that is not of the kind that a field needs.
func (p *patchReader) is(n *node, want kind, what string) bool {
	switch {
	case n.kind == want:
		return true
	case n.kind == kindBroken:
	case want == kindString && (n.kind == kindNumber || n.kind == kindBoolean):
		p.addFix(wrongType, n.at, "put it in quotes", "%s must be %s, this is %s", what, want, n.kind)
	default:
		p.add(wrongType, n.at, "%s must be %s, this is %s", what, want, n.kind)
	}
	return false
}

func (p *patchReader) name(n *node) {
	if !p.is(n, kindString, "name") {
		return
	}
	name, err := spec.ParseName(n.text)
	if err != nil {
		p.add(badName, n.at, "%s", err)
	}
	p.tool.Name = name
}

func (p *patchReader) version(n *node) {
	if !p.is(n, kindString, "version") {
		return
	}
	version, err := spec.ParseVersion(n.text)
	if err != nil {
		p.add(badVersion, n.at, "%s", err)
		return
	}
	// The format asks for x.y.z alone; spec.Version serves other formats too.
	if version.IsPrerelease() {
		p.add(badVersion, n.at, "version %s has a pre-release part, allowed is x.y.z", spec.Quote(n.text))
		return
	}
	p.tool.Version = version
}

// unclear warns of text that would be something else to other YAML readers;
// only where any type is allowed, because elsewhere the type is checked.
func (p *patchReader) unclear(n *node) {
	if n.unclear {
		p.add(ambiguous, n.at, "%s without quotes is %s here, and something else to other readers of YAML", spec.Quote(n.text), n.kind)
	}
	for _, item := range n.items {
		p.unclear(item)
	}
	for _, m := range n.members {
		p.unclear(m.value)
	}
}

// inside says in which part of the manifest a key stands.
func inside(where string) string {
	if where == "" {
		return ""
	}
	return " in " + where[1:]
}

// pointerPart escapes a key for a JSON Pointer (RFC 6901). Making a Replacer for each
// key took a tenth of the time in which a tool is verified.
func pointerPart(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

// Nearest finds the known key or name that was probably meant, "" when none is near.
func Nearest(key string, known []string) string {
	if len(key) > 40 {
		return ""
	}
	best, least := "", 3
	plain := strings.NewReplacer("-", "_", " ", "_")
	norm := plain.Replace(strings.ToLower(key))
	for _, k := range known {
		if d := distance(norm, plain.Replace(k)); d < least && d < len(k)/2+1 {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of bytes to insert, delete or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := diagonal
			if a[i] != b[j] {
				next++
			}
			diagonal = row[j+1]
			row[j+1] = min(next, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
