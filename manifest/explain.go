package manifest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// explainer turns what the schema library found into findings in words of ours.
type explainer struct {
	*report
	root   *node
	schema any // decoded
	rule   rule
	said   map[string]bool // what was reported, so that nothing is twice
}

// explain reports one error and what caused it. Only causes whose keyword stands
// below the given location count; context names the branch of an alternative.
func (e *explainer) explain(err *jsonschema.ValidationError, below, context string) {
	if !strings.HasPrefix(err.KeywordLocation, below) && len(err.Causes) == 0 {
		return
	}
	keyword := err.KeywordLocation[strings.LastIndexByte(err.KeywordLocation, '/')+1:]
	if strings.HasPrefix(err.KeywordLocation, below) {
		if keyword == "oneOf" {
			e.alternative(err, context)
			return
		}
		if len(err.Causes) == 0 && len(e.found) >= limits.ManifestProblems-1 {
			e.add(e.rule, pos{}, "%s", keyword) // a flood is counted and not looked at
			return
		}
		if len(err.Causes) == 0 {
			e.keyword(err, keyword, context)
			return
		}
	}
	for _, cause := range err.Causes {
		e.explain(cause, below, context)
	}
}

// say reports at a node; the pointer is that of the value, whose member it may be.
func (e *explainer) say(at pos, pointer, context, code, fix, format string, args ...any) {
	message := context + fmt.Sprintf(format, args...)
	if pointer != "" {
		message = shownPointer(pointer) + ": " + message
	}
	if e.said[message] {
		return
	}
	e.said[message] = true
	e.addAll(e.rule, "schema-"+code, at, fix, "%s", message)
}

func shownPointer(p string) string { return strings.Trim(spec.Quote(p), `"`) }

// keyword reports a keyword that does not hold.
func (e *explainer) keyword(err *jsonschema.ValidationError, keyword, context string) {
	where := pointer(err.InstanceLocation)
	n := e.root.find(where)
	_, location, _ := strings.Cut(err.AbsoluteKeywordLocation, "#")
	location = pointer(location)
	around, _ := follow(e.schema, location[:max(0, strings.LastIndexByte(location, '/'))]).(map[string]any)
	want := around[keyword]
	if keyword == "required" || keyword == "additionalProperties" {
		e.members(n, where, keyword, around, context)
		return
	}
	code, what := "", ""
	number := func() string { return fmt.Sprint(want) }
	switch keyword {
	case "type":
		if want == "integer" && n.kind == kindNumber {
			code, what = "type", shown(n)+" is not an integer"
			break
		}
		code, what = "type", fmt.Sprintf("this is %s, allowed is %s", n.kind, typeNames(want))
	case "enum":
		list, _ := want.([]any)
		code, what = "enum", fmt.Sprintf("%s is not one of %s", shown(n), values(list))
	case "const":
		code, what = "const", fmt.Sprintf("%s is not %s", shown(n), values([]any{want}))
	case "pattern":
		code, what = "pattern", fmt.Sprintf("%s does not match %s", shown(n), spec.Quote(number()))
	case "minLength", "maxLength":
		code, what = "length", fmt.Sprintf("it has %d characters, allowed are %s %s", utf8.RuneCountInString(n.text), atLeast(keyword), number())
	case "minItems", "maxItems":
		code, what = "count", fmt.Sprintf("it has %d entries, allowed are %s %s", len(n.items), atLeast(keyword), number())
	case "minimum", "maximum":
		code, what = "range", fmt.Sprintf("it is %s, allowed is %s %s", n.text, atLeast(keyword), number())
	case "exclusiveMinimum":
		code, what = "range", fmt.Sprintf("it is %s, allowed is more than %s", n.text, number())
	case "format":
		code, what = "format", fmt.Sprintf("%s is not a %s", shown(n), number())
	default:
		code, what = keyword, plainText(err.Message)
	}
	e.say(n.at, where, context, code, comment(around), "%s", what)
}

// comment is what the schema says in plain words about a constraint.
func comment(schema map[string]any) string {
	text, _ := schema["$comment"].(string)
	return text
}

func atLeast(keyword string) string {
	if strings.HasPrefix(keyword, "min") {
		return "at least"
	}
	return "at most"
}

// members reports what is missing in an object, or too much.
func (e *explainer) members(n *node, where, keyword string, around map[string]any, context string) {
	if keyword == "required" {
		list, _ := around["required"].([]any)
		for _, name := range list {
			if name, ok := name.(string); ok && n.get(name) == nil {
				e.say(n.at, where, context, "required", comment(around), "%s is missing", name)
			}
		}
		return
	}
	properties, _ := around["properties"].(map[string]any)
	patterns, _ := around["patternProperties"].(map[string]any)
	known := slices.Sorted(maps.Keys(properties))
	for _, m := range n.members {
		if properties[m.name] != nil || slices.ContainsFunc(slices.Collect(maps.Keys(patterns)), func(p string) bool {
			re, err := compilePattern(p)
			match := false
			if err == nil {
				match, _ = re.MatchString(m.name)
			}
			return match
		}) {
			continue
		}
		fix := ""
		if len(e.found) >= limits.ManifestProblems-1 {
			e.say(m.at, where, context, "unknown-member", fix, "the member %s is not part of the format", spec.Quote(m.name)) // counted alone
			continue
		}
		if like := Nearest(m.name, known); like != "" {
			fix = "write " + like
		} else if len(known) > 0 {
			fix = "remove it; allowed are " + strings.Join(known, ", ")
		}
		e.say(m.at, where, context, "unknown-member", fix, "the member %s is not part of the format", spec.Quote(m.name))
	}
}

var typeArticles = map[string]string{
	"null": "null", "boolean": "a boolean", "number": "a number", "integer": "an integer",
	"string": "a string", "array": "an array", "object": "an object",
}

// typeNames are the words of a "type".
func typeNames(want any) string {
	if one, ok := want.(string); ok {
		return typeArticles[one]
	}
	var words []string
	list, _ := want.([]any)
	for _, t := range list {
		word, _ := t.(string)
		words = append(words, typeArticles[word])
	}
	return strings.Join(words, " or ")
}

// values are allowed values as a list.
func values(list []any) string {
	var words []string
	for _, v := range list {
		if text, ok := v.(string); ok {
			words = append(words, text)
			continue
		}
		text, _ := json.Marshal(v)
		words = append(words, string(text))
	}
	return strings.Join(words, ", ")
}
