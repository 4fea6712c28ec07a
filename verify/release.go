package verify

import (
	"bytes"
	"slices"

	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// Verified is a release of which everything was checked. It carries the bytes
// that were checked; nothing is read again. Only this package makes one, and
// the zero value says so when asked ([Verified.OK]).
type Verified struct {
	ref        spec.Ref
	policy     Policy
	tool       spec.Tool
	release    *ledger.Release
	acceptance *ledger.Acceptance
	proof      *ledger.Proof
	stored     Stored
}

// Stored is what an installed release keeps of its evidence, so that it can be
// verified again, offline, before every run.
type Stored struct {
	Release  []byte
	Evidence []byte
	Proof    []byte
	Files    map[string][]byte
}

// Release verifies one release under the record: the document that the record
// names, the evidence over it, every file, the manifest and the place in the log.
func (r Record) Release(c spec.Candidate) (Verified, error) {
	s, err := r.Signed(c)
	if err != nil {
		return Verified{}, err
	}
	return s.Release(c.Files)
}

// Stored verifies a release by its pinned reference without a head: what can
// be checked before every run without any registry. Whether the release has
// been revoked since is for the caller, who has the newest head.
func (p Policy) Stored(ref spec.Ref, s Stored) (Verified, error) {
	out, err := p.signed(ref, s)
	if err != nil {
		return Verified{}, err
	}
	return out.Release(s.Files)
}

// acceptance verifies the evidence over a release.
func (p Policy) acceptance(ref spec.Ref, doc *ledger.Release, evidence []byte) (*ledger.Acceptance, error) {
	s, err := p.statement(evidence, p.Registry.Subject(ref), ledger.PredicateAcceptance)
	if err != nil {
		return nil, err
	}
	if s.Subject[0].Digest.SHA256 != doc.MainFile().SHA256 {
		return nil, refuse(ReasonSubject, "evidence for %s is about another main file", ref.At())
	}
	a, err := ledger.ParseAcceptance(s)
	if err != nil {
		return nil, refuse(ReasonStatement, "%s: %w", ref.At(), err)
	}
	switch {
	case a.Registry.Name != p.Registry:
		return nil, refuse(ReasonRegistry, "evidence for %s is of the registry %s", ref.At(), a.Registry.Name)
	case a.Name != ref.Name || a.Version != ref.Version || a.Format != doc.Format:
		return nil, refuse(ReasonSubject, "evidence for %s is about %s@%s", ref.At(), a.Name, a.Version)
	case a.Release != ref.Digest:
		return nil, refuse(ReasonRelease, "evidence for %s is about another release.json", ref.At())
	case !slices.Equal(a.Files, doc.Files):
		return nil, refuse(ReasonFile, "evidence for %s lists other files than release.json", ref.At())
	case !bytes.Equal(ledger.Encode(a.Permissions), ledger.Encode(doc.Permissions)):
		return nil, refuse(ReasonManifest, "evidence for %s has other permissions than release.json", ref.At())
	case !named(doc, ledger.ReportFileName, &a.Report):
		return nil, refuse(ReasonFile, "evidence for %s is about another report", ref.At())
	case !named(doc, ledger.ClosureFileName, a.Closure):
		return nil, refuse(ReasonFile, "evidence for %s is about another closure", ref.At())
	}
	return a, nil
}

// named tells whether a generated file is in the release exactly where the
// evidence names it, with that digest.
func named(doc *ledger.Release, path string, want *spec.Digest) bool {
	f := doc.Find(path)
	if f == nil || want == nil {
		return f == nil && want == nil
	}
	return f.SHA256 == *want
}

// checkFiles compares the files with the list: each there, none besides.
func checkFiles(ref spec.Ref, doc *ledger.Release, files map[string][]byte) error {
	for _, f := range doc.Files {
		data, ok := files[f.Path]
		if !ok {
			return refuse(ReasonFile, "%s lacks its file %q", ref.At(), f.Path)
		}
		if int64(len(data)) != f.Size || spec.DigestOf(data) != f.SHA256 {
			return refuse(ReasonFile, "file %q of %s is not the one that was accepted", f.Path, ref.At())
		}
	}
	if len(files) != len(doc.Files) {
		return refuse(ReasonFile, "%s has %d files, its release lists %d", ref.At(), len(files), len(doc.Files))
	}
	return nil
}

// checkManifest reads the manifest once more [AR-34]: a registry is not
// believed to have checked it.
func checkManifest(ref spec.Ref, doc *ledger.Release, main []byte) (spec.Tool, error) {
	m, findings := manifest.Read(doc.Format.MainFile(), main, manifest.Strict)
	if m == nil || spec.Blocking(findings) {
		spec.SortFindings(findings)
		for _, f := range findings {
			if f.Severity == spec.SeverityError {
				return spec.Tool{}, refuse(ReasonManifest, "the manifest of %s is invalid: %s", ref.At(), f)
			}
		}
		return spec.Tool{}, refuse(ReasonManifest, "the manifest of %s is not readable", ref.At())
	}
	t := m.Tool
	if t.Name != ref.Name || t.Version != ref.Version || t.Format != doc.Format {
		return spec.Tool{}, refuse(ReasonManifest, "the manifest of %s is about %s@%s", ref.At(), t.Name, t.Version)
	}
	if !bytes.Equal(ledger.Encode(t.Permissions()), ledger.Encode(doc.Permissions)) {
		return spec.Tool{}, refuse(ReasonManifest, "the manifest of %s asks for other permissions than were signed", ref.At())
	}
	// What a person or a model will read is looked at once more, too [AR-35].
	if h, ok := sanitize.Hidden(string(main[:m.Body])); ok {
		return spec.Tool{}, refuse(ReasonManifest, "the manifest of %s hides the character %U (%s) in line %d", ref.At(), h.Rune, h.Category, h.Line)
	}
	return t, nil
}

// included verifies the stored proof that the acceptance is in the log whose
// root the acceptance itself states.
func included(ref spec.Ref, acc *ledger.Acceptance, data []byte) (*ledger.Proof, error) {
	if len(data) == 0 {
		return nil, refuse(ReasonLog, "%s has no proof that it is in the log", ref.At())
	}
	proof, err := ledger.ParseProof(data)
	if err != nil {
		return nil, refuse(ReasonLog, "%s: %w", ref.At(), err)
	}
	e := proof.Entry
	if e.Event != ledger.EventAccept || e.Name != ref.Name || e.Version != ref.Version || e.Release != ref.Digest {
		return nil, refuse(ReasonLog, "the log entry of %s is about something else", ref.At())
	}
	if err := proof.Included(acc.Log); err != nil {
		return nil, refuse(ReasonLog, "%s: %w", ref.At(), err)
	}
	return proof, nil
}

// OK tells whether the value was made by a verification.
func (v Verified) OK() bool { return v.release != nil }

// Ref is the pinned reference.
func (v Verified) Ref() spec.Ref { return v.ref }

// Registry is the registry that accepted the release.
func (v Verified) Registry() spec.RegistryName { return v.policy.Registry }

// Tool is what the manifest says.
func (v Verified) Tool() *spec.Tool { return &v.tool }

// Main returns the bytes of the main file.
func (v Verified) Main() []byte { return v.stored.Files[v.release.Format.MainFile()] }

// File returns the bytes of a file, nil when the release has none of that name.
func (v Verified) File(path string) []byte { return v.stored.Files[path] }

// Document returns release.json.
func (v Verified) Document() *ledger.Release { return v.release }

// Acceptance returns what was signed.
func (v Verified) Acceptance() *ledger.Acceptance { return v.acceptance }

// Published is when the release was accepted, as the log has it, and its index there.
func (v Verified) Published() (string, int64) { return v.proof.Entry.Time, v.proof.Index }

// Stored returns what to keep for [Policy.Stored].
func (v Verified) Stored() Stored { return v.stored }
