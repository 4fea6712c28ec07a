package consume

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// PullOptions say how far a person goes.
type PullOptions struct {
	Registry spec.RegistryName
	// Agree records consent to what the tool asks for.
	Agree bool
	// Widen installs a version that asks for more than the one before; whether
	// it may have all that it asks for is still for the first run to find out.
	Widen bool
	// Despite are releases that are installed although the rules of this program
	// refuse them, or nobody could tell: each by its very digest.
	Despite []spec.Digest

	// Of install manifests: values by --env, who asks for the others (nil: nobody can
	// be asked), and what the tool may reach beyond the internet.
	Env map[string]string
	Ask Asker
	Net []string
	// Show is given the plan of an installation that a person agreed to, before
	// anything is asked, fetched or run; nil shows it to nobody.
	Show func(*Plan)
}

// ReasonWidened is the reason that [PullOptions].Widen answers.
const ReasonWidened = "widened"

// Pulled is what a pull did.
type Pulled struct {
	Receipt     toolbox.Receipt
	Tool        *spec.Tool
	Permissions spec.Permissions
	Before      spec.Version // the version installed before, "" where there was none
	Added       []string     // permissions that it did not have
	Consented   bool
	Yanked      string // reason, where a yanked version was asked for by number
	Environment string // "", or the name of the environment that was prepared

	Despite bool           // the rules refuse it, or nobody could tell; a person did not
	Found   []spec.Finding // what the registry, or that person, let pass

	Deployment *Deployment // of an install manifest, else nil
}

// Pull fetches, verifies and installs what a reference means.
func (c *Client) Pull(ctx context.Context, ref spec.Ref, o PullOptions) (*Pulled, error) {
	f, err := c.find(ctx, ref, o.Registry)
	if err != nil {
		return nil, err
	}
	v := f.release
	// The record and the list say the same, unless the registry is broken.
	if reason := cmp.Or(f.head.RevokedReason(v.Ref()), f.version.Revoked); reason != "" {
		return nil, revoked(v.Ref(), reason)
	}
	out := &Pulled{Tool: v.Tool(), Permissions: v.Tool().Permissions(), Yanked: f.version.Yanked}
	if out.Before, out.Added, err = c.widened(v); err != nil {
		return nil, err
	}
	if len(out.Added) > 0 && !o.Widen && v.Tool().Format != spec.FormatInstall { // whose plan tells of it
		return nil, fault.New(fault.Denied, ReasonWidened, "%s asks for more than the installed version: %s", v.Ref().At(), strings.Join(out.Added, ", ")).
			Hint("patch-git pull %s --yes", v.Ref().At())
	}
	if v.Tool().Format == spec.FormatInstall {
		return c.deploy(ctx, v, o, out)
	}
	// While it is checked, its packages and its bytecode are made ready.
	preparing, stop := context.WithCancel(ctx)
	defer stop()
	checking := make(chan func() (*rechecked, error), 1)
	go func() {
		again, err := c.admitted(ctx, v, slices.Contains(o.Despite, v.Ref().Digest))
		if err != nil {
			stop()
		}
		checking <- func() (*rechecked, error) { return again, err }
	}()
	environment, remark, release, err := c.prepare(preparing, v)
	defer release() // the packages are nobody's until the receipt is there
	again, refusal := (<-checking)()
	if refusal != nil {
		return nil, refusal
	}
	if err != nil {
		return nil, err
	}
	if remark != "" {
		c.warn(remark)
	}
	out.Environment, out.Despite, out.Found = environment, again.despite, again.shown()
	if out.Receipt, err = c.Box.Install(ctx, v); err != nil {
		return nil, err
	}
	// A crash before this is a check at the first run.
	if err := again.keep(ctx, c.Box, out.Receipt); err != nil {
		return nil, err
	}
	out.Consented, err = c.consented(ctx, out, o.Agree)
	return out, err
}

// consented tells whether the person agreed to all that a release may do, now
// or for a version that asked for no less.
func (c *Client) consented(ctx context.Context, p *Pulled, now bool) (bool, error) {
	host := p.Permissions.Network && !c.filters(ctx, "")
	if now {
		return true, c.Box.Agree(p.Receipt, p.Permissions, "", host)
	}
	if !NeedsConsent(p.Permissions) && !MayHaveFiles(p.Permissions) {
		return false, nil
	}
	before, err := c.Box.Consents(p.Receipt)
	if err != nil {
		return false, err
	}
	a, ok := covering(before, p.Permissions, host)
	if ok && a.Version != p.Receipt.Version {
		return true, c.Box.Agree(p.Receipt, p.Permissions, a.Version, a.HostNetwork)
	}
	return ok, nil
}

func revoked(ref spec.Ref, reason string) error {
	return fault.New(fault.Denied, "revoked", "%s was revoked: %s", ref.At(), spec.Quote(reason)).
		Hint("patch-git remove %s", ref.At())
}

// widened tells which version is installed now, and the permissions of a
// release that it does not have [C-45].
func (c *Client) widened(v verify.Verified) (spec.Version, []string, error) {
	old, err := c.Box.Find(spec.Ref{Name: v.Ref().Name})
	if fault.KindOf(err) == fault.NotFound {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	if old.Release == v.Ref().Digest {
		return "", nil, nil
	}
	pin, err := c.Box.Pin(old.Registry)
	if err != nil {
		return "", nil, err
	}
	before, err := c.Box.Load(old, pin.Policy())
	if err != nil {
		return "", nil, err
	}
	added := wider(before.Tool().Permissions(), v.Tool().Permissions())
	if was, is := before.Document().Format, v.Document().Format; was != is {
		added = append(added, "to be another kind of tool ("+string(was)+" before, "+string(is)+" now)")
	}
	return old.Version, added, nil
}

// wider lists what b asks for beyond a, in words.
func wider(a, b spec.Permissions) []string {
	var out []string
	if b.Network && !a.Network {
		out = append(out, "network")
	}
	if rank(b.Filesystem) > rank(a.Filesystem) {
		out = append(out, "filesystem "+string(b.Filesystem))
	}
	if a.HumanConfirm && !b.HumanConfirm {
		out = append(out, "running without confirmation")
	}
	for _, n := range b.Needs {
		if !slices.Contains(a.Needs, n) {
			out = append(out, n)
		}
	}
	for _, s := range b.ExternalAuth {
		if !slices.Contains(a.ExternalAuth, s) {
			out = append(out, "account access "+s)
		}
	}
	for _, s := range b.Scopes {
		if !slices.Contains(a.Scopes, s) {
			out = append(out, "scope "+spec.Quote(s))
		}
	}
	for _, s := range b.Secrets {
		if !slices.Contains(a.Secrets, s) {
			out = append(out, "secret "+spec.Quote(s))
		}
	}
	for _, s := range b.Servers {
		if !slices.Contains(a.Servers, s) {
			out = append(out, "sending to "+spec.Quote(s))
		}
	}
	if b.Installs != a.Installs && b.Installs != "" {
		out = append(out, "installing "+spec.Quote(b.Installs))
	}
	return out
}

func rank(f spec.Filesystem) int {
	return slices.Index([]spec.Filesystem{spec.FilesystemNone, spec.FilesystemReadOnly, spec.FilesystemReadWrite}, f)
}

// Check verifies an installed release again, without any network: evidence,
// log proof, files, and the revocations of the newest head that was seen.
func (c *Client) Check(ctx context.Context, ref spec.Ref) (verify.Verified, toolbox.Receipt, error) {
	return c.checked(ctx, ref, c.Box.Load)
}

// checked is Check by what reads the release.
func (c *Client) checked(ctx context.Context, ref spec.Ref, load loader) (verify.Verified, toolbox.Receipt, error) {
	v, receipt, err := c.check(ctx, ref, load)
	if err != nil && fault.KindOf(err) == fault.Findings {
		// A link, a device or an outsized file lies where one of ours belongs:
		// that is somebody's doing, and a "no".
		err = fault.New(fault.NotVerified, fault.ReasonOf(err), "installed %s: %w", ref.At(), err).
			Hint("patch-git remove %s && patch-git pull %s", ref.At(), ref.At())
	}
	return v, receipt, err
}

// loader reads an installed release and verifies it.
type loader func(toolbox.Receipt, verify.Policy) (verify.Verified, error)

func (c *Client) check(ctx context.Context, ref spec.Ref, load loader) (verify.Verified, toolbox.Receipt, error) {
	receipt, err := c.Box.Find(ref)
	if err != nil {
		return verify.Verified{}, receipt, err
	}
	if err := ctx.Err(); err != nil {
		return verify.Verified{}, receipt, err
	}
	pin, err := c.Box.Pin(receipt.Registry)
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return verify.Verified{}, receipt, fault.New(fault.NotVerified, string(verify.ReasonPolicy),
			"%s was installed from %s, which is not trusted any more", receipt.Ref().At(), receipt.Registry).
			Hint("patch-git registry add <path or URL of %s>", receipt.Registry)
	}
	if err != nil {
		return verify.Verified{}, receipt, err
	}
	last := lastHead(pin)
	v, err := load(receipt, pin.Policy())
	if err != nil {
		return verify.Verified{}, receipt, err
	}
	head, err := last()
	if err != nil {
		return verify.Verified{}, receipt, err
	}
	if reason := head.RevokedReason(v.Ref()); reason != "" {
		return v, receipt, revoked(v.Ref(), reason)
	}
	return v, receipt, nil
}

// lastHead verifies the newest head that was kept of a registry, while the caller
// verifies something else: a keyless one takes milliseconds each.
func lastHead(pin toolbox.Pin) (wait func() (verify.Head, error)) {
	type answer struct {
		head verify.Head
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		head, ok, err := pin.LastHead()
		if err == nil && !ok {
			err = fault.New(fault.NotVerified, string(verify.ReasonHead), "no head of %s is kept", pin.Name).
				Hint("patch-git registry add %q", pin.Location)
		}
		done <- answer{head, err}
	}()
	return func() (verify.Head, error) {
		a := <-done
		return a.head, a.err
	}
}

// closureOf reads the closure of a release; nil where it needs no packages.
func closureOf(v verify.Verified) (*ledger.Closure, error) {
	if len(v.Tool().Runtime.Packages) == 0 {
		return nil, nil
	}
	data := v.File(ledger.ClosureFileName)
	if data == nil {
		return nil, fault.New(fault.NotVerified, string(verify.ReasonFile), "%s needs packages but has no %s", v.Ref().At(), ledger.ClosureFileName)
	}
	closure, err := ledger.ParseClosure(data)
	if err != nil {
		return nil, fault.New(fault.NotVerified, string(verify.ReasonFile), "%s: %w", v.Ref().At(), err)
	}
	return closure, nil
}
