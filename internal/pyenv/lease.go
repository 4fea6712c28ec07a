package pyenv

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Two kinds of lock keep the store whole while it is cleared. A process that
// uses or makes an environment holds the lock of that environment, and one that
// makes any holds the lock of the store, shared; Prune takes each for itself.

// noteSchema is the edition of [note].
const noteSchema = "patch-git/env/v1"

// note is <envs>/<key>.json: what an environment was made of. It is written
// before the environment appears; its time is when the environment was last
// used. Nothing that runs goes by it.
type note struct {
	Schema string      `json:"schema"`
	Python string      `json:"python"` // "3.12.1"
	Path   string      `json:"path"`
	Build  spec.Digest `json:"build"`
	Target string      `json:"target"`
	Wheels []Package   `json:"wheels"`
}

// Package is one wheel of an environment.
type Package struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	SHA256  spec.Digest `json:"sha256"`
}

func (p *Pythons) notePath(key spec.Digest) string {
	return filepath.Join(p.host.Paths.Envs(), key.Hex()+".json")
}

func (p *Pythons) lockPath(key spec.Digest) string {
	return filepath.Join(p.host.Paths.Envs(), ".lock-"+key.Short())
}

// storeLock is held by who adds to the store, shared, and by who clears it.
func (p *Pythons) storeLock() string { return filepath.Join(p.host.Paths.Envs(), ".lock") }

func (p *Pythons) writeNote(key spec.Digest, in *Interpreter, wheels []ledger.Wheel) error {
	n := note{Schema: noteSchema, Python: in.Version, Path: in.Path, Build: in.Build, Target: in.Target, Wheels: []Package{}}
	for _, w := range wheels {
		n.Wheels = append(n.Wheels, Package{w.Name, w.Version, w.SHA256})
	}
	b, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return err
	}
	return durable.Replace(p.notePath(key), append(b, '\n'), 0o600)
}

// readNote returns nil where there is none that can be read.
func (p *Pythons) readNote(key spec.Digest) *note {
	b, err := durable.ReadFileNoFollow(p.notePath(key), limits.Document)
	n := &note{}
	if err != nil || json.Unmarshal(b, n) != nil || n.Schema != noteSchema {
		return nil
	}
	return n
}

// touchAfter is how old the last use of an environment may be before it is
// noted again.
const touchAfter = time.Minute

// touch notes that an environment is used now. Failing costs nothing but that.
func (p *Pythons) touch(key spec.Digest) {
	now := p.host.Now()
	if info, err := os.Stat(p.notePath(key)); err == nil && now.Sub(info.ModTime()).Abs() > touchAfter {
		_ = os.Chtimes(p.notePath(key), time.Time{}, now)
	}
}

// Use returns the environment that a closure needs on this interpreter, which
// it installs where it is missing, and keeps it from being pruned until release
// is called. made tells that it was installed now.
func (p *Pythons) Use(ctx context.Context, in *Interpreter, c *ledger.Closure, opt InstallOptions) (env Env, made bool, release func(), err error) {
	release = func() {}
	for range 3 {
		env, ready, err := p.EnvFor(in, c)
		if err != nil || ready && env.Dir == "" {
			return env, made, release, err
		}
		if ready {
			if release, err = durable.RLock(ctx, p.lockPath(env.Key), limits.Download); err != nil {
				return Env{}, made, func() {}, explain(err)
			}
			if isDir(env.Dir) { // still, and from here on it stays
				p.touch(env.Key)
				return env, made, release, nil
			}
			release()
		}
		if env, err = p.Install(ctx, in, c, opt); err != nil {
			return env, made, func() {}, err
		}
		made = true
	}
	return Env{}, made, func() {}, fault.New(fault.Unavailable, "store", "keep packages: %w", errors.New("another process removes them as they are made"))
}
