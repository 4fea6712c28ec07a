package consume

import (
	"errors"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// The question whether a person agrees names the accounts and the secrets that an
// Arcade definition asks for; a Patch tool gets no account, whoever agrees.
func TestArcadeConsent(t *testing.T) {
	const text = `{"name":"Send","fully_qualified_name":"Gmail.Send","description":"Send. Use it.","toolkit":{"name":"Gmail","version":"1.0.0"},
		"input":{"parameters":[]},"output":{"available_modes":["value"]},"requirements":{"secrets":[{"key_id":"RELAY"}],
		"authorization":{"provider_id":"google","provider_type":"oauth2","oauth2":{"scopes":["gmail.send"]}}}}`
	doc, findings := manifest.Read("arcade.json", []byte(text), manifest.Strict)
	if doc == nil {
		t.Fatal(findings)
	}
	s := &Subject{Tool: &doc.Tool, Ref: spec.Ref{Name: doc.Tool.Name, Version: doc.Tool.Version}, consent: &memory{}}
	if err := (*Client)(nil).whole(s); err != nil {
		t.Fatal(err)
	}
	list, _, err := asks(s, RunOptions{}, &grants{}, reach{filtered: true})
	var said []string
	for _, a := range list {
		said = append(said, a.Text)
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"a person confirms each run", "may use the internet", "acts for your accounts at Arcade (google.gmail.send)", "secrets that you keep at Arcade (RELAY)"} {
		if err != nil || !strings.Contains(all, want) {
			t.Errorf("%q does not say %q (%v)", all, want, err)
		}
	}
	// The twin: the same permissions of a Patch tool.
	patch := &Subject{Tool: s.Tool, Ref: s.Ref, consent: &memory{}, program: python{}}
	if _, _, err := asks(patch, RunOptions{Agree: true, Confirm: true}, &grants{}, reach{filtered: true}); fault.ReasonOf(err) != "external_auth" {
		t.Errorf("got %v", err)
	}
	// A definition of several operations, or of none, is no one tool.
	s.program, s.kind = nil, ""
	s.Tool.Operations = nil
	if err := (*Client)(nil).whole(s); fault.ReasonOf(err) != ReasonActions || errors.Is(err, nil) {
		t.Errorf("got %v", err)
	}
}
