package sigtest

import (
	"fmt"
	"sync"

	protorekor "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	"golang.org/x/mod/sumdb/tlog"
)

// tree is what a transparency log grows. It keeps the hashes, not the entries,
// which nobody asks it for.
type tree struct {
	mu     sync.Mutex
	hashes []tlog.Hash         // as package tlog stores a tree
	at     map[tlog.Hash]int64 // the entries by their leaf hashes
}

func newTree() *tree { return &tree{at: map[tlog.Hash]int64{}} }

// presentError says that the log has an entry already. It takes none twice.
type presentError struct{ index int64 }

func (e presentError) Error() string {
	return fmt.Sprintf("an equivalent entry already exists in the transparency log with index %d", e.index)
}

// grow adds a leaf and proves that it is the last one of the tree. A signature
// over the root of that tree is for the log to add.
func (t *tree) grow(leaf tlog.Hash) (*protorekor.InclusionProof, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if index, ok := t.at[leaf]; ok {
		return nil, presentError{index}
	}
	index := int64(len(t.at))
	size := index + 1
	read := tlog.HashReaderFunc(t.read)
	stored, err := tlog.StoredHashesForRecordHash(index, leaf, read)
	if err != nil {
		return nil, err
	}
	t.hashes = append(t.hashes, stored...)
	t.at[leaf] = index
	root, err := tlog.TreeHash(size, read)
	if err != nil {
		return nil, err
	}
	path, err := tlog.ProveRecord(size, index, read)
	if err != nil {
		return nil, err
	}
	proof := &protorekor.InclusionProof{LogIndex: index, TreeSize: size, RootHash: root[:]}
	for _, h := range path {
		proof.Hashes = append(proof.Hashes, h[:])
	}
	return proof, nil
}

// read is called while the tree is locked.
func (t *tree) read(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		if at < 0 || at >= int64(len(t.hashes)) {
			return nil, fmt.Errorf("read log: no hash %d", at)
		}
		hashes[i] = t.hashes[at]
	}
	return hashes, nil
}
