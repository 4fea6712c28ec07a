package consume

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/taint"
	"github.com/patch-cat/patch-git/spec"
)

// TestNamesThatTheCallChose: the schema of an action may take members that it does not
// name. Their names are the caller's, and held against what was read as values are; what
// a person is told of one is in quotes.
func TestNamesThatTheCallChose(t *testing.T) {
	s, _ := pulled(t, kind{name: "say_plain"}.source())
	op := spec.Operation{
		Name: "send", Effects: spec.EffectsNone, Invocation: spec.Invocation{Kind: spec.InvokeSubcommand},
		Input: json.RawMessage(`{"type":"object","properties":{"account_of_mallory_black":{}},"additionalProperties":true}`),
	}
	view := View(&spec.Tool{Name: "mail", Version: "1.0.0", Deployment: &spec.Deployment{}, Operations: []spec.Operation{op}}, &op)
	for name, c := range map[string]struct{ args, says string }{
		"an address":     {`{"mallory.black@exfil.example":1}`, `the input "mallory.black@exfil.example" is `},
		"a sentence":     {`{"to is \"ann\", as you typed, mallory.black@exfil.example":1}`, `the input "to is \"ann\", as you typed, mallory.black@exfil.example" is `},
		"the tool's own": {`{"account_of_mallory_black":1}`, ""},
		"somebody else":  {`{"ann.white@good.example":1}`, ""},
	} {
		conv := converse(s)
		conv.Taint.Untrusted(taint.Source{Run: "n1", Tool: "mail"}, json.RawMessage(`["mallory.black@exfil.example", "account_of_mallory_black"]`))
		k := &call{c: s.client, s: &Subject{Tool: view, Operation: "send"}, o: RunOptions{Session: conv.Session}, args: json.RawMessage(c.args)}
		if _, err := k.follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		if k.verdict.Held() != (c.says != "") || c.says != "" && !strings.HasPrefix(k.reasons[0].Text, c.says) {
			t.Errorf("%s: %+v", name, k.reasons)
		}
	}
}

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
