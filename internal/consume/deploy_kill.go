package consume

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/keyring"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/provision"
	"github.com/patch-cat/patch-git/internal/smoke"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
)

// RevokeOptions say how a person takes a tool's access back.
type RevokeOptions struct {
	// Done tells that the person did what the instructions of a manual kill switch say.
	Done bool
	// Force removes the tool although its kill switch failed.
	Force bool
}

// Revoked is what became of it.
type Revoked struct {
	Removed []spec.Ref
	Kind    string // of the kill switch
	Says    string // what it did
	Failed  string // why it did not work, where the tool was removed all the same
}

// ManualError is the error of a kill switch that the person is: the instructions, as
// they are in the manifest [TI-P37]. RevokeOptions.Done is the answer.
type ManualError struct {
	Instructions string
	fault        *fault.Error
}

func (m *ManualError) Error() string { return m.fault.Error() }

// Unwrap gives the kind, the reason and the hints.
func (m *ManualError) Unwrap() error { return m.fault }

// ReasonManual is the reason of a [ManualError].
const ReasonManual = "manual"

// Revoke runs the kill switch of an installed tool and removes all versions of it, with
// their secrets. Where the switch fails the tool stays, with its credentials: without
// them nobody could take its access back later.
func (c *Client) Revoke(ctx context.Context, name spec.Name, o RevokeOptions) (*Revoked, error) {
	v, receipt, err := c.Check(ctx, spec.Ref{Name: name})
	if err != nil && (fault.ReasonOf(err) != "revoked" || !v.OK()) {
		return nil, err
	}
	stopped := err // that it was revoked, which keeps nobody from taking its access back
	tool := v.Tool()
	if tool.Deployment == nil {
		return nil, fault.New(fault.Usage, "no_kill_switch", "%s is no install manifest, and has no kill switch", name).
			Hint("patch-git remove %s", name).Hint("patch-git revoke %s --reason text takes it out of its registry", receipt.Ref().At())
	}
	k := tool.Deployment.KillSwitch
	out := &Revoked{Kind: k.Kind}
	if stopped != nil && k.Kind == "shell" {
		// But nothing of it runs any more, least of all with the person's secrets.
		err = fault.New(fault.Denied, "revoked", "the kill switch of %s is a program of its own, which is not started: %w", name, stopped).
			Hint("take its access back where you gave it, and then: patch-git revoke %s --force", name)
	} else {
		out.Says, err = c.kill(ctx, tool, receipt, o)
	}
	if err != nil {
		if !o.Force || ctx.Err() != nil {
			return nil, err
		}
		out.Failed = err.Error()
	}
	if out.Removed, err = c.RemoveAll(ctx, spec.Ref{Name: name}); err != nil {
		return nil, err
	}
	return out, nil
}

// kill runs the switch.
func (c *Client) kill(ctx context.Context, tool *spec.Tool, r toolbox.Receipt, o RevokeOptions) (string, error) {
	k := tool.Deployment.KillSwitch
	if k.Kind == "manual" {
		if o.Done {
			return "taken back by hand", nil
		}
		return "", &ManualError{k.Instructions, fault.New(fault.Denied, ReasonManual, "access of %s is taken back by hand, and nobody said that it was", tool.Name).
			Hint("do what %s says", k.Instructions).Hint("patch-git revoke %s --yes says that you did", tool.Name)}
	}
	p, _, err := c.provisioner(nil)
	if err != nil {
		return "", err
	}
	prefix, err := p.Load(r.Release)
	if err != nil && k.Kind == "shell" {
		return "", killFailed(tool.Name, err)
	}
	if err != nil {
		prefix = &provision.Prefix{}
	}
	t, err := c.open(ctx, tool, r, prefix)
	if err != nil {
		return "", killFailed(tool.Name, err)
	}
	says := ""
	switch k.Kind {
	case "url":
		says, err = t.killURL(ctx, k.URL)
	case "shell":
		says, err = t.killShell(ctx, k.Command)
	default:
		err = fault.New(fault.Findings, "kill_switch", "a kill switch of the kind %s is not known", spec.Quote(k.Kind))
	}
	if err != nil {
		return "", killFailed(tool.Name, fault.New(fault.KindOf(err), fault.ReasonOf(err), "%s", t.strike(err.Error())))
	}
	return says, nil
}

// killFailed says what a person can do about a switch that did not work.
func killFailed(name spec.Name, err error) error {
	kind := fault.KindOf(err)
	if kind == fault.Internal || kind == fault.Findings || kind == fault.NotFound {
		kind = fault.ToolFailed
	}
	return fault.New(kind, "kill_switch", "the kill switch of %s failed, so it stays installed: %w", name, err).
		Hint("patch-git revoke %s tries again", name).
		Hint("take its access back where you gave it, and then: patch-git revoke %s --force", name)
}

// killURL asks a server to take the access back. One that knows of none (404, 410) has
// done so before.
func (t *deployedTool) killURL(ctx context.Context, address string) (string, error) {
	header, how, err := t.credentials(address)
	if err != nil {
		return "", err
	}
	status, _, err := t.request(ctx, http.MethodDelete, address, header, nil, limits.KillTime)
	switch {
	case err != nil:
		return "", err
	case status >= 200 && status < 300:
		return "the server took its access back (" + http.StatusText(status) + ", " + how + ")", nil
	case status == http.StatusNotFound, status == http.StatusGone:
		return "the server knows of no access any more", nil
	case status >= 300 && status < 400:
		return "", fault.New(fault.ToolFailed, "redirect", "the server leads elsewhere (%d), where its credentials are not taken", status)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return "", fault.New(fault.ToolFailed, "http_status", "the server does not believe the credentials (%d, %s)", status, how)
	}
	return "", fault.New(fault.ToolFailed, "http_status", "the server answers %d", status)
}

// credentials are the headers that the request is authenticated by [TI-P37]. The
// manifest has no word for them, so they are those that the tool's own requests to the
// very same server have, of its smoke test or an action; else, where the tool has one
// secret, that as a bearer token. They go to that server alone, and not over http.
func (t *deployedTool) credentials(address string) (http.Header, string, error) {
	to, err := url.Parse(address)
	if err != nil {
		return nil, "", fault.New(fault.Findings, "address", "%s is no address of a server", spec.Quote(address))
	}
	d := t.tool.Deployment
	if d.Smoke.Kind == "http" && sameServer(d.Smoke.URL, to) {
		if h, ok := t.headers(d.Smoke.Headers, "${"); ok {
			return h, "with the headers of its smoke test", nil
		}
	}
	if sameServer(d.EndpointURL, to) {
		for _, op := range t.tool.Operations {
			if h, ok := t.headers(op.Invocation.Headers, "${env."); ok && op.Invocation.Kind == spec.InvokeHTTP {
				return h, "with the headers of its action " + op.Name, nil
			}
		}
	}
	var secrets []string
	for _, e := range d.Env {
		if v, ok := t.env[e.Name]; ok && e.Secret {
			secrets = append(secrets, v)
		}
	}
	if len(secrets) == 1 && !strings.ContainsAny(secrets[0], "\r\n\x00") {
		return http.Header{"Authorization": {"Bearer " + secrets[0]}}, "with its secret as a bearer token", nil
	}
	return http.Header{}, "without credentials: the manifest does not say which", nil
}

// headers fills in headers that hold a value of the installation and nothing of a call.
func (t *deployedTool) headers(list []spec.Header, begin string) (http.Header, bool) {
	out, uses := http.Header{}, false
	for _, h := range list {
		if strings.Contains(h.Value, "${input.") {
			continue
		}
		uses = uses || strings.Contains(h.Value, "${")
		text := h.Value
		if begin == "${env." {
			text = strings.ReplaceAll(text, "${env.", "${")
		}
		v, err := smoke.Header(text, t.env)
		if err != nil {
			return nil, false
		}
		out.Set(h.Name, v)
	}
	return out, uses
}

// sameServer tells whether an address is of a server, by scheme, name and port.
func sameServer(address string, to *url.URL) bool {
	u, err := url.Parse(address)
	return err == nil && address != "" && u.Scheme == to.Scheme && strings.EqualFold(u.Host, to.Host)
}

// killShell runs a command, with the tool's values and in its sandbox. It must end
// well; that twice is once is the manifest's to promise.
func (t *deployedTool) killShell(ctx context.Context, command []string) (string, error) {
	out, err := t.shell(ctx, command, limits.KillTime)
	if err != nil {
		return "", err
	}
	if out.Exit != 0 {
		return "", withStderr(fault.New(fault.ToolFailed, "exit", "%s ended with exit code %d", argvWords(command), out.Exit), out)
	}
	return "its command took the access back", nil
}

// RemoveAll removes versions of a tool with all that was installed for them. Secrets go
// with the last version.
func (c *Client) RemoveAll(ctx context.Context, ref spec.Ref) ([]spec.Ref, error) {
	versions, err := c.Box.Versions(ref.Name)
	if err != nil {
		return nil, err
	}
	var leaves []toolbox.Receipt
	for _, v := range versions {
		if ref.Version != "" && v != ref.Version {
			continue
		}
		if r, err := c.Box.Receipt(spec.Ref{Name: ref.Name, Version: v}); err == nil {
			leaves = append(leaves, r)
		}
	}
	kinds := c.secretsOf(leaves)
	removed, err := c.Box.Remove(ctx, ref)
	if err != nil {
		return removed, err
	}
	p, _, err := c.provisioner(nil)
	if err != nil {
		return removed, err
	}
	for _, r := range leaves {
		if err := p.Remove(ctx, r.Release); err != nil {
			return removed, err
		}
	}
	if left, err := c.Box.Versions(ref.Name); err != nil || len(left) > 0 {
		return removed, err
	}
	return removed, c.forget(ctx, kinds)
}

// place is where a secret of a tool is.
type place struct {
	tool       keyring.Tool
	name, kind string
}

// secretsOf are all secrets that receipts tell of, before they go.
func (c *Client) secretsOf(list []toolbox.Receipt) map[place]bool {
	all := map[place]bool{}
	for _, r := range list {
		d, ok, err := c.Box.Deployed(r)
		if err != nil || !ok {
			continue
		}
		for name, kind := range d.Secrets {
			all[place{keyring.Tool{Registry: r.Registry, Name: r.Name}, name, kind}] = true
		}
	}
	return all
}

func (c *Client) forget(ctx context.Context, all map[place]bool) error {
	var failed error
	for _, s := range slices.Collect(maps.Keys(all)) {
		store, err := c.storeOf(s.kind)
		if err == nil {
			err = store.Delete(ctx, s.tool, s.name)
		}
		if err != nil {
			failed = fault.New(fault.KindOf(err), fault.ReasonOf(err), "the tool is removed, and its secret %s is still kept: %w", s.name, err)
		}
	}
	return failed
}
