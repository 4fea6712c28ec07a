package manifest

import (
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// camelFlags are the members of behaviour as the documentation spells them.
var camelFlags = [5]string{"operations", "readOnly", "destructive", "idempotent", "openWorld"}

// docs reads a tool as the catalogue of Arcade's documentation lists it: other
// names for nearly the same. It is read for import alone.
func (r *arcadeReader) docs(root *node) {
	r.a.Edition = ArcadeDocs
	r.add(arcadeEdition, root.at, "the definition is of the catalogue of Arcade's documentation, and what is published is of the specified edition (worker-http 1.0)")
	if r.mode == Strict {
		return
	}
	whole, version := ArcadeFQN(stringAt(root, "fullyQualifiedName"))
	if q := stringAt(root, "qualifiedName"); q != "" {
		whole = q
	}
	kit, tool, found := strings.Cut(whole, ".")
	if !found {
		r.add(arcadeMissing, root.at, "the qualified name %s is not Toolkit.Tool", spec.Quote(whole))
		return
	}
	if name := stringAt(root, "name"); name != "" && name != tool {
		r.add(arcadeQualified, root.at, "the qualified name %s is not that of the tool %s", spec.Quote(whole), spec.Quote(name))
		tool = name
	}
	r.a.Name, r.a.FQN, r.a.Toolkit = tool, whole, spec.ArcadeToolkit{Name: kit, Version: version}
	r.a.Description = stringAt(root, "description")
	if r.a.Description == "" {
		r.add(arcadeUndescribed, root.at, "nothing says what the tool does and when to use it")
	}
	r.docsParameters(root.get("parameters"))
	r.a.Modes = usualModes()
	r.d.Losses = append(r.d.Losses, Loss{"/output/available_modes", Synthesised, "the catalogue says nothing of modes; these are the usual ones", false})
	if out := root.get("output"); out != nil && out.kind == kindObject {
		r.a.OutputText = stringAt(out, "description")
		if out.get("type") != nil {
			value := r.docsValue(out, "/output")
			r.a.OutputValue = &value
		}
	}
	if list := root.get("secrets"); isList(list) {
		for _, item := range list.items {
			if id, ok := r.text(item, "the name of a secret"); ok && id != "" {
				r.a.Secrets = append(r.a.Secrets, id)
			}
		}
	}
	if auth := root.get("auth"); auth != nil && auth.kind == kindObject {
		r.a.Auth = &spec.ArcadeAuth{ProviderID: stringAt(auth, "providerId"), ProviderType: stringAt(auth, "providerType")}
		r.a.Auth.OAuth2 = r.a.Auth.ProviderType == "oauth2"
		r.scopes(auth.get("scopes"), r.a.Auth)
		r.a.Auth.OAuth2 = r.a.Auth.OAuth2 || len(r.a.Auth.Scopes) > 0
	}
	r.docsAside(root)
}

// docsKnown are the members that are read; the documentation's others are about
// pages.
var docsKnown = map[string]bool{
	"name": true, "qualifiedName": true, "fullyQualifiedName": true, "description": true, "parameters": true,
	"output": true, "secrets": true, "auth": true, "metadata": true, "secretsInfo": true,
}

func (r *arcadeReader) docsAside(root *node) {
	for _, m := range root.members {
		if !docsKnown[m.name] && !void(m.value) {
			r.lose("/"+pointerPart(m.name), "it is about the documentation, not the tool")
		}
	}
	meta := root.get("metadata")
	if meta == nil || meta.kind != kindObject {
		return
	}
	if b := meta.get("behavior"); b != nil && b.kind == kindObject {
		r.a.Behavior = behaviour(b, camelFlags)
		r.loseBehaviour()
	}
	if c := meta.get("classification"); c != nil && !void(c) {
		r.lose("/metadata/classification", "the specified edition has no metadata")
	}
}

func (r *arcadeReader) docsParameters(list *node) {
	if list == nil || !r.known(list, kindArray, "parameters") {
		return
	}
	if len(list.items) > limits.Inputs {
		r.add(arcadeParameters, list.at, "there are %d parameters, allowed are %d", len(list.items), limits.Inputs)
		return
	}
	for i, item := range list.items {
		if !r.known(item, kindObject, "a parameter") {
			continue
		}
		where := indexed("/parameters", i)
		p := spec.ArcadeParameter{Name: r.name(item, where, "the name of a parameter"), Inferrable: true}
		p.Description = stringAt(item, "description")
		p.Value = r.docsValue(item, where)
		if v := item.get("required"); v != nil {
			p.Required = v.text == "true"
		}
		if v := item.get("inferrable"); v != nil {
			p.Inferrable = v.text != "false"
		}
		if p.Name != "" {
			r.a.Parameters = append(r.a.Parameters, p)
		}
	}
}

// docsValue reads type, innerType and enum.
func (r *arcadeReader) docsValue(n *node, where string) spec.ArcadeValue {
	v := spec.ArcadeValue{}
	if t := r.want(n, where, "type", arcadeMissing); t != nil {
		v.Type = r.valueType(t, "type", append([]string{"array"}, arcadePrimitives...))
	}
	if inner := n.get("innerType"); inner != nil && v.Type == "array" && inner.kind != kindNull {
		v.Inner = r.valueType(inner, "innerType", arcadePrimitives)
	}
	if e := n.get("enum"); isList(e) {
		for _, word := range e.items {
			if text, ok := r.text(word, "a word of enum"); ok {
				v.Enum = append(v.Enum, text)
			}
		}
	}
	return v
}
