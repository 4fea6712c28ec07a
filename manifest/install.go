package manifest

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// installReader reads one install manifest that fits the schema.
type installReader struct {
	*report
	root     *node
	tool     *spec.Tool
	patterns patternCache
	left     int            // schemas that the library may still compile in this reading
	steps    int            // that quick schemas may still take
	sizes    map[*node]int  // of the schemas in the file; unusable ones are marked
	closed   map[*node]bool // of the inputs: whether they take only members that they name
}

// readInstall reads an Agent Tool Install Manifest, version 0.2. The form comes
// first: only of a document that fits the schema is anything believed, and then
// what the schema cannot say is held against it, all of it.
//
// A bug in one of the libraries that work on hostile schemas and patterns ends in a
// refusal of the file.
func readInstall(r *report, data []byte) (doc *Document) {
	if err := guard(func() error { doc = readInstallFile(r, data); return nil }); err != nil {
		r.addCode(installForms, "unreadable", pos{}, "the file cannot be looked at: %s", err)
		return nil
	}
	return doc
}

func readInstallFile(r *report, data []byte) *Document {
	root := parseJSON(data, r)
	if root == nil || !knownEdition(r, root) {
		return nil
	}
	fits := checkForm(r, root, installForm, installForms)
	if !fits {
		return nil
	}
	doc := &Document{Raw: data, Body: len(data), BodyLine: 1, root: root}
	in := &installReader{report: r, root: root, tool: &doc.Tool, left: readSchemas, steps: quickSteps}
	in.read()
	in.judge()
	if doc.Tool.Name == "" || doc.Tool.Version == "" {
		return nil
	}
	return doc
}

// readSchemas is how many schemas a reading compiles, to hold examples and the
// arguments of the smoke against them: each takes the library tens of microseconds.
const readSchemas = 600

// quickSteps is how many steps the quick schemas of a file may take together.
const quickSteps = 50_000

// otherEditions are the other published editions, and what is different in them.
var otherEditions = map[string]string{
	"0.1":   "it has no actions; version 0.2 asks for them from every runtime but mcp-stdio",
	"0.3":   "it adds verify and data_boundary, which version 0.2 has not",
	"0.3.1": "it adds kill switches without an address, namespaces and more conditions of a smoke, which version 0.2 has not",
	"0.4":   "it adds installed and agent-supplied tools, which version 0.2 has not",
}

// knownEdition tells whether the file is to be read as version 0.2. One of another
// edition is refused by name, never read by this one's rules [TI-P1]; what in this
// very file is different is listed as notes, so that its author sees what to do.
func knownEdition(r *report, root *node) bool {
	v := root.get("manifest_version")
	if v == nil || v.kind != kindString || v.text == "0.2" {
		return true // the schema says what is wrong with the first two
	}
	different, known := otherEditions[v.text]
	if !known {
		r.add(installEdition, v.at, "there is no edition %s that this program knows; it reads 0.2, and knows of %s",
			spec.Quote(v.text), strings.Join(sortedKeys(otherEditions), ", "))
		return false
	}
	r.add(installEdition, v.at, "version %s of the format is not read: %s", v.text, different)
	as := *root
	as.members = slices.Clone(root.members)
	for i, m := range as.members {
		if m.name == "manifest_version" {
			read := *m.value
			read.text = "0.2"
			as.members[i].value = &read
		}
	}
	trial := &report{file: r.file, mode: r.mode}
	checkForm(trial, &as, installForm, installForms)
	for _, f := range trial.found {
		r.addAll(installNewer, "", pos{f.Line, f.Col}, f.Fix, "for version 0.2: %s", f.Message)
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// read fills the tool.
func (in *installReader) read() {
	t := in.tool
	t.Format, t.Inputs, t.Runtime.Packages = spec.FormatInstall, []spec.Input{}, []string{}
	d := in.deployment()
	t.Deployment = d
	in.name(d.ID)
	tool := in.root.get("tool")
	if v, err := spec.ParseVersion(tool.get("version").text); err == nil {
		t.Version = v
	} else {
		in.add(installVersion, tool.get("version").at, "%s", err)
	}
	t.Description = strings.Join(strings.Fields(tool.get("summary").text), " ")
	in.license(tool.get("license"))
	for _, tag := range tool.get("tags").list() {
		if word, err := spec.ParseTag(tag.text); err == nil && len(t.Tags) < maxTags && !slices.Contains(t.Tags, word) {
			t.Tags = append(t.Tags, word)
		}
	}
	for _, action := range in.root.get("actions").list() {
		t.Operations = append(t.Operations, operation(action))
	}
	t.Examples = examples(t.Operations)
	t.Capabilities = capabilities(t)
}

// name makes the tool's name of the id. In a registry one becomes the other and
// back [C-4]; a file of one's own with another id gets a name near it.
func (in *installReader) name(id string) {
	name, err := spec.ParseName(strings.ReplaceAll(id, "-", "_"))
	if err == nil {
		in.tool.Name = name
		return
	}
	at := in.root.get("tool").get("id").at
	in.add(installID, at, "the id %s makes no name of a tool: %s", spec.Quote(id), err)
	if in.mode != Lenient {
		return
	}
	near := strings.Join(strings.FieldsFunc(id, func(c rune) bool { return c == '-' }), "_")
	if near == "" || isDigit(near[0]) || strings.HasPrefix(near, spec.ReservedPrefix) {
		near = "tool_" + near
	}
	near = strings.TrimRight(near[:min(len(near), maxName)], "_")
	for len(near) < minName {
		near += "_tool"
	}
	if name, err = spec.ParseName(near); err != nil {
		name, _ = spec.ParseName(strings.TrimRight(("tool_" + near)[:min(len(near)+5, maxName)], "_"))
	}
	in.tool.Name = name
}

const (
	minName, maxName = 3, 48 // of a spec.Name
	maxTags          = 8     // that a catalogue lists
)

func (in *installReader) license(n *node) {
	if n == nil {
		return
	}
	const proprietary = "PROPRIETARY" // the format's own word [TI-P5]
	license, err := spec.ParseLicense(n.text)
	if err != nil && n.text != proprietary {
		fix := ""
		if like := likeLicense(n.text); like != "" {
			fix = "write " + like
		}
		in.addAll(installLicense, "", n.at, fix, "%s", err)
		return
	}
	for _, word := range spec.LicenseWords(license) {
		plain := strings.TrimSuffix(word, "+")
		if like := likeLicense(plain); like != "" && like != plain {
			in.addAll(installLicense, "", n.at, "write "+like, "%s is not how SPDX spells %s", spec.Quote(word), like)
			return
		}
	}
	in.tool.License = n.text
}
