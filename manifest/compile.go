package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// schemaURL is the address under which the library knows the schema. Nothing
// is ever fetched, from there or from anywhere.
const schemaURL = "urn:patch-git:schema"

// compile prepares the schema on first use.
func (s *Schema) compile() error {
	s.once.Do(func() {
		s.err = guard(func() (err error) {
			s.patterns = &patternBudget{}
			if s.authored {
				s.patterns.most, s.patterns.mostSteps, s.patterns.mostMatching = authoredTime, authoredSteps, checkTime
			}
			s.compiled, err = compileSchema(s.text, s.foreign, s.authored, s.patterns)
			return err
		})
	})
	return s.err
}

func compileSchema(text []byte, foreign, authored bool, patterns *patternBudget) (*jsonschema.Schema, error) {
	if len(text) == 0 {
		return nil, errors.New("the schema is empty")
	}
	doc, err := decodeJSON(text)
	if err != nil {
		return nil, err
	}
	if foreign {
		dropID(doc)
		count := 0
		if err := prepareForeign(doc, &count); err != nil {
			return nil, err
		}
		if authored {
			moveItems(doc)
		}
	} else {
		movePatterns(doc)
	}
	moved, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.LoadURL = func(string) (io.ReadCloser, error) {
		return nil, errors.New("a schema may not refer to another document")
	}
	c.RegisterExtension(patternKeyword, nil, patterns)
	if foreign {
		c.RegisterExtension(stepKeyword, nil, stepCounter{patterns, authored})
		c.RegisterExtension(namedSchema, nil, namedCompiler{patterns})
	}
	if authored {
		c.RegisterExtension(eachSchema, nil, eachCompiler{})
	}
	if err := c.AddResource(schemaURL, bytes.NewReader(moved)); err != nil {
		return nil, err
	}
	return c.Compile(schemaURL)
}

func (s *Schema) validate(v any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	stop := s.patterns.start()
	defer stop()
	return guard(func() error { return s.compiled.Validate(v) })
}

// guard turns a panic of the library into an error: it works on hostile
// schemas and documents, and a bug in it must end in a refusal.
func guard(f func() error) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case errSteps:
			err = errSteps
		default:
			err = fmt.Errorf("the schema library gave up: %s", spec.Quote(fmt.Sprint(p)))
		}
	}()
	return f()
}

// decodeJSON decodes one JSON value with its numbers as they are spelled.
func decodeJSON(doc []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return v, nil
}

// problemsOf lists the innermost causes of a failed validation.
func problemsOf(err error) []Problem {
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return []Problem{{"", plainText(err.Error())}}
	}
	var list []Problem
	collect(failed, &list)
	return sortProblems(list)
}

func collect(e *jsonschema.ValidationError, list *[]Problem) {
	if len(*list) >= limits.ManifestProblems {
		return
	}
	keyword := e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
	// What each branch of an alternative dislikes doesn't say what is wrong.
	if len(e.Causes) == 0 || keyword == "anyOf" || keyword == "oneOf" {
		message := plainText(e.Message)
		if keyword == "anyOf" || keyword == "oneOf" {
			message = "the value fits none, or more than one, of the allowed alternatives"
		}
		*list = append(*list, Problem{pointer(e.InstanceLocation), message})
		return
	}
	for _, cause := range e.Causes {
		collect(cause, list)
	}
}

// schemaProblem finds in a compile error what is wrong with the schema itself,
// and where, as a JSON Pointer.
func schemaProblem(err error) (where, message string, ok bool) {
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return "", "", false
	}
	list := problemsOf(failed)
	return list[0].Path, list[0].Message, true
}

// pointer turns the library's location, which is percent-encoded, into a JSON
// Pointer.
func pointer(location string) string {
	if p, err := url.PathUnescape(location); err == nil {
		return p
	}
	return location
}

// plainText escapes the library's message, which repeats foreign values, and
// cuts it where it is long.
func plainText(s string) string {
	const most = 300
	var b strings.Builder
	for _, c := range strings.TrimPrefix(s, "jsonschema: ") {
		if b.Len() > most {
			return b.String() + "…"
		}
		if c >= ' ' && c < 0x7F {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, "\\u%04x", c)
		}
	}
	return b.String()
}
