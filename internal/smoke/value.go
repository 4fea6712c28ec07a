package smoke

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// decode reads one JSON value, numbers as they were written.
func decode(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return v, nil
}

// resolve follows a JSON Pointer (RFC 6901).
func resolve(doc any, pointer string) (any, bool) {
	if pointer == "" {
		return doc, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	for part := range strings.SplitSeq(pointer[1:], "/") {
		name, ok := unescape(part)
		if !ok {
			return nil, false
		}
		switch v := doc.(type) {
		case map[string]any:
			if doc, ok = v[name]; !ok {
				return nil, false
			}
		case []any:
			// "-" is the element after the last one, which is not there.
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(v) || strconv.Itoa(i) != name {
				return nil, false
			}
			doc = v[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

// unescape reads ~0 and ~1; any other ~ is no pointer.
func unescape(part string) (string, bool) {
	var out strings.Builder
	for i := 0; i < len(part); i++ {
		if part[i] != '~' {
			out.WriteByte(part[i])
			continue
		}
		if i++; i == len(part) || part[i] != '0' && part[i] != '1' {
			return "", false
		}
		out.WriteByte(map[byte]byte{'0': '~', '1': '/'}[part[i]])
	}
	return out.String(), true
}

// equal compares as JSON Schema does: numbers by their value, objects whatever their
// order.
func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		n, ok := b.(json.Number)
		return ok && equalNumbers(a.String(), n.String())
	case []any:
		list, ok := b.([]any)
		if !ok || len(a) != len(list) {
			return false
		}
		for i := range a {
			if !equal(a[i], list[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		object, ok := b.(map[string]any)
		if !ok || len(a) != len(object) {
			return false
		}
		for k, v := range a {
			other, there := object[k]
			if !there || !equal(v, other) {
				return false
			}
		}
		return true
	}
	return a == b
}

// maxExponent bounds the exponents of numbers that are compared by value: a larger one
// would take all memory to write out.
const maxExponent = 400

// equalNumbers compares two numbers of JSON by their value: 1, 1.0 and 1e0 are the same,
// and 9007199254740993 is not 9007199254740992.
func equalNumbers(a, b string) bool {
	if a == b {
		return true
	}
	x, okX := rational(a)
	y, okY := rational(b)
	return okX && okY && x.Cmp(y) == 0
}

func rational(s string) (*big.Rat, bool) {
	if len(s) > 1000 {
		return nil, false
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil || n > maxExponent || n < -maxExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(s)
}

var token = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([^}]*)\}`) })

// Substitute puts collected values in the place of ${NAME}. A name that has none is an
// error of kind Findings, and so is ${ without an end.
func Substitute(text string, env map[string]string) (string, error) {
	var unknown error
	out := token().ReplaceAllStringFunc(text, func(t string) string {
		v, ok := env[t[2:len(t)-1]]
		if !ok {
			unknown = fault.New(fault.Findings, "unknown_token", "%s stands for no value that was given", spec.Quote(t))
		}
		return v
	})
	if unknown == nil && strings.Contains(token().ReplaceAllString(text, ""), "${") {
		unknown = fault.New(fault.Findings, "unknown_token", "a ${ in the smoke test has no end")
	}
	return out, unknown
}

// Header is Substitute for the value of a header, which has no room for what would
// begin another one.
func Header(text string, env map[string]string) (string, error) {
	v, err := Substitute(text, env)
	if err == nil && strings.ContainsAny(v, "\r\n\x00") {
		err = fault.New(fault.Findings, "bad_value", "a value for a header of the smoke test has a line break")
	}
	return v, err
}

// substituteAll does it to all strings of a value, and to no name of a member.
func substituteAll(v any, env map[string]string) (any, error) {
	switch v := v.(type) {
	case string:
		return Substitute(v, env)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			var err error
			if out[i], err = substituteAll(v[i], env); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			var err error
			if out[k], err = substituteAll(v[k], env); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v, nil
}
