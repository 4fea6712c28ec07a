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
	"github.com/patch-cat/patch-git/verify"
)

// Receipt says what is installed and where it came from.
type Receipt struct {
	Schema      int               `json:"schema"`
	Registry    spec.RegistryName `json:"registry"`
	Name        spec.Name         `json:"name"`
	Version     spec.Version      `json:"version"`
	Release     spec.Digest       `json:"release"` // of release.json
	InstalledAt string            `json:"installed_at"`
}

const (
	receiptSchema = 1
	receiptFile   = "receipt.json"
	consentFile   = "consent.json"
)

// Ref is the pinned reference of the installed release.
func (r Receipt) Ref() spec.Ref {
	return spec.Ref{Name: r.Name, Version: r.Version, Digest: r.Release}
}

func (t *Toolbox) receiptDir(n spec.Name, v spec.Version) string {
	return filepath.Join(t.paths.Receipts(), string(n), string(v))
}

func (t *Toolbox) storePath(d spec.Digest) string {
	h := d.Hex()
	return filepath.Join(t.paths.Store(), h[:2], h)
}

// Install keeps a verified release and makes it the current version of its
// tool. Installing what is installed already changes nothing but the current
// version. An installed release of the same version with another digest is
// refused: a version has one content [PM-10].
func (t *Toolbox) Install(ctx context.Context, v verify.Verified) (Receipt, error) {
	if !v.OK() {
		return Receipt{}, fault.New(fault.NotVerified, "unverified", "only a verified release can be installed")
	}
	unlock, err := t.lock(ctx)
	if err != nil {
		return Receipt{}, err
	}
	defer unlock()
	ref := v.Ref()
	old, err := t.Receipt(ref)
	switch {
	case err == nil && (old.Release != ref.Digest || old.Registry != v.Registry()):
		return Receipt{}, fault.New(fault.NotVerified, "immutable", "%s is installed from %s with another content", ref.At(), old.Registry).
			Hint("patch-git remove %s", ref.At())
	case err != nil && fault.KindOf(err) != fault.NotFound:
		return Receipt{}, err
	}
	stored := v.Stored()
	for path, data := range stored.Files {
		if err := durable.WriteImmutable(t.storePath(spec.DigestOf(data)), data, 0o600); err != nil {
			return Receipt{}, repairable(err, path)
		}
	}
	dir := t.receiptDir(ref.Name, ref.Version)
	for _, f := range []struct {
		name string
		data []byte
	}{{ledger.ReleaseFileName, stored.Release}, {ledger.EvidenceFileName, stored.Evidence}, {ledger.ProofFileName, stored.Proof}} {
		if err := durable.WriteFile(filepath.Join(dir, f.name), f.data, 0o600); err != nil {
			return Receipt{}, err
		}
	}
	receipt := old
	if old.Schema == 0 {
		receipt = Receipt{
			Schema: receiptSchema, Registry: v.Registry(), Name: ref.Name, Version: ref.Version, Release: ref.Digest,
			InstalledAt: t.now().UTC().Format(time.RFC3339),
		}
		data, err := json.MarshalIndent(receipt, "", "  ")
		if err != nil {
			return Receipt{}, err
		}
		if err := durable.WriteFile(filepath.Join(dir, receiptFile), append(data, '\n'), 0o600); err != nil {
			return Receipt{}, err
		}
	}
	return receipt, t.makeCurrent(ref, v.Document().Format, v.Main())
}

// repairable explains a damaged object of the store.
func repairable(err error, path string) error {
	if fault.ReasonOf(err) == "immutable" {
		return fault.New(fault.NotVerified, "store_damaged", "the stored copy of %q was changed on disk: %w", path, err).
			Hint("delete that file and pull again")
	}
	return err
}

// makeCurrent writes the main file into tools/, and the index. A crash between
// the two leaves the index on the version before, whose receipt is still there.
// The main file of another format, which a version before had, goes last.
func (t *Toolbox) makeCurrent(ref spec.Ref, format spec.Format, main []byte) error {
	ix, err := t.readIndex()
	if err != nil {
		return err
	}
	if err := durable.WriteFile(t.paths.Main(ref.Name, format), main, 0o600); err != nil {
		return err
	}
	e := ix.Tools[ref.Name]
	e.Version, e.File = ref.Version, t.toolFile(ref.Name, format)
	ix.Tools[ref.Name] = e
	if err := t.writeIndex(ix, true); err != nil {
		return err
	}
	return t.unsee(ref.Name, format)
}

// unsee removes the main files of a name from tools/, but that of one format.
func (t *Toolbox) unsee(n spec.Name, but spec.Format) error {
	for _, f := range spec.Formats() {
		if f == but {
			continue
		}
		if err := os.Remove(t.paths.Main(n, f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.Unavailable, "toolbox", "removing the main file of %s: %w", n, err)
		}
	}
	return nil
}

// Receipt returns the receipt of a version.
func (t *Toolbox) Receipt(ref spec.Ref) (Receipt, error) {
	data, err := durable.ReadFileNoFollow(filepath.Join(t.receiptDir(ref.Name, ref.Version), receiptFile), limits.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return Receipt{}, fault.New(fault.NotFound, "not_installed", "%s is not installed", ref.At()).
			Hint("patch-git pull %s", ref.At())
	}
	if err != nil {
		return Receipt{}, err
	}
	var r Receipt
	if err := json.Unmarshal(data, &r); err != nil || r.Schema != receiptSchema || r.Name != ref.Name || r.Version != ref.Version {
		return Receipt{}, fault.New(fault.NotVerified, "receipt", "the receipt of %s is damaged", ref.At()).
			Hint("patch-git remove %s && patch-git pull %s", ref.At(), ref.At())
	}
	return r, nil
}

// Versions returns the installed versions of a tool, lowest first.
func (t *Toolbox) Versions(n spec.Name) ([]spec.Version, error) {
	dir := filepath.Join(t.paths.Receipts(), string(n))
	entries, err := readDir(dir)
	if err != nil {
		return nil, err
	}
	var out []spec.Version
	for _, e := range entries {
		v, err := spec.ParseVersion(e.Name())
		if err != nil {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, e.Name(), receiptFile)); err == nil {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, spec.Version.Compare)
	return out, nil
}

// Find returns the receipt that a reference means: the stated version, else
// the current one.
func (t *Toolbox) Find(ref spec.Ref) (Receipt, error) {
	if ref.Version == "" {
		ix, err := t.lookIndex()
		if err != nil {
			return Receipt{}, err
		}
		versions, err := t.Versions(ref.Name)
		if err != nil {
			return Receipt{}, err
		}
		if len(versions) == 0 {
			return Receipt{}, fault.New(fault.NotFound, "not_installed", "%s is not installed", ref.Name).
				Hint("patch-git pull %s", ref.Name)
		}
		ref.Version = ix.current(ref.Name, versions)
	}
	r, err := t.Receipt(ref)
	if err == nil && ref.Pinned() && ref.Digest != r.Release {
		return Receipt{}, fault.New(fault.NotVerified, "binding:release", "%s is installed as %s, not %s", ref.At(), r.Release, ref.Digest)
	}
	return r, err
}

// Load reads an installed release and verifies it under the pinned trust of
// its registry: signature, log proof, and the digest of every file. One that
// another process removes meanwhile is NotFound.
func (t *Toolbox) Load(r Receipt, policy verify.Policy) (verify.Verified, error) {
	if policy.Registry != r.Registry {
		return verify.Verified{}, fault.New(fault.NotVerified, "policy", "%s was installed from %s", r.Ref().At(), r.Registry)
	}
	v, err := t.load(r, policy)
	if fault.KindOf(err) == fault.NotVerified {
		// Files that another process replaced between two reads look like
		// damage. While no writer is at work they do not.
		if unlock, locked := durable.RLock(context.Background(), t.paths.Lock(), limits.LockWait); locked == nil {
			v, err = t.load(r, policy)
			unlock()
		}
	}
	if refusal, ok := errors.AsType[*fault.Error](err); ok && refusal.Kind == fault.NotVerified {
		if _, gone := t.Receipt(r.Ref()); fault.KindOf(gone) == fault.NotFound {
			return verify.Verified{}, gone
		}
		return verify.Verified{}, refusal.Hint("patch-git remove %s && patch-git pull %s", r.Ref().At(), r.Ref().At())
	}
	return v, err
}

func (t *Toolbox) load(r Receipt, policy verify.Policy) (verify.Verified, error) {
	s, err := t.stored(r, true)
	if err != nil {
		return verify.Verified{}, err
	}
	return policy.Stored(r.Ref(), s)
}

// stored reads what is kept of a release; what is missing is left out, for the
// verification to find. With inUse, the main file of the current version is the one
// that a person sees.
func (t *Toolbox) stored(r Receipt, inUse bool) (verify.Stored, error) {
	dir := t.receiptDir(r.Name, r.Version)
	s := verify.Stored{Files: map[string][]byte{}}
	for _, f := range []struct {
		name string
		into *[]byte
	}{{ledger.ReleaseFileName, &s.Release}, {ledger.EvidenceFileName, &s.Evidence}, {ledger.ProofFileName, &s.Proof}} {
		data, err := durable.ReadFileNoFollow(filepath.Join(dir, f.name), limits.Document)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
		*f.into = data
	}
	doc, err := ledger.ParseRelease(s.Release)
	if err != nil {
		return s, fault.New(fault.NotVerified, string(verify.ReasonRelease), "installed %s: %w", r.Ref().At(), err)
	}
	for _, f := range doc.Files {
		read := t.storedFile
		if f.Path == doc.Format.MainFile() && inUse && t.isCurrent(r) {
			read = func(d spec.Digest) ([]byte, error) { return t.visible(r, doc.Format, d) }
		}
		data, err := read(f.SHA256)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
		if err == nil {
			s.Files[f.Path] = data
		}
	}
	return s, nil
}

func (t *Toolbox) storedFile(d spec.Digest) ([]byte, error) {
	return durable.ReadFileNoFollow(t.storePath(d), limits.ReleaseBytes)
}

// visible reads the main file of the current version from tools/, where a
// person may have edited it: that has to be noticed. Bytes that are the main
// file of another installed version are no edit but an install that is under
// way, or died, between the file and the index; the store has ours.
func (t *Toolbox) visible(r Receipt, format spec.Format, want spec.Digest) ([]byte, error) {
	data, err := durable.ReadFileNoFollow(t.paths.Main(r.Name, format), limits.ReleaseBytes)
	if err != nil || spec.DigestOf(data) == want {
		return data, err
	}
	versions, err := t.Versions(r.Name)
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		doc, err := t.releaseDocument(spec.Ref{Name: r.Name, Version: v})
		if err == nil && v != r.Version && doc.MainFile().SHA256 == spec.DigestOf(data) {
			return t.storedFile(want)
		}
	}
	return data, nil
}

// isCurrent tells whether the index says that tools/ has this version's file.
func (t *Toolbox) isCurrent(r Receipt) bool {
	ix, err := t.lookIndex()
	return err == nil && ix.Tools[r.Name].Version == r.Version
}
