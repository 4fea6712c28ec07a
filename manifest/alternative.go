package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// alternative reports a oneOf that does not hold: what is wrong with the branch
// that the author meant, and not that none of five fits.
func (e *explainer) alternative(err *jsonschema.ValidationError, context string) {
	where := pointer(err.InstanceLocation)
	n := e.root.find(where)
	_, location, _ := strings.Cut(err.AbsoluteKeywordLocation, "#")
	list, _ := follow(e.schema, pointer(location)).([]any)
	branches := make([]map[string]any, len(list))
	for i, b := range list {
		branches[i] = e.branch(b)
	}
	if by := chooser(branches); by != "" {
		e.chosen(err, branches, by, n, where, context)
		return
	}
	// Otherwise the type of the value tells which branch was meant.
	var fits []int
	var types []string
	for i, b := range branches {
		word, _ := b["type"].(string)
		if word == n.typeWord() {
			fits = append(fits, i)
		}
		types = append(types, typeArticles[word])
	}
	switch {
	case len(err.Causes) == 0:
		e.say(n.at, where, context, "branch", "", "it fits more than one of what is allowed")
	case len(fits) == 0:
		slices.Sort(types)
		e.say(n.at, where, context, "type", "", "this is %s, allowed is %s", n.kind, strings.Join(slices.Compact(types), " or "))
	case len(fits) == 1:
		e.within(err, fits[0], context)
	default:
		var all []any
		for _, i := range fits {
			words, _ := branches[i]["enum"].([]any)
			all = append(all, words...)
		}
		e.say(n.at, where, context, "enum", "", "%s is not one of %s", shown(n), values(all))
	}
}

// branch is a schema of an alternative, a reference within the document followed.
func (e *explainer) branch(schema any) map[string]any {
	m, _ := schema.(map[string]any)
	if ref, ok := m["$ref"].(string); ok {
		m, _ = follow(e.schema, strings.TrimPrefix(ref, "#")).(map[string]any)
	}
	return m
}

// chooser is the property that every branch gives one value of its own; "" where
// there is none.
func chooser(branches []map[string]any) string {
	for _, name := range []string{"method", "kind"} {
		if !slices.ContainsFunc(branches, func(b map[string]any) bool { return constant(b, name) == "" }) {
			return name
		}
	}
	return ""
}

func constant(branch map[string]any, property string) string {
	properties, _ := branch["properties"].(map[string]any)
	p, _ := properties[property].(map[string]any)
	value, _ := p["const"].(string)
	return value
}

// chosen reports the branch that the value of a property chose.
func (e *explainer) chosen(err *jsonschema.ValidationError, branches []map[string]any, by string, n *node, where, context string) {
	var allowed []string
	for _, b := range branches {
		allowed = append(allowed, constant(b, by))
	}
	fix := "write one of " + strings.Join(allowed, ", ")
	value := n.get(by)
	switch {
	case n.kind != kindObject:
		return // its type was reported
	case value == nil:
		e.say(n.at, where, context, "required", fix, "%s is missing", by)
		return
	case value.kind != kindString:
		e.say(value.at, where+"/"+by, context, "type", fix, "this is %s, allowed is a string", value.kind)
		return
	}
	i := slices.Index(allowed, value.text)
	if i < 0 {
		e.say(value.at, where+"/"+by, context, "enum", fix, "%s is not one of %s", shown(value), strings.Join(allowed, ", "))
		return
	}
	what := where[strings.LastIndexByte(where, '/')+1:]
	if by == "method" {
		what = fmt.Sprintf("%s by %s", what, value.text)
	} else {
		what = fmt.Sprintf("%s of kind %s", what, value.text)
	}
	before := len(e.said)
	e.within(err, i, context+what+": ")
	if len(e.said) == before {
		e.say(n.at, where, context, "branch", "", "%s does not fit the format", what)
	}
}

// within reports what is wrong with one branch.
func (e *explainer) within(err *jsonschema.ValidationError, i int, context string) {
	for _, cause := range err.Causes {
		e.explain(cause, err.KeywordLocation+"/"+strconv.Itoa(i)+"/", context)
	}
}
