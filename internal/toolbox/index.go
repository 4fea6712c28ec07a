package toolbox

import (
	"encoding/json"
	"errors"
	"io/fs"
	"sync"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
)

// seenIndex is index.json as it was read last. With thousands of tools it is the
// largest file of all, and every look at one tool asks it.
type seenIndex struct {
	mu    sync.Mutex
	index *index
	stamp durable.Stamp
}

// readIndex reads index.json. One that is missing or damaged is rebuilt in
// memory from the receipts, which are the truth.
func (t *Toolbox) readIndex() (*index, error) {
	ix, whole, err := t.storedIndex()
	if err != nil || whole {
		return ix, err
	}
	return t.rebuildIndex()
}

// storedIndex is what the file says; whole is false where it says nothing.
func (t *Toolbox) storedIndex() (ix *index, whole bool, err error) {
	data, err := durable.ReadFileNoFollow(t.paths.Index(), limits.Document)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err
	}
	ix = &index{}
	return ix, err == nil && json.Unmarshal(data, ix) == nil && ix.Schema == indexSchema && ix.Tools != nil, nil
}

// lookIndex is readIndex for who changes nothing in it: the file is read again when
// it is another one.
func (t *Toolbox) lookIndex() (*index, error) {
	t.seen.mu.Lock()
	defer t.seen.mu.Unlock()
	if t.seen.index != nil && t.seen.stamp.Same() {
		return t.seen.index, nil
	}
	t.seen.index = nil
	began := t.now()
	ix, whole, err := t.storedIndex()
	if err != nil {
		return nil, err
	}
	if !whole {
		return t.rebuildIndex()
	}
	if stamp, err := durable.Stamped(t.paths.Index()); err == nil && stamp.Settled(began) {
		t.seen.index, t.seen.stamp = ix, stamp
	}
	return ix, nil
}
