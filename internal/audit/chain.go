package audit

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// The chain: every finished record holds the digest of the file of the record
// finished before it. The file .head holds the digest of the last one, so that
// appending reads one small file instead of all records. It is a hint: where
// it is missing or unreadable, the records say what it must be.
//
// The lock is held while the record is written and .head follows it. A kill in
// between, or a power cut that keeps the record and forgets .head, makes the
// next record follow the same predecessor; both stay in place, and Check
// reports the fork without alarm, since nothing is missing.

// headLen is the length of a digest in hexadecimal.
const headLen = 64

func (j *Journal) lockPath() string { return filepath.Join(j.runs, ".lock") }

func (j *Journal) headPath() string { return filepath.Join(j.runs, ".head") }

// append links the record to the chain and writes it.
func (j *Journal) append(rec *Record) error {
	unlock, err := durable.Lock(context.Background(), j.lockPath(), limits.LockWait)
	if err != nil {
		return err
	}
	defer unlock()
	if rec.Prev, err = j.head(); err != nil {
		return err
	}
	b, err := encode(rec)
	if err != nil {
		return err
	}
	write := durable.WriteFile
	if j.live.Load() {
		write = durable.Replace
	}
	if err := write(j.path(rec.RunID), b, filePerm); err != nil {
		return err
	}
	return j.setHead(spec.DigestOf(b))
}

// head returns the digest of the last record, zero when there is none.
func (j *Journal) head() (spec.Digest, error) {
	b, err := durable.ReadFileNoFollow(j.headPath(), headLen)
	if err == nil {
		var d spec.Digest
		if err = d.UnmarshalText(b); err == nil {
			return d, nil
		}
	}
	return j.rebuildHead()
}

// setHead overwrites the hint in place. It is one write of one length, which a
// kill cannot tear, and much cheaper than another file and a rename; if the
// machine tears it, head finds the answer in the records.
func (j *Journal) setHead(d spec.Digest) error {
	f, err := os.OpenFile(j.headPath(), os.O_WRONLY|os.O_CREATE, filePerm)
	if err != nil {
		return durable.Classify("write", j.headPath(), err)
	}
	_, err = f.WriteAt([]byte(d.Hex()), 0)
	if err == nil {
		err = f.Truncate(headLen) // garbage behind it would cost a rebuild every time
	}
	return durable.Classify("write", j.headPath(), errors.Join(err, f.Close()))
}

// rebuildHead reads all records and returns the digest of the one that no
// other follows; of several, the one that ended last.
func (j *Journal) rebuildHead() (spec.Digest, error) {
	ids, err := j.ids()
	if err != nil {
		return spec.Digest{}, err
	}
	ended, followed := map[spec.Digest]time.Time{}, map[spec.Digest]bool{}
	for _, id := range ids {
		b, rec, err := j.read(id)
		if errors.Is(err, fs.ErrNotExist) || err == nil && rec.Status == Started {
			continue
		}
		if err == nil {
			ended[spec.DigestOf(b)] = rec.EndedAt
			followed[rec.Prev] = true
		}
	}
	var head spec.Digest
	for d, at := range ended {
		if !followed[d] && (head.IsZero() || at.After(ended[head])) {
			head = d
		}
	}
	return head, nil
}
