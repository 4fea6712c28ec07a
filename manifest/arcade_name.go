package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/patch-cat/patch-git/spec"
)

// patchToolkit is the toolkit of tools that were exported from here: patch.NAME is
// NAME again [§6.1], and patch_ is nobody's prefix.
const patchToolkit = "patch"

// longest is how long a name in a registry may be; a digest takes the end of a
// longer one.
const (
	longest     = 48
	digestPart  = 8
	withoutPart = longest - digestPart - 1
)

// ArcadeName is the name in a registry of a tool of a toolkit [C-4]: the words of
// both in lower case, joined by underscores. A word begins at an upper-case letter
// that follows a lower-case one or a digit, at the last of several upper-case ones
// before a lower-case one (HTTPServer is http_server), and after every character
// that is no letter and no digit; digits belong to what stands before them
// (OAuth2Login is o_auth2_login).
//
// digest tells that the name ends with eight digits of the SHA-256 of the qualified
// name in lower case: because it is too long, or has letters that a name cannot
// have, which would make other tools its namesakes. The error says which rule of
// names is broken.
func ArcadeName(toolkit, tool string) (name spec.Name, digest bool, err error) {
	parts := []string{snake(toolkit), snake(tool)}
	if strings.EqualFold(toolkit, patchToolkit) {
		parts = parts[1:]
	}
	if slices.Contains(parts, "") {
		return "", false, fmt.Errorf("toolkit %s and tool %s have no word of letters or digits", spec.Quote(toolkit), spec.Quote(tool))
	}
	text := strings.Join(parts, "_")
	if len(text) > longest || odd(toolkit) || odd(tool) {
		sum := sha256.Sum256([]byte(foldFQN(toolkit + "." + tool)))
		digest = true
		text = strings.TrimRight(text[:min(len(text), withoutPart)], "_") + "_" + hex.EncodeToString(sum[:])[:digestPart]
	}
	name, err = spec.ParseName(text)
	return name, digest, err
}

// odd tells whether a name has characters beyond those of names of programs.
func odd(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r > unicode.MaxASCII || !alphanumeric(byte(r)) && r != '_' && r != '-' && r != '.'
	})
}

// snake writes the words of a name.
func snake(s string) string {
	upper := func(i int) bool { return i < len(s) && s[i] >= 'A' && s[i] <= 'Z' }
	lower := func(i int) bool { return i < len(s) && s[i] >= 'a' && s[i] <= 'z' }
	var b []byte
	for i := range len(s) {
		c := s[i]
		switch {
		case !alphanumeric(c):
			c = '_'
		case upper(i) && i > 0 && alphanumeric(s[i-1]) && (!upper(i-1) || lower(i+1)):
			b = append(b, '_')
		}
		if upper(i) {
			c += 'a' - 'A'
		}
		if c == '_' && (len(b) == 0 || b[len(b)-1] == '_') {
			continue
		}
		b = append(b, c)
	}
	return strings.TrimRight(string(b), "_")
}

// foldFQN is the spelling under which qualified names are compared: Arcade looks at
// no case [C-33].
func foldFQN(s string) string { return strings.ToLower(s) }

// ArcadeFQN takes a fully qualified name apart: the qualified name, which tells the
// tool, and the version behind an @, if there is one.
func ArcadeFQN(fqn string) (qualified, version string) {
	if i := strings.LastIndexByte(fqn, '@'); i > 0 {
		return fqn[:i], fqn[i+1:]
	}
	return fqn, ""
}

// SameArcade tells whether two fully qualified names, without or with versions, are
// those of one tool: case does not count, nor does a version that one of them lacks.
func SameArcade(a, b string) bool {
	qa, va := ArcadeFQN(a)
	qb, vb := ArcadeFQN(b)
	return foldFQN(qa) == foldFQN(qb) && (va == "" || vb == "" || strings.EqualFold(va, vb))
}

// qualifies tells whether a qualified name is toolkit and tool with something
// between them that is neither letter nor digit: what stands there is a setting of
// the worker, at most three characters long.
func qualifies(fqn, toolkit, tool string) bool {
	q, _ := ArcadeFQN(fqn)
	q, toolkit, tool = foldFQN(q), foldFQN(toolkit), foldFQN(tool)
	sep, ok := strings.CutPrefix(q, toolkit)
	if !ok {
		return false
	}
	sep, ok = strings.CutSuffix(sep, tool)
	return ok && sep != "" && len(sep) <= 3 && !strings.ContainsFunc(sep, func(r rune) bool { return r > unicode.MaxASCII || r <= ' ' || alphanumeric(byte(r)) })
}
