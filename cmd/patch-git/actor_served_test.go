package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/packed"
	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// spoil changes all files that a pattern fits.
func spoil(pattern, how string) error {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		return fmt.Errorf("there is no %s: %w", pattern, err)
	}
	for _, f := range files {
		if err := rewrite(f, func(b []byte) ([]byte, error) { return spoiled(b, how) }); err != nil {
			return err
		}
	}
	return nil
}

// spoiled is a file as somebody left it.
func spoiled(b []byte, how string) ([]byte, error) {
	switch how {
	case "flip":
		b[len(b)/2] ^= 1
		return b, nil
	case "cut":
		return b[:len(b)/2], nil
	case "empty":
		return nil, nil
	case "garbage":
		return []byte("<!doctype html><title>Not a registry</title>"), nil
	case "bomb": // a few kilobytes that stand for more than anything may have
		return packed.Pack(make([]byte, max(limits.Catalogue, limits.IndexSegment)+1))
	case "else": // sound, and another file
		return packed.Pack([]byte(`{"schema":"patch-git/catalogue/v2","tools":[` + "\n]}\n"))
	}
	return nil, fmt.Errorf("no damage is called %q", how)
}

// signIndex makes and serves an index, and signs the head that states it.
func signIndex(site, keyFile, how string) error {
	key, err := signing.LoadKey(keyFile)
	if err != nil {
		return err
	}
	ctx, store := context.Background(), registry.OpenDir(filepath.Join(site, ledger.Root))
	raw, err := store.Read(ctx, ledger.HeadPath, 1<<20)
	if err != nil {
		return err
	}
	head, err := ledger.ParseHead(raw)
	if err != nil {
		return err
	}
	catalogue, err := store.Read(ctx, ledger.CataloguePath, 1<<20)
	if err != nil {
		return err
	}
	list, err := ledger.ParseCatalogue(catalogue)
	if err != nil {
		return err
	}
	segment, err := hostileIndex(ctx, list, how)
	if err != nil {
		return err
	}
	data, err := packed.Pack(segment)
	if err != nil {
		return err
	}
	head.Index, head.Seq = ledger.IndexRoot{Edition: index.Edition, Segment: spec.DigestOf(segment)}, head.Seq+1
	raw = ledger.Encode(head)
	evidence, err := key.Sign(ctx, ledger.NewStatement(head.Registry.HeadSubject(), spec.DigestOf(raw), ledger.PredicateHead,
		ledger.HeadPredicate{Registry: ledger.RegistryID{Name: head.Registry}, Seq: head.Seq, LogSize: head.Log.Size}))
	if err != nil {
		return err
	}
	for path, data := range map[string][]byte{ledger.IndexPath(head.Index.Segment): data, ledger.HeadPath: raw, ledger.HeadEvidencePath: evidence} {
		if err := store.Write(ctx, path, data, false); err != nil {
			return err
		}
	}
	return nil
}

// hostileIndex is an index as no program of ours makes one, but for "sound".
func hostileIndex(ctx context.Context, list []ledger.Listing, how string) ([]byte, error) {
	if how == "lie" { // of other words than the list has
		list[0].Description = "Everything that anybody looks for, first of all."
	}
	built, err := index.Build(ctx, list)
	if err != nil {
		return nil, err
	}
	segment := bytes.Clone(built.Segment())
	// The last bytes of a segment are: number of documents (8), places of the
	// stored fields (8) and of the sections (8), chunk mode and version (4 each), sum (4).
	summed := func() []byte {
		binary.BigEndian.PutUint32(segment[len(segment)-4:], crc32.ChecksumIEEE(segment[:len(segment)-4]))
		return segment
	}
	switch how {
	case "sound", "lie":
		return segment, nil
	case "garbage":
		return []byte(strings.Repeat("no index at all ", 4096)), nil
	case "short":
		return []byte{0}, nil
	case "cut":
		return segment[:len(segment)/2], nil
	case "crowd": // more documents than there are atoms in the segment
		binary.BigEndian.PutUint64(segment[len(segment)-36:], 1<<62)
		return summed(), nil
	case "astray": // everything lies behind its end
		binary.BigEndian.PutUint64(segment[len(segment)-20:], 1<<62)
		return summed(), nil
	case "deep": // each byte is the largest of its kind: counts, lengths and places
		for i := range len(segment) - 36 {
			segment[i] = 0xff
		}
		return summed(), nil
	}
	return nil, fmt.Errorf("no index is called %q", how)
}
