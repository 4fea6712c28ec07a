package inspect

import (
	"cmp"
	"maps"
	"slices"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// releases verifies every version of every record.
func (a *audit) releases(l *log, d *dictionary) error {
	var all []spec.Ref
	for _, n := range slices.SortedFunc(maps.Keys(d.docs), cmp.Compare) {
		for _, v := range d.docs[n].Versions {
			all = append(all, spec.Ref{Name: n, Version: v.Version, Digest: v.Release})
		}
	}
	return each(a, "releases", all, func(ref spec.Ref) { a.release(l, d.records[ref.Name], ref) })
}

// release verifies one version: its documents, and unless the audit is a quick
// one, each of its files and its manifest.
func (a *audit) release(l *log, r verify.Record, ref spec.Ref) {
	at := func(file string) string { return ledger.ReleasePath(ref.Name, ref.Version, file) }
	a.counts.releases.Add(1)
	c := spec.Candidate{Ref: ref}
	var doc, evidence, proof bool
	c.Release, doc = a.stated(at(ledger.ReleaseFileName), ref.Digest, limits.Document)
	c.Evidence, evidence = a.plain(at(ledger.EvidenceFileName), limits.Bundle)
	c.Proof, proof = a.plain(at(ledger.ProofFileName), limits.Document)
	if doc && evidence && proof {
		signed, err := r.Signed(c)
		if err == nil {
			_, _, root := signed.Logged()
			a.rootOf(l, at(ledger.ProofFileName), root)
			if !a.o.Quick {
				a.files(signed, ref)
			}
			return
		}
		a.failed(fileOf(ref, err), err)
	}
	// The files are looked at also where a document beside them is damaged, as
	// long as the list of them is the one that the record states.
	if list, err := ledger.ParseRelease(c.Release); !a.o.Quick && err == nil && spec.DigestOf(c.Release) == ref.Digest {
		a.readFiles(list, ref)
	}
}

// files verifies the files of a release whose documents are sound.
func (a *audit) files(signed verify.Signed, ref spec.Ref) {
	files, ok := a.readFiles(signed.Document(), ref)
	if !ok {
		return
	}
	if _, err := signed.Release(files); verify.Reason(fault.ReasonOf(err)) == verify.ReasonRecord {
		a.failed(fileOf(ref, err), err)
	} else if err != nil {
		a.failed(ledger.ReleasePath(ref.Name, ref.Version, signed.Document().Format.MainFile()), err)
	}
}

// readFiles reads what a release lists; not ok where one is not what it must be.
func (a *audit) readFiles(doc *ledger.Release, ref spec.Ref) (map[string][]byte, bool) {
	files, sound := make(map[string][]byte, len(doc.Files)), true
	for _, f := range doc.Files {
		path := ledger.ReleasePath(ref.Name, ref.Version, f.Path)
		data, ok := a.stated(path, f.SHA256, f.Size)
		if ok {
			a.counts.files.Add(1)
			if int64(len(data)) != f.Size || spec.DigestOf(data) != f.SHA256 {
				a.damage(path, Reason(verify.ReasonFile), "file %q of %s is not the one that was accepted", f.Path, ref.At())
				ok = false
			}
		}
		files[f.Path], sound = data, sound && ok
	}
	return files, sound
}

// fileOf is the document that a refusal of a release is about.
func fileOf(ref spec.Ref, err error) string {
	file := ledger.EvidenceFileName
	switch verify.Reason(fault.ReasonOf(err)) {
	case verify.ReasonRecord:
		return ledger.RecordPath(ref.Name)
	case verify.ReasonRelease:
		file = ledger.ReleaseFileName
	case verify.ReasonLog:
		file = ledger.ProofFileName
	}
	return ledger.ReleasePath(ref.Name, ref.Version, file)
}
