package toolbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Pin is a registry that the user trusts: where it is, whose signature counts,
// and the newest head that was verified, kept whole so that revocations are
// known, and rollbacks noticed, without a network.
type Pin struct {
	Schema   int               `json:"schema"`
	Name     spec.RegistryName `json:"name"`
	Location string            `json:"location"`
	Mirrors  []string          `json:"mirrors,omitempty"`
	Trust    ledger.Trust      `json:"trust"`
	AddedAt  string            `json:"added_at"`

	// TrustedRoot is the Sigstore instance of a keyless registry that does not
	// use the public one. SigningConfig says where that instance signs, for
	// who publishes; it is asked for nothing else, and is no part of the trust.
	TrustedRoot   []byte `json:"trusted_root,omitempty"`
	SigningConfig []byte `json:"signing_config,omitempty"`

	HeadEvidence []byte `json:"head_evidence,omitempty"`
	Head         []byte `json:"head,omitempty"`
	Revoked      []byte `json:"revoked,omitempty"`

	sigstore verify.Sigstore
}

const pinSchema = 1

// Policy is whose word counts for the registry. Of a pin that was not read from
// the toolbox, nor armed by it, a keyless one refuses everything.
func (p Pin) Policy() verify.Policy {
	return verify.Policy{Registry: p.Name, Trust: p.Trust, Sigstore: p.sigstore}
}

// LastHead verifies the newest head that was kept; ok is false where none was
// seen yet.
func (p Pin) LastHead() (h verify.Head, ok bool, err error) {
	if len(p.HeadEvidence) == 0 {
		return verify.Head{}, false, nil
	}
	h, err = p.Policy().Head(spec.Chain{HeadEvidence: p.HeadEvidence, Head: p.Head, Revoked: p.Revoked})
	return h, err == nil, err
}

func (t *Toolbox) pinPath(n spec.RegistryName) string {
	return filepath.Join(t.paths.Registries(), filepath.FromSlash(string(n))+".json")
}

// Pins returns the registries that the user trusts, sorted by name.
func (t *Toolbox) Pins() ([]Pin, error) {
	owners, err := readDir(t.paths.Registries())
	if err != nil {
		return nil, err
	}
	var out []Pin
	for _, o := range owners {
		files, err := readDir(filepath.Join(t.paths.Registries(), o.Name()))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			stem, ok := cutJSON(f.Name())
			if !ok {
				continue
			}
			name, err := spec.ParseRegistryName(o.Name() + "/" + stem)
			if err != nil {
				continue
			}
			p, err := t.Pin(name)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
	}
	return out, nil
}

func cutJSON(name string) (string, bool) {
	ext := filepath.Ext(name)
	return name[:len(name)-len(ext)], ext == ".json"
}

// Pin returns one registry.
func (t *Toolbox) Pin(n spec.RegistryName) (Pin, error) {
	data, err := durable.ReadFileNoFollow(t.pinPath(n), limits.Pin)
	if errors.Is(err, fs.ErrNotExist) {
		return Pin{}, fault.New(fault.NotFound, "no_registry", "registry %s is not added", n).
			Hint("patch-git registry add <path or URL>")
	}
	if err != nil {
		return Pin{}, err
	}
	var p Pin
	if err := json.Unmarshal(data, &p); err != nil || p.Schema != pinSchema || p.Name != n {
		return Pin{}, fault.New(fault.NotVerified, "pin", "what is kept of registry %s is damaged", n).
			Hint("patch-git registry remove %s, then add it again", n)
	}
	return t.Arm(p), nil
}

// AddPin trusts a registry, or changes where a trusted one is looked for. One
// that is trusted already with another identity is refused: a change of
// identity is never taken silently. What was seen of it stays: only
// [Toolbox.Advance] moves the head of a registry that has one.
func (t *Toolbox) AddPin(ctx context.Context, p Pin) error { return t.addPin(ctx, p, nil) }

// ChangePin is AddPin for a person who was told that the registry is signed by
// somebody else now, and wants that. What was seen of it under the old trust
// verifies no more: the caller brings the head that follows the one of last,
// the pin as it was read. Where another process has moved that since, nothing
// is changed, as in [Toolbox.Advance].
func (t *Toolbox) ChangePin(ctx context.Context, last, p Pin) error { return t.addPin(ctx, p, &last) }

// addPin refuses another signer unless it replaces the pin last.
func (t *Toolbox) addPin(ctx context.Context, p Pin, last *Pin) error {
	unlock, err := t.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	old, err := t.Pin(p.Name)
	switch {
	case err == nil && last == nil && !sameTrust(old, p):
		return old.Refuses(p)
	case last != nil && (fault.KindOf(err) == fault.NotFound || err == nil && (!sameTrust(old, *last) || !bytes.Equal(old.Head, last.Head))):
		return fault.New(fault.Unavailable, ReasonMoved, "what is kept of registry %s was changed meanwhile", p.Name).Hint("try again")
	case err == nil:
		p.AddedAt = old.AddedAt
		if len(old.Head) > 0 && sameTrust(old, p) {
			p.HeadEvidence, p.Head, p.Revoked = old.HeadEvidence, old.Head, old.Revoked
		}
	case fault.KindOf(err) != fault.NotFound:
		return err
	default:
		p.AddedAt = t.now().UTC().Format(time.RFC3339)
	}
	p.Schema = pinSchema
	return t.writePin(p)
}

func (t *Toolbox) writePin(p Pin) error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(t.pinPath(p.Name), append(data, '\n'), 0o600)
}

// Advance remembers a head that was verified and that follows the one of last,
// the pin as the caller read it. It refuses with reason "moved" where another
// process has changed the pin since: that the head follows what is there now
// nobody has shown, and of two forks the second would replace the first.
func (t *Toolbox) Advance(ctx context.Context, last Pin, c spec.Chain) error {
	if bytes.Equal(last.Head, c.Head) {
		return nil
	}
	unlock, err := t.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	p, err := t.Pin(last.Name)
	if err != nil {
		return err
	}
	if !bytes.Equal(p.Head, last.Head) || !sameTrust(p, last) {
		return fault.New(fault.Unavailable, ReasonMoved, "what is kept of registry %s was changed meanwhile", p.Name)
	}
	p.HeadEvidence, p.Head, p.Revoked = c.HeadEvidence, c.Head, c.Revoked
	return t.writePin(p)
}

// ReasonMoved is why [Toolbox.Advance] did nothing: read the pin and try again.
const ReasonMoved = "moved"

// SameTrust tells whether both pins believe the same signer.
func (p Pin) SameTrust(o Pin) bool { return sameTrust(p, o) }

func sameTrust(a, b Pin) bool {
	return a.Trust.Equal(&b.Trust) && bytes.Equal(a.TrustedRoot, b.TrustedRoot)
}

// Refuses says in what a registry differs from the pin; nil where it does not.
func (p Pin) Refuses(now Pin) error {
	refuse := func(reason verify.Reason, format string, args ...any) error {
		return fault.New(fault.NotVerified, string(reason), format, args...)
	}
	switch {
	case sameTrust(p, now):
		return nil
	case p.Trust.Kind != now.Trust.Kind:
		return refuse(verify.ReasonTrust, "registry %s is trusted by %s, and now it is signed by %s", p.Name, kind(p), kind(now))
	case p.Trust.Kind == ledger.TrustKey:
		return refuse(verify.ReasonKey, "registry %s is trusted with another key", p.Name)
	case p.Trust.Equal(&now.Trust):
		return refuse(verify.ReasonRoot, "registry %s is trusted under %s, not under %s", p.Name, root(p), root(now))
	}
	fields := now.Trust.Identity.Fields()
	for i, f := range p.Trust.Identity.Fields() {
		if f != fields[i] {
			return refuse(verify.Reason("identity:"+f.Name), "registry %s is trusted with the %s %s, not %s", p.Name, f.Name, spec.Quote(f.Value), spec.Quote(fields[i].Value))
		}
	}
	return refuse(verify.ReasonTrust, "registry %s is trusted otherwise", p.Name)
}

func root(p Pin) string {
	if p.TrustedRoot == nil {
		return "the public Sigstore"
	}
	return "the Sigstore of the trusted root " + spec.DigestOf(p.TrustedRoot).String()
}

func kind(p Pin) string {
	if p.Trust.Kind == ledger.TrustKey {
		return "a key"
	}
	return "a workflow"
}

// RemovePin stops trusting a registry. What was installed from it stays
// on disk but cannot be verified, and so not run, until it is added again.
func (t *Toolbox) RemovePin(ctx context.Context, n spec.RegistryName) error {
	unlock, err := t.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Lstat(t.pinPath(n)); err != nil {
		return fault.New(fault.NotFound, "no_registry", "registry %s is not added", n).Hint("patch-git registry list")
	}
	if err := t.forgetWatched(n); err != nil {
		return err
	}
	if err := os.Remove(t.pinPath(n)); err != nil {
		return fault.New(fault.Unavailable, "toolbox", "removing registry %s: %w", n, err)
	}
	return nil
}
