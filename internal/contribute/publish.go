package contribute

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// publishedDir is where a registry on one machine keeps its published tree.
const publishedDir = "published"

// Made is a new registry.
type Made struct {
	Dir         string
	Published   string
	KeyFile     string
	Fingerprint spec.Digest // SHA-256 of the public key
}

// Published is what a publication did.
type Published struct {
	Registry  spec.RegistryName `json:"registry"`
	Head      ledger.Head       `json:"head"`
	New       bool              `json:"new"`
	Accepted  []string          `json:"accepted"`
	Withdrawn []string          `json:"withdrawn"`
	Reports   []*Checked        `json:"reports,omitempty"`
}

// Init makes a registry in a folder: its source tree, a new key, and the first
// head of an empty published tree. keyFile is where the key goes, "" for the
// user's own keys.
func (w *Workshop) Init(ctx context.Context, dir string, name spec.RegistryName, keyFile string) (*Made, error) {
	if _, err := os.Stat(filepath.Join(dir, "registry.yaml")); err == nil {
		return nil, fault.New(fault.Usage, "exists", "there is a registry in %s already", spec.Quote(dir))
	}
	if keyFile == "" {
		keyFile = w.keyFile(name)
	}
	key, err := signing.NewKey()
	if err != nil {
		return nil, err
	}
	if err := key.Save(keyFile); err != nil {
		if fault.ReasonOf(err) == "immutable" {
			err = fault.New(fault.Usage, "key_exists", "there is a key at %q already", keyFile).
				Hint("choose another --name, or another file with --key")
		}
		return nil, err
	}
	doc := &ledger.Registry{Schema: ledger.RegistrySchema, Name: name, Trust: key.Trust()}
	if err := registry.InitTree(dir, doc); err != nil {
		return nil, err
	}
	made := &Made{Dir: dir, Published: filepath.Join(dir, publishedDir), KeyFile: keyFile, Fingerprint: spec.DigestOf(doc.Trust.Key)}
	_, err = w.seal(ctx, dir, doc, key, registry.Batch{}, "")
	return made, err
}

// keyFile is where the key of a registry lies unless somebody said otherwise.
func (w *Workshop) keyFile(name spec.RegistryName) string {
	return filepath.Join(w.host.Paths.Keys(), filepath.FromSlash(string(name))+".pem")
}

// bench is a registry's folder, opened for work.
type bench struct {
	dir  string
	tree *registry.Tree
	doc  *ledger.Registry
	key  *signing.Key
}

func (w *Workshop) open(dir, keyFile string) (*bench, error) {
	tree, err := registry.OpenTree(dir)
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir, tree: tree, doc: tree.Registry()}
	if keyFile == "" {
		keyFile = w.keyFile(b.doc.Name)
	}
	if b.key, err = signing.LoadKey(keyFile); err != nil {
		return nil, err
	}
	if string(b.key.Trust().Key) != string(b.doc.Trust.Key) {
		return nil, fault.New(fault.Denied, "key", "the key %q is not the one that registry.yaml of %s names", keyFile, b.doc.Name).
			Hint("name the right one with --key")
	}
	return b, nil
}

// PublishFile checks a tool, adds it to the source tree of a registry and
// publishes the tree. Nothing is added where the check says no.
func (w *Workshop) PublishFile(ctx context.Context, file, dir, keyFile, login string, id int64) (*Published, error) {
	b, err := w.open(dir, keyFile)
	if err != nil {
		return nil, err
	}
	files, err := readRelease(file)
	if err != nil {
		return nil, err
	}
	owner := ledger.Owner{Login: login, ID: id}
	checked, err := w.checkFor(ctx, b, file, files, owner)
	if err != nil {
		return nil, err
	}
	if !checked.OK() {
		return &Published{Registry: b.doc.Name, Reports: []*Checked{checked}}, refused(1)
	}
	if err := b.tree.Stage(checked.Release, owner); err != nil {
		return nil, err
	}
	return w.publish(ctx, b, checked.Release.Ref.Name)
}

// PublishTree publishes whatever of a registry's source tree is not published
// yet. Releases that do not pass are left out and reported; the rest goes on.
func (w *Workshop) PublishTree(ctx context.Context, dir, keyFile string) (*Published, error) {
	b, err := w.open(dir, keyFile)
	if err != nil {
		return nil, err
	}
	return w.publish(ctx, b)
}

// Withdraw yanks or revokes a published version.
func (w *Workshop) Withdraw(ctx context.Context, ref spec.Ref, revoke bool, reason, dir, keyFile string) (*Published, error) {
	b, err := w.open(dir, keyFile)
	if err != nil {
		return nil, err
	}
	set := b.tree.SetYanked
	if revoke {
		set = b.tree.SetRevoked
	}
	if err := set(ref.Name, ref.Version, reason); err != nil {
		return nil, err
	}
	return w.publish(ctx, b, ref.Name)
}

func refused(n int) error {
	return fault.New(fault.Findings, "findings", "%d release(s) would be refused; nothing of them was published", n)
}

// checkFor checks a proposed release against the registry that it is meant for.
func (w *Workshop) checkFor(ctx context.Context, b *bench, shown string, files []spec.File, owner ledger.Owner) (*Checked, error) {
	first := manifestOf(files)
	if first == nil {
		// Unreadable: the plain check says what is wrong.
		return w.check(ctx, shown, files, surroundings{})
	}
	changes, err := b.tree.Diff(ctx, b.store(), []spec.Name{first.Name})
	if err != nil {
		return nil, err
	}
	around := surroundings{owner: ownerID(owner), previous: previous(changes.Published[first.Name])}
	if around.names, err = b.names(); err != nil {
		return nil, err
	}
	return w.check(ctx, shown, files, around)
}

// publish accepts every proposal of the tree that passes and seals the tree.
func (w *Workshop) publish(ctx context.Context, b *bench, names ...spec.Name) (*Published, error) {
	if len(names) == 0 {
		names = nil
	}
	changes, err := b.tree.Diff(ctx, b.store(), names)
	if err != nil {
		return nil, err
	}
	out := &Published{Registry: b.doc.Name, Accepted: []string{}, Withdrawn: []string{}}
	batch := registry.Batch{Withdraw: changes.Withdraw, Meta: changes.Meta}
	bad := 0
	if spec.Blocking(changes.Findings) {
		out.Reports, bad = append(out.Reports, &Checked{File: b.dir, Findings: changes.Findings}), bad+1
	}
	taken, err := b.names()
	if err != nil {
		return nil, err
	}
	for i, p := range changes.New {
		w.progress("checking "+p.Ref.At(), int64(i), int64(len(changes.New)))
		around := surroundings{names: taken, previous: previous(changes.Published[p.Ref.Name])}
		if len(p.Owners) > 0 {
			around.owner = ownerID(p.Owners[0])
		}
		checked, err := w.check(ctx, p.Ref.At(), p.Files, around)
		if err != nil {
			return nil, err
		}
		if checked.OK() && checked.Release.Ref != p.Ref {
			checked.Findings = append(checked.Findings, spec.Finding{
				ID: "MAN-003", Severity: spec.SeverityError, File: p.Ref.At(),
				Message: "the manifest is about " + checked.Release.Ref.At(), Fix: "move the file to the folder of its name and version",
			})
		}
		if !checked.OK() {
			out.Reports, bad = append(out.Reports, checked), bad+1
			continue
		}
		a, err := w.accept(ctx, checked, p.Owners, "")
		if err != nil {
			return nil, err
		}
		batch.Accept = append(batch.Accept, a)
	}
	sealed, err := w.seal(ctx, b.dir, b.doc, b.key, batch, "")
	if err != nil {
		return out, err
	}
	out.Head, out.New = sealed.Head, sealed.New
	for _, r := range sealed.Accepted {
		out.Accepted = append(out.Accepted, r.At())
	}
	for _, x := range sealed.Withdrawn {
		out.Withdrawn = append(out.Withdrawn, string(x.Event)+" "+spec.Ref{Name: x.Name, Version: x.Version}.At())
	}
	if bad > 0 {
		return out, refused(bad)
	}
	return out, nil
}

func (b *bench) store() registry.Store {
	return registry.OpenDir(filepath.Join(b.dir, publishedDir, ledger.Root))
}

// names are the names that the source tree holds, with their owners.
func (b *bench) names() ([]quarantine.Existing, error) {
	names, _, err := b.tree.Names()
	if err != nil {
		return nil, err
	}
	out := []quarantine.Existing{}
	for _, n := range names {
		m, err := b.tree.Meta(n)
		if err != nil {
			return nil, err
		}
		e := quarantine.Existing{Name: n}
		if len(m.Owners) > 0 {
			e.Owner = ownerID(m.Owners[0])
		}
		out = append(out, e)
	}
	return out, nil
}

// ownerID is how an owner is compared: by the number that outlives a change of
// login, or by the login where a registry has no numbers.
func ownerID(o ledger.Owner) string {
	if o.ID != 0 {
		return strconv.FormatInt(o.ID, 10)
	}
	return o.Login
}

func previous(ps []registry.PublishedVersion) []quarantine.Published {
	out := []quarantine.Published{}
	for _, p := range ps {
		out = append(out, quarantine.Published{Version: p.Version, Files: p.Files})
	}
	return out
}

// manifestOf reads the tool of proposed files, nil where it is not readable.
func manifestOf(files []spec.File) *spec.Tool {
	for _, f := range files {
		if f.Path == spec.FormatPatch.MainFile() {
			if doc, _ := manifest.Read(f.Path, f.Data, manifest.Strict); doc != nil {
				return &doc.Tool
			}
		}
	}
	return nil
}

// seal publishes a batch under the registry's key.
func (w *Workshop) seal(ctx context.Context, dir string, doc *ledger.Registry, key *signing.Key, batch registry.Batch, commit string) (registry.Sealed, error) {
	policy := verify.Policy{Registry: doc.Name, Trust: doc.Trust}
	return registry.Seal(ctx, registry.OpenDir(filepath.Join(dir, publishedDir, ledger.Root)), batch, registry.SealOptions{
		Registry: doc, Signer: key, Now: w.host.Now, Checker: w.checker, Commit: commit,
		CheckHead: func(evidence, head []byte) error {
			_, err := policy.HeadOnly(evidence, head)
			return err
		},
		Progress: func(done, total int) { w.progress("publishing", int64(done), int64(total)) },
	})
}
