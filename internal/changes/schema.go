package changes

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
)

// side says who has to live with a schema: who gives the value, or who gets it.
type side int

const (
	given side = iota // arguments: what allows less breaks
	got               // results: what allows more breaks
)

// narrower and wider are the classes of a schema that allows less, and more.
func (s side) narrower() Class {
	if s == given {
		return Breaking
	}
	return Additive
}

func (s side) wider() Class {
	if s == given {
		return Additive
	}
	return Breaking
}

// maxDepth bounds the comparison; what lies deeper is compared as a whole.
const maxDepth = 24

// words are the keywords that only people read.
var words = map[string]bool{"title": true, "description": true, "examples": true, "$comment": true, "$schema": true, "$id": true}

// schema compares two JSON Schemas at a path; nil is one that was not given.
func (c *comparison) schema(path string, s side, was, is json.RawMessage, depth int) {
	if bytes.Equal(was, is) {
		return
	}
	a, b := members(was), members(is)
	if a == nil || b == nil || depth > maxDepth {
		c.add(Breaking, path, "the schema changed", text(was), text(is))
		return
	}
	c.properties(path, s, a, b, depth)
	c.types(path, s, a["type"], b["type"])
	for _, name := range slices.Sorted(maps.Keys(both(a, b))) {
		was, is := a[name], b[name]
		at := path + "/" + part(name)
		switch name {
		case "properties", "required", "type":
			continue // above
		case "items":
			c.schema(at, s, was, is, depth+1)
			continue
		}
		if same(was, is) {
			continue
		}
		switch {
		case words[name]:
			c.add(Cosmetic, at, "the text changed", text(was), text(is))
		case name == "enum":
			c.values(at, s, was, is)
		case name == "x-tainted-ok":
			if text(is) == "true" {
				c.add(Permission, at, "an input takes what nobody vouches for", text(was), text(is))
			} else {
				c.add(Breaking, at, "an input takes only what somebody vouches for", text(was), text(is))
			}
		case name == "default":
			c.add(Breaking, at, "what is left out means something else", text(was), text(is))
		case lower[name] != 0:
			c.bound(at, s, was, is, lower[name])
		case was == nil:
			c.add(s.narrower(), at, "a constraint was added", "", text(is))
		case is == nil:
			c.add(s.wider(), at, "a constraint was given up", text(was), "")
		default:
			c.add(Breaking, at, "a constraint changed", text(was), text(is))
		}
	}
}

// lower tells the bounds below (1) from those above (-1).
var lower = map[string]int{
	"minimum": 1, "exclusiveMinimum": 1, "minLength": 1, "minItems": 1, "minProperties": 1,
	"maximum": -1, "exclusiveMaximum": -1, "maxLength": -1, "maxItems": -1, "maxProperties": -1,
}

func (c *comparison) bound(at string, s side, was, is json.RawMessage, direction int) {
	switch x, y := number(was), number(is); {
	case was == nil:
		c.add(s.narrower(), at, "a bound was added", "", text(is))
	case is == nil:
		c.add(s.wider(), at, "a bound was given up", text(was), "")
	case x == nil || y == nil:
		c.add(Breaking, at, "a bound changed", text(was), text(is))
	case y.Cmp(x)*direction > 0:
		c.add(s.narrower(), at, "a bound is narrower", text(was), text(is))
	default:
		c.add(s.wider(), at, "a bound is wider", text(was), text(is))
	}
}

// number reads a JSON number that is small enough to be computed with.
func number(raw json.RawMessage) *big.Rat {
	if len(raw) > 64 || bytes.ContainsAny(raw, "eE") {
		return nil
	}
	r, ok := new(big.Rat).SetString(string(raw))
	if !ok {
		return nil
	}
	return r
}

func (c *comparison) properties(path string, s side, a, b map[string]json.RawMessage, depth int) {
	was, is := members(a["properties"]), members(b["properties"])
	mustA, mustB := names(a["required"]), names(b["required"])
	for _, name := range slices.Sorted(maps.Keys(both(was, is))) {
		at := path + "/properties/" + part(name)
		_, had := was[name]
		_, has := is[name]
		needed := slices.Contains(mustB, name)
		switch {
		case had && !has:
			c.add(Breaking, at, "it is gone", name, "")
		case !had && has && s == given && needed:
			c.add(Breaking, at, "it has to be given now", "", name)
		case !had && has:
			c.add(Additive, at, "it is new", "", name)
		default:
			c.schema(at, s, was[name], is[name], depth+1)
		}
		if !had || !has {
			continue
		}
		switch needs := slices.Contains(mustA, name); {
		case needed && !needs:
			c.add(s.narrower(), at, "it is always there now", "optional", "required")
		case needs && !needed:
			c.add(s.wider(), at, "it may be left out now", "required", "optional")
		}
	}
}

// types compares the keyword type, of which one name stands for a list of one.
func (c *comparison) types(path string, s side, was, is json.RawMessage) {
	a, b := listOrOne(was), listOrOne(is)
	if same(was, is) || slices.Equal(a, b) {
		return
	}
	less := was == nil && is != nil || is != nil && every(b, a)
	more := is == nil && was != nil || was != nil && every(a, b)
	switch {
	case more:
		c.add(s.wider(), path+"/type", "more types are allowed", text(was), text(is))
	case less:
		c.add(s.narrower(), path+"/type", "fewer types are allowed", text(was), text(is))
	default:
		c.add(Breaking, path+"/type", "the type changed", text(was), text(is))
	}
}

func (c *comparison) values(at string, s side, was, is json.RawMessage) {
	a, b := list(was), list(is)
	switch {
	case was == nil:
		c.add(s.narrower(), at, "only some values are allowed now", "", text(is))
	case is == nil:
		c.add(s.wider(), at, "any value is allowed now", text(was), "")
	case every(a, b):
		c.add(s.wider(), at, "more values are allowed", text(was), text(is))
	case every(b, a):
		c.add(s.narrower(), at, "fewer values are allowed", text(was), text(is))
	default:
		c.add(Breaking, at, "other values are allowed", text(was), text(is))
	}
}

// every tells whether all of part are in whole.
func every(part, whole []string) bool {
	return !slices.ContainsFunc(part, func(s string) bool { return !slices.Contains(whole, s) })
}

func members(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if raw == nil || json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// list is an array, its elements as compact JSON.
func list(raw json.RawMessage) []string {
	var l []json.RawMessage
	if raw == nil || json.Unmarshal(raw, &l) != nil {
		return nil
	}
	out := make([]string, len(l))
	for i, v := range l {
		out[i] = compact(v)
	}
	return out
}

func listOrOne(raw json.RawMessage) []string {
	if l := list(raw); l != nil {
		slices.Sort(l)
		return l
	}
	if raw == nil {
		return nil
	}
	return []string{compact(raw)}
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

func same(a, b json.RawMessage) bool {
	return (a == nil) == (b == nil) && compact(a) == compact(b)
}

// names are the texts of a list, however they are escaped.
func names(raw json.RawMessage) []string {
	var l []string
	if json.Unmarshal(raw, &l) != nil {
		return nil
	}
	return l
}

func both(a, b map[string]json.RawMessage) map[string]bool {
	all := map[string]bool{}
	for _, m := range []map[string]json.RawMessage{a, b} {
		for name := range m {
			all[name] = true
		}
	}
	return all
}
