package review

import (
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// TestGrownFormats: what a version of a tool of another format asks for beyond the one
// before is for a person, and so is what it warns of less.
func TestGrownFormats(t *testing.T) {
	tool := func(change func(*spec.Tool)) *spec.Tool {
		out := &spec.Tool{
			Format: spec.FormatInstall, Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone},
			Deployment: &spec.Deployment{
				Install: spec.Artifact{Method: "pip", Package: "mail-tool", VersionSpec: "==1.0.0"},
				Scopes:  []spec.Scope{{Resource: "mail", Actions: []string{"read"}}},
				Env:     []spec.EnvVar{{Name: "MAIL_TOKEN", Secret: true}},
			},
			Operations: []spec.Operation{
				{Name: "list", Effects: spec.EffectsRead}, {Name: "erase", Effects: spec.EffectsDestructive}, {Name: "send", Effects: spec.EffectsWrite},
			},
		}
		if change != nil {
			change(out)
		}
		return out
	}
	for name, c := range map[string]struct {
		change func(*spec.Tool)
		want   []string
	}{
		"the same":        {nil, nil},
		"a newer version": {func(t *spec.Tool) { t.Deployment.Install.VersionSpec = "==2.0.0" }, nil},
		"a scope": {func(t *spec.Tool) { t.Deployment.Scopes[0].Actions = []string{"read", "send"} }, []string{
			"scope: none → mail:send",
		}},
		"a secret": {func(t *spec.Tool) {
			t.Deployment.Env = append(t.Deployment.Env, spec.EnvVar{Name: "BANK_TOKEN", Secret: true})
		}, []string{"secret: none → BANK_TOKEN"}},
		"no secret":       {func(t *spec.Tool) { t.Deployment.Env = append(t.Deployment.Env, spec.EnvVar{Name: "LANGUAGE"}) }, nil},
		"another package": {func(t *spec.Tool) { t.Deployment.Install.Package = "mail-tools" }, []string{"installs: pip mail-tool → pip mail-tools"}},
		"another kind":    {func(t *spec.Tool) { t.Format = spec.FormatSkill }, []string{"kind: install → skill"}},
		"it writes":       {func(t *spec.Tool) { t.Operations[0].Effects = spec.EffectsWrite }, []string{"action list: read → write"}},
		"it warns less":   {func(t *spec.Tool) { t.Operations[1].Effects = spec.EffectsWrite }, []string{"action erase warns less: destructive → write"}},
		"it is repeated":  {func(t *spec.Tool) { t.Operations[2].Idempotent = true }, []string{"action send is repeated: no → yes"}},
		"it reads less":   {func(t *spec.Tool) { t.Operations[0].Effects = spec.EffectsNone }, nil},
		"a new one": {func(t *spec.Tool) {
			t.Operations = append(t.Operations, spec.Operation{Name: "move", Effects: spec.EffectsWrite})
		}, []string{"action move: none → write"}},
		"a new one, reads": {func(t *spec.Tool) {
			t.Operations = append(t.Operations, spec.Operation{Name: "count", Effects: spec.EffectsRead})
		}, nil},
	} {
		if got := grew(tool(nil), tool(c.change)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
