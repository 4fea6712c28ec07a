package manifest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Result checks what a tool answered against its outputs. The error is a
// *fault.Error of kind ToolFailed with the reason wrong_result.
func Result(t *spec.Tool, raw []byte) error {
	doc, top, err := scanJSON(raw)
	if err != nil {
		return fault.New(fault.ToolFailed, ReasonResult, "result of %s: %w", t.Name, err)
	}
	problems, simple := checkSimple(&t.Output, doc, top)
	if !simple {
		problems = Output(t).checkCanonical(doc)
	}
	if len(problems) == 0 {
		return nil
	}
	list := make([]string, len(problems))
	for i, p := range problems {
		list[i] = p.String()
	}
	return fault.New(fault.ToolFailed, ReasonResult, "result of %s: %s", t.Name, strings.Join(list, "; "))
}

// checkSimple checks an output that is only a type, or an array of one type,
// without the schema library, which takes seconds for megabytes of results. It
// tells false for any other output.
func checkSimple(out *spec.Output, doc []byte, top []span) ([]Problem, bool) {
	bare := bareItems().FindSubmatch(out.Items)
	if !isOutputType(out.Type) || out.Items != nil && bare == nil || bare != nil && !isOutputType(spec.Type(bare[1])) {
		return nil, false
	}
	if !isType(doc, out.Type) {
		return []Problem{{"", expectedType(out.Type, doc)}}, true
	}
	var problems []Problem
	if out.Type != spec.TypeArray || bare == nil {
		return nil, true
	}
	want := spec.Type(bare[1])
	for i, item := range top {
		if value := doc[item.start:item.end]; !isType(value, want) && len(problems) < limits.ManifestProblems {
			problems = append(problems, Problem{"/" + strconv.Itoa(i), expectedType(want, value)})
		}
	}
	return sortProblems(problems), true
}

func isOutputType(t spec.Type) bool { return slices.Contains(outputTypes, t) }

// expectedType says it in the words of the library.
func expectedType(want spec.Type, got []byte) string {
	is := spec.TypeNumber
	for _, t := range []spec.Type{spec.TypeNull, spec.TypeBoolean, spec.TypeString, spec.TypeArray, spec.TypeObject} {
		if isType(got, t) {
			is = t
		}
	}
	return "expected " + string(want) + ", but got " + string(is)
}

// isType tells whether canonical JSON is of a type.
func isType(value []byte, t spec.Type) bool {
	switch value[0] {
	case '"':
		return t == spec.TypeString
	case '{':
		return t == spec.TypeObject
	case '[':
		return t == spec.TypeArray
	case 't', 'f':
		return t == spec.TypeBoolean
	case 'n':
		return t == spec.TypeNull
	}
	return t == spec.TypeNumber || t == spec.TypeInteger && isInteger(string(value))
}
