package smoke

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// Reply is what a smoke run answered; what a run does not have is nil.
type Reply struct {
	Exit   *int
	Status *int
	Stdout []byte
	Body   []byte // what is looked at as JSON too; of a program its standard output
}

// Judge lists the conditions that do not hold, in words that hold nothing of what was
// answered: it may repeat a secret. An empty list is a tool that works.
func Judge(kind string, s spec.Success, r Reply, env map[string]string) []string {
	var bad []string
	say := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	exit := s.ExitCode
	if exit == "" && kind == "shell" {
		exit = "0"
	}
	number := func(what string, want json.Number, got *int) {
		switch {
		case want == "":
		case got == nil:
			say("there is no %s to compare", what)
		case !equalNumbers(want.String(), strconv.Itoa(*got)):
			say("the %s is %d, not %s", what, *got, spec.Quote(want.String()))
		}
	}
	number("exit code", exit, r.Exit)
	number("HTTP status", s.HTTPStatus, r.Status)
	pattern := func(what string, want *string, got []byte) {
		switch {
		case want == nil:
		case got == nil:
			say("there is no %s to look at", what)
		default:
			found, err := manifest.Match(*want, strings.ToValidUTF8(string(got), "\ufffd"))
			if err != nil {
				say("the pattern for the %s cannot be used: %v", what, err)
			} else if !found {
				say("the %s does not match %s", what, spec.Quote(*want))
			}
		}
	}
	pattern("output", s.Stdout, r.Stdout)
	pattern("body", s.Body, r.Body)
	if len(s.Equals) == 0 && !s.NoError {
		return bad
	}
	doc, err := decode(r.Body)
	if err != nil {
		return append(bad, "the answer is not JSON")
	}
	for _, pointer := range slices.Sorted(maps.Keys(s.Equals)) {
		want, err := decode(s.Equals[pointer])
		if err == nil {
			want, err = substituteAll(want, env)
		}
		if err != nil {
			say("the value for %s cannot be used: %v", spec.Quote(pointer), err)
			continue
		}
		got, ok := resolve(doc, pointer)
		switch {
		case !ok:
			say("the answer has nothing at %s", spec.Quote(pointer))
		case !equal(got, want):
			say("the answer has another value at %s", spec.Quote(pointer))
		}
	}
	if object, ok := doc.(map[string]any); ok && s.NoError {
		if _, there := object["error"]; there {
			say("the answer has the member \"error\"")
		}
	}
	return bad
}
