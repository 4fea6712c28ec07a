package ledger_test

import (
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// BenchmarkIncluded checks the stored proof of an entry in the middle of a log
// of 100,000, as every verification does.
func BenchmarkIncluded(b *testing.B) {
	const size, at = 100_000, 61_803
	entry := func(i int) ledger.Entry {
		return ledger.Entry{
			Event: ledger.EventAccept, Name: spec.Name(fmt.Sprintf("tool_n%d", i)), Version: "1.0.0",
			Release: spec.DigestOf(fmt.Append(nil, i)), Time: "2026-11-22T12:00:00Z",
		}
	}
	var hashes []tlog.Hash
	read := tlog.HashReaderFunc(func(at []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(at))
		for i, x := range at {
			out[i] = hashes[x]
		}
		return out, nil
	})
	for i := range size {
		stored, err := tlog.StoredHashes(int64(i), ledger.Encode(entry(i)), read)
		if err != nil {
			b.Fatal(err)
		}
		hashes = append(hashes, stored...)
	}
	top, err := tlog.TreeHash(size, read)
	if err != nil {
		b.Fatal(err)
	}
	path, err := tlog.ProveRecord(size, at, read)
	if err != nil {
		b.Fatal(err)
	}
	p := &ledger.Proof{Index: at, Entry: entry(at)}
	for _, h := range path {
		p.Hashes = append(p.Hashes, spec.Digest(h))
	}
	root := ledger.LogRoot{Size: size, Root: spec.Digest(top)}
	for b.Loop() {
		if err := p.Included(root); err != nil {
			b.Fatal(err)
		}
	}
}
