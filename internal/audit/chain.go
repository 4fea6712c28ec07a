package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// The chain: every finished record holds the digest of the content of the record
// finished before it. The file .head holds the digest of the last one, so that
// appending reads one small file instead of all records. It is a hint: where
// it is missing or unreadable, the records say what it must be.
//
// The lock is held while the record is written and .head follows it. A kill in
// between, or a power cut that keeps the record and forgets .head, makes the
// next record follow the same predecessor; both stay in place, and Check
// reports the fork without alarm, since nothing is missing.

// link is a place in the chain; the zero value is before the first.
type link struct {
	seq    uint64 // 0 too for a record of an older patch-git
	digest spec.Digest
}

// linkSize is how long a link is in a file: a digest in hexadecimal, a blank, the
// number in twenty digits, a line feed.
const linkSize = 64 + 1 + 20 + 1

func (l link) String() string { return fmt.Sprintf("%s %020d\n", l.digest.Hex(), l.seq) }

func parseLink(b []byte) (l link, err error) {
	digest, seq, ok := strings.Cut(string(b), " ")
	if !ok || len(b) != linkSize {
		return link{}, errors.New("no link of a chain")
	}
	if err := l.digest.UnmarshalText([]byte(digest)); err != nil {
		return link{}, err
	}
	l.seq, err = strconv.ParseUint(strings.TrimSuffix(seq, "\n"), 10, 64)
	return l, err
}

func (j *Journal) lockPath() string { return filepath.Join(j.runs, ".lock") }

func (j *Journal) headPath() string { return filepath.Join(j.runs, ".head") }

// ends are the two files by which a record finds its place: the lock and the hint. A
// process that records many runs keeps them open.
type ends struct {
	lock durable.KeptLock
	path string // of the hint
	hint *os.File
	is   os.FileInfo // as it was when it was last looked at
}

func (j *Journal) ends() *ends {
	return &ends{lock: durable.KeptLock{Path: j.lockPath()}, path: j.headPath()}
}

// open opens the hint, unless what is open is still the file at its path.
func (e *ends) open() error {
	if e.hint != nil {
		if now, err := os.Stat(e.path); err == nil && os.SameFile(e.is, now) {
			e.is = now
			return nil
		}
		_ = e.hint.Close()
		e.hint = nil
	}
	f, err := os.OpenFile(e.path, os.O_RDWR|os.O_CREATE, filePerm)
	if err == nil {
		if e.is, err = f.Stat(); err == nil {
			e.hint = f
			return nil
		}
		_ = f.Close()
	}
	return durable.Classify("write", e.path, err)
}

func (e *ends) close() {
	if e.hint != nil {
		_ = e.hint.Close()
		e.hint = nil
	}
	e.lock.Close()
}

// append links the record to the chain and has it written.
func (j *Journal) append(rec *Record, k *keys, e *ends, write func(content []byte) error) (link, error) {
	unlock, err := e.lock.Lock(limits.LockWait)
	if err != nil {
		return link{}, err
	}
	defer unlock()
	if err := e.open(); err != nil {
		return link{}, err
	}
	hint := e.hint
	last, err := j.headIn(hint, e.is.Size())
	if err != nil {
		return link{}, err
	}
	if last.seq == 0 { // whoever finds a signed record must find an anchor
		if err := j.firstAnchor(k); err != nil {
			return link{}, err
		}
	}
	rec.Prev, rec.Seq, rec.Key = last.digest, last.seq+1, k.name
	content, err := encode(rec)
	if err != nil {
		return link{}, err
	}
	if err := write(content); err != nil {
		return link{}, err
	}
	next := link{rec.Seq, spec.DigestOf(content)}
	_, err = hint.WriteAt([]byte(next.String()), 0)
	return next, durable.Classify("write", j.headPath(), err)
}

// headIn reads the link of the last record from an open hint of so many bytes. What is
// no link is made empty, for garbage behind a link would cost a rebuild every time.
func (j *Journal) headIn(hint *os.File, size int64) (link, error) {
	var b [linkSize]byte
	if size == linkSize {
		if _, err := hint.ReadAt(b[:], 0); err == nil {
			if l, err := parseLink(b[:]); err == nil {
				return l, nil
			}
		}
	}
	if err := hint.Truncate(0); err != nil {
		return link{}, durable.Classify("write", j.headPath(), err)
	}
	return j.rebuildHead()
}

// head returns the link of the last record.
func (j *Journal) head() (link, error) {
	b, err := durable.ReadFileNoFollow(j.headPath(), linkSize)
	if err == nil {
		if l, err := parseLink(b); err == nil {
			return l, nil
		}
	}
	return j.rebuildHead()
}

// rebuildHead reads all records and returns the link of the one that no other
// follows; of several, the one that ended last.
func (j *Journal) rebuildHead() (link, error) {
	v, err := j.look()
	if err != nil {
		return link{}, err
	}
	ended, followed := map[link]time.Time{}, map[spec.Digest]bool{}
	for _, id := range v.ids {
		b, rec, err := v.read(id)
		if err == nil && rec.Status != Started {
			ended[link{rec.Seq, digestOf(b)}] = rec.EndedAt
			followed[rec.Prev] = true
		}
	}
	var head link
	for l, at := range ended {
		if !followed[l.digest] && (ended[head].IsZero() || at.After(ended[head])) {
			head = l
		}
	}
	return head, nil
}
