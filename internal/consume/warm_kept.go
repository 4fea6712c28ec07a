package consume

import (
	"cmp"
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// What a server has verified it holds in memory, and believes for as long as no file
// that the verification read has changed: each call looks at all of them, and one
// that is another file, of another size or of another time makes the next call
// verify everything anew. What runs is what is held, never what lies on the disk
// meanwhile.

// standing is something that was found out, and the files that say so.
type standing[V any] struct {
	value V
	stamp durable.Stamp
	at    time.Time // when it was found out
	used  time.Time
	size  int64
}

// keeper holds what was found out, at most so many bytes of it.
type keeper[K comparable, V any] struct {
	mu    sync.Mutex
	now   func() time.Time
	most  int64
	items map[K]*standing[V]
}

// get returns what is held, if it still stands.
func (s *keeper[K, V]) get(key K) (V, bool) {
	now := s.now()
	s.mu.Lock()
	e := s.items[key]
	if e != nil {
		e.used = now
	}
	s.mu.Unlock()
	var none V
	if e == nil {
		return none, false
	}
	if age := now.Sub(e.at); age < 0 || age > limits.VerifiedFor || !e.stamp.Same() {
		s.mu.Lock()
		if s.items[key] == e {
			delete(s.items, key)
		}
		s.mu.Unlock()
		return none, false
	}
	return e.value, true
}

// last is what was held when it was last looked at, whatever became of it since: for
// what does no harm where it does not stand any more. The zero value is nothing.
func (s *keeper[K, V]) last(key K) (v V) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.items[key]; e != nil {
		v = e.value
	}
	return v
}

// put holds what was found out since began, unless a file changed so lately that the
// one that was read may be another one than the one that is stamped.
func (s *keeper[K, V]) put(key K, v V, size int64, began time.Time, reads []string) {
	stamp, err := durable.Stamped(reads...)
	if err != nil || !stamp.Settled(began) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.items == nil {
		s.items = map[K]*standing[V]{}
	}
	s.items[key] = &standing[V]{v, stamp, began, began, size}
	sum := int64(0)
	for _, e := range s.items {
		sum += e.size
	}
	for sum > s.most && len(s.items) > 1 {
		var oldest K
		var at *standing[V]
		for k, e := range s.items {
			if at == nil || e.used.Before(at.used) {
				oldest, at = k, e
			}
		}
		sum -= at.size
		delete(s.items, oldest)
	}
}

// subject makes the subject of an installed release, verified now or since when
// nothing of it has changed; likely is what it is held under, where it is. A command
// verifies each time.
func (w *Warm) subject(ctx context.Context, c *Client, what, likely called) (*Subject, error) {
	if w == nil {
		return c.Subject(ctx, what.ref, what.operation)
	}
	if s, ok := w.subjects.get(likely); ok {
		return s, nil
	}
	began := c.Host.Now()
	s, err := c.Subject(ctx, what.ref, what.operation)
	if err != nil {
		return nil, err
	}
	s.once()
	w.subjects.put(what.of(s.Ref.Version), s, s.size, began, s.reads)
	return s, nil
}

// likely is the call with the version that is the current one where it names none. It
// is asked each time, since its index changes with every use of any tool: a stamp of
// that would have each verified anew every minute. Where the index is behind what is
// installed, nothing is held under its answer, and the release is looked for.
func (w *Warm) likely(what called) called {
	if what.ref.Version != "" {
		return what
	}
	v, err := w.client.Box.Named(what.ref.Name)
	if err != nil {
		return what
	}
	return what.of(v)
}

// of is the call with a version, unless it has one.
func (c called) of(v spec.Version) called {
	c.ref.Version = cmp.Or(c.ref.Version, v)
	return c
}

// called is a tool, and which of its operations.
type called struct {
	ref       spec.Ref
	operation string
}

// once makes a subject that is used for several calls ask each question until it is
// answered with yes; the answers are noted in files that belong to its stamp.
func (s *Subject) once() {
	if s.Operation == "" {
		s.calls = manifest.NewCalls(s.Tool)
	}
	examine, parsedBy := s.examine, s.parsedBy
	var examined atomic.Bool
	s.examine = func(ctx context.Context) error {
		if examined.Load() {
			return nil
		}
		err := examine(ctx)
		examined.Store(err == nil)
		return err
	}
	if parsedBy == nil {
		return
	}
	var python atomic.Value
	s.parsedBy = func(ctx context.Context, version string) error {
		if python.Load() == version {
			return nil
		}
		err := parsedBy(ctx, version)
		if err == nil {
			python.Store(version)
		}
		return err
	}
}

// touch notes the last use of a tool. A server does so beside the answer and once a
// minute: the index is one file for all tools.
func (w *Warm) touch(ctx context.Context, c *Client, name spec.Name) {
	note := func(ctx context.Context) {
		if err := c.Box.Touch(ctx, name); err != nil {
			c.warn("the last use could not be noted: " + err.Error())
		}
	}
	if w == nil {
		note(ctx)
		return
	}
	now := c.Host.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if last, ok := w.touched[name]; ok && now.Sub(last) < time.Minute || w.closed {
		return
	}
	w.touched[name] = now
	w.noting.Go(func() { note(context.WithoutCancel(ctx)) })
}

// program is [Client.program], found out once for a source that needs no packages:
// those are held by a lock for each run.
func (w *Warm) program(ctx context.Context, c *Client, box *sandbox.Sandbox, s *Subject) (*machine, error) {
	if w == nil || s.Closure != nil {
		return c.program(ctx, box, s)
	}
	key := programKey{s.source(), s.Tool.Runtime.PythonVersion}
	if m, ok := w.programs.get(key); ok {
		return m, nil
	}
	began := c.Host.Now()
	m, err := c.program(ctx, box, s)
	if err != nil {
		return nil, err
	}
	target, err := filepath.EvalSymlinks(m.python.Path)
	if err == nil {
		w.programs.put(key, m, int64(len(s.Main))*4, began, []string{m.python.Path, target, c.Host.Paths.Pins(), c.Host.Paths.Pythons()})
	}
	return m, nil
}

// programKey is what a prepared program depends on, the machine aside.
type programKey struct {
	source spec.Digest
	python string
}
