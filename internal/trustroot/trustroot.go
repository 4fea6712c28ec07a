// Package trustroot keeps the Sigstore instance that keyless registries use
// unless they name another: the public one, as it was when this program was
// built, or as the person had it refreshed since.
//
// [Load] reads, offline. Only [Refresh] asks the network, when a person says
// so, and it believes nothing but what the keys of a TUF repository signed.
package trustroot

import (
	_ "embed"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// The targets trusted_root.json and signing_config.v0.2.json of Sigstore's TUF
// repository, version 14 of its targets, as of [EmbeddedOn].
var (
	//go:embed trusted_root.json
	embeddedRoot []byte
	//go:embed signing_config.json
	embeddedConfig []byte
)

// EmbeddedOn is the day of what is embedded.
const EmbeddedOn = "2026-08-21"

// Material is one Sigstore instance.
type Material struct {
	Root    []byte // trusted_root.json: whom to believe
	Config  []byte // signing_config.json: whom to ask for signatures
	Fetched string // when it was refreshed, RFC 3339; "" for what is embedded
}

// Digest names the trusted root. It is that of the file which was signed.
func (m Material) Digest() spec.Digest { return spec.DigestOf(m.Root) }

// Age is how long ago it was known to be the newest.
func (m Material) Age(now time.Time) time.Duration {
	at, err := time.Parse(time.RFC3339, m.Fetched)
	if err != nil {
		at, _ = time.Parse(time.DateOnly, EmbeddedOn)
	}
	return max(now.Sub(at), 0)
}

// Embedded returns what this program was built with.
func Embedded() Material { return Material{Root: embeddedRoot, Config: embeddedConfig} }

// stored is the file that a refresh writes: both documents together, so that
// they are never of two generations, and in the bytes that were signed, so
// that their digests stay what everybody else's are.
type stored struct {
	Schema  int    `json:"schema"`
	Fetched string `json:"fetched_at"`
	Root    []byte `json:"trusted_root"`
	Config  []byte `json:"signing_config"`
}

const schema = 1

// storedBytes is what two documents of the largest size need in base64.
const storedBytes = 3 * limits.TrustedRoot

func file(dir string) string { return filepath.Join(dir, "sigstore.json") }

// ReasonDamaged is why what was refreshed cannot be read.
const ReasonDamaged = "trust_root"

// Load returns the material of a user's trust folder, or what is embedded
// where nothing was ever refreshed. What is there and not readable is an
// error: silently going back would undo a refresh that withdrew something.
func Load(dir string) (Material, error) {
	data, err := durable.ReadFileNoFollow(file(dir), storedBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return Embedded(), nil
	}
	if err != nil {
		return Material{}, err
	}
	var s stored
	if err := json.Unmarshal(data, &s); err != nil || s.Schema != schema || len(s.Root) == 0 || len(s.Config) == 0 {
		return Material{}, fault.New(fault.NotVerified, ReasonDamaged, "the refreshed trusted root is damaged").
			Hint("patch-git trust update")
	}
	return Material{Root: s.Root, Config: s.Config, Fetched: s.Fetched}, nil
}

func store(dir string, m Material) error {
	data, err := json.Marshal(stored{schema, m.Fetched, m.Root, m.Config})
	if err != nil {
		return err
	}
	return durable.WriteFile(file(dir), append(data, '\n'), 0o600)
}
