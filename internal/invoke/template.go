package invoke

import (
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Reasons of the faults of this package that a caller branches on.
const (
	ReasonTemplate = "bad_template"    // the manifest's own text is wrong
	ReasonToken    = "unknown_token"   // "${" and nothing that is known after it
	ReasonNoValue  = "no_value"        // neither the arguments nor the schema nor the environment has one
	ReasonShape    = "not_a_scalar"    // an object or array where there is no room for one
	ReasonSecret   = "secret_in_argv"  // a secret where other processes or logs would see it
	ReasonOption   = "option_in_value" // a value that the program would take for an option
	ReasonValue    = "bad_value"       // a value that would change what is around it
)

// Source says whose a token's value is.
type Source string

// The sources of values.
const (
	Input Source = "input"
	Env   Source = "env"
)

// Token is one ${input.PATH} or ${env.NAME}.
type Token struct {
	Source Source
	Path   []string // names and indexes; of the environment one name
}

func (t Token) String() string {
	return "${" + string(t.Source) + "." + strings.Join(t.Path, ".") + "}"
}

// part is a literal text, or a token where that is not nil.
type part struct {
	text  string
	token *Token
}

// Template is a text with tokens. The zero value is the empty text.
type Template struct{ parts []part }

// Tokens are those of the template, in their order.
func (t Template) Tokens() (list []Token) {
	for _, p := range t.parts {
		if p.token != nil {
			list = append(list, *p.token)
		}
	}
	return list
}

// whole tells whether the template is one token and nothing else.
func (t Template) whole() bool { return len(t.parts) == 1 && t.parts[0].token != nil }

// leads tells whether the text begins with a value.
func (t Template) leads() bool { return len(t.parts) > 0 && t.parts[0].token != nil }

// Parse reads a template. The error is a *fault.Error of kind Findings with the reason
// [ReasonToken], or [ReasonTemplate] for one that is too long.
func Parse(text string) (Template, error) {
	var t Template
	if len(text) > limits.TemplateText {
		return t, fault.New(fault.Findings, ReasonTemplate, "a template has more than %d bytes", limits.TemplateText)
	}
	literal := ""
	flush := func() {
		if literal != "" {
			t.parts, literal = append(t.parts, part{text: literal}), ""
		}
	}
	for text != "" {
		at := strings.IndexByte(text, '$')
		if at < 0 {
			literal += text
			break
		}
		literal, text = literal+text[:at], text[at:]
		switch {
		case strings.HasPrefix(text, "$${"):
			literal, text = literal+"${", text[3:]
		case strings.HasPrefix(text, "${"):
			inner, rest, closed := strings.Cut(text[2:], "}")
			if !closed {
				return Template{}, fault.New(fault.Findings, ReasonToken, "token %s is not closed", spec.Quote(text))
			}
			token, err := parseToken(inner)
			if err != nil {
				return Template{}, err
			}
			flush()
			t.parts, text = append(t.parts, part{token: &token}), rest
			if len(t.parts) > limits.TemplateParts {
				return Template{}, fault.New(fault.Findings, ReasonTemplate, "a template has more than %d parts", limits.TemplateParts)
			}
		default:
			literal, text = literal+"$", text[1:]
		}
	}
	flush()
	return t, nil
}

func parseToken(inner string) (Token, error) {
	unknown := func() (Token, error) {
		e := fault.New(fault.Findings, ReasonToken, "token %s is unknown", spec.Quote("${"+inner+"}"))
		return Token{}, e.Hint("tokens are ${input.PATH} and ${env.NAME}; $${ stands for ${ itself")
	}
	source, path, dotted := strings.Cut(inner, ".")
	if !dotted {
		return unknown()
	}
	t := Token{Source: Source(source), Path: strings.Split(path, ".")}
	for _, name := range t.Path {
		if !isPart(name) {
			return unknown()
		}
	}
	switch {
	case t.Source == Input && len(t.Path) <= limits.JSONDepth, t.Source == Env && len(t.Path) == 1:
		return t, nil
	}
	return unknown()
}

// isPart tells whether a token can have that name between its dots.
func isPart(name string) bool {
	for _, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return name != ""
}
