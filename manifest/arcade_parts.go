package manifest

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// usualModes are the modes of an output of which the definition says none, as the
// SDK fills them in.
func usualModes() []string { return []string{"value", "error", "null"} }

var (
	arcadePrimitives = []string{"string", "integer", "number", "boolean", "json"}
	arcadeModes      = []string{"value", "error", "null", "artifact", "requires_authorization"}
)

func (r *arcadeReader) input(n *node) {
	r.members(n, "/input", anInput)
	list := r.want(n, "/input", "parameters", arcadeMissing)
	if list == nil || !r.known(list, kindArray, "parameters") {
		return
	}
	if len(list.items) > limits.Inputs {
		r.add(arcadeParameters, list.at, "there are %d parameters, allowed are %d", len(list.items), limits.Inputs)
		return
	}
	seen := map[string]bool{}
	for i, item := range list.items {
		where := indexed("/input/parameters", i)
		r.d.places[where] = item.at
		if !r.known(item, kindObject, "a parameter") {
			continue
		}
		p := r.parameter(item, where)
		switch {
		case p.Name == "":
		case seen[p.Name]:
			r.add(arcadeParameterTwice, item.at, "the parameter %s stands twice", spec.Quote(p.Name))
			continue
		case !typeable(p.Name):
			r.add(arcadeParameterName, item.at, "the name of parameter %s is no word of ASCII letters, digits, underscores and hyphens", spec.Quote(p.Name))
		}
		seen[p.Name] = true
		r.a.Parameters = append(r.a.Parameters, p)
	}
}

// typeable tells whether a name can be typed as a flag of a command line.
func typeable(s string) bool {
	return len(s) <= limits.InputName && s != "" && s[0] != '-' && !strings.ContainsFunc(s, func(c rune) bool {
		return c > 0x7f || !alphanumeric(byte(c)) && c != '_' && c != '-'
	})
}

func (r *arcadeReader) parameter(n *node, where string) spec.ArcadeParameter {
	r.members(n, where, aParameter)
	p := spec.ArcadeParameter{Name: r.name(n, where, "the name of a parameter"), Inferrable: true}
	if v := r.want(n, where, "required", arcadeDefault); v != nil && r.known(v, kindBoolean, "required") {
		p.Required = v.text == "true"
	}
	if v := n.get("description"); v != nil {
		p.Description, _ = r.text(v, "the description of a parameter")
	}
	if v := r.object(n, where, "value_schema", arcadeMissing); v != nil {
		p.Value = r.value(v, where+"/value_schema")
	}
	if v := n.get("inferrable"); v != nil && r.known(v, kindBoolean, "inferrable") {
		p.Inferrable = v.text == "true"
	}
	return p
}

// value reads the schema of a value.
func (r *arcadeReader) value(n *node, where string) spec.ArcadeValue {
	r.members(n, where, aValue)
	v := spec.ArcadeValue{}
	if t := r.want(n, where, "val_type", arcadeMissing); t != nil {
		v.Type = r.valueType(t, "val_type", append(slices.Clone(arcadePrimitives), "array"))
	}
	inner := n.get("inner_val_type")
	switch {
	case inner == nil && v.Type == "array":
		r.shape(arcadeInner, n.at, "", "the type of the array's elements is missing%s", inside(where))
	case inner == nil || inner.kind == kindNull:
	case v.Type != "array":
		// The schema has nothing against it, and nobody reads it.
		r.valueType(inner, "inner_val_type", arcadePrimitives)
		r.lose(where+"/inner_val_type", "the value is no array")
	default:
		v.Inner = r.valueType(inner, "inner_val_type", arcadePrimitives)
	}
	if e := n.get("enum"); e != nil && e.kind != kindNull && r.known(e, kindArray, "enum") {
		for i, word := range e.items {
			if text, ok := r.text(word, "a word of enum"); ok {
				v.Enum = append(v.Enum, text)
				if _, fits := enumWord(text, elementType(&v)); !fits {
					r.add(arcadeEnum, word.at, "the word %s of %s is no %s", spec.Quote(text), indexed(where[1:]+"/enum", i), elementType(&v))
				}
			}
		}
	}
	return v
}

// elementType is the type that an enumeration is of: an array's is that of its
// elements.
func elementType(v *spec.ArcadeValue) string {
	if v.Type == "array" {
		return v.Inner
	}
	return v.Type
}

func (r *arcadeReader) valueType(n *node, what string, words []string) string {
	text, ok := r.text(n, what)
	switch {
	case !ok:
		return ""
	case text == "object":
		r.odd++
		r.signs |= inEngine // which calls json by JSON Schema's word
		return "json"
	case !slices.Contains(words, text):
		r.shape(arcadeWord, n.at, "", "%s is %s, allowed are %s", what, spec.Quote(text), strings.Join(words, ", "))
		return ""
	}
	return text
}

func (r *arcadeReader) output(n *node) {
	const where = "/output"
	r.members(n, where, anOutput)
	if list := r.want(n, where, "available_modes", arcadeDefault); list != nil && r.known(list, kindArray, "available_modes") {
		if len(list.items) == 0 {
			r.shape(arcadeDefault, list.at, "", "available_modes is empty, and at least one is asked for")
		}
		for _, item := range list.items {
			mode, ok := r.text(item, "a mode")
			switch {
			case ok && !slices.Contains(arcadeModes, mode):
				r.shape(arcadeWord, item.at, "", "a mode is %s, allowed are %s", spec.Quote(mode), strings.Join(arcadeModes, ", "))
			case ok:
				r.a.Modes = append(r.a.Modes, mode)
			}
		}
	}
	if len(r.a.Modes) == 0 {
		r.a.Modes = usualModes()
	}
	if d := n.get("description"); d != nil {
		r.a.OutputText, _ = r.text(d, "the description of the output")
	}
	if v := n.get("value_schema"); v != nil && r.known(v, kindObject, "value_schema") {
		value := r.value(v, where+"/value_schema")
		r.a.OutputValue = &value
	}
}

func (r *arcadeReader) requirements(n *node) {
	const where = "/requirements"
	r.members(n, where, theRequirements)
	if list := n.get("secrets"); list != nil && list.kind != kindNull && r.known(list, kindArray, "secrets") {
		for i, item := range list.items {
			at := indexed(where+"/secrets", i)
			r.d.places[at] = item.at
			if r.known(item, kindObject, "a secret") {
				r.secret(item, at)
			}
		}
	}
	if auth := n.get("authorization"); auth != nil && auth.kind != kindNull {
		r.authorization(auth, where+"/authorization")
	}
}

// secret reads the name of a secret, which editions but the specified one call key
// [AT-P2].
func (r *arcadeReader) secret(n *node, where string) {
	r.members(n, where, aSecret)
	id := n.get("key_id")
	if id == nil {
		id = n.get("key")
	}
	if id == nil {
		r.shape(arcadeMissing, n.at, "add key_id", "the member \"key_id\" is missing%s", inside(where))
		return
	}
	text, ok := r.text(id, "the name of a secret")
	switch {
	case !ok:
	case strings.TrimSpace(text) == "":
		r.add(arcadeEmpty, id.at, "the name of a secret is empty")
	case !r.secrets[text]:
		r.secrets[text] = true
		r.a.Secrets = append(r.a.Secrets, text)
	}
}

// authorization reads the account that a tool works with: a word, an object, or, as
// the engine has it, a list of objects.
func (r *arcadeReader) authorization(n *node, where string) {
	switch {
	case n.kind == kindString:
		if !slices.Contains([]string{"none", "token"}, n.text) {
			r.shape(arcadeWord, n.at, "", "authorization is %s, allowed are none, token or an object", spec.Quote(n.text))
			return
		}
		r.a.Auth = &spec.ArcadeAuth{Word: n.text}
	case n.kind == kindArray:
		r.signs |= inEngine
		for i, item := range n.items {
			at := indexed(where, i)
			switch {
			case !r.known(item, kindObject, "an account"):
			case r.a.Auth == nil:
				r.a.Auth = r.account(item, at)
			default:
				r.add(arcadeAccounts, item.at, "the tool asks for more than one account")
				r.d.Losses = append(r.d.Losses, Loss{at, Dropped, "the specified edition has one account", true})
			}
		}
	case r.known(n, kindObject, "authorization"):
		r.a.Auth = r.account(n, where)
	}
}

func (r *arcadeReader) account(n *node, where string) *spec.ArcadeAuth {
	r.members(n, where, anAccount)
	a := &spec.ArcadeAuth{}
	if t := r.want(n, where, "provider_type", arcadeMissing); t != nil {
		a.ProviderType, _ = r.text(t, "provider_type")
	}
	for name, field := range map[string]*string{"provider_id": &a.ProviderID, "id": &a.ID} {
		if v := n.get(name); v != nil {
			*field, _ = r.text(v, name)
		}
	}
	if o := n.get("oauth2"); o != nil && r.known(o, kindObject, "oauth2") {
		a.OAuth2 = true
		r.members(o, where+"/oauth2", theOAuth2)
		r.scopes(o.get("scopes"), a)
	}
	if list := n.get("scopes"); list != nil {
		a.OAuth2 = a.OAuth2 || a.ProviderType == "oauth2" || len(list.items) > 0
		r.scopes(list, a)
	}
	return a
}

func (r *arcadeReader) scopes(n *node, a *spec.ArcadeAuth) {
	if n == nil || !r.known(n, kindArray, "scopes") {
		return
	}
	for _, item := range n.items {
		if scope, ok := r.text(item, "a scope"); ok {
			a.Scopes = append(a.Scopes, scope)
		}
	}
}
