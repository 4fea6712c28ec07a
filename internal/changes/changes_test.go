package changes

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// base is a tool that every case changes in one point.
func base() *spec.Tool {
	pattern := "^x"
	return &spec.Tool{
		Format: spec.FormatInstall, Name: "mail_box", Version: "1.0.0", Description: "Send mail.",
		Capabilities: spec.Capabilities{Network: true, Filesystem: spec.FilesystemReadOnly},
		Operations: []spec.Operation{{
			Name: "send_mail", Summary: "Send it.", Effects: spec.EffectsWrite,
			Input: json.RawMessage(`{"type":"object","properties":{"to":{"type":"string","maxLength":80,"enum":["a","b"]},"cc":{"type":"string"}},"required":["to"]}`),
			Output: &spec.OperationOutput{Format: spec.OutputJSON, Schema: json.RawMessage(
				`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`)},
			Invocation: spec.Invocation{Kind: spec.InvokeSubcommand, Argv: []string{"send"}},
			ScopesUsed: []string{"mail"},
		}},
		Deployment: &spec.Deployment{
			ID: "mail-box", Title: "Mail box", Homepage: "https://x.example", Kind: "shell-binary",
			Install: spec.Artifact{Method: "pip", Package: "mailbox", VersionSpec: "==1.0.0"}, Command: []string{"mailbox"},
			Env:        []spec.EnvVar{{Name: "TOKEN", Prompt: "The token.", Secret: true, Required: true, Pattern: pattern}, {Name: "HOST", Prompt: "Where."}},
			Scopes:     []spec.Scope{{Resource: "mail", Actions: []string{"send"}, Rationale: "To send."}},
			KillSwitch: spec.KillSwitch{Kind: "url", URL: "https://x.example/k"},
			Cost:       &spec.Cost{MonthlyFee: "100", UsageModel: "none"},
		},
	}
}

func TestBetween(t *testing.T) {
	if got := Between(base(), base()); len(got) > 0 {
		t.Fatalf("nothing changed: %+v", got)
	}
	input := func(s string) func(*spec.Tool) {
		return func(t *spec.Tool) { t.Operations[0].Input = json.RawMessage(s) }
	}
	output := func(s string) func(*spec.Tool) {
		return func(t *spec.Tool) { t.Operations[0].Output.Schema = json.RawMessage(s) }
	}
	for name, c := range map[string]struct {
		change func(*spec.Tool)
		path   string
		class  Class
	}{
		"description":      {func(t *spec.Tool) { t.Description = "Send letters." }, "/description", Cosmetic},
		"scope":            {func(t *spec.Tool) { t.Deployment.Scopes[0].Actions = []string{"send", "delete"} }, "/scopes", Permission},
		"scope given up":   {func(t *spec.Tool) { t.Deployment.Scopes = nil }, "/scopes", Additive},
		"files":            {func(t *spec.Tool) { t.Capabilities.Filesystem = spec.FilesystemReadWrite }, "/capabilities/filesystem", Permission},
		"no network":       {func(t *spec.Tool) { t.Capabilities.Network = false }, "/capabilities/network", Additive},
		"secret":           {func(t *spec.Tool) { t.Deployment.Env[1].Secret = true }, "/secrets", Permission},
		"secret no more":   {func(t *spec.Tool) { t.Deployment.Env[0].Secret = false }, "/env/TOKEN/secret", Permission},
		"env required":     {func(t *spec.Tool) { t.Deployment.Env[1].Required = true }, "/env/HOST", Breaking},
		"env gone":         {func(t *spec.Tool) { t.Deployment.Env = t.Deployment.Env[:1] }, "/env/HOST", Additive},
		"other package":    {func(t *spec.Tool) { t.Deployment.Install.Package = "postbox" }, "/installs", Permission},
		"other release":    {func(t *spec.Tool) { t.Deployment.Install.VersionSpec = "==1.1.0" }, "/runtime/install", Additive},
		"other host":       {func(t *spec.Tool) { t.Deployment.EndpointURL = "https://y.example" }, "/runtime/endpoint_url", Permission},
		"kill switch":      {func(t *spec.Tool) { t.Deployment.KillSwitch.Kind = "manual" }, "/kill_switch", Permission},
		"dearer":           {func(t *spec.Tool) { t.Deployment.Cost.MonthlyFee = "101" }, "/cost/monthly_fee_cents", Permission},
		"cheaper":          {func(t *spec.Tool) { t.Deployment.Cost = &spec.Cost{UsageModel: "none"} }, "/cost/monthly_fee_cents", Additive},
		"action gone":      {func(t *spec.Tool) { t.Operations = []spec.Operation{{Name: "other"}} }, "/actions/send_mail", Breaking},
		"destructive":      {func(t *spec.Tool) { t.Operations[0].Effects = spec.EffectsDestructive }, "/actions/send_mail/side_effects", Permission},
		"milder":           {func(t *spec.Tool) { t.Operations[0].Effects = spec.EffectsRead }, "/actions/send_mail/side_effects", Additive},
		"called otherwise": {func(t *spec.Tool) { t.Operations[0].Invocation.Argv = []string{"post"} }, "/actions/send_mail/invocation", Additive},
		"scope used":       {func(t *spec.Tool) { t.Operations[0].ScopesUsed = []string{"mail", "net"} }, "/actions/send_mail/scopes_used", Permission},
		"argument gone": {
			input(`{"type":"object","properties":{"to":{"type":"string","maxLength":80,"enum":["a","b"]}},"required":["to"]}`),
			"/actions/send_mail/input/properties/cc", Breaking,
		},
		"argument required": {
			input(`{"type":"object","properties":{"to":{"type":"string","maxLength":80,"enum":["a","b"]},"cc":{"type":"string"}},"required":["to","cc"]}`),
			"/actions/send_mail/input/properties/cc", Breaking,
		},
		"argument optional": {
			input(`{"type":"object","properties":{"to":{"type":"string","maxLength":80,"enum":["a","b"]},"cc":{"type":"string"}},"required":[]}`),
			"/actions/send_mail/input/properties/to", Additive,
		},
		"argument new": {
			input(`{"type":"object","properties":{"to":{"type":"string","maxLength":80,"enum":["a","b"]},"cc":{"type":"string"},"x":{}},"required":["to"]}`),
			"/actions/send_mail/input/properties/x", Additive,
		},
		"shorter": {
			input(`{"type":"object","properties":{"to":{"type":"string","maxLength":79,"enum":["a","b"]},"cc":{"type":"string"}},"required":["to"]}`),
			"/actions/send_mail/input/properties/to/maxLength", Breaking,
		},
		"longer": {
			input(`{"type":"object","properties":{"to":{"type":"string","maxLength":81,"enum":["a","b"]},"cc":{"type":"string"}},"required":["to"]}`),
			"/actions/send_mail/input/properties/to/maxLength", Additive,
		},
		"fewer values": {
			input(`{"type":"object","properties":{"to":{"type":"string","maxLength":80,"enum":["a"]},"cc":{"type":"string"}},"required":["to"]}`),
			"/actions/send_mail/input/properties/to/enum", Breaking,
		},
		"more types": {
			input(`{"type":"object","properties":{"to":{"type":"string","maxLength":80,"enum":["a","b"]},"cc":{"type":["string","null"]}},"required":["to"]}`),
			"/actions/send_mail/input/properties/cc/type", Additive,
		},
		"other type": {
			input(`{"type":"object","properties":{"to":{"type":"string","maxLength":80,"enum":["a","b"]},"cc":{"type":"array"}},"required":["to"]}`),
			"/actions/send_mail/input/properties/cc/type", Breaking,
		},
		"answer may lack": {output(`{"type":"object","properties":{"id":{"type":"string"}},"required":[]}`), "/actions/send_mail/output/schema/properties/id", Breaking},
		"answer has more": {
			output(`{"type":"object","properties":{"id":{"type":"string"},"at":{"type":"string"}},"required":["id"]}`),
			"/actions/send_mail/output/schema/properties/at", Additive,
		},
		"answer has more types": {
			output(`{"type":"object","properties":{"id":{"type":["string","null"]}},"required":["id"]}`),
			"/actions/send_mail/output/schema/properties/id/type", Breaking,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := base()
			c.change(b)
			got := Between(base(), b)
			if !slices.ContainsFunc(got, func(x Change) bool { return x.Path == c.path && x.Class == c.class }) {
				t.Errorf("want %s at %s, got %+v", c.class, c.path, got)
			}
			if c.class != Permission && Worst(got) == Permission {
				t.Errorf("it asks for no more: %+v", got)
			}
		})
	}
}

func FuzzSchema(f *testing.F) {
	f.Add([]byte(`{"type":"object"}`), []byte(`{"type":["object"],"required":["a"]}`))
	f.Add([]byte(`{"minimum":1e999999999}`), []byte(`{"minimum":1}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if !json.Valid(a) || !json.Valid(b) {
			return
		}
		c := &comparison{}
		c.schema("", given, a, a, 0)
		if len(c.list) > 0 {
			t.Fatalf("%s differs from itself: %+v", a, c.list)
		}
		c.schema("", given, a, b, 0)
	})
}

// TestNamesEscaped: a name is the same however a schema spells it.
func TestNamesEscaped(t *testing.T) {
	a, b := base(), base()
	a.Operations[0].Input = json.RawMessage(`{"type":"object","properties":{"a&b":{}},"required":[]}`)
	b.Operations[0].Input = json.RawMessage(`{"type":"object","properties":{"a&b":{}},"required":["a\u0026b"]}`)
	if got := Between(a, b); Worst(got) != Breaking {
		t.Errorf("%+v", got)
	}
}
