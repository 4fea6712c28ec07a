package audit

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/durable"
)

// settlement makes files of the records and streams in segments, and removes the
// segments when the files are on the disk. It can be stopped anywhere and begun
// again: until a segment is removed, readers believe it and not the files.
type settlement struct {
	j     *Journal
	keys  *keys
	paths []string
	// still is held while an intent becomes a file, so that the run, if it ends
	// meanwhile, cannot leave its record just before.
	still sync.Locker
	stop  func() bool // tells that there is no more time

	records map[RunID]settled
}

// settled is the last that the segments say of a run.
type settled struct {
	content []byte
	intent  bool
}

// errStopped: the rest waits in its segments.
var errStopped = errors.New("no time to make files of all records")

func (s *settlement) run() error {
	s.records = map[RunID]settled{}
	for _, path := range s.paths {
		if err := lines(path, s.line); err != nil {
			return err
		}
	}
	for id, r := range s.records {
		if s.stop() {
			return errStopped
		}
		if err := s.write(id, r); err != nil {
			return err
		}
	}
	if err := errors.Join(durable.SyncAll(s.j.runs), durable.SyncAll(s.j.blobs)); err != nil {
		return err
	}
	for _, path := range s.paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return durable.Classify("remove", path, err)
		}
	}
	return nil
}

// line stores a stream, and notes a record. What is neither is nobody's, and was
// never believed.
func (s *settlement) line(line []byte) error {
	if s.stop() {
		return errStopped
	}
	if bytes.HasPrefix(line, []byte(streamLine)) {
		if d, b, ok := parseStream(line); ok && !create(s.j.blobPath(d), b) {
			return s.j.putBlob(d, b)
		}
		return nil
	}
	content, ok := s.keys.decoded(line)
	rec, err := ParseRecord(content)
	if err != nil || rec.Status == Started && s.records[rec.RunID].content != nil {
		return nil //nolint:nilerr // see above
	}
	if ok && rec.Status != Started && rec.Key == s.keys.name {
		content = s.keys.sign(ofRecord, content)
	} // else it is an intent, or it stays without a signature for Check to see
	s.records[rec.RunID] = settled{content, rec.Status == Started}
	return nil
}

// write makes a file of a record; of an intent only if there is nothing yet.
func (s *settlement) write(id RunID, r settled) error {
	path := s.j.path(id)
	if r.intent {
		s.still.Lock()
		defer s.still.Unlock()
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	if create(path, r.content) {
		return nil
	}
	return replaceAll(path, r.content)
}

// create writes a file that is not there yet, and tells whether it did: half the
// work of replacing one. What it leaves when it fails is written over.
func create(path string, data []byte) bool {
	if !durable.SyncsAll {
		return false
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
	if err != nil {
		return false
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close()) == nil
}

// replaceAll writes one of many files, which [durable.SyncAll] takes to the disk
// where the system can do that.
func replaceAll(path string, data []byte) error {
	if durable.SyncsAll {
		return durable.Replace(path, data, filePerm)
	}
	return durable.WriteFile(path, data, filePerm)
}

// settleDead does for processes that were killed what they did not come to. It is
// tidying: what cannot be done now is done another time, and all can be read as
// it is.
func (j *Journal) settleDead(stop func() bool) {
	paths, err := j.segments()
	if err != nil || len(paths) == 0 {
		return
	}
	k, err := j.peek()
	if err != nil || k == nil {
		return
	}
	owned := map[string][]string{}
	for _, p := range paths {
		word, _, _ := strings.Cut(filepath.Base(p), "-")
		owned[word] = append(owned[word], p)
	}
	for word, paths := range owned {
		owner := filepath.Join(j.liveDir(), word+ownerEnd)
		unlock, err := durable.Lock(context.Background(), owner, 0)
		if err != nil {
			continue // alive
		}
		s := settlement{j: j, keys: k, paths: paths, still: new(sync.Mutex), stop: stop}
		if s.run() == nil {
			_ = os.Remove(owner)
		}
		unlock()
	}
}
