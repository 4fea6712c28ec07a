package index

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
)

// What bleve wants beside the segment is the same for every index: which kind
// of index it is, and a root that names one segment. TestRoot makes the root.
const (
	metaFile    = "index_meta.json"
	rootFile    = "store/root.bolt"
	segmentFile = "store/000000000001.zap"
	meta        = `{"storage":"scorch","index_type":"scorch"}`
)

//go:embed root.bolt.gz
var packedRoot []byte

// Install writes a folder that [Open] opens, in one step; of a folder that is
// there nothing is changed. segment is of [Built.Segment], here or elsewhere:
// whether it is the stated one is for the caller, who has compared the digest.
//
// A crash leaves a folder beside dir whose name ends in ".new" and a number.
func Install(ctx context.Context, dir string, segment []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := os.Lstat(dir); err == nil {
		return nil
	}
	root, err := unpack(packedRoot, limits.MiB)
	if err != nil {
		return fmt.Errorf("unpack the root of an index: %w", err)
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return durable.Classify("make directory", parent, err)
	}
	fresh, err := os.MkdirTemp(parent, filepath.Base(dir)+".new*")
	if err != nil {
		return durable.Classify("make directory", parent, err)
	}
	defer func() { _ = os.RemoveAll(fresh) }() // it is gone when all went well
	for name, content := range map[string][]byte{metaFile: []byte(meta), rootFile: root, segmentFile: segment} {
		if err := durable.WriteFile(filepath.Join(fresh, filepath.FromSlash(name)), content, 0o600); err != nil {
			return err
		}
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, there := os.Lstat(dir); there == nil {
			return nil // another process was faster, with the same bytes
		}
		return durable.Classify("rename", dir, err)
	}
	return nil
}

func unpack(packed []byte, most int64) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(out)) > most {
		err = fmt.Errorf("more than %d bytes", most)
	}
	return out, err
}
