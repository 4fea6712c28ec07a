package consume

import (
	"encoding/json"
	"slices"

	"github.com/patch-cat/patch-git/internal/audit"
)

// SandboxMatch compares what bounded the recorded run with what bounded this one, as
// it was measured at this one and not as the record has it.
type SandboxMatch struct {
	Match       bool          `json:"match"`
	Recorded    audit.Sandbox `json:"recorded"`
	Current     audit.Sandbox `json:"current"`
	Differences []Difference  `json:"differences,omitempty"`
}

// Difference is one thing that was not the same.
type Difference struct {
	Field    string          `json:"field"`
	Recorded json.RawMessage `json:"recorded"`
	Current  json.RawMessage `json:"current"`
}

// compare holds two sandboxes against each other, member by member of their JSON: so
// a member that is added is compared, too.
func compare(recorded, current audit.Sandbox) *SandboxMatch {
	m := &SandboxMatch{Recorded: recorded, Current: current}
	was, is := members(recorded), members(current)
	var names []string
	for _, all := range []map[string]json.RawMessage{was, is} {
		for name := range all {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if a, b := orNull(was[name]), orNull(is[name]); string(a) != string(b) {
			m.Differences = append(m.Differences, Difference{name, a, b})
		}
	}
	m.Match = len(m.Differences) == 0
	return m
}

func members(s audit.Sandbox) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	data, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		return map[string]json.RawMessage{"unreadable": json.RawMessage("true")}
	}
	return out
}

func orNull(v json.RawMessage) json.RawMessage {
	if v == nil {
		return json.RawMessage("null")
	}
	return v
}
