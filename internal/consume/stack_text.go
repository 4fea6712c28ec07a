package consume

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// ReasonHidden refuses arguments with characters that their reader does not see.
const ReasonHidden = "hidden_characters"

// sanitize looks for what a person would not see in the arguments, or would misread.
// A model that was led to pass something on does not see it either. What is hidden in
// an input that is not tainted_ok is refused; what is misread there a person has to
// look at, because real names are written so, too. Nothing is ever stripped: a value
// that somebody changed on its way is not the value that was asked for. The tool's own
// texts were looked at by the rules of the quarantine.
func (k *call) sanitize(context.Context) (string, error) {
	looks := ""
	given := values(k.args)
	for _, in := range k.s.takes(given) {
		if in.TaintedOK {
			continue
		}
		found := texts(given[in.Name])
		if k.s.Operation != "" && sanitize.Scan(in.Name) != nil {
			found = append(found, in.Name) // the schema may let a caller choose the name, too
		}
		for _, text := range found {
			hits := sanitize.Scan(text)
			i := slices.IndexFunc(hits, func(h sanitize.Hit) bool { return !sanitize.Misread(h.Category) })
			switch {
			case len(hits) == 0:
			case k.o.Session == nil: // it is that person's own, and visible to nobody else
				k.c.warn("the input " + approval.InputName(in.Name) + " has characters that do not show as what they are: " + hits[max(i, 0)].Category)
			case i >= 0:
				return "", hidden(in.Name, text, hits[i:])
			default:
				looks = approval.KindHidden
				k.reasons = append(k.reasons, approval.Reason{
					Kind: approval.KindHidden, Input: in.Name, Value: cut(text),
					Text: "the input " + approval.InputName(in.Name) + " is " + spec.Quote(cut(text)) + ", which may look like something else (" + hits[0].Category + ")",
				})
			}
		}
	}
	return looks, nil
}

// takes are the inputs of a call: those that the manifest names, and what was given
// beside them where the schema of an operation allows that.
func (s *Subject) takes(given map[string]json.RawMessage) []spec.Input {
	list := s.Tool.Inputs
	if s.Operation == "" {
		return list
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(s.Tool.Inputs, func(in spec.Input) bool { return in.Name == name }) {
			list = append(slices.Clip(list), spec.Input{Name: name})
		}
	}
	return list
}

// hidden refuses a text, with what it hides where that can be read.
func hidden(input, text string, hits []sanitize.Hit) error {
	what := hits[0].Category + " at character " + strconv.Itoa(len([]rune(text[:hits[0].Offset]))+1)
	if says := sanitize.Reveal(hits); says != "" {
		what += ", which spells " + spec.Quote(cut(says))
	}
	return fault.New(fault.Usage, ReasonHidden, "the input %s has characters that nobody sees: %s", approval.InputName(input), what).
		Hint("pass the text without them")
}

// values are those of canonical arguments.
func values(args json.RawMessage) map[string]json.RawMessage {
	list, err := manifest.Object(args, len(args))
	if err != nil {
		return nil
	}
	all := make(map[string]json.RawMessage, len(list))
	for _, m := range list {
		all[m.Name] = m.Value
	}
	return all
}

// texts are the strings in a JSON value at any depth, names of members too.
func texts(value json.RawMessage) (out []string) {
	if !bytes.ContainsRune(value, '"') {
		return nil
	}
	var v any
	if json.Unmarshal(value, &v) != nil {
		return nil
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				out = append(out, name)
				walk(v[name])
			}
		}
	}
	walk(v)
	return out
}

// shownRunes is how much of a value a reason repeats.
const shownRunes = 80

// cut shortens a foreign text for a sentence.
func cut(text string) string {
	if r := []rune(strings.ToValidUTF8(text, "\uFFFD")); len(r) > shownRunes {
		return string(r[:shownRunes]) + "…"
	}
	return text
}
