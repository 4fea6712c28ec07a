package consume

import (
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// TestActsForYou: an action that changes something in the person's name over a network is
// held once the conversation has read what nobody vouches for, as a Patch tool with an
// account is. One that reads, or that stays on this machine, is not.
func TestActsForYou(t *testing.T) {
	secret := []spec.EnvVar{{Name: "API_KEY", Secret: true}}
	mail := []spec.Scope{{Resource: "mail.messages", Actions: []string{"write"}}}
	local := []spec.Scope{{Resource: "fs.notes", Actions: []string{"write"}}}
	for name, c := range map[string]struct {
		d       spec.Deployment
		kind    spec.InvocationKind
		effects spec.Effects
		want    bool
	}{
		"sends with a secret":     {spec.Deployment{Env: secret}, spec.InvokeHTTP, spec.EffectsWrite, true},
		"sends under a scope":     {spec.Deployment{Scopes: mail}, spec.InvokeSubcommand, spec.EffectsWrite, true},
		"destroys":                {spec.Deployment{Scopes: local}, spec.InvokeSubcommand, spec.EffectsDestructive, true},
		"reads under a scope":     {spec.Deployment{Scopes: mail, Env: secret}, spec.InvokeHTTP, spec.EffectsRead, false},
		"writes on this machine":  {spec.Deployment{Scopes: local, Env: secret}, spec.InvokeSubcommand, spec.EffectsWrite, false},
		"writes as nobody at all": {spec.Deployment{}, spec.InvokeHTTP, spec.EffectsWrite, false},
	} {
		op := spec.Operation{Name: "act", Effects: c.effects, Invocation: spec.Invocation{Kind: c.kind}}
		view := View(&spec.Tool{Name: "mail", Deployment: &c.d, Operations: []spec.Operation{op}}, &op)
		if got := irreversible(view); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
