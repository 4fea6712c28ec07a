package toolbox

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Consent is what a person agreed to for one release. It is bound to the
// release's digest, so that no other content can use it, and to who the
// registry was at that time.
type Consent struct {
	Schema      int              `json:"schema"`
	Release     spec.Digest      `json:"release"`
	Signer      spec.Digest      `json:"signer"` // of the registry's pinned trust
	Permissions spec.Permissions `json:"permissions"`
	// Carried is the version that the person was asked about, where it was
	// another one that asked for no less.
	Carried spec.Version `json:"carried_from,omitempty"`
	At      string       `json:"at"`
	// HostNetwork tells that the network which was agreed to was not filtered.
	HostNetwork bool `json:"host_network,omitempty"`
	// Withdrawn tells that the person took the yes back, and is to be asked again
	// for this version, whatever was agreed to for others.
	Withdrawn bool `json:"withdrawn,omitempty"`
}

// consentSchema is that of consents which cover files. Those before it were
// asked for without a word about files, and cover the network alone.
const consentSchema = 2

// Agreed is a consent, and for which version of a tool it is.
type Agreed struct {
	Name     spec.Name         `json:"name"`
	Version  spec.Version      `json:"version"`
	Registry spec.RegistryName `json:"registry"`
	Consent
}

// signer is who a registry is now, as its consents have it.
func (t *Toolbox) signer(n spec.RegistryName) (spec.Digest, error) {
	pin, err := t.Pin(n)
	if err != nil {
		return spec.Digest{}, err
	}
	data, err := json.Marshal(pin.Trust)
	return spec.DigestOf(data), err
}

// Consents returns what was agreed to for a release, and after it what was
// agreed to for other installed versions of the same tool from the same
// registry, signed by the same key or workflow, the highest first. Whether that
// covers what the release asks for is for the caller to compare.
func (t *Toolbox) Consents(r Receipt) ([]Agreed, error) {
	versions, err := t.Versions(r.Name)
	if err != nil {
		return nil, err
	}
	signer, err := t.signer(r.Registry)
	if err != nil {
		return nil, err
	}
	slices.Reverse(versions)
	var own, others []Agreed
	for _, v := range versions {
		other, err := t.Receipt(spec.Ref{Name: r.Name, Version: v})
		if err != nil && v != r.Version {
			continue // one that is damaged, or goes away just now, says nothing
		}
		if err != nil {
			return nil, err
		}
		c, ok, err := t.consent(other)
		switch {
		case err != nil && v == r.Version:
			return nil, err
		case err != nil, !ok:
		case v == r.Version && other.Release == r.Release && c.Withdrawn:
			return nil, nil
		case c.Withdrawn:
		case v == r.Version && other.Release == r.Release:
			own = append(own, Agreed{r.Name, v, r.Registry, c})
		case v != r.Version && other.Registry == r.Registry && c.Signer == signer && !signer.IsZero():
			others = append(others, Agreed{r.Name, v, r.Registry, c})
		}
	}
	return append(own, others...), nil
}

// consent reads what was agreed to for a release; ok is false where nothing was.
func (t *Toolbox) consent(r Receipt) (c Consent, ok bool, err error) {
	data, err := durable.ReadFileNoFollow(t.consentPath(r.Name, r.Version), limits.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return Consent{}, false, nil
	}
	if err != nil {
		return Consent{}, false, err
	}
	c, ok = parseConsent(data, r.Release)
	return c, ok, nil
}

func (t *Toolbox) consentPath(n spec.Name, v spec.Version) string {
	return filepath.Join(t.receiptDir(n, v), consentFile)
}

// parseConsent reads a consent; one that is damaged, or of another content, is
// as if it were not there.
func parseConsent(data []byte, release spec.Digest) (Consent, bool) {
	var c Consent
	if json.Unmarshal(data, &c) != nil || c.Release != release || c.Schema > consentSchema {
		return Consent{}, false
	}
	if c.Schema < consentSchema {
		c.Permissions.Filesystem, c.Signer = spec.FilesystemNone, spec.Digest{}
	}
	return c, true
}

// Agree records that the person agreed to the permissions of a release, when
// asked for it or, with carried, for that version; and whether its network may
// be all that this machine reaches.
func (t *Toolbox) Agree(r Receipt, p spec.Permissions, carried spec.Version, hostNetwork bool) error {
	signer, err := t.signer(r.Registry)
	if err != nil {
		return err
	}
	return t.write(r, Consent{Signer: signer, Permissions: p, Carried: carried, HostNetwork: hostNetwork})
}

// write keeps a consent for a release, as of now.
func (t *Toolbox) write(r Receipt, c Consent) error {
	c.Schema, c.Release, c.At = consentSchema, r.Release, t.now().UTC().Format(time.RFC3339)
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return t.beside(r, consentFile, append(data, '\n'))
}

// beside writes a file beside the receipt of a release, while nobody else writes. Of one
// that another process removed or replaced meanwhile there is nothing to say: a yes, or
// values, would wait there for whatever is installed next.
func (t *Toolbox) beside(r Receipt, file string, data []byte) error {
	unlock, err := t.lock(context.Background()) // what was done is recorded, also of a command that was stopped
	if err != nil {
		return err
	}
	defer unlock()
	now, err := t.Receipt(r.Ref())
	if err != nil {
		return err
	}
	if now.Release != r.Release || now.Registry != r.Registry {
		return fault.New(fault.NotFound, "not_installed", "%s was replaced meanwhile", r.Ref().At()).Hint("patch-git pull %s", r.Ref().At())
	}
	return durable.WriteFile(filepath.Join(t.receiptDir(r.Name, r.Version), file), data, 0o600)
}

// AllAgreed lists every consent that counts, by name and version.
func (t *Toolbox) AllAgreed() ([]Agreed, error) {
	tools, err := t.List()
	if err != nil {
		return nil, err
	}
	var out []Agreed
	for _, tool := range tools {
		for _, v := range tool.Versions {
			r, err := t.Receipt(spec.Ref{Name: tool.Name, Version: v})
			if err != nil {
				continue // 'verify' says what is wrong with it
			}
			if c, ok, err := t.consent(r); err == nil && ok && !c.Withdrawn {
				out = append(out, Agreed{r.Name, v, r.Registry, c})
			}
		}
	}
	return out, nil
}

// Disagree takes back what was agreed to for a version, or where the reference
// has none for all versions of the tool, and returns for which it was. A version
// that ran by the word for another one does so no more: it is asked for again. What
// rested on the word that is taken back goes with it.
func (t *Toolbox) Disagree(ref spec.Ref) ([]spec.Version, error) {
	if ref.Version == "" {
		return t.forget(ref.Name, func(Consent) bool { return true })
	}
	if ok, err := t.withdraw(ref); !ok || err != nil {
		return nil, err
	}
	gone := []spec.Version{ref.Version}
	for i := 0; i < len(gone); i++ {
		more, err := t.forget(ref.Name, func(c Consent) bool { return c.Carried == gone[i] })
		gone = append(gone, more...)
		if err != nil {
			return gone, err
		}
	}
	return gone, nil
}

// forget removes some consents to a tool, and returns for which versions they
// counted.
func (t *Toolbox) forget(n spec.Name, which func(Consent) bool) (gone []spec.Version, err error) {
	versions, err := t.Versions(n)
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		c, counts := t.given(n, v)
		if !which(c) {
			continue
		}
		if err := os.Remove(t.consentPath(n, v)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return gone, fault.New(fault.Unavailable, "toolbox", "forgetting the consent to %s@%s: %w", n, v, err)
		}
		if counts {
			gone = append(gone, v)
		}
	}
	return gone, nil
}

// given reads what was agreed to for a version; ok is false where that is nothing,
// or was taken back.
func (t *Toolbox) given(n spec.Name, v spec.Version) (c Consent, ok bool) {
	r, err := t.Receipt(spec.Ref{Name: n, Version: v})
	if err != nil {
		return Consent{}, false
	}
	c, ok, err = t.consent(r)
	return c, ok && err == nil && !c.Withdrawn
}

// withdraw notes that a version is to be asked for again; ok is false where nothing
// was agreed to that it could run by.
func (t *Toolbox) withdraw(ref spec.Ref) (ok bool, err error) {
	r, err := t.Receipt(ref)
	if err != nil {
		return false, err
	}
	if _, ok = t.given(ref.Name, ref.Version); !ok {
		list, err := t.Consents(r)
		if err != nil || len(list) == 0 {
			return false, err
		}
	}
	return true, t.write(r, Consent{Withdrawn: true})
}

// releaseDocument reads the release.json of an installed version.
func (t *Toolbox) releaseDocument(ref spec.Ref) (*ledger.Release, error) {
	data, err := durable.ReadFileNoFollow(filepath.Join(t.receiptDir(ref.Name, ref.Version), ledger.ReleaseFileName), limits.Document)
	if err != nil {
		return nil, err
	}
	return ledger.ParseRelease(data)
}

// Closure returns the closure.json of an installed version as it was stored;
// nil where the release has none.
func (t *Toolbox) Closure(ref spec.Ref) ([]byte, error) {
	doc, err := t.releaseDocument(ref)
	if err != nil {
		return nil, err
	}
	file := doc.Find(ledger.ClosureFileName)
	if file == nil {
		return nil, nil
	}
	return t.storedFile(file.SHA256)
}
