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

// clip takes the secrets out of a stream and cuts what has become too long by
// that: a tool that is given a secret of four bytes could make a record of any
// size otherwise.
func (r *redactor) clip(stream []byte, limit int) ([]byte, error) {
	if len(stream) > growth*limit {
		return nil, fault.New(fault.Internal, "too_large", "output of %d bytes was not cut to its limit of %d", len(stream), limit)
	}
	clean, struck := r.text(string(stream))
	if struck && len(clean) > growth*limit {
		clean = clean[:growth*limit-len(clipped)] + clipped
	}
	return []byte(clean), nil
}

// clipped ends a stream that was cut.
const clipped = "‹cut›"

// putBlob stores a stream under its digest, once.
//
// There is no fsync: the result itself stands in the record, which has one. A
// blob that a power cut tore no longer matches its name; Blob says so, and the
// next run with the same output puts it right, because the name says which
// content is the right one.
func (j *Journal) putBlob(d spec.Digest, b []byte) error {
	if old, err := durable.ReadFileNoFollow(j.blobPath(d), int64(len(b))); err == nil && bytes.Equal(old, b) {
		return nil
	}
	return durable.Replace(j.blobPath(d), b, filePerm)
}

// putStreams stores all of them.
func (j *Journal) putStreams(streams map[spec.Digest][]byte) error {
	for d, b := range streams {
		if err := j.putBlob(d, b); err != nil {
			return err
		}
	}
	return nil
}

// Blob returns the stored stream with the digest. One that is not there is
// fault.NotFound, one with other content fault.NotVerified with reason "blob".
func (j *Journal) Blob(d spec.Digest) ([]byte, error) {
	logged, logErr := j.loggedStream(d)
	b, err := durable.ReadFileNoFollow(j.blobPath(d), maxBlob)
	switch {
	case logged != nil:
		return logged, nil // as it was when it was recorded, whatever the file says
	case logErr != nil:
		return nil, logErr
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

// loggedStream finds a stream in the segments; nil where none has it.
func (j *Journal) loggedStream(d spec.Digest) (found []byte, err error) {
	paths, err := j.segments()
	start := []byte(streamLine + d.Hex() + " ")
	for _, path := range paths {
		err = errors.Join(err, lines(path, func(line []byte) error {
			if bytes.HasPrefix(line, start) {
				if _, b, ok := parseStream(line); ok {
					found = append([]byte{}, b...)
				}
			}
			return nil
		}))
	}
	return found, err
}
