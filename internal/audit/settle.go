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
// again: a file that is there already is written once more, the same.
type settlement struct {
	j     *Journal
	keys  *keys
	paths []string
	// still is held while an intent becomes a file, so that the run, if it ends
	// meanwhile, cannot leave its record just before.
	still sync.Locker

	ended map[RunID]bool // runs whose record is in the segments too
}

func (s *settlement) run() error {
	s.ended = map[RunID]bool{}
	for _, do := range []func([]byte) error{s.note, s.write} {
		for _, path := range s.paths {
			if err := lines(path, do); err != nil {
				return err
			}
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

// note sees which runs have ended.
func (s *settlement) note(line []byte) error {
	if content, _ := s.keys.decoded(line); !bytes.HasPrefix(line, []byte(streamLine)) {
		if rec, err := ParseRecord(content); err == nil && rec.Status != Started {
			s.ended[rec.RunID] = true
		}
	}
	return nil
}

// write makes a file of a line. What is no record and no stream is nobody's, and
// was never believed.
func (s *settlement) write(line []byte) error {
	if bytes.HasPrefix(line, []byte(streamLine)) {
		if d, b, ok := parseStream(line); ok {
			return s.j.putBlob(d, b)
		}
		return nil
	}
	content, ok := s.keys.decoded(line)
	rec, err := ParseRecord(content)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	if rec.Status == Started {
		return s.intent(rec.RunID, content)
	}
	if ok && rec.Key == s.keys.name {
		content = s.keys.sign(ofRecord, content)
	} // else somebody else wrote it, and it stays without a signature for Check to see
	return replaceAll(s.j.path(rec.RunID), content)
}

// intent makes a file of an intent, unless the run has ended meanwhile.
func (s *settlement) intent(id RunID, content []byte) error {
	if s.ended[id] {
		return nil
	}
	s.still.Lock()
	defer s.still.Unlock()
	if _, err := os.Lstat(s.j.path(id)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return replaceAll(s.j.path(id), content)
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
func (j *Journal) settleDead() {
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
		s := settlement{j: j, keys: k, paths: paths, still: new(sync.Mutex)}
		if s.run() == nil {
			_ = os.Remove(owner)
		}
		unlock()
	}
}
