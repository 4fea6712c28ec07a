package consume

import (
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// TestWider: what a version asks for beyond the one before is told word for word, and
// less, or the same, is not [C-45].
func TestWider(t *testing.T) {
	base := spec.Permissions{
		Filesystem: spec.FilesystemReadOnly, Scopes: []string{"mail:read"}, Secrets: []string{"MAIL_TOKEN"}, Installs: "pip mail-tool", Servers: []string{"api.mail.example"},
	}
	for name, c := range map[string]struct {
		change func(*spec.Permissions)
		want   []string
	}{
		"the same":      {func(*spec.Permissions) {}, nil},
		"another scope": {func(p *spec.Permissions) { p.Scopes = []string{"mail:read", "mail:send"} }, []string{`scope "mail:send"`}},
		"another verb":  {func(p *spec.Permissions) { p.Scopes = []string{"mail:admin"} }, []string{`scope "mail:admin"`}},
		"a secret":      {func(p *spec.Permissions) { p.Secrets = []string{"BANK_TOKEN", "MAIL_TOKEN"} }, []string{`secret "BANK_TOKEN"`}},
		"another origin": {func(p *spec.Permissions) { p.Installs = "url https://example.org/mail" }, []string{
			`installing "url https://example.org/mail"`,
		}},
		// The secrets that were given are kept for the next version, and sent to its servers.
		"another server": {func(p *spec.Permissions) { p.Servers = []string{"api.mail.example", "evil.example"} }, []string{
			`sending to "evil.example"`,
		}},
		"the network": {func(p *spec.Permissions) { p.Network = true }, []string{"network"}},
		"less":        {func(p *spec.Permissions) { p.Scopes, p.Secrets, p.Installs, p.Servers = nil, nil, "", nil }, nil},
	} {
		now := base
		c.change(&now)
		if got := wider(base, now); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for _, p := range []spec.Permissions{{Scopes: []string{"mail:read"}}, {Secrets: []string{"MAIL_TOKEN"}}, {Installs: "pip mail-tool"}} {
		if !NeedsConsent(p) {
			t.Errorf("nobody is asked about %+v", p)
		}
	}
	if NeedsConsent(spec.Permissions{Filesystem: spec.FilesystemNone}) {
		t.Error("somebody is asked about nothing")
	}
}
