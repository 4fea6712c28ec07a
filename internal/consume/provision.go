package consume

import (
	"context"
	"net/url"
	"os"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/provision"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/internal/trusted"
	"github.com/patch-cat/patch-git/internal/usernet"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// provisioner acquires artifacts. What it asks servers for goes nowhere that a tool
// could not go: the internet, and what the person named.
func (c *Client) provisioner(net []string) (*provision.Provisioner, []usernet.Exception, error) {
	var exceptions []usernet.Exception
	for _, text := range net {
		e, err := usernet.ParseException(text)
		if err != nil {
			return nil, nil, err
		}
		exceptions = append(exceptions, e)
	}
	return &provision.Provisioner{
		Host: c.Host,
		HTTP: usernet.Client(c.Host.HTTP(), exceptions),
		Reach: func(ctx context.Context, u *url.URL) error {
			return usernet.Reaches(ctx, c.Host.HTTP(), exceptions, u)
		},
		Find: func(name string) (string, error) { return trusted.Find(c.Host, name) },
		Run:  trusted.Run,
		Box: func(ctx context.Context) (provision.Box, error) {
			return c.sandbox(ctx, RunOptions{})
		},
		Uplink: func(ctx context.Context) (sandbox.Uplink, error) {
			return reach{filtered: c.filters(ctx, ""), exceptions: exceptions}.uplink(ctx)
		},
		Python:   c.pythonFor,
		Progress: c.progress,
	}, exceptions, nil
}

// pythonFor makes an interpreter ready with the packages of a closure, which stay as
// long as the release that lists them is installed.
func (c *Client) pythonFor(ctx context.Context, closure *ledger.Closure) (provision.Python, error) {
	var out provision.Python
	box, err := c.sandbox(ctx, RunOptions{})
	if err != nil {
		return out, err
	}
	pythons, version := pyenv.New(c.Host, box), spec.InstallPython
	if closure != nil {
		version = closure.Python
	}
	in, err := pythons.Find(ctx, version, closure != nil)
	if err != nil {
		return out, err
	}
	argv, env, mounts := in.Start(true)
	out.Argv, out.Env = argv, env
	for _, m := range mounts {
		out.Mounts = append(out.Mounts, provision.Mount{Source: m.Source, Target: m.Target})
	}
	if closure == nil {
		return out, nil
	}
	environment, _, release, err := pythons.Use(ctx, in, closure, pyenv.InstallOptions{Progress: func(p pyenv.Progress) {
		c.progress(p.Step+" packages", p.Done, p.Total)
	}})
	if err != nil {
		return out, err
	}
	release()
	out.Dir = environment.Dir
	return out, nil
}

// closureFor is the signed list of packages of an install manifest; nil where the
// release has none.
func closureFor(v verify.Verified) (*ledger.Closure, error) {
	data := v.File(ledger.ClosureFileName)
	if data == nil {
		return nil, nil
	}
	closure, err := ledger.ParseClosure(data)
	if err != nil {
		return nil, fault.New(fault.NotVerified, string(verify.ReasonFile), "%s: %w", v.Ref().At(), err)
	}
	return closure, nil
}

// acquire installs the artifact of a release, or finds what was installed. Packages of
// Python that were cleared away meanwhile are brought again.
func (c *Client) acquire(ctx context.Context, p *provision.Provisioner, v verify.Verified) (*provision.Prefix, error) {
	closure, err := closureFor(v)
	if err != nil {
		return nil, err
	}
	r := provision.Request{Tool: v.Tool(), Release: v.Ref().Digest, Closure: closure}
	prefix, err := p.Install(ctx, r)
	if err != nil || gone(prefix) == "" {
		return prefix, err
	}
	if err := p.Remove(ctx, r.Release); err != nil {
		return nil, err
	}
	return p.Install(ctx, r)
}

// gone is a path that an artifact needs and that is not there any more, as when an
// interpreter was brought up to date; "" where all are there.
func gone(p *provision.Prefix) string {
	for _, m := range p.Mounts {
		if _, err := os.Stat(m.Source); err != nil {
			return m.Source
		}
	}
	return ""
}

// Artifact is what is installed for a release, ready to be started.
func (c *Client) Artifact(r toolbox.Receipt) (*provision.Prefix, error) {
	p, _, err := c.provisioner(nil)
	if err != nil {
		return nil, err
	}
	prefix, err := p.Load(r.Release)
	if err == nil {
		if path := gone(prefix); path != "" {
			err = fault.New(fault.Unavailable, "not_provisioned", "%s needs %s, which is not there any more", r.Ref().At(), spec.Quote(path)).
				Hint("patch-git pull %s", r.Ref().At())
		}
	}
	return prefix, err
}
