package manifest

import (
	"encoding/json"
	"errors"

	"github.com/patch-cat/patch-git/internal/fault"
)

// Member is a member of a JSON object. Its value has no white space, its strings
// have one spelling, and its numbers are as they came.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Object reads one JSON object of at most the given bytes by the same strict rules
// as arguments: UTF-8, no key twice, bounded depth, count and numbers. Members stay
// in their order.
//
// The error is a *fault.Error of kind Usage with the reason not_json,
// duplicate_argument, too_large or wrong_type; beside it stand the members that
// were read before, by which a caller may know whose text it refuses.
func Object(raw []byte, most int) ([]Member, error) {
	s, err := scan(raw, most)
	var members []Member
	switch {
	case len(s.out) > 0 && s.out[0] == '{':
		members = make([]Member, len(s.top))
		for i, m := range s.top {
			members[i] = Member{m.name, json.RawMessage(s.out[m.start:m.end:m.end])}
		}
	case err == nil:
		err = errNotObject
	}
	if err != nil {
		return members, fault.New(fault.Usage, jsonReason(err), "%w", err)
	}
	return members, nil
}

var errNotObject = errors.New("it is not a JSON object")
