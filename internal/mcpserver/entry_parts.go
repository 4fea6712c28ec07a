package mcpserver

import (
	"bytes"
	"encoding/json"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// schemasOf are what an operation takes and answers, as hosts are told it. The input is
// the one that a call is held to; an output that refers to parts of itself is not told,
// because it stands in another document here.
func schemasOf(op *spec.Operation) (in, out []byte, err error) {
	if in, err = compact(bare(typed(manifest.OperationInput(op).JSON()))); err != nil {
		return nil, nil, err
	}
	kind := manifest.OperationResult(op)
	var schema []byte
	if o := manifest.OperationOutput(op); o != nil {
		schema = o.JSON()
	}
	if refers(schema) || len(schema) > limits.ManifestBytes {
		return in, nil, nil
	}
	switch {
	case op.Output != nil && op.Output.Format == spec.OutputNDJSON && schema != nil:
		schema = append(append([]byte(`{"type":"array","items":`), bare(schema)...), '}')
	case op.Output == nil || op.Output.Format != spec.OutputJSON:
		schema = []byte(`{"type":"` + string(kind) + `"}`)
	case schema == nil:
		schema = []byte(`{}`)
	}
	if kind != spec.TypeObject {
		schema = append(append([]byte(`{"type":"object","properties":{"result":`), bare(schema)...), `},"required":["result"]}`...)
	}
	out, err = compact(bare(schema))
	return in, out, err
}

// typed is the schema of an object that says so: hosts look for the word.
func typed(schema []byte) []byte {
	members, err := manifest.Object(schema, len(schema))
	if err != nil {
		return schema
	}
	for _, m := range members {
		if m.Name == "type" {
			return schema
		}
	}
	rest := bytes.TrimPrefix(bytes.TrimSpace(schema), []byte("{"))
	begin := []byte(`{"type":"object"`)
	if len(members) > 0 {
		begin = append(begin, ',')
	}
	return append(begin, rest...)
}

// refers tells whether a schema has a reference, or an anchor that one could lead to.
func refers(schema []byte) bool {
	if !json.Valid(schema) {
		return len(schema) > 0
	}
	for _, word := range []string{`"$ref"`, `"$dynamicRef"`, `"$id"`, `"$anchor"`, `"$dynamicAnchor"`} {
		if bytes.Contains(schema, []byte(word)) {
			return true
		}
	}
	return false
}
