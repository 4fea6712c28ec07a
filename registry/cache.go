package registry

import (
	"bytes"
	"encoding/json"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// cache keeps what a server last answered for each path of one registry, in
// files that can be deleted at any time. It serves two ends: a conditional
// request when the server gave an entity tag, and an answer without any
// request where the caller knows the digest that the bytes must have. Nothing
// in it is trusted: an entry that is damaged, foreign or too large is a miss.
type cache struct{ dir string }

// entrySchema is the edition of a cache file: one line with the JSON of
// [entryHead], then the body.
const entrySchema = "patch-git/cached/v1"

type entryHead struct {
	Schema string      `json:"schema"`
	Path   string      `json:"path"` // an entry moved to another name is a miss
	ETag   string      `json:"etag,omitempty"`
	SHA256 spec.Digest `json:"sha256"` // of the body
}

// Bounds of an entry's first line and of an entity tag.
const (
	maxEntryHead = 2 * limits.KiB
	maxETag      = 256
)

// file is where the entry of a path lies: a hash, so that no path of a server
// becomes one of this machine.
func (c *cache) file(path string) string {
	h := spec.DigestOf([]byte(path)).Hex()
	return filepath.Join(c.dir, h[:2], h)
}

// get returns the last answer for a path of at most max bytes; ok is false on a miss.
func (c *cache) get(path string, max int64) (etag string, body []byte, ok bool) {
	if c == nil {
		return "", nil, false
	}
	data, err := durable.ReadFileNoFollow(c.file(path), max+maxEntryHead)
	if err != nil {
		return "", nil, false
	}
	return parseEntry(data, path, max)
}

// put remembers an answer. A cache that cannot be written is no reason to fail.
func (c *cache) put(path, etag string, body []byte) {
	if c == nil {
		return
	}
	if !validETag(etag) {
		etag = ""
	}
	head, err := json.Marshal(entryHead{entrySchema, path, etag, spec.DigestOf(body)})
	if err != nil {
		return
	}
	// Without fsync: the digest finds what a power cut tore.
	_ = durable.Replace(c.file(path), append(append(head, '\n'), body...), 0o600)
}

// parseEntry reads a cache file.
func parseEntry(data []byte, path string, max int64) (etag string, body []byte, ok bool) {
	line, body, found := bytes.Cut(data, []byte{'\n'})
	if !found || len(line) > maxEntryHead || int64(len(body)) > max {
		return "", nil, false
	}
	var h entryHead
	if json.Unmarshal(line, &h) != nil || h.Schema != entrySchema || h.Path != path ||
		h.ETag != "" && !validETag(h.ETag) || h.SHA256 != spec.DigestOf(body) {
		return "", nil, false
	}
	return h.ETag, body, true
}

// validETag tells whether a server's entity tag is one (RFC 9110 §8.8.3) and
// can be sent back in a header.
func validETag(s string) bool {
	if len(s) > maxETag {
		return false
	}
	if len(s) > 2 && s[:2] == "W/" {
		s = s[2:]
	}
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return false
	}
	for i := 1; i < len(s)-1; i++ {
		if s[i] <= ' ' || s[i] >= 0x7f || s[i] == '"' {
			return false
		}
	}
	return true
}
