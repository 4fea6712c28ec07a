// Package trustroot keeps the Sigstore instance that keyless registries use
// unless they name another: the public one, as it was when this program was
// built, or as the person had it refreshed since.
package trustroot

import (
	_ "embed"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// The targets trusted_root.json and signing_config.v0.2.json of Sigstore's TUF
// repository, version 14 of its targets, as of 2026-08-21.
var (
	//go:embed trusted_root.json
	embeddedRoot []byte
	//go:embed signing_config.json
	embeddedConfig []byte
)

// Material is one Sigstore instance.
type Material struct {
	Root    []byte // trusted_root.json: whom to believe
	Config  []byte // signing_config.json: whom to ask for signatures
	Fetched string // when it was refreshed, RFC 3339; "" for what is embedded
}

// Embedded returns what this program was built with.
func Embedded() Material { return Material{Root: embeddedRoot, Config: embeddedConfig} }

// stored is the file that an update writes: both documents together, so that
// they are never of two generations.
type stored struct {
	Schema  int             `json:"schema"`
	Fetched string          `json:"fetched_at"`
	Root    json.RawMessage `json:"trusted_root"`
	Config  json.RawMessage `json:"signing_config"`
}

const schema = 1

func file(dir string) string { return filepath.Join(dir, "sigstore.json") }

// Load returns the material of a user's trust folder, or what is embedded
// where nothing was ever refreshed. What is there and not readable is an
// error: silently going back would undo a refresh that withdrew something.
func Load(dir string) (Material, error) {
	data, err := durable.ReadFileNoFollow(file(dir), 2*limits.TrustedRoot)
	if errors.Is(err, fs.ErrNotExist) {
		return Embedded(), nil
	}
	if err != nil {
		return Material{}, err
	}
	var s stored
	if err := json.Unmarshal(data, &s); err != nil || s.Schema != schema || len(s.Root) == 0 || len(s.Config) == 0 {
		return Material{}, fault.New(fault.NotVerified, "trust_root", "the refreshed trusted root is damaged").
			Hint("patch-git trust update")
	}
	return Material{Root: s.Root, Config: s.Config, Fetched: s.Fetched}, nil
}
