// Package verdicts remembers which Sigstore bundles were verified, for one
// user, so that a tool that runs every minute is not verified anew each time.
//
// Only what follows from the bytes alone is remembered: that this bundle
// verifies under this trusted root, what it signs, and who signed it. Whether
// that is who has to have signed, whether it is about these files, and whether
// it was withdrawn since, is decided each time.
//
// An entry carries a code (HMAC-SHA-256) under a key of the user's, so that
// nobody else can plant one: not a tool, which does not see the folder, and not
// a backup or a shared cache from elsewhere.
package verdicts

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

const (
	edition  = "patch-git/verdict/v1"
	keyBytes = 32
	// life is how long a verdict stands: long enough to be of use, short enough
	// that a mistake in a verifier ends with the next day.
	life = 24 * time.Hour
	// entryBytes is more than a verdict has: a payload and an identity.
	entryBytes = 2 * limits.Bundle
)

// Cache is where one user's verdicts lie. It is safe for concurrent use, also
// by many processes. Failing to read or to write it costs time, and nothing else.
type Cache struct {
	dir string
	now func() time.Time
	key func() []byte // nil where there is none
}

// Open returns the cache in a folder, which is made when it is first needed.
func Open(dir string, now func() time.Time) *Cache {
	c := &Cache{dir: dir, now: now}
	c.key = sync.OnceValue(c.readKey)
	return c
}

// Over returns a verifier that asks the cache first. verifier says which code
// judges, and changes when that comes to refuse more; root is the trusted root
// that open reads, on the first bundle that is not known.
func (c *Cache) Over(verifier string, root []byte, open func() (verify.Sigstore, error)) verify.Sigstore {
	return &judge{cache: c, about: spec.DigestOf(framed(edition, verifier, string(root))), open: sync.OnceValues(open)}
}

type judge struct {
	cache *Cache
	about spec.Digest // of all that verdicts depend on but the bundle
	open  func() (verify.Sigstore, error)
}

// Open implements [verify.Sigstore].
func (j *judge) Open(bundle []byte, subject string) ([]byte, ledger.Identity, error) {
	if len(bundle) > limits.Bundle {
		return j.ask(bundle, subject)
	}
	digest := sha256.Sum256(bundle)
	name := spec.DigestOf(framed(string(j.about[:]), string(digest[:]), subject))
	if v := j.cache.load(name); v != nil {
		return v.payload, v.Signer, nil
	}
	payload, signer, err := j.ask(bundle, subject)
	if err == nil {
		j.cache.store(name, &verdict{Signer: signer, payload: payload})
	}
	return payload, signer, err
}

func (j *judge) ask(bundle []byte, subject string) ([]byte, ledger.Identity, error) {
	s, err := j.open()
	if err != nil {
		return nil, ledger.Identity{}, err
	}
	return s.Open(bundle, subject)
}

// framed puts each part's length before it, so that no two lists of parts read
// the same.
func framed(parts ...string) []byte {
	var b []byte
	for _, p := range parts {
		b = binary.AppendUvarint(b, uint64(len(p)))
		b = append(b, p...)
	}
	return b
}

// verdict is what a good bundle says. Its file has the code, a line of JSON,
// and the payload as it is.
type verdict struct {
	Checked string          `json:"checked_at"` // RFC 3339
	Signer  ledger.Identity `json:"signer"`
	payload []byte
}

func (c *Cache) path(name spec.Digest) string {
	hex := name.Hex()
	return filepath.Join(c.dir, hex[:2], hex[2:])
}

// code is over the entry's name too: no entry can take another's place.
func (c *Cache) code(name spec.Digest, body []byte) []byte {
	m := hmac.New(sha256.New, c.key())
	m.Write(name[:])
	m.Write(body)
	return m.Sum(nil)
}

// load returns a verdict, or nil where there is none to be believed.
func (c *Cache) load(name spec.Digest) *verdict {
	data, err := durable.ReadFileNoFollow(c.path(name), entryBytes)
	if err != nil || len(data) < sha256.Size || c.key() == nil {
		return nil
	}
	code, body := data[:sha256.Size], data[sha256.Size:]
	if !hmac.Equal(code, c.code(name, body)) {
		return nil
	}
	head, payload, ok := bytes.Cut(body, []byte("\n"))
	v := verdict{payload: payload}
	if !ok || json.Unmarshal(head, &v) != nil {
		return nil
	}
	checked, err := time.Parse(time.RFC3339, v.Checked)
	if age := c.now().Sub(checked); err != nil || age < 0 || age > life {
		return nil
	}
	return &v
}

// store keeps a verdict, and clears away what is too old beside it.
func (c *Cache) store(name spec.Digest, v *verdict) {
	if c.key() == nil {
		return
	}
	v.Checked = c.now().UTC().Format(time.RFC3339)
	head, err := json.Marshal(v)
	if err != nil {
		return
	}
	body := append(append(head, '\n'), v.payload...)
	path := c.path(name)
	if durable.Replace(path, append(c.code(name, body), body...), 0o600) == nil {
		c.sweep(filepath.Dir(path))
	}
}

// sweep removes the entries of one folder that nobody will believe any more.
// One folder of 256 each time keeps all of them small.
func (c *Cache) sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if i, err := e.Info(); err == nil && c.now().Sub(i.ModTime()) > life {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

func (c *Cache) keyPath() string { return filepath.Join(c.dir, "key") }

// readKey reads the user's key, and makes it the first time. A key that others
// can read or that is none is not used: then nothing is remembered.
func (c *Cache) readKey() []byte {
	i, err := os.Lstat(c.keyPath())
	if errors.Is(err, fs.ErrNotExist) {
		return c.makeKey()
	}
	if err != nil || !private(i) {
		return nil
	}
	text, err := durable.ReadFileNoFollow(c.keyPath(), 2*keyBytes)
	if err != nil {
		return nil
	}
	key, err := hex.DecodeString(string(text))
	if err != nil || len(key) != keyBytes {
		return nil
	}
	return key
}

// makeKey is raced by other processes: whoever is second takes the first one's.
func (c *Cache) makeKey() []byte {
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key) // never fails
	if err := durable.WriteImmutable(c.keyPath(), hex.AppendEncode(nil, key), 0o600); err == nil {
		return key
	}
	if _, err := os.Lstat(c.keyPath()); err != nil {
		return nil
	}
	return c.readKey()
}
