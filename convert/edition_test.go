package convert

import (
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// TestEditionLosses: what a definition of the SDK says and the model has no place for
// is among the losses, and what it says of its effects is where the target has none.
func TestEditionLosses(t *testing.T) {
	const text = `{"$schema":"https://x.example/a","name":"Do","fully_qualified_name":"Kit.Do","description":"Do.","toolkit":{"name":"Kit","description":null,"version":"1.0.0"},
"input":{"parameters":[{"name":"a","required":true,"description":null,"value_schema":{"val_type":"json","inner_val_type":null,"enum":null,"properties":{"x":{"val_type":"string"}}},"inferrable":true}]},
"output":{"description":null,"available_modes":["value"],"value_schema":null},"requirements":{"authorization":null,"secrets":null,"metadata":[{"key":"client_id"}]},
"deprecation_message":"old","metadata":{"classification":{"service_domains":["crm"]},"behavior":{"operations":["read"],"read_only":false,"destructive":true,"idempotent":true,"open_world":true},"extras":{"a":1}}}`
	doc, findings := manifest.Read("arcade.json", []byte(text), manifest.Lenient)
	if doc == nil || spec.Blocking(findings) {
		t.Fatal(findings)
	}
	for _, to := range []Target{MCP, OpenAI, Anthropic, Skill, Patch} {
		r, err := To(doc, nil, to, Options{AllowLoss: true})
		if err != nil {
			t.Errorf("%s: %v", to, err)
			continue
		}
		want := []string{"/$schema", "/input/parameters/0/value_schema/properties", "/requirements/metadata", "/metadata/classification", "/metadata/extras", "/metadata/behavior/operations"}
		switch to {
		case MCP:
			want = append(want, "/metadata/behavior/open_world")
		case Skill:
			want = append(want, "/deprecation_message", "/metadata/behavior/destructive")
		default:
			want = append(want, "/metadata/behavior/read_only", "/metadata/behavior/idempotent")
		}
		for _, path := range want {
			if !slices.ContainsFunc(r.Losses, func(l manifest.Loss) bool { return l.Path == path && l.Kind != manifest.Synthesised }) {
				t.Errorf("%s: nothing is said of %s", to, path)
			}
		}
		if to == OpenAI || to == Anthropic {
			if !slices.ContainsFunc(r.Losses, func(l manifest.Loss) bool { return l.Security && l.Path == "/metadata/behavior/destructive" }) {
				t.Errorf("%s: that it destroys protects nobody any more, and is no loss of security", to)
			}
		}
	}
}
