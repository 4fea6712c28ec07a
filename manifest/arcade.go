package manifest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// readArcade reads an Arcade definition [AT-1…58]. Strictly it is one of the
// specified edition and nothing else; leniently each edition is read as what it is,
// which the findings tell, and what the specified one cannot say is left out of
// what [PrintArcade] writes [C-33]. The document is nil where no name and version
// of a registry can be made of it; [ReadArcade] reads such a definition, too.
func readArcade(r *report, data []byte) *Document {
	d := readDefinition(r, data, pos{1, 1})
	if d == nil || d.Tool.Name == "" || d.Tool.Version == "" {
		return nil
	}
	return &Document{Tool: d.Tool, Raw: data, Body: len(data), places: d.places, Lost: d.Losses}
}

// Strictly the schema says what is wrong with the shape, and the rest is read as if
// it were well: a stranger's edition is still told by its name.
//
// readDefinition reads a definition that begins at a place of its file; nil with
// findings where it cannot be told what it defines.
func readDefinition(r *report, data []byte, first pos) *ArcadeDefinition {
	root := parseJSONAt(data, first, r)
	if root == nil {
		return nil
	}
	if root.kind != kindObject || root.get("input") == nil && (isList(root.get("items")) || isList(root.get("tools"))) {
		r.add(arcadeMany, root.at, "one definition is asked for, which is an object with name, toolkit and input")
		return nil
	}
	d := &ArcadeDefinition{Arcade: &spec.Arcade{Parameters: []spec.ArcadeParameter{}}, Raw: data, Line: first.line, places: map[string]pos{}}
	if n := root.count(limits.ManifestNodes); n > limits.ManifestNodes {
		r.add(tooManyNodes, root.at, "the definition has more than %d values", limits.ManifestNodes)
		return nil
	}
	a := &arcadeReader{report: r, a: d.Arcade, d: d, secrets: map[string]bool{}}
	if root.get("fullyQualifiedName") != nil || root.get("qualifiedName") != nil {
		a.docs(root)
	} else {
		a.definition(root)
	}
	if r.mode == Strict {
		a.hold(root)
	}
	if a.a.Name == "" || a.a.Toolkit.Name == "" {
		return nil
	}
	d.Tool, _ = a.tool()
	return d
}

func isList(n *node) bool { return n != nil && n.kind == kindArray }

// arcadeReader reads one definition.
type arcadeReader struct {
	*report
	a       *spec.Arcade
	d       *ArcadeDefinition
	signs   arcadeEditions  // of other editions
	secrets map[string]bool // that were read
	odd     int             // places where the specified edition has something else
}

// hold holds the definition against the schema. A thousand things that are wrong
// cost the schema's checker far more than this reader, and nobody mends them one by one.
func (r *arcadeReader) hold(root *node) {
	if r.odd > limits.ManifestProblems {
		r.add(arcadeForms, root.at, "the definition has %d things that the schema of the specified edition has not", r.odd)
		return
	}
	checkForm(r.report, root, arcadeForm, arcadeForms)
}

// lose notes what the specified edition has no place for.
func (r *arcadeReader) lose(where, reason string) {
	r.d.Losses = append(r.d.Losses, Loss{Path: where, Kind: Dropped, Reason: reason})
}

func (r *arcadeReader) definition(root *node) {
	r.members(root, "", aDefinition)
	newer := r.said(root)
	r.a.Name = r.name(root, "", "the name of the tool")
	if n := root.get("description"); n != nil {
		r.a.Description, _ = r.text(n, "the description of the tool")
	}
	if r.a.Description == "" {
		r.add(arcadeUndescribed, root.at, "nothing says what the tool does and when to use it")
	}
	if n := r.object(root, "", "toolkit", arcadeMissing); n != nil {
		r.toolkit(n)
	}
	r.qualified(root)
	if n := r.object(root, "", "input", arcadeMissing); n != nil {
		r.input(n)
	}
	if n := r.object(root, "", "output", arcadeDefault); n != nil {
		r.output(n)
	} else {
		r.a.Modes = usualModes()
	}
	if n := root.get("requirements"); n != nil && r.known(n, kindObject, "requirements") {
		r.requirements(n)
	}
	r.aside(root)
	if r.a.Edition == "" {
		r.a.Edition = r.signs.highest()
	}
	if r.a.Edition != ArcadeSpecified && !newer {
		r.add(arcadeEdition, root.at, "the definition is of the %s edition of Arcade, and what is published is of the specified one (worker-http 1.0)", r.a.Edition)
	}
}

// said holds the edition that $schema names against what is known, and tells
// whether it is none of those: such a definition is read by nobody's guess.
func (r *arcadeReader) said(root *node) (newer bool) {
	n := root.get("$schema")
	if n == nil {
		return false
	}
	uri, ok := r.text(n, "$schema")
	if !ok {
		return false
	}
	edition, known := saidEdition(uri)
	switch {
	case !known:
		r.add(arcadeNewer, n.at, "the definition is of the edition %s", spec.Quote(edition))
		return true
	case edition == ArcadePreview:
		r.signs |= inPreview
	}
	return false
}

// qualified reads the fully qualified name and holds it against the parts of it:
// what is shown must be what is called.
func (r *arcadeReader) qualified(root *node) {
	whole := r.want(root, "", "fully_qualified_name", arcadeDefault)
	fqn := ""
	if whole != nil {
		fqn, _ = r.text(whole, "the fully qualified name")
	}
	if n := root.get("qualified_name"); n != nil && n.kind == kindString && n.text != "" {
		// The engine's whole name has the toolkit's version at its end.
		if whole != nil && !SameArcade(fqn, n.text) {
			r.add(arcadeQualified, n.at, "the qualified name %s is not that of %s", spec.Quote(n.text), spec.Quote(fqn))
		}
		fqn = n.text
	}
	kit, name := r.a.Toolkit.Name, r.a.Name
	switch _, version := ArcadeFQN(fqn); {
	case fqn == "":
		fqn = kit + "." + name
	case kit == "" || name == "":
	case !qualifies(fqn, kit, name):
		r.add(arcadeQualified, whole.at, "the fully qualified name %s is not that of the tool %s of the toolkit %s", spec.Quote(fqn), spec.Quote(name), spec.Quote(kit))
	case version != "" && !strings.EqualFold(version, r.a.Toolkit.Version):
		r.add(arcadeQualified, whole.at, "the fully qualified name %s is not of the toolkit's version %s", spec.Quote(fqn), spec.Quote(r.a.Toolkit.Version))
	}
	r.a.FQN = fqn
}

func (r *arcadeReader) toolkit(n *node) {
	const where = "/toolkit"
	r.members(n, where, aToolkit)
	r.a.Toolkit.Name = r.name(n, where, "the name of the toolkit")
	if d := n.get("description"); d != nil {
		r.a.Toolkit.Description, _ = r.text(d, "the description of the toolkit")
	}
	if v := r.want(n, where, "version", arcadeDefault); v != nil {
		r.a.Toolkit.Version, _ = r.text(v, "the version of the toolkit")
	}
}

// aside reads what only other editions say beside the definition.
func (r *arcadeReader) aside(root *node) {
	if n := root.get("deprecation_message"); n != nil && n.kind == kindString && n.text != "" {
		r.a.Deprecation = n.text
		r.lose("/deprecation_message", "nothing in the specified edition says that a tool is deprecated")
	}
	meta := root.get("metadata")
	if meta == nil || meta.kind != kindObject {
		return
	}
	for _, m := range meta.members {
		switch {
		case void(m.value):
		case m.name == "behavior" && m.value.kind == kindObject:
			r.a.Behavior = behaviour(m.value, snakeFlags)
			r.loseBehaviour()
		default:
			r.lose("/metadata/"+pointerPart(m.name), "the specified edition has no metadata")
		}
	}
}

// snakeFlags are the members of behaviour in the order operations, read-only,
// destructive, idempotent and open world.
var snakeFlags = [5]string{"operations", "read_only", "destructive", "idempotent", "open_world"}

func behaviour(n *node, names [5]string) *spec.ArcadeBehavior {
	b := &spec.ArcadeBehavior{}
	if ops := n.get(names[0]); ops != nil {
		for _, o := range ops.items {
			if o.kind == kindString {
				b.Operations = append(b.Operations, o.text)
			}
		}
	}
	for i, flag := range []**bool{&b.ReadOnly, &b.Destructive, &b.Idempotent, &b.OpenWorld} {
		if v := n.get(names[i+1]); v != nil && v.kind == kindBoolean {
			said := v.text == "true"
			*flag = &said
		}
	}
	return b
}

// members notes where the members of an object stand, and reports those that are of
// other editions or of none.
func (r *arcadeReader) members(n *node, where string, what arcadeObject) {
	known := arcadeMembers[what]
	for _, m := range n.members {
		at := where + "/" + pointerPart(m.name)
		r.d.places[at] = m.value.at
		in, ok := known[m.name]
		switch {
		case !ok:
			fix := ""
			if like := Nearest(m.name, specified(known)); like != "" {
				fix = "write " + like
			}
			r.shape(arcadeUnknown, m.at, fix, "the member %s is unknown%s", spec.Quote(m.name), inside(where))
			r.lose(at, "no edition has this member")
		case in&inSpecified == 0:
			r.signs |= in & -in // the first edition that has it
			r.foreign(m, in, where)
		}
	}
}

func (r *arcadeReader) foreign(m member, in arcadeEditions, where string) {
	r.odd++
	if void(m.value) || renamed[m.name] || where == "" {
		return
	}
	r.shape(arcadeForeign, m.at, "", "the member %s%s belongs to the %s edition and is left out", spec.Quote(m.name), inside(where), (in & -in).name())
	r.lose(where+"/"+pointerPart(m.name), "the specified edition has no such member")
}

// void tells whether a value says nothing.
func void(n *node) bool {
	return n.kind == kindNull || n.kind == kindArray && len(n.items) == 0 || n.kind == kindObject && len(n.members) == 0 ||
		n.kind == kindString && n.text == ""
}

func specified(known map[string]arcadeEditions) []string {
	var list []string
	for name, in := range known {
		if in&inSpecified != 0 {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// want returns a member that should be there. A null in its place is the SDK's way
// of saying that it is not.
func (r *arcadeReader) want(n *node, where, name string, missing rule) *node {
	v := n.get(name)
	if v == nil || v.kind == kindNull {
		r.shape(missing, n.at, "add "+name, "the member %q is missing%s", name, inside(where))
		if v != nil || name == "version" {
			r.signs |= inSDK // whose toolkits may have no version
		}
		return nil
	}
	return v
}

func (r *arcadeReader) object(n *node, where, name string, missing rule) *node {
	v := r.want(n, where, name, missing)
	if v == nil || !r.known(v, kindObject, name) {
		return nil
	}
	return v
}

// name reads a text that must be there and say something.
func (r *arcadeReader) name(n *node, where, what string) string {
	v := r.want(n, where, "name", arcadeMissing)
	if v == nil {
		return ""
	}
	text, ok := r.text(v, what)
	if ok && strings.TrimSpace(text) == "" {
		r.add(arcadeMissing, v.at, "%s is empty", what)
		return ""
	}
	return text
}

func (r *arcadeReader) text(n *node, what string) (string, bool) {
	if !r.known(n, kindString, what) {
		return "", false
	}
	return n.text, true
}

// known tells whether a value is of its kind. Null is reported where the edition
// that is asked for has none there.
func (r *arcadeReader) known(n *node, want kind, what string) bool {
	switch n.kind {
	case want:
		return true
	case kindNull:
		r.signs |= inSDK
		r.odd++
		return false
	}
	r.shape(arcadeType, n.at, "", "%s must be %s, this is %s", what, want, n.kind)
	return false
}

// shape reports what is wrong with the shape of a definition, which strictly is for
// the schema to say.
func (r *arcadeReader) shape(id rule, at pos, fix, format string, args ...any) {
	r.odd++
	if r.mode == Lenient {
		r.addFix(id, at, fix, format, args...)
	}
}

func indexed(where string, i int) string { return where + "/" + strconv.Itoa(i) }

// count is the number of values, as far as most and one more.
func (n *node) count(most int) int {
	total := 1
	for _, item := range n.items {
		if total += item.count(most - total); total > most {
			return total
		}
	}
	for _, m := range n.members {
		if total += m.value.count(most - total); total > most {
			return total
		}
	}
	return total
}
