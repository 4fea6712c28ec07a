package audit

import (
	"context"
	"path/filepath"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
)

// filePerm keeps other users from inputs and outputs.
const filePerm = 0o600

// Journal is the runs of one user. It holds no file open and may be used by
// many goroutines and processes at once.
type Journal struct {
	runs, blobs string
	now         func() time.Time
}

// Open returns the journal below paths. It touches no file: the directories
// are made by the first run.
func Open(paths paths.Paths, now func() time.Time) *Journal {
	return &Journal{runs: paths.Runs(), blobs: paths.Blobs(), now: now}
}

func (j *Journal) path(id RunID) string { return filepath.Join(j.runs, string(id)+".json") }

func (j *Journal) blobPath(d spec.Digest) string { return filepath.Join(j.blobs, d.Hex()) }

// Run is a run that has begun and is not finished. It is used by one goroutine.
type Run struct {
	j        *Journal
	id       RunID
	started  time.Time // with the monotonic clock
	secrets  redactor
	finished bool
}

// ID returns the run's id.
func (r *Run) ID() RunID { return r.id }

// Begin records that a run is about to start and gives it an id. Nothing of
// the tool may be started before it returns nil. Secrets are values that Begin
// and Finish strike from whatever they write; what is shorter than four bytes
// is no secret.
//
// The record survives kill -9 but, to spare every run two waits for the disk,
// not a power cut in the seconds before the kernel writes it back.
func (j *Journal) Begin(ctx context.Context, rec Record, secrets ...string) (*Run, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	now := j.now()
	run := &Run{j: j, id: newRunID(now), started: now, secrets: newRedactor(secrets)}
	rec.Schema, rec.RunID, rec.Status = Schema, run.id, Started
	rec.Prev, rec.StartedAt, rec.EndedAt = spec.Digest{}, now.UTC(), time.Time{}
	run.secrets.record(&rec)
	b, err := encode(&rec)
	if err != nil {
		return nil, err
	}
	if err := durable.Replace(j.path(run.id), b, filePerm); err != nil {
		return nil, err
	}
	return run, nil
}

// Finish records the result in place of the intent, durably. rec is the whole
// record once more, with Status and what is now known; stdout and stderr are
// the tool's, after the sandbox cut them to their limits. On an error the
// intent is still there. A second call is an error.
//
// It takes no context, because a run that was interrupted must be recorded
// too; it waits at most limits.LockWait for other processes.
func (r *Run) Finish(rec Record, stdout, stderr []byte) error {
	if r.finished {
		return fault.New(fault.Internal, "finished", "run %s is finished already", r.id)
	}
	now := r.j.now()
	rec.Schema, rec.RunID = Schema, r.id
	rec.StartedAt, rec.EndedAt = r.started.UTC(), now.UTC()
	if rec.DurationMS == 0 {
		rec.DurationMS = max(now.Sub(r.started).Milliseconds(), 0)
	}
	r.secrets.record(&rec)
	var err error
	if rec.StdoutSHA256, err = r.j.putBlob(r.secrets.bytes(stdout), limits.Stdout); err != nil {
		return err
	}
	if rec.StderrSHA256, err = r.j.putBlob(r.secrets.bytes(stderr), limits.Stderr); err != nil {
		return err
	}
	if err := r.j.append(&rec); err != nil {
		return err
	}
	r.finished = true
	return nil
}
