package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// view is the records of one moment, those in segments and those in files.
type view struct {
	j      *Journal
	keys   *keys                // nil where the user has none yet
	logged map[RunID]logged     // the last of each run that is in a segment
	stream map[spec.Digest]bool // in a segment
	ids    []RunID              // of all, the oldest first
}

// logged is a record in a segment.
type logged struct {
	content []byte
	rec     Record
	coded   bool // the code of the line is right
}

// look reads the segments, and then the names of the files.
func (j *Journal) look() (*view, error) {
	v, err := j.lookLive()
	if err != nil {
		return nil, err
	}
	if v.ids, err = j.files(); err != nil {
		return nil, err
	}
	n := len(v.ids)
	for id := range v.logged {
		if _, ok := slices.BinarySearch(v.ids[:n], id); !ok {
			v.ids = append(v.ids, id)
		}
	}
	if len(v.ids) > n {
		slices.Sort(v.ids)
	}
	return v, nil
}

// lookLive reads the segments alone.
func (j *Journal) lookLive() (*view, error) {
	v := &view{j: j, logged: map[RunID]logged{}, stream: map[spec.Digest]bool{}}
	paths, err := j.segments()
	if err != nil || len(paths) == 0 {
		return v, err
	}
	if v.keys, err = j.peek(); err != nil {
		v.keys = nil // no line of a segment is believed, and Check says why
	}
	for _, path := range paths {
		if err := lines(path, v.line); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (v *view) line(line []byte) error {
	if strings.HasPrefix(string(line), streamLine) {
		if d, _, ok := parseStream(line); ok {
			v.stream[d] = true
		}
		return nil
	}
	content, ok := v.keys.decoded(line)
	rec, err := ParseRecord(content)
	if err != nil {
		return nil //nolint:nilerr // a line of nobody's: Check counts what follows on it
	}
	if old, there := v.logged[rec.RunID]; !there || old.rec.Status == Started || rec.Status != Started {
		v.logged[rec.RunID] = logged{content, rec, ok}
	}
	return nil
}

// read returns the line of a record and the record in it.
func (v *view) read(id RunID) ([]byte, Record, error) {
	b, rec, err := v.j.readFile(id)
	live, ok := v.logged[id]
	if ok && (err != nil || rec.Status == Started) {
		b, rec, err = live.content, live.rec, nil // whatever the file is, it is not the last word
	}
	return b, rec, err
}

// readFile reads a record that has a file of its own.
func (j *Journal) readFile(id RunID) ([]byte, Record, error) {
	b, err := durable.ReadFileNoFollow(j.path(id), maxRecord)
	if err != nil && fault.KindOf(err) != fault.Findings {
		return nil, Record{}, err
	}
	var rec Record
	if err == nil {
		rec, err = ParseRecord(b)
	}
	// A good record under another run's name would be shown as that run.
	if err == nil && rec.RunID != id {
		err = fmt.Errorf("it is the record of run %s", rec.RunID)
	}
	if err != nil {
		return nil, Record{}, fault.New(fault.NotVerified, "record", "record of run %s is damaged: %w", id, err)
	}
	return b, rec, nil
}

// Oldest is when the oldest run began that has a file; the zero time where there
// is none.
func (j *Journal) Oldest() (time.Time, error) {
	ids, err := j.files()
	if err != nil || len(ids) == 0 {
		return time.Time{}, err
	}
	stamp := []byte(ids[0][:len(runTime)])
	stamp[len("20060102-150405")] = '.'
	return time.Parse(runTime, string(stamp))
}

// files lists the runs that have a file, the oldest first. What is neither a
// record nor ours is left alone; temporary files of killed writers go.
func (j *Journal) files() ([]RunID, error) {
	list, err := os.ReadDir(j.runs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, durable.Classify("list", j.runs, err)
	}
	var ids []RunID
	var temps bool
	for _, e := range list { // sorted by name, which is by time
		temps = temps || durable.IsTemp(e.Name())
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok {
			if id, err := ParseRunID(name); err == nil {
				ids = append(ids, id)
			}
		}
	}
	if temps {
		// Tidying is no reason to fail a reader, who may not even write here.
		_, _ = durable.Sweep(j.runs, sweepAfter, j.now())
	}
	return ids, nil
}
