package consume

import (
	"encoding/json"
	"slices"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/taint"
	"github.com/patch-cat/patch-git/spec"
)

// Trust says who vouches for an output.
type Trust string

// What an output is. No manifest can say so of itself.
const (
	Trusted   Trust = "trusted"   // the person's configuration vouches for the tool
	Computed  Trust = "computed"  // of the inputs alone, in which nothing untrusted was seen; it vouches for nothing either
	Untrusted Trust = "untrusted" // somebody else may have written it: it comes from a network, files or processes
	Derived   Trust = "derived"   // computed of inputs that carry what nobody vouches for
)

// effects is the extension by which a manifest says what a tool does to the world.
const effects = "x-effects"

// irreversible tells whether what a tool does cannot be taken back: it says so
// itself, it acts for an account, or it wants a person for each run. An action of an
// install manifest acts for an account where it changes something with a secret of the
// person's, or under a scope of a vendor's: a mail that was sent is sent.
func irreversible(t *spec.Tool) bool {
	var one string
	var several []string
	raw := t.Extensions[effects]
	says := json.Unmarshal(raw, &one) == nil && one == "destructive" ||
		json.Unmarshal(raw, &several) == nil && slices.Contains(several, "destructive")
	return says || t.Capabilities.HumanConfirm || len(t.ExternalAuth) > 0 || actsForYou(t)
}

func actsForYou(t *spec.Tool) bool {
	if t.Deployment == nil || !t.Capabilities.Network || !slices.ContainsFunc(t.Operations, func(op spec.Operation) bool { return op.Effects == spec.EffectsWrite }) {
		return false
	}
	return slices.ContainsFunc(t.Deployment.Env, func(e spec.EnvVar) bool { return e.Secret }) || slices.ContainsFunc(t.Deployment.Scopes, remote)
}

// reaches tells whether a tool is more than a computation over its inputs.
func reaches(t *spec.Tool) bool {
	p := t.Permissions()
	return p.Network || p.Filesystem != spec.FilesystemNone || len(p.Needs) > 0 || len(p.ExternalAuth) > 0
}

// trustOf is what the output of a tool is, of inputs that carry nothing. A
// configuration that cannot be read vouches for nothing.
func (c *Client) trustOf(t *spec.Tool, in spec.RegistryName) Trust {
	if in != "" {
		if cfg, err := c.settings(); err == nil && cfg.MCP.Trusts(config.Tool{Registry: in, Name: t.Name}) {
			return Trusted
		}
	}
	if reaches(t) {
		return Untrusted
	}
	return Computed
}

// label tells what came out from what is trusted, before anybody is given it: the
// result, or what a tool that failed said.
func (k *call) label(failure error) (string, error) {
	s := k.o.Session
	if k.ran != nil {
		k.ran.Trust, k.ran.Sources = k.trust, k.rec.Parents
	}
	if s == nil {
		return "", nil
	}
	run, unwritten := k.begun()
	if unwritten != nil { // nothing was started, and the audit says why
		return "", nil //nolint:nilerr // so
	}
	at := taint.Source{Run: string(run.ID()), Tool: k.s.Ref.At()}
	switch {
	case failure == nil:
		s.learn(k.trust, at, k.ran.Result)
	case k.trust == Untrusted, k.trust == Derived:
		s.Taint.UntrustedText(at, failure.Error())
		s.Taint.UntrustedText(at, string(k.out.Stderr))
	}
	return "", nil
}

// learn adds an output to what the conversation has read.
func (s *Session) learn(t Trust, at taint.Source, result json.RawMessage) {
	switch t {
	case Trusted:
		s.Taint.Trusted(result)
	case Computed: // it neither taints nor clears: a sum of two clean halves may be neither
	default:
		s.Taint.Untrusted(at, result)
	}
}

// Recall labels an old run once more, for a conversation that is about to make it
// again: what was not read in this one is as foreign as on its first day, and a
// conversation that has read nothing yet must not be the way to lose a label. One
// that was recorded without a label is untrusted.
func (s *Session) Recall(rec audit.Record) {
	t := Untrusted
	if rec.Taint != nil && Trust(rec.Taint.Output) == Computed {
		t = Computed
	}
	at := taint.Source{Run: string(rec.RunID), Tool: spec.Ref{Name: rec.Tool.Name, Version: rec.Tool.Version}.At()}
	s.learn(t, at, rec.Output)
	if rec.Error != nil {
		s.Taint.UntrustedText(at, rec.Error.Message)
	}
	if rec.Trigger.Session != s.ID {
		s.Taint.Untrusted(at, rec.Inputs) // given by whoever spoke in another conversation
	}
}
