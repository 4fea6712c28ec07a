package approval

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// ID names a pending action. It is no secret.
type ID string

// Kinds of reason for which an action is held.
const (
	KindConfirm      = "human_confirm" // the tool asks for a person each time
	KindTainted      = "tainted_input" // a value was seen in something that nobody vouches for
	KindIrreversible = "irreversible"  // it cannot be taken back, and the conversation has read such things
	KindConsent      = "consent"       // nobody agreed to what the tool may do
	KindFiles        = "files"         // its arguments name files
	KindSecret       = "secret"        // its arguments name files where secrets lie
	KindObeyed       = "obeyed"        // its arguments name files to write that other programs run or obey
	KindHidden       = "hidden_text"   // its arguments have characters that a reader does not see
)

// Reason is one cause for which an action was held.
type Reason struct {
	Kind string `json:"kind"`
	Text string `json:"text"` // for a person, of our making: foreign text in it is quoted
	// Input, Path, Value and Source are of a tainted input.
	Input  string `json:"input,omitempty"`
	Path   string `json:"path,omitempty"` // of the leaf, as a JSON pointer into the arguments
	Value  string `json:"value,omitempty"`
	Source string `json:"source,omitempty"` // run id
}

// Action is exactly what is to happen.
type Action struct {
	Tool      spec.Ref        `json:"tool"`                // pinned: name, version, digest of release.json
	Source    spec.Digest     `json:"source"`              // of the main file
	Operation string          `json:"operation,omitempty"` // of a tool that has several
	Arguments json.RawMessage `json:"arguments"`           // canonical, an object
	Session   string          `json:"session"`             // that asked
	Client    string          `json:"client,omitempty"`    // the AI host, as it calls itself
	Reasons   []Reason        `json:"reasons"`
}

// What names what is about to happen: the tool, and the operation where it has several.
func (a Action) What() string {
	if a.Operation == "" {
		return a.Tool.At()
	}
	return a.Tool.At() + " " + a.Operation
}

// Remembers is the name under which a value for an input is remembered: two operations
// of one tool may have inputs of one name, which mean different things.
func (a Action) Remembers(input string) string {
	if a.Operation == "" {
		return input
	}
	return a.Operation + "." + input
}

// same tells whether two actions are one call of one tool by one session, for
// whatever reasons it was held.
func (a Action) same(b Action) bool {
	return a.Tool == b.Tool && a.Source == b.Source && a.Operation == b.Operation && a.Session == b.Session && bytes.Equal(a.Arguments, b.Arguments)
}

// bare is the action without the values in it, for when nobody needs to see them any
// more: the record of the run has them, and knows which of them are secrets.
func (a Action) bare() Action {
	a.Arguments = json.RawMessage(`{}`)
	reasons := make([]Reason, len(a.Reasons))
	for i, r := range a.Reasons {
		reasons[i] = Reason{Kind: r.Kind, Text: r.Kind, Input: r.Input, Source: r.Source}
	}
	a.Reasons = reasons
	return a
}

// check refuses what no person could decide about.
func (a Action) check() error {
	bad := func(what string) error {
		return fault.New(fault.Internal, "bad_action", "hold %s: %s", a.Tool.At(), what)
	}
	var args map[string]json.RawMessage
	switch {
	case a.Tool.Name == "" || a.Tool.Version == "":
		return bad("it names no tool and version")
	case a.Source.IsZero():
		return bad("it has no digest of the source")
	case a.Session == "":
		return bad("it is of no session")
	case json.Unmarshal(a.Arguments, &args) != nil || args == nil:
		return bad("its arguments are no object")
	case len(a.Reasons) == 0:
		return bad("it has no reason")
	case len(a.Arguments) > limits.Arguments:
		return bad("its arguments are too large")
	}
	for _, r := range a.Reasons {
		if r.Kind == "" || r.Text == "" {
			return bad("a reason says nothing")
		}
	}
	return nil
}

// Attestable tells whether the AI host's word that its user agreed can be enough
// for the action. It is not for what an attacker's text may have brought about,
// for what cannot be taken back, for secrets, and for files that other programs run: the
// host is where such a text is read, and some hosts answer by themselves.
func (a Action) Attestable() bool {
	return len(a.Reasons) > 0 && !slices.ContainsFunc(a.Reasons, func(r Reason) bool {
		return !slices.Contains([]string{KindConfirm, KindConsent, KindFiles}, r.Kind)
	})
}

// State is how far a pending action came.
type State string

// The states of an action; only an approved one can be taken, once.
const (
	Pending  State = "pending"
	Approved State = "approved"
	Denied   State = "denied"
	Taken    State = "taken"
	Expired  State = "expired"
)

// Via is the way by which a person decided.
type Via string

// From the strongest to what a host merely says of its user.
const (
	ViaTerminal     Via = "terminal"
	ViaPage         Via = "page"
	ViaNotification Via = "notification"
	ViaElicitation  Via = "elicitation" // attested by the host, not by us
	ViaRemembered   Via = "remembered"
)

// decides tells whether a person can decide by this way.
func (v Via) decides() bool {
	return slices.Contains([]Via{ViaTerminal, ViaPage, ViaNotification, ViaElicitation}, v)
}

// Grant is what a decision allows: one run of one action. The zero value allows
// nothing. Only [Store.Take] makes one.
type Grant struct {
	id     ID
	action Action
	via    Via
	at     time.Time
}

// ID is the pending action that was approved.
func (g Grant) ID() ID { return g.id }

// Via is how.
func (g Grant) Via() Via { return g.via }

// At is when.
func (g Grant) At() time.Time { return g.at }

// OK tells whether anything was approved.
func (g Grant) OK() bool { return g.id != "" }

// Covers says whether the grant is for what is to happen now: the same bytes of
// the same tool, the same arguments, the same session, and no reason to hold it
// that the person was not shown. The error is of kind Denied and reason
// "approval_changed", or "approval_missing" for the zero value.
func (g Grant) Covers(a Action) error {
	if !g.OK() {
		return fault.New(fault.Denied, "approval_missing", "nobody approved this run of %s", a.Tool.At())
	}
	changed := func(what string) error {
		return fault.New(fault.Denied, "approval_changed", "%s is not what was approved: %s", a.Tool.At(), what).
			Hint("call it again, so that a person is asked anew")
	}
	switch {
	case g.action.Tool != a.Tool || g.action.Source != a.Source:
		return changed("the tool is another one than when it was asked about")
	case g.action.Operation != a.Operation:
		return changed("it is another operation of the tool")
	case !bytes.Equal(g.action.Arguments, a.Arguments):
		return changed("the arguments differ")
	case g.action.Session != a.Session:
		return changed("another session asked")
	}
	for _, r := range a.Reasons {
		if !slices.ContainsFunc(g.action.Reasons, r.told) {
			return changed("there is a new reason to ask, " + r.Kind)
		}
	}
	return nil
}

// told tells whether o said the same to a person. A tainted value may have come
// up in a newer run since; which one it was changes nothing about the question.
func (r Reason) told(o Reason) bool {
	if r.Kind == KindTainted {
		return r.Kind == o.Kind && r.Input == o.Input && r.Path == o.Path && r.Value == o.Value
	}
	if r.Kind == KindIrreversible {
		return r.Kind == o.Kind
	}
	return r.Kind == o.Kind && r.Text == o.Text
}
