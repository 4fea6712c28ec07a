package consume

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Plan is all that a person sees before an install manifest is installed [TI-P16].
// Nothing of it is left out, however long.
type Plan struct {
	Ref      spec.Ref
	Registry spec.RegistryName
	Tool     *spec.Tool
	Added    []string // what the installed version did not ask for
	Fetches  []string // what is acquired, to the byte where the manifest says so
	Runs     []string // what will run here, and when
	Env      []PlannedValue
	Smoke    string
	Kill     string
	Net      []string
}

// PlannedValue is a value that will be needed, and where it will come from.
type PlannedValue struct {
	spec.EnvVar
	From string // "you are asked", "kept from before", "--env", "your environment", "the default"
}

// planOf works a plan out. Nothing is asked of anybody.
func (c *Client) planOf(t *spec.Tool, v verify.Verified, o PullOptions, added []string) *Plan {
	d := t.Deployment
	before, _ := c.deployedBefore(v)
	held := "in the sandbox"
	if d.Install.Method == "container" {
		held = "in a container of docker or podman"
	}
	p := &Plan{Ref: v.Ref(), Registry: v.Registry(), Tool: t, Added: added, Net: o.Net, Fetches: fetches(d.Install), Smoke: smokeWords(d.Smoke, held), Kill: killWords(d.KillSwitch, held)}
	if len(d.Command) > 0 {
		p.Runs = append(p.Runs, "for each call: "+argvWords(d.Command)+", "+held)
	}
	if d.EndpointURL != "" {
		p.Runs = append(p.Runs, "for each call: requests to "+d.EndpointURL)
	}
	for _, op := range t.Operations {
		if op.Effects == spec.EffectsDestructive {
			p.Runs = append(p.Runs, "action "+op.Name+" destroys, and asks you each time: "+op.Summary)
		}
	}
	for _, e := range d.Env {
		p.Env = append(p.Env, PlannedValue{e, c.origin(e, o, before)})
	}
	return p
}

// origin says where a value will come from.
func (c *Client) origin(e spec.EnvVar, o PullOptions, before toolbox.Deployed) string {
	_, flag := o.Env[e.Name]
	_, kept := before.Values[e.Name]
	_, secret := before.Secrets[e.Name]
	switch {
	case flag && !e.Secret:
		return "--env"
	case kept && !e.Secret, secret && e.Secret:
		return "kept from before"
	case FromEnvironment(e) && c.Host.Getenv(e.Name) != "" && !holdsPassword(c.Host.Getenv(e.Name)):
		return "your environment"
	case e.Default != nil && !e.Secret:
		return "the default"
	case !e.Required:
		return "you are asked, and may skip it"
	}
	return "you are asked"
}

// fetches says what is acquired.
func fetches(a spec.Artifact) []string {
	switch a.Method {
	case "pip":
		return []string{"the Python package " + a.Package + a.VersionSpec + " and what it needs: wheels alone, each by the digest in the signed list; nothing of them runs while they are installed"}
	case "npm":
		return []string{"the npm package " + a.Package + "@" + strings.TrimPrefix(a.VersionSpec, "=") + " and what it needs: archives by their SHA-512; no install script runs"}
	case "git":
		what := a.URL + " at the commit " + a.Ref
		if a.Subpath != "" {
			what += ", its folder " + a.Subpath
		}
		return []string{what + "; no hook, submodule or filter runs"}
	case "url":
		return []string{a.URL, "which must have the SHA-256 " + a.SHA256}
	case "container":
		return []string{"the image " + a.Image}
	}
	return nil
}

func smokeWords(s spec.Smoke, held string) string {
	switch s.Kind {
	case "shell":
		return "run " + argvWords(s.Command) + ", " + held
	case "http":
		method := s.Method
		if method == "" {
			method = "GET"
		}
		if s.Body != "" {
			return method + " " + s.URL + " with the body " + quoteWhole(s.Body)
		}
		return method + " " + s.URL
	case "mcp-tool-call":
		return "call its MCP tool " + spec.Quote(s.Tool) + withArguments(s)
	case "action-call":
		return "call its action " + s.Action + withArguments(s)
	}
	return s.Kind
}

// withArguments are those of a smoke test: without them nobody can tell what it does.
func withArguments(s spec.Smoke) string {
	text := strings.Join(strings.Fields(string(s.Arguments)), " ")
	if text == "" || text == "{}" {
		return ""
	}
	return " with " + text
}

func killWords(k spec.KillSwitch, held string) string {
	switch k.Kind {
	case "url":
		return "DELETE " + k.URL + ", with its credentials"
	case "shell":
		return "run " + argvWords(k.Command) + ", " + held
	case "manual":
		return "by hand, as told at " + k.Instructions
	}
	return k.Kind
}

// argvWords shows an argument vector so that its parts can be told from each other.
func argvWords(argv []string) string {
	out := slices.Clone(argv)
	for i, a := range out {
		if a == "" || strings.ContainsAny(a, " \t\n\"'\\$;&|<>()`*?[]{}#~") {
			out[i] = quoteWhole(a)
		}
	}
	return strings.Join(out, " ")
}

// quoteWhole quotes all of a text: what is consented to is not shortened.
func quoteWhole(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
