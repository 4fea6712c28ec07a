package toolbox

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Consent is what a person agreed to for one release. It is bound to the
// release's digest, so that no other content can use it.
type Consent struct {
	Release     spec.Digest      `json:"release"`
	Permissions spec.Permissions `json:"permissions"`
	At          string           `json:"at"`
	// HostNetwork tells that the network which was agreed to was not filtered.
	HostNetwork bool `json:"host_network,omitempty"`
}

// Consent returns what was agreed to; ok is false where nothing was.
func (t *Toolbox) Consent(r Receipt) (c Consent, ok bool, err error) {
	data, err := durable.ReadFileNoFollow(filepath.Join(t.receiptDir(r.Name, r.Version), consentFile), limits.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return Consent{}, false, nil
	}
	if err != nil {
		return Consent{}, false, err
	}
	c, ok = parseConsent(data, r.Release)
	return c, ok, nil
}

// parseConsent reads a consent; one that is damaged, or of another content, is
// as if it were not there.
func parseConsent(data []byte, release spec.Digest) (Consent, bool) {
	var c Consent
	if json.Unmarshal(data, &c) != nil || c.Release != release {
		return Consent{}, false
	}
	return c, true
}

// Agree records that the person agreed to the permissions of a release, and
// whether its network may be all that this machine reaches.
func (t *Toolbox) Agree(r Receipt, p spec.Permissions, hostNetwork bool) error {
	data, err := json.MarshalIndent(Consent{Release: r.Release, Permissions: p, At: t.now().UTC().Format(time.RFC3339), HostNetwork: hostNetwork}, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(t.receiptDir(r.Name, r.Version), consentFile), append(data, '\n'), 0o600)
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
