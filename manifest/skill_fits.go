package manifest

import (
	"fmt"
	"math/big"

	"github.com/patch-cat/patch-git/spec"
)

// fits tells why a value of a manifest breaks a schema of the subset, "" where it
// does not. It is written out because a manifest is read thousands of times a
// second and the schema library takes longer to compile eight keywords than all the
// rest does; TestSkillFits holds it against the library.
func (s *skillReader) fits(schema, v *node) string {
	if t := schema.get("type"); t != nil && !typed(v, spec.Type(t.text)) {
		return fmt.Sprintf("it must be of type %s, this is %s", t.text, v.kind)
	}
	if e := schema.get("enum"); e != nil {
		found := false
		for _, one := range e.items {
			found = found || same(one, v)
		}
		if !found {
			return "it is none of enum"
		}
	}
	switch v.kind {
	case kindString:
		if p := schema.get("pattern"); p != nil {
			return s.matches(p.text, v.text)
		}
	case kindNumber:
		if m := schema.get("minimum"); m != nil && rational(v).Cmp(rational(m)) < 0 {
			return "it is below the minimum"
		}
		if m := schema.get("maximum"); m != nil && rational(v).Cmp(rational(m)) > 0 {
			return "it is above the maximum"
		}
	case kindArray:
		if items := schema.get("items"); items != nil {
			for i, item := range v.items {
				if why := s.fits(items, item); why != "" {
					return fmt.Sprintf("of entry %d, %s", i, why)
				}
			}
		}
	case kindObject:
		if properties := schema.get("properties"); properties != nil {
			for _, m := range properties.members {
				if value := v.get(m.name); value != nil {
					if why := s.fits(m.value, value); why != "" {
						return fmt.Sprintf("of %s, %s", spec.Quote(m.name), why)
					}
				}
			}
		}
	case kindBroken:
		return "it cannot be kept"
	}
	return ""
}

// matches asks a pattern within the budget of the file. A match that takes too long
// is none.
func (s *skillReader) matches(pattern, text string) string {
	re, err := compilePattern(pattern)
	if err != nil {
		return "its pattern cannot be used"
	}
	re.MatchTimeout = skillPatternTime
	if s.patterns.spent.Load() {
		return "matching patterns takes too long"
	}
	switch match, err := re.MatchString(text); {
	case err != nil:
		return fmt.Sprintf("matching pattern %s takes too long", spec.Quote(pattern))
	case !match:
		return fmt.Sprintf("it does not match pattern %s", spec.Quote(pattern))
	}
	return ""
}

// typed tells whether a value is of a type; 1.0 is an integer [SK-10].
func typed(v *node, t spec.Type) bool {
	switch v.kind {
	case kindString:
		return t == spec.TypeString
	case kindBoolean:
		return t == spec.TypeBoolean
	case kindArray:
		return t == spec.TypeArray
	case kindObject:
		return t == spec.TypeObject
	case kindNumber:
		return t == spec.TypeNumber || t == spec.TypeInteger && isInteger(v.text)
	}
	return false
}

// rational is a number of any size that is read here.
func rational(n *node) *big.Rat {
	if r, ok := new(big.Rat).SetString(n.text); ok {
		return r
	}
	return new(big.Rat)
}

// same tells whether two values are equal as JSON Schema has it: 1 is 1.0, "1" is
// not 1, and members have no order.
func same(a, b *node) bool {
	if a.kind != b.kind || len(a.items) != len(b.items) || len(a.members) != len(b.members) {
		return false
	}
	switch a.kind {
	case kindNumber:
		return a.text == b.text || rational(a).Cmp(rational(b)) == 0
	case kindString, kindBoolean:
		return a.text == b.text
	}
	for i := range a.items {
		if !same(a.items[i], b.items[i]) {
			return false
		}
	}
	for _, m := range a.members {
		if other := b.get(m.name); other == nil || !same(m.value, other) {
			return false
		}
	}
	return true
}
