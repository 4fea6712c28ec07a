package manifest

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

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
		if !s.words(e)[string(canonical(nil, v))] {
			return "it is none of enum"
		}
	}
	switch v.kind {
	case kindString:
		if p := schema.get("pattern"); p != nil {
			return s.matches(p.text, v.text)
		}
	case kindNumber:
		least, most := schema.get("minimum"), schema.get("maximum")
		if least == nil && most == nil {
			return ""
		}
		n := rational(v)
		if least != nil && n.Cmp(s.bound(least)) < 0 {
			return "it is below the minimum"
		}
		if most != nil && n.Cmp(s.bound(most)) > 0 {
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

// bound is the number of a schema, put together once for all that is held against it.
func (s *skillReader) bound(n *node) *big.Rat {
	known := s.bounds[n]
	if known == nil {
		if known = rational(n); s.bounds == nil {
			s.bounds = map[*node]*big.Rat{}
		}
		s.bounds[n] = known
	}
	return known
}

// words are the values of an enum in one spelling each, put together once: a long
// list of defaults and a long enum would be compared each with each.
func (s *skillReader) words(enum *node) map[string]bool {
	if known, ok := s.enums[enum]; ok {
		return known
	}
	all := map[string]bool{}
	for _, item := range enum.items {
		all[string(canonical(nil, item))] = true
	}
	if s.enums == nil {
		s.enums = map[*node]map[string]bool{}
	}
	s.enums[enum] = all
	return all
}

// canonical spells values alike that are equal as JSON Schema has it: 1 is 1.0, "1" is
// not 1, and members have no order.
func canonical(b []byte, n *node) []byte {
	switch n.kind {
	case kindNumber:
		if len(n.text) < 19 && strings.Trim(n.text, "0123456789") == "" {
			return append(b, n.text...)
		}
		return append(b, rational(n).RatString()...)
	case kindArray:
		b = append(b, '[')
		for _, item := range n.items {
			b = append(canonical(b, item), ',')
		}
		return append(b, ']')
	case kindObject:
		members := slices.Clone(n.members)
		slices.SortFunc(members, func(x, y member) int { return strings.Compare(x.name, y.name) })
		b = append(b, '{')
		for _, m := range members {
			b = append(appendJSONString(b, m.name), ':')
			b = append(canonical(b, m.value), ',')
		}
		return append(b, '}')
	}
	return n.appendJSON(b)
}
