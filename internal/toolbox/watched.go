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
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Watched is how far the user has read the log of a registry. It is apart from
// the pin, whose head every search moves: news would be swallowed.
type Watched struct {
	Schema int               `json:"schema"`
	Name   spec.RegistryName `json:"name"`
	Seen   verify.Seen       `json:"seen"`
}

const watchedSchema = 1

func (t *Toolbox) watchedPath(n spec.RegistryName) string {
	return filepath.Join(t.paths.Watched(), filepath.FromSlash(string(n))+".json")
}

// Watched returns how far the log of a registry was read; nil when it never was.
func (t *Toolbox) Watched(n spec.RegistryName) (*verify.Seen, error) {
	data, err := durable.ReadFileNoFollow(t.watchedPath(n), limits.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	seen, err := parseWatched(data, n)
	if err != nil {
		return nil, fault.New(fault.NotVerified, "watched", "what is kept of the watch over %s is damaged: %w", n, err).
			Hint("remove %s; the watch then starts anew", spec.Quote(t.watchedPath(n)))
	}
	return seen, nil
}

// parseWatched reads the mark of a registry.
func parseWatched(data []byte, n spec.RegistryName) (*verify.Seen, error) {
	var w Watched
	if json.Unmarshal(data, &w) != nil || w.Schema != watchedSchema || w.Name != n {
		return nil, errors.New("it is not the mark of this registry")
	}
	if _, err := ledger.ParseTime(w.Seen.Time); err != nil {
		return nil, err
	}
	if w.Seen.Seq < 1 || w.Seen.Log.Size < 0 || w.Seen.Log.Size > limits.LogSize {
		return nil, errors.New("no head has these numbers")
	}
	return &w.Seen, nil
}

// SetWatched moves the mark of a registry from where the caller found it (nil:
// nowhere) to a head that was verified to follow. Where another process has
// moved it meanwhile it stays: that the one follows the other nobody has
// shown; the error is of reason "moved".
func (t *Toolbox) SetWatched(ctx context.Context, n spec.RegistryName, from *verify.Seen, to verify.Seen) error {
	if from != nil && *from == to {
		return nil
	}
	unlock, err := t.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	now, err := t.Watched(n)
	if err != nil {
		return err
	}
	if now != nil && *now == to {
		return nil // another watcher came to the same place
	}
	if (now == nil) != (from == nil) || now != nil && *now != *from {
		return fault.New(fault.Unavailable, ReasonMoved, "another process has moved the mark of %s meanwhile", n).
			Hint("patch-git log watch %s", n)
	}
	if _, err := t.Pin(n); err != nil {
		return err // it was removed meanwhile, and its mark with it
	}
	data, err := json.MarshalIndent(Watched{watchedSchema, n, to}, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(t.watchedPath(n), append(data, '\n'), 0o600)
}

// forgetWatched removes the mark with the pin: a registry that is added again
// may be another one.
func (t *Toolbox) forgetWatched(n spec.RegistryName) error {
	if err := os.Remove(t.watchedPath(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Unavailable, "toolbox", "removing the watch over %s: %w", n, err)
	}
	return nil
}
