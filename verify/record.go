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
	if h.doc == nil {
		return Record{}, refuse(ReasonPolicy, "no head was verified")
	}
	if spec.DigestOf(c.Buckets) != h.doc.Buckets {
		return Record{}, refuse(ReasonBuckets, "buckets.json of %s is not what the head states", h.policy.Registry)
	}
	buckets, err := ledger.ParseBuckets(c.Buckets)
	if err != nil {
		return Record{}, refuse(ReasonBuckets, "%s: %w", h.policy.Registry, err)
	}
	i := ledger.BucketOf(name)
	want := buckets.At(i)
	if want.IsZero() {
		return Record{}, h.absent(name)
	}
	if spec.DigestOf(c.Bucket) != want {
		return Record{}, refuse(ReasonBucket, "bucket %02x of %s is not what the head states", i, h.policy.Registry)
	}
	bucket, err := ledger.ParseBucket(c.Bucket, i)
	if err != nil {
		return Record{}, refuse(ReasonBucket, "%s: %w", h.policy.Registry, err)
	}
	want, ok := bucket.Names[name]
	if !ok {
		return Record{}, h.absent(name)
	}
	if spec.DigestOf(c.Record) != want {
		return Record{}, refuse(ReasonRecord, "the record of %q in %s is not what the head states", name, h.policy.Registry)
	}
	doc, err := ledger.ParseRecord(c.Record, name)
	if err != nil {
		return Record{}, refuse(ReasonRecord, "%s: %w", h.policy.Registry, err)
	}
	return Record{head: h, doc: doc}, nil
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
