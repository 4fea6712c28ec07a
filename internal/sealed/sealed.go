// Package sealed keeps answers for one user that cost time to find again: each
// is a file under a name that is made of all that the answer depends on.
//
// A file carries a code (HMAC-SHA-256) under a key of the user's, over its name
// too, so that nobody else can plant one or put one in another's place: not a
// tool, which does not see the folder, and not a backup or a shared cache from
// elsewhere. Failing to read or to write costs time, and nothing else.
package sealed

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/spec"
)

const timeBytes = 8

// Folder is where the answers of one kind lie. It is safe for concurrent use,
// also by many processes.
type Folder struct {
	dir     string
	now     func() time.Time
	life    time.Duration
	largest int64
	key     func() []byte // nil where there is none
}

// Open returns a folder, which is made when it is first needed. An answer stands
// for so long, and has at most so many bytes.
func Open(dir string, now func() time.Time, life time.Duration, largest int64) *Folder {
	f := &Folder{dir: dir, now: now, life: life, largest: largest}
	f.key = sync.OnceValue(func() []byte {
		key, err := durable.Key(filepath.Join(dir, "key"))
		if err != nil {
			return nil // one that others can read, or that is none, is not used: then nothing is kept
		}
		return key
	})
	return f
}

// Name is that of the answer that follows from the parts. Each part's length
// stands before it, so that no two lists of parts read the same.
func Name(parts ...string) spec.Digest { return spec.DigestOf(List(parts...)) }

// List is what a name is the digest of. The list of the first parts is its beginning.
func List(parts ...string) []byte {
	var b []byte
	for _, p := range parts {
		b = binary.AppendUvarint(b, uint64(len(p)))
		b = append(b, p...)
	}
	return b
}

func (f *Folder) path(name spec.Digest) string {
	hex := name.Hex()
	return filepath.Join(f.dir, hex[:2], hex[2:])
}

// code is over the name too: no answer can take another's place.
func (f *Folder) code(name spec.Digest, body []byte) []byte {
	m := hmac.New(sha256.New, f.key())
	m.Write(name[:])
	m.Write(body)
	return m.Sum(nil)
}

// Load returns an answer, or nil where there is none to be believed.
func (f *Folder) Load(name spec.Digest) []byte {
	data, err := durable.ReadFileNoFollow(f.path(name), f.largest+sha256.Size+timeBytes)
	if err != nil || len(data) < sha256.Size+timeBytes || f.key() == nil {
		return nil
	}
	code, body := data[:sha256.Size], data[sha256.Size:]
	if !hmac.Equal(code, f.code(name, body)) {
		return nil
	}
	since := time.Unix(int64(binary.BigEndian.Uint64(body)), 0)
	if age := f.now().Sub(since); age < 0 || age > f.life {
		return nil
	}
	return body[timeBytes:]
}

// Save keeps an answer, and clears away what is too old beside it.
func (f *Folder) Save(name spec.Digest, answer []byte) {
	if f.key() == nil || int64(len(answer)) > f.largest {
		return
	}
	body := append(binary.BigEndian.AppendUint64(nil, uint64(f.now().Unix())), answer...)
	path := f.path(name)
	if durable.Replace(path, append(f.code(name, body), body...), 0o600) == nil {
		f.sweep(filepath.Dir(path))
	}
}

// sweep removes the answers of one folder that nobody will believe any more.
// One folder of 256 each time keeps all of them small.
func (f *Folder) sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if i, err := e.Info(); err == nil && f.now().Sub(i.ModTime()) > f.life {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
