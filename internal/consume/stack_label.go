package consume

import (
	"encoding/json"
	"slices"

	"github.com/patch-cat/patch-git/spec"
)

// Trust says who vouches for an output.
type Trust string

// What an output is. Nobody's manifest can say so of itself.
const (
	Trusted   Trust = "trusted"   // computed of its inputs alone, which carry nothing
	Untrusted Trust = "untrusted" // somebody else may have written it: it comes from a network, files or processes
	Derived   Trust = "derived"   // computed of inputs that carry what nobody vouches for
)

// trustOf is what the output of a tool is, of inputs that carry nothing.
func trustOf(t *spec.Tool) Trust {
	p := t.Permissions()
	if p.Network || p.Filesystem != spec.FilesystemNone || len(p.Needs) > 0 || len(p.ExternalAuth) > 0 {
		return Untrusted
	}
	return Trusted
}

// effects is the extension by which a manifest says what a tool does to the world.
const effects = "x-effects"

// irreversible tells whether what a tool does cannot be taken back: it says so
// itself, it acts for an account, or it wants a person for each run.
func irreversible(t *spec.Tool) bool {
	var one string
	var several []string
	raw := t.Extensions[effects]
	says := json.Unmarshal(raw, &one) == nil && one == "destructive" ||
		json.Unmarshal(raw, &several) == nil && slices.Contains(several, "destructive")
	return says || t.Capabilities.HumanConfirm || len(t.ExternalAuth) > 0
}
