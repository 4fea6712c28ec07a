package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Encode returns the canonical bytes of a document.
func Encode(doc any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		// Every document type of this package encodes; anything else is a
		// programming mistake that no input can cause.
		panic(fmt.Sprintf("ledger: cannot encode %T: %v", doc, err))
	}
	return b.Bytes()
}

// decode reads canonical bytes and refuses all others.
func decode[T any](what string, data []byte, limit int) (*T, error) {
	if len(data) > limit {
		return nil, fmt.Errorf("%s has %d bytes, allowed are %d", what, len(data), limit)
	}
	doc := new(T)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(doc); err != nil {
		// The decoder repeats foreign text (names of unknown members).
		return nil, fmt.Errorf("%s is not readable: %s", what, spec.Quote(err.Error()))
	}
	if !bytes.Equal(Encode(doc), data) {
		return nil, fmt.Errorf("%s is not in canonical form", what)
	}
	return doc, nil
}

// checkSchema compares the schema word of a document with the one edition
// that this program reads.
func checkSchema(what, got, want string) error {
	if got != want {
		return fmt.Errorf("%s has schema %s, this program reads %q", what, spec.Quote(got), want)
	}
	return nil
}

const smallDocument = limits.Document
