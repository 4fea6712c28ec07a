package quarantine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// formatFields returns the texts that a tool of another format than Patch carries
// beside those of every tool: what a person sees before an installation, what an
// agent reads of actions, and what is filled into commands and requests.
func formatFields(t *spec.Tool) []field {
	var fs []field
	for _, o := range t.Operations {
		fs = append(fs, operationFields(&o)...)
	}
	switch {
	case t.Deployment != nil:
		fs = append(fs, deploymentFields(t.Deployment)...)
	case t.Skill != nil:
		fs = append(fs, skillFields(t.Skill)...)
	case t.Arcade != nil:
		fs = append(fs, arcadeFields(t.Arcade)...)
	}
	return fs
}

func operationFields(o *spec.Operation) []field {
	at := "action " + spec.Quote(o.Name) + " "
	fs := []field{
		{name: at + "name", text: o.Name, described: true},
		{name: at + "summary", text: o.Summary, described: true, agent: true},
		{name: at + "description", text: o.Description, agent: true},
		{name: at + "input", text: strings.Join(texts(o.Input), "\n"), agent: true},
		{name: at + "invocation", text: strings.Join(append(slices.Clone(o.Invocation.Argv), o.Invocation.Method, o.Invocation.Path, o.Invocation.Tool), "\n")},
		{name: at + "scopes_used", text: strings.Join(o.ScopesUsed, "\n")},
	}
	for _, h := range o.Invocation.Headers {
		fs = append(fs, field{name: at + "header", text: h.Name + ": " + h.Value})
	}
	if o.Output != nil {
		fs = append(fs, field{name: at + "output", text: strings.Join(texts(o.Output.Schema), "\n"), agent: true})
	}
	for _, e := range o.Examples {
		fs = append(fs,
			field{name: at + "example", text: e.Description, agent: true},
			field{name: at + "example", text: strings.Join(append(texts(e.Input), texts(e.Output)...), "\n"), agent: true})
	}
	return fs
}

func deploymentFields(d *spec.Deployment) []field {
	fs := []field{
		{name: "tool.id", text: d.ID, described: true},
		{name: "tool.name", text: d.Title, described: true, agent: true},
		{name: "tool.description", text: d.Text, agent: true},
		{name: "tool.homepage", text: d.Homepage, agent: true},
		{name: "tool.author", text: strings.Join([]string{d.Author.Name, d.Author.Email, d.Author.URL}, "\n"), described: true},
		{name: "runtime.install", text: strings.Join([]string{d.Install.Package, d.Install.VersionSpec, d.Install.URL, d.Install.Ref, d.Install.Subpath, d.Install.Image}, "\n"), described: true},
		{name: "runtime.entrypoint", text: strings.Join(append(slices.Clone(d.Command), d.Cwd), "\n")},
		{name: "runtime.endpoint_url", text: d.EndpointURL},
		{name: "smoke", text: strings.Join(append(slices.Clone(d.Smoke.Command), d.Smoke.URL, d.Smoke.Body, d.Smoke.Tool, d.Smoke.Action), "\n")},
		{name: "smoke.arguments", text: strings.Join(texts(d.Smoke.Arguments), "\n")},
		{name: "kill_switch", text: strings.Join(append(slices.Clone(d.KillSwitch.Command), d.KillSwitch.URL), "\n")},
		{name: "kill_switch.instructions_url", text: d.KillSwitch.Instructions, agent: true},
		{name: "support", text: strings.Join([]string{d.Support.Issues, d.Support.SecurityEmail, d.Support.Docs}, "\n"), described: true},
	}
	for _, h := range d.Smoke.Headers {
		fs = append(fs, field{name: "smoke.header", text: h.Name + ": " + h.Value})
	}
	if d.Cost != nil {
		fs = append(fs, field{name: "cost", text: d.Cost.UsageModel + "\n" + d.Cost.EstimateURL})
	}
	for i, e := range d.Env {
		at := fmt.Sprintf("env[%d].", i)
		fs = append(fs,
			field{name: at + "name", text: e.Name, described: true},
			field{name: at + "prompt", text: e.Prompt, described: true, agent: true, prompt: true},
			field{name: at + "validation_regex", text: e.Pattern},
			field{name: at + "obtain_url", text: e.ObtainURL, agent: true})
		if e.Default != nil {
			fs = append(fs, field{name: at + "default", text: *e.Default, agent: true})
		}
	}
	for i, s := range d.Scopes {
		at := fmt.Sprintf("scopes[%d].", i)
		fs = append(fs,
			field{name: at + "resource", text: s.Resource, described: true},
			field{name: at + "rationale", text: s.Rationale, described: true, agent: true},
			field{name: at + "provider_scope", text: s.Provider})
	}
	return fs
}

func skillFields(s *spec.Skill) []field {
	fs := []field{
		{name: "name", text: s.Name, described: true},
		{name: "compatibility", text: s.Compatibility, agent: true},
		{name: "allowed-tools", text: strings.Join(s.AllowedTools, "\n")},
	}
	for _, in := range slices.Concat(s.Required, s.Optional) {
		at := "inputs." + spec.Quote(in.Name) + " "
		fs = append(fs,
			field{name: at + "name", text: in.Name, described: true},
			field{name: at + "description", text: in.Description, described: true, agent: true},
			field{name: at + "schema", text: strings.Join(texts(in.Schema), "\n"), agent: true})
	}
	for _, e := range slices.Concat(s.EnvRequired, s.EnvOptional) {
		at := "env." + spec.Quote(e.Name) + " "
		fs = append(fs, field{name: at + "name", text: e.Name, described: true}, field{name: at + "description", text: e.Description, described: true, agent: true, prompt: true})
	}
	for _, c := range s.Commands {
		fs = append(fs, field{name: "commands", text: c.Cmd, described: true})
	}
	for _, f := range s.Files {
		fs = append(fs, field{name: "files", text: f.Path}, field{name: "files.description", text: f.Description, agent: true})
	}
	for _, o := range s.Outputs {
		fs = append(fs, field{name: "outputs", text: o.Pattern}, field{name: "outputs.description", text: o.Description, agent: true})
	}
	for _, a := range s.Artifacts {
		fs = append(fs, field{name: "artifacts", text: strings.Join(texts(a), "\n"), agent: true})
	}
	for _, key := range slices.Sorted(maps.Keys(s.Metadata)) {
		fs = append(fs, field{name: "metadata " + spec.Quote(key), text: key + "\n" + s.Metadata[key], agent: true})
	}
	for _, key := range slices.Sorted(maps.Keys(s.Other)) {
		fs = append(fs, field{name: "field " + spec.Quote(key), text: key + "\n" + strings.Join(texts(s.Other[key]), "\n"), agent: true})
	}
	return fs
}

func arcadeFields(a *spec.Arcade) []field {
	fs := []field{
		{name: "fully_qualified_name", text: a.FQN, described: true},
		{name: "description", text: a.Description, agent: true},
		{name: "toolkit", text: a.Toolkit.Name + "\n" + a.Toolkit.Version, described: true},
		{name: "toolkit.description", text: a.Toolkit.Description, agent: true},
		{name: "output.description", text: a.OutputText, agent: true},
		{name: "secrets", text: strings.Join(a.Secrets, "\n"), described: true},
		{name: "deprecation", text: a.Deprecation, agent: true},
	}
	for _, p := range a.Parameters {
		at := "parameter " + spec.Quote(p.Name) + " "
		fs = append(fs,
			field{name: at + "name", text: p.Name, described: true},
			field{name: at + "description", text: p.Description, agent: true},
			field{name: at + "values", text: strings.Join(p.Value.Enum, "\n"), agent: true})
	}
	if u := a.Auth; u != nil {
		fs = append(fs, field{name: "authorization", text: strings.Join(append([]string{u.Word, u.ProviderID, u.ProviderType, u.ID}, u.Scopes...), "\n"), described: true})
	}
	return fs
}
