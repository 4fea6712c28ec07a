package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// printFormat prints what a tool of another format than Patch says of itself: what
// it can be asked to do, what it asks for, and what setting it up means.
func (a *app) printFormat(t *spec.Tool) {
	p := a.out
	section := func(title string, rows [][]string) {
		if len(rows) > 0 {
			p.printf("\n%s\n", p.bold(title))
			p.table(rows)
		}
	}
	section("actions", operationRows(t))
	if len(t.Inputs) > 0 {
		section("inputs", inputNames(t))
	}
	if d := t.Deployment; d != nil {
		section("set up", deploymentRows(d))
		section("asks you for", envRows(d))
		section("acts as you", scopeRows(d))
	}
	if s := t.Skill; s != nil {
		section("needs", skillRows(s))
	}
	if r := t.Arcade; r != nil {
		section("through Arcade", arcadeRows(r))
	}
}

// inputNames list inputs by their names: they are no flags of run.
func inputNames(t *spec.Tool) [][]string {
	var rows [][]string
	for _, i := range t.Inputs {
		what := string(i.Type)
		if !i.Required {
			what += ", optional"
		}
		if i.Default != nil {
			what += ", default " + safe(string(i.Default))
		}
		rows = append(rows, []string{"  " + safe(i.Name), what, oneLine(safe(i.Description))})
	}
	return rows
}

func operationRows(t *spec.Tool) [][]string {
	var rows [][]string
	for _, o := range t.Operations {
		effects := string(cmp.Or(o.Effects, "effects unsaid"))
		if o.Effects == spec.EffectsDestructive {
			effects += ", asks first"
		}
		rows = append(rows, []string{"  " + safe(o.Name), safe(effects), oneLine(safe(o.Summary))})
	}
	return rows
}

// deploymentRows say how it is acquired, started, proved and taken back.
func deploymentRows(d *spec.Deployment) [][]string {
	rows := [][]string{{"  kind", safe(d.Kind)}}
	if from := artifactWords(&d.Install); from != "" {
		rows = append(rows, []string{"  installs", from})
	}
	if len(d.Command) > 0 {
		rows = append(rows, []string{"  runs", argv(d.Command)})
	}
	if d.EndpointURL != "" {
		rows = append(rows, []string{"  talks to", safe(d.EndpointURL)})
	}
	switch {
	case len(d.Smoke.Command) > 0:
		rows = append(rows, []string{"  is tried by", argv(d.Smoke.Command)})
	case d.Smoke.URL != "":
		rows = append(rows, []string{"  is tried by", safe(cmp.Or(d.Smoke.Method, "GET") + " " + d.Smoke.URL)})
	case d.Smoke.Tool+d.Smoke.Action != "":
		rows = append(rows, []string{"  is tried by", "a call of " + safe(d.Smoke.Tool+d.Smoke.Action)})
	}
	switch d.KillSwitch.Kind {
	case "url":
		rows = append(rows, []string{"  taken back by", "DELETE " + safe(d.KillSwitch.URL)})
	case "shell":
		rows = append(rows, []string{"  taken back by", argv(d.KillSwitch.Command)})
	case "manual":
		rows = append(rows, []string{"  taken back by", "you, as " + safe(d.KillSwitch.Instructions) + " says"})
	}
	if c := d.Cost; c != nil {
		rows = append(rows, []string{"  costs", costWords(c)})
	}
	return append(rows, []string{"  help", safe(cmp.Or(d.Support.Issues, d.Support.Docs, d.Homepage))})
}

// artifactWords say what is acquired, in one line.
func artifactWords(a *spec.Artifact) string {
	switch a.Method {
	case "pip", "npm":
		return safe(a.Package+" "+a.VersionSpec) + ", by " + a.Method
	case "git":
		return safe(a.URL + " at " + a.Ref)
	case "url":
		return safe(a.URL + " (sha256 " + a.SHA256 + ")")
	case "container":
		return "the image " + safe(a.Image)
	}
	return safe(a.Method)
}

// argv shows a command with its words apart.
func argv(words []string) string {
	var out []string
	for _, w := range words {
		if w == word(w) {
			out = append(out, safe(w))
			continue
		}
		out = append(out, spec.Quote(w))
	}
	return strings.Join(out, " ")
}

func costWords(c *spec.Cost) string {
	var out []string
	for _, fee := range []struct{ cents, when string }{{c.InstallFee.String(), "once"}, {c.MonthlyFee.String(), "each month"}} {
		if fee.cents != "" && fee.cents != "0" {
			out = append(out, safe(fee.cents)+" US cents "+fee.when)
		}
	}
	if c.UsageModel != "" {
		out = append(out, "by use: "+safe(c.UsageModel))
	}
	if len(out) == 0 {
		return "nothing, by its own word"
	}
	return strings.Join(out, ", ")
}

func envRows(d *spec.Deployment) [][]string {
	var rows [][]string
	for _, e := range d.Env {
		what := "value"
		if e.Secret {
			what = "secret"
		}
		if !e.Required {
			what += ", optional"
		}
		rows = append(rows, []string{"  " + safe(e.Name), what, oneLine(safe(e.Prompt))})
	}
	return rows
}

func scopeRows(d *spec.Deployment) [][]string {
	var rows [][]string
	for _, s := range d.Scopes {
		rows = append(rows, []string{"  " + safe(s.Resource), safe(strings.Join(s.Actions, ", ")), oneLine(safe(s.Rationale))})
	}
	return rows
}

func skillRows(s *spec.Skill) [][]string {
	var rows [][]string
	for _, e := range slices.Concat(s.EnvRequired, s.EnvOptional) {
		what := "variable"
		if e.Sensitive {
			what = "secret"
		}
		rows = append(rows, []string{"  " + safe(e.Name), what, oneLine(safe(e.Description))})
	}
	for _, c := range s.Commands {
		rows = append(rows, []string{"  " + safe(c.Cmd), "program", versionsWords(c)})
	}
	for _, f := range s.Files {
		rows = append(rows, []string{"  " + safe(f.Path), "file of " + string(f.Base), oneLine(safe(f.Description))})
	}
	if len(s.AllowedTools) > 0 {
		rows = append(rows, []string{"  tools of its host", fmt.Sprint(len(s.AllowedTools)), safe(strings.Join(s.AllowedTools, ", "))})
	}
	if s.ManifestVersion == "" {
		rows = append(rows, []string{"  nothing that it declares", "", "its text says what it does"})
	}
	return rows
}

func versionsWords(c spec.SkillCommand) string {
	switch {
	case c.Min != "" && c.Max != "":
		return safe("from " + c.Min + " to " + c.Max)
	case c.Min != "":
		return safe("from " + c.Min)
	case c.Max != "":
		return safe("up to " + c.Max)
	}
	return ""
}

func arcadeRows(r *spec.Arcade) [][]string {
	rows := [][]string{{"  as", safe(r.FQN)}, {"  toolkit", safe(strings.TrimSpace(r.Toolkit.Name + " " + r.Toolkit.Version))}}
	if u := r.Auth; u != nil && u.Word != "none" {
		who := cmp.Or(u.ProviderID, u.ProviderType, u.Word, u.ID)
		rows = append(rows, []string{"  your account", safe(who + scopesWords(u.Scopes))})
	}
	if len(r.Secrets) > 0 {
		rows = append(rows, []string{"  secrets", safe(strings.Join(r.Secrets, ", "))})
	}
	return rows
}

func scopesWords(scopes []string) string {
	if len(scopes) == 0 {
		return ""
	}
	return " (" + strings.Join(scopes, ", ") + ")"
}
