package audit

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// A segment is what a live process has recorded and not yet put into files of
// their own: one line for a record, as [keys.coded] writes it, or for a stream:
// a "b", its digest, and the stream in base64. Only its process appends to it;
// a line without an end is what a kill left of one, and was promised to nobody.
//
// Whoever reads the journal reads the segments before the files: what is not in
// the one any more is in the other.

// segmentEnd is the ending of a segment's name: a random word of the process, a
// dash, a number. The word alone with ownerEnd is the lock that the process holds
// for as long as it lives.
const (
	segmentEnd = ".log"
	ownerEnd   = ".lock"
	streamLine = "b "
)

func (j *Journal) liveDir() string { return filepath.Join(j.runs, "live") }

// streamOf makes the line of a stream.
func streamOf(d spec.Digest, b []byte) []byte {
	line := append([]byte(streamLine), d.Hex()...)
	line = append(line, ' ')
	return append(base64.StdEncoding.AppendEncode(line, b), '\n')
}

// parseStream reads it.
func parseStream(line []byte) (d spec.Digest, b []byte, ok bool) {
	digest, text, ok := bytes.Cut(bytes.TrimPrefix(line, []byte(streamLine)), []byte(" "))
	if !ok || d.UnmarshalText(digest) != nil {
		return d, nil, false
	}
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	return d, b, err == nil && spec.DigestOf(b) == d
}

// segments lists the segments of all processes, those of one in their order.
func (j *Journal) segments() ([]string, error) {
	list, err := os.ReadDir(j.liveDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, durable.Classify("list", j.liveDir(), err)
	}
	var paths []string
	for _, e := range list { // the numbers are of one length
		if strings.HasSuffix(e.Name(), segmentEnd) {
			paths = append(paths, filepath.Join(j.liveDir(), e.Name()))
		}
	}
	return paths, nil
}

// lines calls do for each whole line of a segment. One that is gone is no error.
func lines(path string, do func(line []byte) error) error {
	data, err := durable.ReadFileNoFollow(path, limits.AuditSegments)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for len(data) > 0 {
		line, rest, ok := bytes.Cut(data, []byte("\n"))
		if !ok {
			return nil
		}
		if err := do(line); err != nil {
			return err
		}
		data = rest
	}
	return nil
}
