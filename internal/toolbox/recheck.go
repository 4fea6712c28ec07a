package toolbox

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Recheck is what this user's own check said of an installed release, so that it
// is not made again for every run. It belongs to the release of that digest and
// to the edition of the rules, and says nothing about others.
type Recheck struct {
	Schema  int         `json:"schema"`
	Release spec.Digest `json:"release"`
	Rules   int         `json:"rules"`
	Python  string      `json:"python,omitempty"` // that parsed it; "" where nobody could tell
	Errors  int         `json:"errors"`           // that nobody waived
	Despite bool        `json:"despite"`          // a person named the digest to have it all the same
}

const (
	recheckSchema = 1
	recheckFile   = "recheck.json"
)

// Recheck returns what was found of an installed release; ok is false where that
// is not known.
func (t *Toolbox) Recheck(r Receipt) (k Recheck, ok bool, err error) {
	data, err := durable.ReadFileNoFollow(filepath.Join(t.receiptDir(r.Name, r.Version), recheckFile), limits.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return k, false, nil
	}
	if err != nil {
		return k, false, err
	}
	// One that is damaged, or is about another release, is as if it were not there:
	// the check is made again.
	whole := json.Unmarshal(data, &k) == nil && k.Schema == recheckSchema && k.Release == r.Release
	return k, whole, nil
}

// KeepRecheck keeps what was found of an installed release. Of one that another
// process removed meanwhile there is nothing to keep, and no folder is left: a
// file beside a removal would stop it.
func (t *Toolbox) KeepRecheck(ctx context.Context, r Receipt, k Recheck) error {
	k.Schema, k.Release = recheckSchema, r.Release
	data, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return fault.New(fault.Internal, "recheck", "%w", err)
	}
	unlock, err := t.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Lstat(filepath.Join(t.receiptDir(r.Name, r.Version), receiptFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return durable.WriteFile(filepath.Join(t.receiptDir(r.Name, r.Version), recheckFile), append(data, '\n'), 0o600)
}
