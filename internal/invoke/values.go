package invoke

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Values are what tokens stand for.
type Values struct {
	input   any            // decoded, numbers as they are spelled
	schema  map[string]any // of the input, for its defaults; nil where there is none
	env     map[string]string
	secrets map[string]bool // names of the environment
	known   map[string]bool // names that the manifest declares
}

// NewValues takes the validated arguments of an operation, one JSON object, and the
// values that were collected for the tool; a value that was skipped is absent.
func NewValues(op *spec.Operation, d *spec.Deployment, input json.RawMessage, env map[string]string) (*Values, error) {
	v := &Values{env: env, secrets: map[string]bool{}, known: map[string]bool{}}
	if d != nil {
		for _, e := range d.Env {
			v.known[e.Name] = true
			v.secrets[e.Name] = v.secrets[e.Name] || e.Secret
		}
	}
	var err error
	if v.input, err = decode(input); err != nil {
		return nil, fault.New(fault.Internal, "arguments", "read arguments: %w", err)
	}
	if _, ok := v.input.(map[string]any); !ok {
		return nil, fault.New(fault.Internal, "arguments", "the arguments are no object")
	}
	if op.Input != nil {
		schema, err := decode(op.Input)
		if err != nil {
			return nil, fault.New(fault.Findings, ReasonTemplate, "read the schema of the input: %w", err)
		}
		v.schema, _ = schema.(map[string]any)
	}
	return v, nil
}

func decode(doc json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// encode is compact JSON that repeats text as it is.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fault.New(fault.Internal, "arguments", "write JSON: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// secret tells whether a token is of a value that nobody but the tool may see.
func (v *Values) secret(t Token) bool { return t.Source == Env && v.secrets[t.Path[0]] }

// get finds the value of a token.
func (v *Values) get(t Token) (any, error) {
	if t.Source == Env {
		value, ok := v.env[t.Path[0]]
		switch {
		case !v.known[t.Path[0]]:
			return nil, fault.New(fault.Findings, ReasonToken, "token %s is of a value that the manifest does not ask for", t)
		case !ok:
			return nil, fault.New(fault.Usage, ReasonNoValue, "%s has no value: %s was skipped", t, t.Path[0])
		}
		return value, nil
	}
	if value, ok := walk(v.input, t.Path); ok {
		return value, nil
	}
	if value, ok := v.byDefault(t.Path); ok {
		return value, nil
	}
	return nil, fault.New(fault.Usage, ReasonNoValue, "%s has no value: the arguments lack %s, and its schema has no default", t, strings.Join(t.Path, "."))
}

// walk goes down into a value.
func walk(value any, path []string) (any, bool) {
	for _, name := range path {
		switch in := value.(type) {
		case map[string]any:
			next, ok := in[name]
			if !ok {
				return nil, false
			}
			value = next
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(in) || strconv.Itoa(i) != name {
				return nil, false
			}
			value = in[i]
		default:
			return nil, false
		}
	}
	return value, true
}

// byDefault is what the schema says of an absent member, by its properties alone: a
// default behind a reference or an alternative is nobody's.
func (v *Values) byDefault(path []string) (any, bool) {
	schema := v.schema
	for _, name := range path {
		properties, _ := schema["properties"].(map[string]any)
		if schema, _ = properties[name].(map[string]any); schema == nil {
			return nil, false
		}
	}
	value, ok := schema["default"]
	return value, ok
}

// scalar spells a value that is no object and no array.
func scalar(value any) (text string, ok bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case json.Number:
		return value.String(), true
	case bool:
		return strconv.FormatBool(value), true
	case nil:
		return "null", true
	}
	return "", false
}

// isSecret tells whether a text has a secret in it. Secrets of a few characters are
// in any text, and are not looked for.
func (v *Values) isSecret(text string) (name string, yes bool) {
	for name := range v.secrets {
		if value := v.env[name]; v.secrets[name] && len(value) >= shortSecret && strings.Contains(text, value) {
			return name, true
		}
	}
	return "", false
}

// shortSecret is the length from which a value is looked for.
const shortSecret = 6
