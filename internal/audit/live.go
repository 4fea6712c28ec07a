package audit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// live is the part of a journal that records for a process which lives on: a call
// costs two appends to a segment, which survive kill -9, and no new file. In the
// background segments go to the disk, all of them with one fsync, and become
// files.
type live struct {
	j    *Journal
	keys *keys
	ends *ends

	mu      sync.Mutex
	word    string // begins the names of this process's segments; "" before the first
	disown  func() // gives up the lock on that word
	number  int
	segment *segment
	size    int64
	streams map[spec.Digest]bool // in the segment
	waiting []*segment           // that nobody appends to any more, the oldest first
	ended   bool
	last    link  // of the last record that was appended
	failed  error // why the last commit did not succeed

	ending atomic.Int64 // when there is no more time, in nanoseconds; 0 before the end
	wake   chan struct{}
	quit   chan struct{}
	gone   chan struct{}
}

// segment is one file of lines; file is nil when it is on the disk.
type segment struct {
	path string
	file *os.File
}

// errEnded: the live part of a journal was closed.
var errEnded = errors.New("the live journal is closed")

// Live is for a process that lives on, such as a server, and must not wait for the
// disk at each call: from now on Finish returns when the record would survive kill
// -9, and about a second later it survives a power cut too. While that cannot be
// done, Begin refuses. Close ends it and waits for the disk; call it before the
// process ends. A second Live before that is an error of the caller's.
func (j *Journal) Live() (close func() error) {
	l := &live{j: j, ends: j.ends(), streams: map[spec.Digest]bool{}, wake: make(chan struct{}, 1), quit: make(chan struct{}), gone: make(chan struct{})}
	j.live.Store(l)
	go l.commits()
	return sync.OnceValue(func() error {
		j.live.Store(nil)
		l.ending.Store(j.now().Add(limits.AuditClose).UnixNano())
		l.quit <- struct{}{}
		<-l.gone
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ended = true
		l.ends.close()
		if l.segment != nil && l.size == 0 { // made ahead, and not needed
			_ = l.segment.file.Close()
			_ = os.Remove(l.segment.path)
			l.segment = nil
		}
		if l.disown != nil {
			l.disown()
			if len(l.waiting) == 0 && l.segment == nil {
				_ = os.Remove(l.owner())
			}
		}
		return l.failed
	})
}

func (l *live) commits() {
	tick := time.NewTicker(limits.AuditCommit)
	defer tick.Stop()
	defer close(l.gone)
	l.j.settleDead(l.late)
	for {
		select {
		case <-tick.C:
		case <-l.wake:
		case <-l.quit:
			l.commit()
			return
		}
		l.commit()
	}
}

// late tells that the process is about to end and does not wait any longer: what
// is in segments is on the disk, and another process makes files of it.
func (l *live) late() bool {
	at := l.ending.Load()
	return at != 0 && l.j.now().UnixNano() > at
}

func (l *live) owner() string { return filepath.Join(l.j.liveDir(), l.word+ownerEnd) }

// open makes the next segment, and before the first of them takes a word for all.
func (l *live) open() error {
	if l.ended {
		return errEnded
	}
	if l.segment != nil {
		return nil
	}
	if l.word == "" {
		l.word = strings.ToLower(rand.Text())
		disown, err := durable.Lock(context.Background(), l.owner(), 0)
		if err != nil {
			l.word = ""
			return err
		}
		l.disown = disown
	}
	l.number++
	path := filepath.Join(l.j.liveDir(), fmt.Sprintf("%s-%010d%s", l.word, l.number, segmentEnd))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, filePerm)
	if err != nil {
		return durable.Classify("write", path, err)
	}
	l.segment, l.size = &segment{path, f}, 0
	return nil
}

// write appends whole lines. What a full disk leaves of them is taken back, so
// that no later line becomes part of it.
func (l *live) write(b []byte) error {
	if err := l.open(); err != nil {
		return err
	}
	n, err := l.segment.file.Write(b)
	if err != nil {
		if n > 0 && l.segment.file.Truncate(l.size) != nil {
			l.rotate()
		}
		return durable.Classify("write", l.j.liveDir(), err)
	}
	if l.size += int64(n); l.size > limits.AuditSegment {
		l.rotate()
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
	return nil
}

// rotate begins another segment with the next line.
func (l *live) rotate() {
	if l.segment != nil {
		l.waiting, l.segment, l.size = append(l.waiting, l.segment), nil, 0
		clear(l.streams)
	}
}

// begin records an intent.
func (l *live) begin(content []byte, k *keys) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return l.failed
	}
	if l.behind() {
		return fault.New(fault.Unavailable, "records_behind", "records of runs come faster than this disk takes them").Hint("try again in a moment")
	}
	l.keys = k
	return l.write(k.coded(content))
}

// behind tells that so much waits that no more should come.
func (l *live) behind() bool { return len(l.waiting) > limits.AuditSegments/limits.AuditSegment }

// finish appends a record to the chain, with its streams before it.
func (l *live) finish(rec *Record, k *keys, streams map[spec.Digest][]byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return errEnded
	}
	var lines []byte
	for d, b := range streams {
		if len(b) <= limits.AuditInline && !l.streams[d] {
			lines = append(lines, streamOf(d, b)...)
		}
	}
	next, err := l.j.append(rec, k, l.ends, func(content []byte) error {
		if err := l.j.large(streams); err != nil {
			return err
		}
		if len(content) > limits.AuditInline {
			if err := l.write(lines); err != nil {
				return err
			}
			return durable.WriteFile(l.j.path(rec.RunID), k.sign(ofRecord, content), filePerm)
		}
		return l.write(append(lines, k.coded(content)...))
	})
	if err != nil {
		return err
	}
	if l.segment != nil { // not when it was full
		for d := range streams {
			l.streams[d] = true
		}
	}
	l.last, l.keys = next, k
	return nil
}

// large puts streams that are too large for a segment into files of their own.
func (j *Journal) large(streams map[spec.Digest][]byte) error {
	for d, b := range streams {
		if len(b) > limits.AuditInline {
			if err := j.putBlob(d, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// commit takes to the disk what was recorded, and says so in the anchor.
func (l *live) commit() {
	l.mu.Lock()
	if l.size > 0 {
		l.rotate()
		if l.ending.Load() == 0 {
			_ = l.open() // for the next call, which would have to wait; it says why it cannot be
		}
	}
	segments, last, k := l.waiting, l.last, l.keys
	l.mu.Unlock()
	if len(segments) == 0 {
		return
	}
	err := l.settle(segments, last, k)
	l.mu.Lock()
	if l.failed = err; errors.Is(err, errStopped) {
		l.failed = nil
	}
	if err == nil {
		l.waiting = l.waiting[len(segments):]
	}
	l.mu.Unlock()
}

func (l *live) settle(segments []*segment, last link, k *keys) error {
	var paths []string
	for _, s := range segments {
		paths = append(paths, s.path)
		if s.file == nil {
			continue
		}
		if err := s.file.Sync(); err != nil {
			return durable.Classify("write", s.path, err)
		}
		_ = s.file.Close() // it is on the disk
		s.file = nil
	}
	if last.seq > 0 {
		if err := l.j.anchor(k, last); err != nil {
			return err
		}
	}
	s := settlement{j: l.j, keys: k, paths: paths, still: &l.mu, stop: l.late}
	return s.run()
}
