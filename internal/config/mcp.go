package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// MCP is what the user lets AI hosts see and do. The zero value shows them no tool
// by name, trusts no output, asks no host for its user's word, and lets every
// approval end at once; [Load] gives what stands in the file over [DefaultMCP].
type MCP struct {
	// Expose says which tools hosts are told by name. The others are found and
	// run through the meta-tools.
	Expose     Expose
	MostTools  int    // of those told by name, where Expose is auto
	MostTokens int    // that telling them may cost, where Expose is auto
	Pinned     []Tool // told first, as long as both bounds allow

	// Elicitation says which hosts are believed when they say that their user
	// approved.
	Elicitation Elicitation
	// TrustedOutputs are tools whose results the user vouches for. No manifest
	// can say that of itself [PM-27].
	TrustedOutputs []Tool

	ApprovalMinutes int // that a held call waits for a person
	RememberDays    int // that an approved value is good for the same input of the same tool; 0 remembers none
	KeepRunsDays    int // that records of runs are kept; 0 is always

	Notifications Notifications // of the desktop, that a call waits
}

// Expose is which tools a host is told by name.
type Expose string

// The empty one is ExposeMeta.
const (
	ExposeAll  Expose = "all"  // every one, for hosts that load them on demand
	ExposeAuto Expose = "auto" // as many as a model chooses well from
	ExposeMeta Expose = "meta" // none but the meta-tools
)

// Elicitation is which hosts may pass on their user's word. It is their claim:
// some answer by themselves.
type Elicitation string

// The empty one is ElicitationOff.
const (
	ElicitationOff   Elicitation = "off"
	ElicitationKnown Elicitation = "known" // those that are known to ask
	ElicitationOn    Elicitation = "on"    // any that says it can
)

// Notifications are those of the desktop, of calls that wait for a person.
type Notifications string

// The empty one is NotificationsOff.
const (
	NotificationsOff Notifications = "off"
	NotificationsOn  Notifications = "on" // where there is a desktop
)

// DefaultMCP is what holds where the file says nothing.
func DefaultMCP() MCP {
	return MCP{
		Expose: ExposeAuto, MostTools: 40, MostTokens: 10_000,
		Elicitation: ElicitationOff, Notifications: NotificationsOff, ApprovalMinutes: 5, RememberDays: 30,
	}
}

// ApprovalLife is how long a held call waits for a person.
func (m MCP) ApprovalLife() time.Duration { return time.Duration(m.ApprovalMinutes) * time.Minute }

// RememberLife is how long an approved value is good for; 0 remembers none.
func (m MCP) RememberLife() time.Duration { return time.Duration(m.RememberDays) * 24 * time.Hour }

// KeepRuns is how long records of runs are kept; 0 is always.
func (m MCP) KeepRuns() time.Duration { return time.Duration(m.KeepRunsDays) * 24 * time.Hour }

// Pins tells whether the user wants a tool told by name.
func (m MCP) Pins(t Tool) bool { return slices.Contains(m.Pinned, t) }

// Trusts tells whether the user vouches for the results of a tool. The name of
// the registry counts: another registry's tool of this name is another tool.
func (m MCP) Trusts(t Tool) bool { return slices.Contains(m.TrustedOutputs, t) }

// member is one field by its name in the file.
type member struct {
	name string
	at   any
	// least and most bound a number; of the others words lists what may stand
	// there, and a list of tools has neither.
	least, most int
	words       []string
	guards      bool // it decides what is believed or kept
}

func (m *MCP) members() []member {
	return []member{
		{name: "expose", at: &m.Expose, words: []string{string(ExposeAll), string(ExposeAuto), string(ExposeMeta)}},
		{name: "most_tools", at: &m.MostTools, most: limits.MCPTools},
		{name: "most_tokens", at: &m.MostTokens, most: limits.MCPTokens},
		{name: "pinned", at: &m.Pinned},
		{name: "elicitation", at: &m.Elicitation, words: []string{string(ElicitationOff), string(ElicitationKnown), string(ElicitationOn)}, guards: true},
		{name: "trusted_outputs", at: &m.TrustedOutputs, guards: true},
		{name: "approval_minutes", at: &m.ApprovalMinutes, least: 1, most: limits.ApprovalMinutes, guards: true},
		{name: "remember_days", at: &m.RememberDays, most: limits.RememberDays, guards: true},
		{name: "keep_runs_days", at: &m.KeepRunsDays, most: limits.KeepRunsDays, guards: true},
		{name: "notifications", at: &m.Notifications, words: []string{string(NotificationsOff), string(NotificationsOn)}},
	}
}

// read takes one value, strictly.
func (f member) read(data []byte) error {
	if string(data) == "null" {
		return errors.New("null is no value for it")
	}
	if err := json.Unmarshal(data, f.at); err != nil {
		return err
	}
	return f.check()
}

func (f member) check() error {
	switch v := reflect.ValueOf(f.at).Elem(); v.Kind() {
	case reflect.String:
		if !slices.Contains(f.words, v.String()) {
			return fmt.Errorf("%s is none of %v", spec.Quote(v.String()), f.words)
		}
	case reflect.Int:
		if n := int(v.Int()); n < f.least || n > f.most {
			return fmt.Errorf("%d is not from %d to %d", n, f.least, f.most)
		}
	default:
		list, _ := reflect.TypeAssert[[]Tool](v)
		if len(list) > limits.ConfigTools {
			return fmt.Errorf("%d tools, allowed are %d", len(list), limits.ConfigTools)
		}
		for i, t := range list {
			if t == (Tool{}) { // a null among names
				return errors.New("one of them has no name")
			}
			if slices.Contains(list[:i], t) {
				return fmt.Errorf("%s is there twice", t)
			}
		}
	}
	return nil
}

// parseMCP reads the member "mcp"; what does not stand there is as by default.
func parseMCP(data json.RawMessage) (MCP, error) {
	m := DefaultMCP()
	if data == nil {
		return m, nil
	}
	raw := map[string]*json.RawMessage{}
	fields := m.members()
	if err := object(data, func(name string) any {
		if !slices.ContainsFunc(fields, func(f member) bool { return f.name == name }) {
			return nil
		}
		raw[name] = new(json.RawMessage)
		return raw[name]
	}); err != nil {
		return MCP{}, err
	}
	for _, f := range fields {
		if value := raw[f.name]; value != nil {
			if err := f.read(*value); err != nil {
				return MCP{}, fmt.Errorf("%s: %w", f.name, err)
			}
		}
	}
	return m, nil
}

// encode gives what differs from the default, by the names of the file. So a
// default that a later version of this program changes, changes for whoever never
// chose.
func (m MCP) encode() map[string]any {
	out := map[string]any{}
	std := DefaultMCP()
	others := std.members()
	for i, f := range m.members() {
		value := reflect.ValueOf(f.at).Elem()
		if other := reflect.ValueOf(others[i].at).Elem(); !reflect.DeepEqual(value.Interface(), other.Interface()) &&
			(value.Kind() != reflect.Slice || value.Len() > 0) {
			out[f.name] = value.Interface()
		}
	}
	return out
}

// MarshalText writes a tool as the file does.
func (t Tool) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads it.
func (t *Tool) UnmarshalText(text []byte) error {
	var err error
	*t, err = ParseTool(string(text))
	return err
}
