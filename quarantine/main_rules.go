package quarantine

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// checkMain compares the function main with the inputs of the manifest
// [PM-21, PM-25, PM-50] and looks for the guard that runs it [PM-51].
func checkMain(c *collector) {
	f := c.Facts
	if !slices.ContainsFunc(f.Statements, func(s Statement) bool { return s.Kind == "guard" }) {
		c.add(noGuard, at{file: c.main}, `no statement is if __name__ == "__main__":`)
	}
	if len(f.Main) == 0 {
		c.add(noMain, at{file: c.main}, "the file has no main")
		return
	}
	m := f.Main[len(f.Main)-1] // what the name means in the end
	switch {
	case len(f.Main) > 1:
		c.add(noMain, c.inMain(m.Place), "main is bound %d times, first on line %d", len(f.Main), f.Main[0].Line)
		return
	case m.Kind == "async":
		c.add(noMain, c.inMain(m.Place), "main is a coroutine, which nobody awaits")
		return
	case m.Kind != "function":
		c.add(noMain, c.inMain(m.Place), "main is not a function at the top level (%s)", m.Kind)
		return
	}
	c.compareParams(m)
}

func (c *collector) compareParams(m Main) {
	params := map[string]Param{}
	for _, p := range m.Params {
		switch p.Kind {
		case "var_positional", "var_keyword":
			c.add(parameters, c.inMain(p.Place), "the parameter %s takes whatever comes", spec.Quote(p.Name))
			continue
		case "positional_only":
			c.add(parameters, c.inMain(p.Place), "the parameter %s cannot be given by name", spec.Quote(p.Name))
		}
		params[p.Name] = p
		if !slices.ContainsFunc(c.tool.Inputs, func(in spec.Input) bool { return in.Name == p.Name }) {
			c.addAs(parameters, bad, c.inMain(p.Place), "declare the parameter as an input, or remove it", "the parameter %s is no input", spec.Quote(p.Name))
		}
	}
	for _, in := range c.tool.Inputs {
		p, ok := params[in.Name]
		if !ok {
			c.add(parameters, c.inMain(m.Place), "the input %s is no parameter of main", spec.Quote(in.Name))
			continue
		}
		where := c.inMain(p.Place)
		if !in.Required && !p.HasDefault {
			c.add(noDefault, where, "the optional input %s has no default here", spec.Quote(in.Name))
		}
		if in.Default != nil && p.Default != "" && !sameJSON(in.Default, []byte(p.Default)) {
			c.add(otherDefault, where, "the default of %s is %s here and %s in the manifest", spec.Quote(in.Name), spec.Quote(p.Default), spec.Quote(string(in.Default)))
		}
		if t := annotated(p.Annotation); t != nil && !slices.Contains(t, in.Type) {
			c.add(otherType, where, "the annotation of %s is %s and its type in the manifest %s", spec.Quote(in.Name), spec.Quote(p.Annotation), spec.Quote(string(in.Type)))
		}
	}
}

// sameJSON compares two JSON texts as Python compares the values: 1 is 1.0,
// and members have no order.
func sameJSON(a, b []byte) bool {
	x, okX := decodeJSON(a)
	y, okY := decodeJSON(b)
	return okX && okY && equalJSON(x, y)
}

func decodeJSON(data []byte) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	return v, d.Decode(&v) == nil
}

func equalJSON(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || sameNumber(string(a), string(b)))
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equalJSON)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !equalJSON(v, w) {
				return false
			}
		}
		return true
	}
	return a == b
}

// sameNumber compares decimal numbers exactly. A long one, whose exponent
// could cost memory, equals only its own spelling.
func sameNumber(a, b string) bool {
	const longest = 40
	if len(a) > longest || len(b) > longest || strings.ContainsAny(a+b, "eE") {
		x, errX := json.Number(a).Float64()
		y, errY := json.Number(b).Float64()
		return errX == nil && errY == nil && x == y
	}
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	return okX && okY && x.Cmp(y) == 0
}

// annotated returns the manifest types that an annotation of Python admits,
// nil when the annotation is none of the plain ones.
func annotated(annotation string) []spec.Type {
	a := strings.ReplaceAll(strings.Trim(annotation, `"'`), " ", "")
	if inner, ok := strings.CutPrefix(strings.TrimPrefix(a, "typing."), "Optional["); ok {
		a = strings.TrimSuffix(inner, "]")
	}
	a = strings.TrimPrefix(strings.TrimSuffix(a, "|None"), "None|")
	if strings.Contains(a, "|") {
		return nil
	}
	base, _, _ := strings.Cut(a, "[")
	switch strings.TrimPrefix(strings.TrimPrefix(base, "typing."), "collections.abc.") {
	case "str", "LiteralString":
		return []spec.Type{spec.TypeString}
	case "int":
		return []spec.Type{spec.TypeInteger}
	case "float":
		return []spec.Type{spec.TypeNumber, spec.TypeInteger}
	case "bool":
		return []spec.Type{spec.TypeBoolean}
	case "list", "List", "tuple", "Tuple", "Sequence", "Iterable", "set", "Set":
		return []spec.Type{spec.TypeArray}
	case "dict", "Dict", "Mapping", "MutableMapping":
		return []spec.Type{spec.TypeObject}
	}
	return nil
}
