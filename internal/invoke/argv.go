package invoke

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// argv is the argument vector of a call: the entrypoint, which has no tokens, and
// the elements of the template, each of which stays one argument [TI-P9, TI-P21].
func (v *Values) argv(command, templates []string) ([]string, error) {
	out := slices.Clone(command)
	if len(out) == 0 {
		return nil, fault.New(fault.Findings, ReasonTemplate, "the manifest has no entrypoint to call")
	}
	size, ended := 0, false
	for _, text := range templates {
		t, err := Parse(text)
		if err != nil {
			return nil, err
		}
		arg, err := v.argument(t, ended)
		if err != nil {
			return nil, err
		}
		ended = ended || text == "--"
		if size += len(arg); size > limits.CallArgv {
			return nil, fault.New(fault.Usage, ReasonValue, "the arguments on the command line are more than %d bytes", limits.CallArgv)
		}
		out = append(out, arg)
	}
	return out, nil
}

// argument is one element. ended tells that a "--" stands before it.
func (v *Values) argument(t Template, ended bool) (string, error) {
	var b strings.Builder
	number := false // all of it is a number, which is no option
	for _, p := range t.parts {
		if p.token == nil {
			if strings.IndexByte(p.text, 0) >= 0 || !utf8.ValidString(p.text) {
				return "", fault.New(fault.Findings, ReasonTemplate, "%s cannot be an argument: it has a zero byte or is not UTF-8", spec.Quote(p.text))
			}
			b.WriteString(p.text)
			continue
		}
		if v.secret(*p.token) {
			return "", inArgv(*p.token)
		}
		value, err := v.get(*p.token)
		if err != nil {
			return "", err
		}
		text, ok := scalar(value)
		switch {
		case ok:
		case !t.whole():
			return "", shape(*p.token, "inside an argument")
		default:
			doc, err := encode(value)
			if err != nil {
				return "", err
			}
			text = string(doc)
		}
		if strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text) {
			return "", fault.New(fault.Usage, ReasonValue, "the value of %s cannot be an argument: it has a zero byte or is not UTF-8", p.token)
		}
		_, number = value.(json.Number)
		number = number && t.whole()
		b.WriteString(text)
	}
	arg := b.String()
	if name, yes := v.isSecret(arg); yes {
		return "", fault.New(fault.Denied, ReasonSecret, "the value of the secret %s was to stand on a command line, where other programs see it", name)
	}
	if t.leads() && strings.HasPrefix(arg, "-") && !ended && !number {
		first := t.Tokens()[0]
		return "", fault.New(fault.Usage, ReasonOption, "the value of %s is %s, which the program would take for an option", first, spec.Quote(arg)).
			Hint("pass a value that does not begin with -; the manifest could write --option=%s, or \"--\" before it", first)
	}
	return arg, nil
}

func inArgv(t Token) error {
	return fault.New(fault.Denied, ReasonSecret, "%s is a secret, and other programs see a command line and a path", t).
		Hint("secrets reach a tool by its environment, by a header, or by its input")
}

func shape(t Token, where string) error {
	return fault.New(fault.Usage, ReasonShape, "%s is an object or an array, which has no place %s", t, where)
}
