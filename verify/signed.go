package verify

import (
	"bytes"
	"strconv"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Signed is a release of which the documents were checked and the files were
// not: what was accepted, and where the log has it. Nothing can be installed
// from it; [Signed.Release] makes a [Verified] of it and the files.
type Signed struct {
	ref        spec.Ref
	policy     Policy
	release    *ledger.Release
	acceptance *ledger.Acceptance
	proof      *ledger.Proof
	stored     Stored
	described  *ledger.Record // the record, where it describes this version
}

// Signed verifies the documents of one release under the record: release.json,
// the evidence over it and its place in the log. The files of the candidate
// are not looked at.
func (r Record) Signed(c spec.Candidate) (Signed, error) {
	v, err := r.Resolve(c.Ref)
	if err != nil {
		return Signed{}, err
	}
	if c.Ref.Pinned() && c.Ref.Digest != v.Release {
		return Signed{}, refuse(ReasonRelease, "%s is %s in %s, not %s", c.Ref.At(), v.Release, r.head.policy.Registry, c.Ref.Digest)
	}
	ref := spec.Ref{Name: r.doc.Name, Version: v.Version, Digest: v.Release}
	s, err := r.head.policy.signed(ref, Stored{Release: c.Release, Evidence: c.Evidence, Proof: c.Proof})
	if err != nil {
		return Signed{}, err
	}
	if r.doc.Described().Version == v.Version {
		s.described = r.doc
	}
	if err := s.placed(r, v); err != nil {
		return s, err
	}
	return s, s.stated(v)
}

// placed compares where the log has the release with what the record says.
func (s Signed) placed(r Record, v ledger.RecordVersion) error {
	if s.proof.Index != v.LogIndex || s.proof.Entry.Time != v.Published || s.proof.Index >= r.head.doc.Log.Size {
		return refuse(ReasonLog, "the log has %s at another place than the record says", s.ref.At())
	}
	return nil
}

// stated compares what the record repeats of the acceptance, because pages and
// searches show the record to people who have not asked for the evidence.
func (s Signed) stated(v ledger.RecordVersion) error {
	switch {
	case v.Contributor != s.acceptance.Contributor:
		return refuse(ReasonRecord, "the record says that %s proposed %s, the evidence names %s", who(v.Contributor), s.ref.At(), who(s.acceptance.Contributor))
	case v.PullRequest != s.acceptance.PullRequest:
		return refuse(ReasonRecord, "the record has %s from the pull request %s, the evidence from %s", s.ref.At(), spec.Quote(v.PullRequest), spec.Quote(s.acceptance.PullRequest))
	case !bytes.Equal(ledger.Encode(v.Permissions), ledger.Encode(s.release.Permissions)):
		return refuse(ReasonRecord, "the record shows other permissions of %s than release.json", s.ref.At())
	}
	return nil
}

func who(o ledger.Owner) string {
	if o == (ledger.Owner{}) {
		return "nobody"
	}
	return spec.Quote(o.Login) + " (number " + strconv.FormatInt(o.ID, 10) + ")"
}

// signed verifies all but the files.
func (p Policy) signed(ref spec.Ref, s Stored) (Signed, error) {
	if !ref.Pinned() || ref.Version == "" {
		return Signed{}, refuse(ReasonPolicy, "%s is not pinned to a digest", ref)
	}
	if spec.DigestOf(s.Release) != ref.Digest {
		return Signed{}, refuse(ReasonRelease, "release.json of %s is not what the record states", ref.At())
	}
	doc, err := ledger.ParseRelease(s.Release)
	if err != nil {
		return Signed{}, refuse(ReasonRelease, "%s: %w", ref.At(), err)
	}
	if doc.Name != ref.Name || doc.Version != ref.Version || doc.Registry != p.Registry {
		return Signed{}, refuse(ReasonRelease, "release.json of %s is about %s@%s of %s", ref.At(), doc.Name, doc.Version, doc.Registry)
	}
	acc, err := p.acceptance(ref, doc, s.Evidence)
	if err != nil {
		return Signed{}, err
	}
	proof, err := included(ref, acc, s.Proof)
	if err != nil {
		return Signed{}, err
	}
	return Signed{ref: ref, policy: p, release: doc, acceptance: acc, proof: proof, stored: s}, nil
}

// Release verifies the files and the manifest.
func (s Signed) Release(files map[string][]byte) (Verified, error) {
	if s.release == nil {
		return Verified{}, refuse(ReasonPolicy, "no release was verified")
	}
	if err := checkFiles(s.ref, s.release, files); err != nil {
		return Verified{}, err
	}
	tool, err := checkManifest(s.ref, s.release, files[s.release.Format.MainFile()])
	if err != nil {
		return Verified{}, err
	}
	if s.described != nil {
		if err := describes(s.described, &tool); err != nil {
			return Verified{}, err
		}
	}
	s.stored.Files = files
	return Verified{ref: s.ref, policy: s.policy, tool: tool, release: s.release, acceptance: s.acceptance, proof: s.proof, stored: s.stored}, nil
}

// describes compares what the record says for those who search with the
// manifest, as far as the record is about that version.
func describes(r *ledger.Record, tool *spec.Tool) error {
	switch {
	case r.Description != ledger.NewDescription(tool):
		return refuse(ReasonRecord, "the record describes %s as %s, the manifest of %s as %s", r.Name, spec.Quote(r.Description), tool.Version, spec.Quote(ledger.NewDescription(tool)))
	case !bytes.Equal(ledger.Encode(r.Summary), ledger.Encode(ledger.NewSummary(tool))):
		return refuse(ReasonRecord, "the record of %s has another format, license, tags, aliases, inputs, operations or examples than the manifest of %s", r.Name, tool.Version)
	}
	return nil
}

// Document returns release.json; nil of the zero value.
func (s Signed) Document() *ledger.Release { return s.release }

// Logged returns the entry of the acceptance, its index, and the root of the
// log that the acceptance states. Whether that root is one of the log of
// today is for whoever has the whole log.
func (s Signed) Logged() (ledger.Entry, int64, ledger.LogRoot) {
	if s.proof == nil {
		return ledger.Entry{}, -1, ledger.LogRoot{}
	}
	return s.proof.Entry, s.proof.Index, s.acceptance.Log
}

// SignsNotes tells whether the registry has a key, and so publishes a
// checkpoint of its log as a signed note.
func (p Policy) SignsNotes() bool { return p.Trust.Kind == ledger.TrustKey }

// Checkpoint verifies the signed root of the registry's log.
func (p Policy) Checkpoint(data []byte) (ledger.LogRoot, error) {
	if p.check() != nil || !p.SignsNotes() {
		return ledger.LogRoot{}, refuse(ReasonPolicy, "the trust policy does not say whom to trust")
	}
	root, err := ledger.OpenCheckpoint(data, p.Registry, p.Trust.Key)
	if err != nil {
		return ledger.LogRoot{}, refuse(ReasonLog, "%s: %w", p.Registry, err)
	}
	return root, nil
}
