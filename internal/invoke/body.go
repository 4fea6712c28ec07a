package invoke

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
)

// without is the arguments less what tokens of the path took: a member, or the member
// of a member; an element of an array stays, because the others would move [TI-P23].
func without(input json.RawMessage, tokens []Token) (json.RawMessage, error) {
	members, err := manifest.Object(input, limits.Arguments)
	if err != nil {
		return nil, fault.New(fault.Internal, "arguments", "%w", err)
	}
	for _, t := range tokens {
		if t.Source != Input {
			continue
		}
		i := slices.IndexFunc(members, func(m manifest.Member) bool { return m.Name == t.Path[0] })
		switch {
		case i < 0:
		case len(t.Path) == 1:
			members = slices.Delete(members, i, i+1)
		default:
			value, err := decode(members[i].Value)
			if err != nil {
				return nil, fault.New(fault.Internal, "arguments", "%w", err)
			}
			take(value, t.Path[1:])
			if members[i].Value, err = encode(value); err != nil {
				return nil, err
			}
		}
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := encode(m.Name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.Value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// take removes the member at a path, where there is one.
func take(value any, path []string) {
	for i, name := range path {
		switch in := value.(type) {
		case map[string]any:
			if i == len(path)-1 {
				delete(in, name)
				return
			}
			value = in[name]
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n < 0 || n >= len(in) {
				return
			}
			value = in[n]
		default:
			return
		}
	}
}
