package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
)

// filePerm keeps other users from inputs and outputs.
const filePerm = 0o600

// Journal is the runs of one user. It may be used by many goroutines and
// processes at once.
type Journal struct {
	runs, blobs, audit string
	now                func() time.Time
	detect             Detector
	keys               func() (*keys, error)
	live               atomic.Pointer[live]
}

// Open returns the journal below paths. It touches no file: the directories and
// the user's key are made by the first run. Without a detector the journal can
// be read and refuses to record.
func Open(paths paths.Paths, now func() time.Time, detect Detector) *Journal {
	key := filepath.Join(paths.Audit(), "key")
	return &Journal{
		runs: paths.Runs(), blobs: paths.Blobs(), audit: paths.Audit(), now: now, detect: detect,
		keys: sync.OnceValues(func() (*keys, error) { return loadKeys(key) }),
	}
}

func (j *Journal) path(id RunID) string { return filepath.Join(j.runs, string(id)+".json") }

func (j *Journal) blobPath(d spec.Digest) string { return filepath.Join(j.blobs, d.Hex()) }

// Run is a run that has begun and is not finished. It is used by one goroutine.
type Run struct {
	j        *Journal
	id       RunID
	started  time.Time // with the monotonic clock
	secrets  *redactor
	inputs   struck // those of Begin, which Finish mostly has again
	foreseen output
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
	if j.detect == nil {
		return nil, fault.New(fault.Internal, "no_detector", "a journal that finds no secrets records no run")
	}
	k, err := j.keys()
	if err != nil {
		return nil, err
	}
	now := j.now()
	run := &Run{j: j, id: newRunID(now), started: now, secrets: newRedactor(k, j.detect, secrets)}
	rec.Schema, rec.RunID, rec.Status = Schema, run.id, Started
	rec.Prev, rec.StartedAt, rec.EndedAt = spec.Digest{}, now.UTC(), time.Time{}
	rec.Seq, rec.Key, rec.Signature = 0, "", ""
	run.inputs = run.secrets.strike(rec.Inputs)
	run.secrets.record(&rec, run.inputs, run.secrets.look(rec.Output))
	b, err := encode(&rec)
	if err != nil {
		return nil, err
	}
	err = errEnded
	if l := j.live.Load(); l != nil {
		err = l.begin(b, k)
	}
	if errors.Is(err, errEnded) {
		err = durable.Replace(j.path(run.id), b, filePerm)
	}
	if err != nil {
		return nil, err
	}
	return run, nil
}

// output is the output of a run, and its code.
type output struct {
	struck
	code string
}

// output works out what a record says of an output; nothing of none.
func (r *Run) output(of json.RawMessage) (o output, err error) {
	if len(of) > 0 {
		o.code, err = r.secrets.keys.output(of)
	}
	o.struck = r.secrets.look(of)
	return o, err
}

// Foresee does the part of Finish that depends on the output alone, for a caller who
// knows what that will most likely be while the run is not over. It records nothing,
// and Finish may have another output. The bytes must not change.
func (r *Run) Foresee(output json.RawMessage) {
	if o, err := r.output(output); err == nil {
		r.foreseen = o
	}
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
	rec.StartedAt, rec.EndedAt, rec.Signature = r.started.UTC(), now.UTC(), ""
	if rec.DurationMS == 0 {
		rec.DurationMS = max(now.Sub(r.started).Milliseconds(), 0)
	}
	if err := r.seal(&rec); err != nil {
		return err
	}
	streams, err := r.streams(&rec, stdout, stderr)
	if err != nil {
		return err
	}
	k := r.secrets.keys
	err = errEnded
	if l := r.j.live.Load(); l != nil {
		err = l.finish(&rec, k, streams)
	}
	if errors.Is(err, errEnded) {
		err = r.j.finish(&rec, k, streams)
	}
	if err != nil {
		return err
	}
	r.finished = true
	return nil
}

// finish records a run of a process that ends with it, and waits for the disk.
// Streams are stored while the chain is locked, so that nobody who looks for those
// that no record needs takes them for such.
func (j *Journal) finish(rec *Record, k *keys, streams map[spec.Digest][]byte) error {
	e := j.ends()
	defer e.close()
	next, err := j.append(rec, k, e, func(content []byte) error {
		if err := j.putStreams(streams); err != nil {
			return err
		}
		return durable.WriteFile(j.path(rec.RunID), k.sign(ofRecord, content), filePerm)
	})
	if err != nil {
		return err
	}
	return j.anchor(k, next)
}

// streams strikes secrets from what the tool wrote and names it in the record.
func (r *Run) streams(rec *Record, stdout, stderr []byte) (map[spec.Digest][]byte, error) {
	out, err := r.secrets.clip(stdout, limits.Stdout)
	if err != nil {
		return nil, err
	}
	talk, err := r.secrets.clip(stderr, limits.Stderr)
	if err != nil {
		return nil, err
	}
	rec.StdoutSHA256, rec.StderrSHA256 = spec.DigestOf(out), spec.DigestOf(talk)
	return map[spec.Digest][]byte{rec.StdoutSHA256: out, rec.StderrSHA256: talk}, nil
}

// seal says what the output was, strikes the secrets and says what that means.
func (r *Run) seal(rec *Record) (err error) {
	out := r.foreseen
	if !bytes.Equal(out.of, rec.Output) {
		if out, err = r.output(rec.Output); err != nil {
			return err
		}
	}
	rec.OutputCode = out.code
	inputs := r.inputs
	if !bytes.Equal(inputs.of, rec.Inputs) {
		inputs = r.secrets.strike(rec.Inputs)
	}
	if r.secrets.record(rec, inputs, out.struck); len(rec.Output) > limits.Stdout { // longer by the marks
		rec.Output = json.RawMessage(`"` + r.secrets.mark("whole", rec.OutputCode) + `"`)
	}
	ok := rec.Status == Succeeded && !rec.InputsRedacted
	rec.Replayable, rec.Assertions = &ok, rec.assertions()
	return nil
}
