package audit

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// growth is how much longer than its limit a stream may be, because secrets were
// struck from it.
const growth = 3

// maxBlob is the largest blob.
const maxBlob = growth * limits.Stdout

// putBlob stores a stream under its digest, once. limit is what the sandbox
// allows for the stream; redaction may have made it longer.
//
// There is no fsync: the result itself stands in the record, which has one. A
// blob that a power cut tore no longer matches its name; Blob says so, and the
// next run with the same output puts it right, because the name says which
// content is the right one.
func (j *Journal) putBlob(b []byte, limit int) (spec.Digest, error) {
	if len(b) > growth*limit {
		return spec.Digest{}, fault.New(fault.Internal, "too_large", "output of %d bytes was not cut to its limit of %d", len(b), limit)
	}
	d := spec.DigestOf(b)
	if old, err := durable.ReadFileNoFollow(j.blobPath(d), int64(len(b))); err == nil && bytes.Equal(old, b) {
		return d, nil
	}
	return d, durable.Replace(j.blobPath(d), b, filePerm)
}

// Blob returns the stored stream with the digest. One that is not there is
// fault.NotFound, one with other content fault.NotVerified with reason "blob".
func (j *Journal) Blob(d spec.Digest) ([]byte, error) {
	b, err := durable.ReadFileNoFollow(j.blobPath(d), maxBlob)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "blob", "output %s is not stored", d)
	case fault.KindOf(err) == fault.Findings:
		return nil, fault.New(fault.NotVerified, "blob", "output %s was exchanged: %w", d, err)
	case err != nil:
		return nil, err
	}
	if got := spec.DigestOf(b); got != d {
		return nil, fault.New(fault.NotVerified, "blob", "output %s was changed: its content is %s", d, got)
	}
	return b, nil
}
