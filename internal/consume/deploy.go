package consume

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/keyring"
	"github.com/patch-cat/patch-git/internal/provision"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Proposed is the error for an install manifest that nobody agreed to yet. It has all
// that a person has to see before [TI-P16]; [PullOptions].Agree is the answer.
type Proposed struct {
	Plan  *Plan
	fault *fault.Error
}

func (p *Proposed) Error() string { return p.fault.Error() }

// Unwrap gives the kind, the reason and the hints.
func (p *Proposed) Unwrap() error { return p.fault }

// Deployment is what a pull of an install manifest came to.
type Deployment struct {
	Plan    *Plan
	Prefix  *provision.Prefix
	Values  []string          // names of values that are no secrets
	Secrets map[string]string // names of secrets, and the kind of store that each is in
	Skipped []string
	Smoke   toolbox.Smoked
}

// deploy installs what a manifest names. Its order is its promise: what it is, the
// person's word, the person's values, the artifact, the record, and last the smoke run
// [TI-P11, TI-P16, TI-P32]. Up to the record nothing is left of what did not come to
// its end, but an artifact that was whole already.
func (c *Client) deploy(ctx context.Context, v verify.Verified, o PullOptions, out *Pulled) (*Pulled, error) {
	tool := v.Tool()
	if err := provision.Check(tool); err != nil {
		return nil, err
	}
	again, err := c.admitted(ctx, v, slices.Contains(o.Despite, v.Ref().Digest))
	if err != nil {
		return nil, err
	}
	out.Despite, out.Found = again.despite, again.shown()
	plan := c.planOf(tool, v, o, out.Added)
	out.Deployment = &Deployment{Plan: plan}
	if err := c.mayDeploy(v, plan, o); err != nil {
		return nil, err
	}
	if o.Show != nil {
		o.Show(plan)
	}
	before, err := c.deployedBefore(v)
	if err != nil {
		return nil, err
	}
	g, err := (&collector{tool: tool, flags: o.Env, getenv: c.Host.Getenv, ask: o.Ask, before: before, warn: c.warn}).collect(ctx)
	if err != nil {
		return nil, err
	}
	p, _, err := c.provisioner(o.Net)
	if err != nil {
		return nil, err
	}
	if out.Deployment.Prefix, err = c.acquire(ctx, p, v); err != nil {
		return nil, err
	}
	if err := c.deployed(ctx, v, again, g, o, out); err != nil {
		return nil, err
	}
	return out, c.trySmoke(ctx, v, out)
}

// mayDeploy asks whether a person agreed to this release, or to one that asked for no
// less.
func (c *Client) mayDeploy(v verify.Verified, plan *Plan, o PullOptions) error {
	if o.Agree {
		return nil
	}
	receipt := toolbox.Receipt{Registry: v.Registry(), Name: v.Ref().Name, Version: v.Ref().Version, Release: v.Ref().Digest}
	before, err := c.Box.Consents(receipt)
	if err != nil {
		return err
	}
	if _, ok := covering(before, v.Tool().Permissions(), false); ok && len(plan.Added) == 0 {
		return nil
	}
	refusal := fault.New(fault.Denied, ReasonConsent, "%s installs software and acts in your name, and nobody agreed to that yet", v.Ref().At())
	if len(plan.Added) > 0 {
		refusal = fault.New(fault.Denied, ReasonWidened, "%s asks for more than the installed version: %s", v.Ref().At(), strings.Join(plan.Added, ", "))
	}
	return &Proposed{plan, refusal.Hint("patch-git pull %s --yes", v.Ref().At())}
}

// deployedBefore is what was given for this release, or for the version that is
// installed now.
func (c *Client) deployedBefore(v verify.Verified) (toolbox.Deployed, error) {
	for _, ref := range []spec.Ref{v.Ref(), {Name: v.Ref().Name}} {
		receipt, err := c.Box.Find(ref)
		if fault.KindOf(err) == fault.NotFound && err != nil || err == nil && receipt.Registry != v.Registry() {
			continue // another registry's tool of that name is another tool
		}
		if err != nil {
			return toolbox.Deployed{}, err
		}
		if d, ok, err := c.Box.Deployed(receipt); ok || err != nil {
			return d, err
		}
	}
	return toolbox.Deployed{}, nil
}

// deployed records the installation: the release, the consent, and what was given.
func (c *Client) deployed(ctx context.Context, v verify.Verified, again *rechecked, g *gathered, o PullOptions, out *Pulled) error {
	tool := keyring.Tool{Registry: v.Registry(), Name: v.Ref().Name}
	where := maps.Clone(g.kept)
	if len(g.secrets) > 0 {
		store, err := c.secretStore(ctx)
		if err != nil {
			return err
		}
		if where, err = g.keep(ctx, store, tool); err != nil {
			return err
		}
	}
	var err error
	if out.Receipt, err = c.Box.Install(ctx, v); err != nil {
		c.takeBack(ctx, tool, g)
		return err
	}
	if err := again.keep(ctx, c.Box, out.Receipt); err != nil {
		return err
	}
	if out.Consented, err = c.consented(ctx, out, o.Agree); err != nil {
		return err
	}
	d := out.Deployment
	d.Values, d.Secrets, d.Skipped = slices.Sorted(maps.Keys(g.values)), where, g.skipped
	return c.Box.KeepDeployed(out.Receipt, toolbox.Deployed{Values: g.values, Secrets: where, Skipped: g.skipped, Net: o.Net})
}

// takeBack forgets secrets of an installation that was not recorded.
func (c *Client) takeBack(ctx context.Context, tool keyring.Tool, g *gathered) {
	store, err := c.secretStore(ctx)
	for name := range g.secrets {
		if err == nil {
			_ = store.Delete(context.WithoutCancel(ctx), tool, name)
		}
	}
}

// secretStore is where new secrets go.
func (c *Client) secretStore(ctx context.Context) (keyring.Store, error) {
	if c.Secrets != nil {
		return c.Secrets, nil
	}
	return keyring.Open(ctx, c.Host)
}

// storeOf is where a secret was put.
func (c *Client) storeOf(kind string) (keyring.Store, error) {
	if c.Secrets != nil {
		return c.Secrets, nil
	}
	return keyring.OpenKind(c.Host, keyring.Kind(kind))
}

// Environment are the values that were given for an installed tool, secrets included:
// they are for the tool, and for striking them from what is written down.
func (c *Client) Environment(ctx context.Context, r toolbox.Receipt) (values map[string]string, secrets []string, err error) {
	d, _, err := c.Box.Deployed(r)
	if err != nil {
		return nil, nil, err
	}
	values = map[string]string{}
	maps.Copy(values, d.Values)
	for _, name := range slices.Sorted(maps.Keys(d.Secrets)) {
		store, err := c.storeOf(d.Secrets[name])
		if err != nil {
			return nil, nil, err
		}
		s, err := store.Get(ctx, keyring.Tool{Registry: r.Registry, Name: r.Name}, name)
		if err != nil {
			return nil, nil, err
		}
		values[name], secrets = s.Reveal(), append(secrets, s.Reveal())
	}
	return values, secrets, nil
}

// trySmoke runs the smoke test of what was installed and records how it ended. The
// error is one of recording; a tool that does not work is no error here.
func (c *Client) trySmoke(ctx context.Context, v verify.Verified, out *Pulled) error {
	smoked := c.smoke(ctx, v.Tool(), out.Receipt, out.Deployment.Prefix)
	smoked.At = c.Host.Now().UTC().Format(time.RFC3339)
	out.Deployment.Smoke = smoked
	d, _, err := c.Box.Deployed(out.Receipt)
	if err != nil {
		return err
	}
	d.Smoke = smoked
	return c.Box.KeepDeployed(out.Receipt, d)
}

// NotWorking is the error of a tool whose smoke run failed; nil where it passed.
func (d *Deployment) NotWorking(ref spec.Ref) error {
	if d == nil || d.Smoke.State == toolbox.SmokePassed {
		return nil
	}
	kind, text := fault.ToolFailed, "%s is installed and does not work: %s"
	if d.Smoke.State == toolbox.SmokeUntold {
		kind, text = fault.Unavailable, "%s is installed, and whether it works could not be found out: %s"
	}
	return fault.New(kind, "smoke", text, ref.At(), strings.Join(d.Smoke.Why, "; ")).
		Hint("patch-git revoke %s", ref.Name).Hint("patch-git pull %s tries again", ref.At())
}
