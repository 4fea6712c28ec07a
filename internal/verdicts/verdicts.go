// Package verdicts remembers which Sigstore bundles were verified, for one
// user, so that a tool that runs every minute is not verified anew each time.
//
// Only what follows from the bytes alone is remembered: that this bundle
// verifies under this trusted root, what it signs, and who signed it. Whether
// that is who has to have signed, whether it is about these files, and whether
// it was withdrawn since, is decided each time.
//
// Package sealed keeps them, so that nobody else can plant one.
package verdicts

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sealed"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

const (
	edition = "patch-git/verdict/v2"
	// life is how long a verdict stands: long enough to be of use, short enough
	// that a mistake in a verifier ends with the next day.
	life = 24 * time.Hour
	// entryBytes is more than a verdict has: a payload and an identity.
	entryBytes = 2 * limits.Bundle
)

// Cache is where one user's verdicts lie. It is safe for concurrent use, also
// by many processes. Failing to read or to write it costs time, and nothing else.
type Cache struct{ folder *sealed.Folder }

// Open returns the cache in a folder, which is made when it is first needed.
func Open(dir string, now func() time.Time) *Cache {
	return &Cache{sealed.Open(dir, now, life, entryBytes)}
}

// Over returns a verifier that asks the cache first. verifier says which code
// judges, and changes when that comes to refuse more; root is the trusted root
// that open reads, on the first bundle that is not known.
func (c *Cache) Over(verifier string, root []byte, open func() (verify.Sigstore, error)) verify.Sigstore {
	return &judge{cache: c, about: sealed.Name(edition, verifier, string(root)), open: sync.OnceValues(open)}
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
	name := sealed.Name(string(j.about[:]), string(digest[:]), subject)
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

// verdict is what a good bundle says: a line of JSON, and the payload as it is.
type verdict struct {
	Signer  ledger.Identity `json:"signer"`
	payload []byte
}

// load returns a verdict, or nil where there is none to be believed.
func (c *Cache) load(name spec.Digest) *verdict {
	head, payload, ok := bytes.Cut(c.folder.Load(name), []byte("\n"))
	v := verdict{payload: payload}
	if !ok || json.Unmarshal(head, &v) != nil {
		return nil
	}
	return &v
}

func (c *Cache) store(name spec.Digest, v *verdict) {
	if head, err := json.Marshal(v); err == nil {
		c.folder.Save(name, append(append(head, '\n'), v.payload...))
	}
}
