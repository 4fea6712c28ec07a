package consume

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/keyring"
	"github.com/patch-cat/patch-git/internal/provision"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
)

// ConfigureOptions say what is to be changed; the zero value changes nothing.
type ConfigureOptions struct {
	Name string            // asked for anew
	Env  map[string]string // values that are no secrets
	Ask  Asker             // nil: nobody can be asked
}

// Configured is what an installed tool was given: names, and no value.
type Configured struct {
	Ref       spec.Ref
	Variables []Variable
	Smoke     toolbox.Smoked
	changed   bool
}

// Variable is one value that a tool asks for.
type Variable struct {
	Name     string `json:"name"`
	Prompt   string `json:"prompt"`
	Secret   bool   `json:"secret"`
	Required bool   `json:"required"`
	Where    string `json:"where,omitempty"` // the kind of store, "plain", or "" for no value
}

// Broken is the error of a tool that a change made fail; nil where nothing was changed.
func (c *Configured) Broken() error {
	if !c.changed {
		return nil
	}
	return (&Deployment{Smoke: c.Smoke}).NotWorking(c.Ref)
}

// Configure shows or changes the values of an installed tool, and tries it after that.
func (c *Client) Configure(ctx context.Context, ref spec.Ref, o ConfigureOptions) (*Configured, error) {
	v, receipt, err := c.Check(ctx, ref)
	if err != nil {
		return nil, err
	}
	tool := v.Tool()
	if tool.Deployment == nil {
		return nil, fault.New(fault.Usage, "env", "%s is no install manifest, and is given nothing", receipt.Ref().At()).Hint("patch-git info %s", receipt.Name)
	}
	before, _, err := c.Box.Deployed(receipt)
	if err != nil {
		return nil, err
	}
	out := &Configured{Ref: receipt.Ref(), Smoke: before.Smoke}
	if o.Name != "" || len(o.Env) > 0 {
		if before, err = c.reconfigure(ctx, tool, receipt, before, o); err != nil {
			return nil, err
		}
		out.changed, out.Smoke = true, before.Smoke
	}
	for _, e := range tool.Deployment.Env {
		where := before.Secrets[e.Name]
		if _, ok := before.Values[e.Name]; ok && !e.Secret {
			where = "plain"
		}
		out.Variables = append(out.Variables, Variable{e.Name, e.Prompt, e.Secret, e.Required, where})
	}
	return out, nil
}

// reconfigure takes new values in, and tries the tool with them.
func (c *Client) reconfigure(ctx context.Context, tool *spec.Tool, r toolbox.Receipt, before toolbox.Deployed, o ConfigureOptions) (toolbox.Deployed, error) {
	i := slices.IndexFunc(tool.Deployment.Env, func(e spec.EnvVar) bool { return e.Name == o.Name })
	if o.Name != "" && i < 0 {
		return before, fault.New(fault.Usage, "env", "%s asks for no value %s", tool.Name, spec.Quote(o.Name)).Hint("patch-git configure %s", tool.Name)
	}
	if o.Name != "" && o.Ask == nil {
		e := tool.Deployment.Env[i]
		return before, (&collector{tool: tool}).unasked(e, "")
	}
	g, err := (&collector{tool: tool, flags: o.Env, getenv: c.Host.Getenv, ask: o.Ask, before: before, anew: o.Name, warn: c.warn}).collect(ctx)
	if err != nil {
		return before, err
	}
	where := maps.Clone(g.kept)
	id := keyring.Tool{Registry: r.Registry, Name: r.Name}
	if len(g.secrets) > 0 {
		store, err := c.secretStore(ctx)
		if err != nil {
			return before, err
		}
		for name := range g.secrets {
			// It must not stay in a place that nobody looks into any more.
			if was := before.Secrets[name]; was != "" && was != string(store.Kind()) {
				if old, err := c.storeOf(was); err == nil {
					_ = old.Delete(ctx, id, name)
				}
			}
		}
		if where, err = g.keep(ctx, store, id); err != nil {
			return before, err
		}
	}
	for name, kind := range before.Secrets { // one that is skipped now goes
		if _, still := where[name]; !still {
			if store, err := c.storeOf(kind); err == nil {
				_ = store.Delete(ctx, id, name)
			}
		}
	}
	now := toolbox.Deployed{Values: g.values, Secrets: where, Skipped: g.skipped, Net: before.Net}
	if err := c.Box.KeepDeployed(r, now); err != nil {
		return before, err
	}
	prefix, err := c.Artifact(r)
	if err != nil {
		prefix = &provision.Prefix{}
	}
	now.Smoke = c.smoke(ctx, tool, r, prefix)
	now.Smoke.At = c.Host.Now().UTC().Format(time.RFC3339)
	return now, c.Box.KeepDeployed(r, now)
}
