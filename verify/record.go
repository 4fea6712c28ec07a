package verify

import (
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Record is a verified record of one tool under a verified head.
type Record struct {
	head Head
	doc  *ledger.Record
}

// Record verifies what the registry says of a name. Where the dictionary
// proves that there is no such name the error is NotFound, not a refusal.
func (h Head) Record(c spec.Chain, name spec.Name) (Record, error) {
	d, err := h.Dictionary(c.Buckets)
	if err != nil {
		return Record{}, err
	}
	i := ledger.BucketOf(name)
	if d.Stated(i).IsZero() {
		return Record{}, h.absent(name)
	}
	b, err := d.Bucket(i, c.Bucket)
	if err != nil {
		return Record{}, err
	}
	return b.Record(c.Record, name)
}

// Why a name or a version is not there, proved by a verified head.
const (
	absentTool    = "no_tool"
	absentVersion = "no_version"
)

// Absent tells whether an error says that a verified head proves a name or a
// version to be absent: an answer, while other things that are not found (a
// folder, a registry) are the lack of one.
func Absent(err error) bool { return fault.ReasonOf(err) == absentTool || AbsentVersion(err) }

// AbsentVersion is [Absent] where the name is there.
func AbsentVersion(err error) bool { return fault.ReasonOf(err) == absentVersion }

func (h Head) absent(name spec.Name) error {
	return fault.New(fault.NotFound, absentTool, "%s has no tool %q (head %d proves it)", h.policy.Registry, name, h.doc.Seq).
		Hint("patch-git search %s", name)
}

// Document returns the record's document.
func (r Record) Document() ledger.Record { return *r.doc }

// Head returns the head that the record was verified under.
func (r Record) Head() Head { return r.head }

// Resolve finds the version that a reference means: the stated one, else the
// latest [C-43]. A yanked version is found when it is stated.
func (r Record) Resolve(ref spec.Ref) (ledger.RecordVersion, error) {
	if r.doc == nil {
		return ledger.RecordVersion{}, refuse(ReasonPolicy, "no record was verified")
	}
	if ref.Version == "" {
		if v := r.doc.Latest(); v != nil {
			return *v, nil
		}
		return ledger.RecordVersion{}, fault.New(fault.NotFound, absentVersion, "%s has no version of %q that is neither yanked nor a pre-release", r.head.policy.Registry, r.doc.Name).
			Hint("patch-git info %s", r.doc.Name)
	}
	if v := r.doc.Find(ref.Version); v != nil {
		return *v, nil
	}
	return ledger.RecordVersion{}, fault.New(fault.NotFound, absentVersion, "%s has no version %s of %q (head %d proves it)", r.head.policy.Registry, ref.Version, r.doc.Name, r.head.doc.Seq).
		Hint("patch-git info %s", r.doc.Name)
}
