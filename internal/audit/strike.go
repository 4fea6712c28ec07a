package audit

import "encoding/json"

// Striker strikes the secrets that a run was given from what others are shown of it,
// by the same spellings as the record, and puts the same marks in their place.
type Striker struct{ r *redactor }

// Striker makes one; without secrets it strikes nothing.
func (j *Journal) Striker(secrets ...string) Striker {
	if len(secrets) == 0 {
		return Striker{}
	}
	k, err := j.keys()
	if err != nil {
		k = &keys{} // the mark is then one that nobody can tell from another's
	}
	return Striker{newRedactor(k, func(string) []Secret { return nil }, secrets)}
}

// Text strikes from a text.
func (s Striker) Text(text string) string {
	if s.r == nil {
		return text
	}
	text, _ = s.r.text(text)
	return text
}

// Bytes strikes from an output, which stays JSON where it was.
func (s Striker) Bytes(b []byte) (clean []byte, struck bool) {
	if s.r == nil {
		return b, false
	}
	if json.Valid(b) {
		return s.r.json(b)
	}
	text, struck := s.r.text(string(b))
	if !struck {
		return b, false
	}
	return []byte(text), true
}
