package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/spec"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// planText is the screen that a person reads before an install manifest is installed:
// all of it, in the same order each time [TI-P16, TI-P3, TI-P38]. What others wrote is
// in one line each, so that none of it can pass for a line of ours.
func planText(p *consume.Plan) string {
	d := p.Tool.Deployment
	var b strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "  %-9s %s\n", label, strings.TrimSpace(oneLine(safe(fmt.Sprintf(format, args...)))))
	}
	more := func(format string, args ...any) { line("", format, args...) }
	fmt.Fprintf(&b, "%s from %s wants to be installed\n", p.Ref.At(), p.Registry)
	line("name", "%s", d.Title)
	line("says", "%s", p.Tool.Description)
	if by := authorText(d.Author); by != "" {
		line("author", "%s (nobody checked that)", by)
	}
	line("homepage", "%s", d.Homepage)
	if len(p.Added) > 0 {
		line("new", "the installed version does not ask for: %s", strings.Join(p.Added, ", "))
	}
	if len(d.Scopes) == 0 {
		line("may", "it declares nothing that it does in your name")
	}
	for i, s := range d.Scopes {
		text := strings.Join(s.Actions, ", ") + " " + s.Resource
		if s.Provider != "" {
			text += " (" + s.Provider + ")"
		}
		label := "may"
		if i > 0 {
			label = ""
		}
		line(label, "%s", text)
		more("  because: %s", s.Rationale)
	}
	held := p.Tool.Permissions()
	held.Scopes, held.Secrets, held.Installs = nil, nil, "" // each has a line of its own here
	line("sandbox", "%s", strings.Join(permissionWords(held), ", "))
	for i, n := range p.Net {
		line(map[bool]string{true: "network"}[i == 0], "also %s, as you said", n)
	}
	line("costs", "%s", costText(d.Cost))
	for i, e := range p.Env {
		text := e.Name
		if e.Secret {
			text += ", a secret"
		}
		if !e.Required {
			text += ", optional"
		}
		line(map[bool]string{true: "needs"}[i == 0], "%s: %s", text, e.From)
		more("  %s", e.Prompt)
	}
	for i, f := range p.Fetches {
		line(map[bool]string{true: "fetches"}[i == 0], "%s", f)
	}
	for i, r := range p.Runs {
		line(map[bool]string{true: "runs"}[i == 0], "%s", r)
	}
	line("tries", "%s", p.Smoke)
	line("revoked", "by: %s", p.Kill)
	return strings.TrimSuffix(b.String(), "\n")
}

func authorText(a spec.Author) string {
	var parts []string
	for _, s := range []string{a.Name, a.Email, a.URL} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}

// costText says what a tool costs, in dollars [TI-P38].
func costText(c *spec.Cost) string {
	if c == nil {
		return "nothing is said of it"
	}
	var parts []string
	if c.InstallFee != "" {
		parts = append(parts, dollars(c.InstallFee)+" once")
	}
	if c.MonthlyFee != "" {
		parts = append(parts, dollars(c.MonthlyFee)+" a month")
	}
	switch c.UsageModel {
	case "none":
		parts = append(parts, "nothing for its use")
	case "per-call":
		parts = append(parts, "something for each call")
	case "per-token":
		parts = append(parts, "something for each token")
	case "external":
		parts = append(parts, "what the vendor bills you, apart from here")
	}
	if c.EstimateURL != "" {
		parts = append(parts, "estimate at "+c.EstimateURL)
	}
	if len(parts) == 0 {
		return "nothing is said of it"
	}
	return strings.Join(parts, ", ")
}

// dollars writes cents, of which a manifest may have any whole number, also 100.0.
func dollars(cents json.Number) string {
	r, ok := new(big.Rat).SetString(cents.String())
	if !ok || len(cents) > 30 {
		return spec.Quote(cents.String()) + " US cents"
	}
	return "US$ " + r.Quo(r, big.NewRat(100, 1)).FloatString(2)
}

// planDocument is the plan for a program to read.
type planDocument struct {
	Schema   int               `json:"schema"`
	Type     string            `json:"type"`
	Tool     string            `json:"tool"`
	Release  spec.Digest       `json:"release"`
	Registry spec.RegistryName `json:"registry"`
	Added    []string          `json:"added,omitempty"`
	Scopes   []spec.Scope      `json:"scopes"`
	Cost     *spec.Cost        `json:"cost,omitempty"`
	Env      []planValue       `json:"env"`
	Fetches  []string          `json:"fetches"`
	Runs     []string          `json:"runs,omitempty"`
	Smoke    string            `json:"smoke"`
	Kill     string            `json:"kill_switch"`
}

type planValue struct {
	Name     string `json:"name"`
	Prompt   string `json:"prompt"`
	Secret   bool   `json:"secret"`
	Required bool   `json:"required"`
	From     string `json:"from"`
}

func planDocumentOf(p *consume.Plan) planDocument {
	d := planDocument{
		1, "plan", p.Ref.At(), p.Ref.Digest, p.Registry, p.Added, append([]spec.Scope{}, p.Tool.Deployment.Scopes...), p.Tool.Deployment.Cost,
		[]planValue{},
		p.Fetches, p.Runs, p.Smoke, p.Kill,
	}
	for _, e := range p.Env {
		d.Env = append(d.Env, planValue{e.Name, e.Prompt, e.Secret, e.Required, e.From})
	}
	return d
}
