package approval

import (
	"encoding/json"
	"time"

	"github.com/patch-cat/patch-git/spec"
)

// ID names a pending action. It is no secret.
type ID string

// Reason is one cause for which an action was held.
type Reason struct {
	Kind string `json:"kind"` // "human_confirm", "tainted_input", "consent", "files", "secret", "irreversible"
	Text string `json:"text"` // for a person, of our making: foreign text in it is quoted
	// Input, Value and Source are of a tainted input.
	Input  string `json:"input,omitempty"`
	Value  string `json:"value,omitempty"`
	Source string `json:"source,omitempty"` // run id
}

// Action is exactly what is to happen. Two that differ in any field are not the
// same action.
type Action struct {
	Tool      spec.Ref        `json:"tool"`      // pinned: name, version, digest of release.json
	Source    spec.Digest     `json:"source"`    // of the main file
	Arguments json.RawMessage `json:"arguments"` // canonical
	Session   string          `json:"session"`   // that asked
	Reasons   []Reason        `json:"reasons"`
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

// Grant is what a decision allows: one run of one action. The zero value allows
// nothing.
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
