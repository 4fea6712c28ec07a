package manifest

import "strings"

// token is what stands between ${ and } in a template.
type token struct {
	source string   // input, env, or "" of the form ${NAME}
	path   []string // of env and ${NAME} one name
	text   string   // as it stands, with ${ and }
	good   bool     // of one of the three forms
}

// maxTokens is how many tokens a template may have; one more are found of others.
const maxTokens = 100

// tokens finds the tokens of a template. "$${" stands for "${" itself; any other
// dollar sign is one.
func tokens(text string) []token {
	var out []token
	for {
		at := strings.Index(text, "${")
		if at < 0 || len(out) > maxTokens {
			return out
		}
		if at > 0 && text[at-1] == '$' {
			text = text[at+2:]
			continue
		}
		inner, rest, closed := strings.Cut(text[at+2:], "}")
		t := token{text: firstOf(text[at:], 60)}
		if closed {
			t.text = "${" + inner + "}"
			t.read(inner)
		}
		out = append(out, t)
		text = rest
	}
}

func (t *token) read(inner string) {
	source, path, dotted := strings.Cut(inner, ".")
	if !dotted {
		t.path, t.good = []string{inner}, isVariable(inner)
		return
	}
	t.source, t.path = source, strings.Split(path, ".")
	t.good = source == "input" || source == "env" && len(t.path) == 1
	for _, part := range t.path {
		t.good = t.good && part != "" && strings.Trim(part, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == ""
	}
}

// isVariable tells whether s is the name of an environment variable of the format.
func isVariable(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'A' || c > 'Z') && (i == 0 || !isDigit(c) && c != '_') {
			return false
		}
	}
	return s != ""
}
