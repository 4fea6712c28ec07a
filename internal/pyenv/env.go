package pyenv

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// staleAfter is when what a killed process left behind is taken away; no
// installation takes that long.
const staleAfter = 24 * time.Hour

// InstallOptions says how to make an environment.
type InstallOptions struct {
	// Mirrors are base addresses that are tried before the addresses in the
	// closure; a wheel lies at <mirror>/<sha256>/<file> there.
	Mirrors []string
	// Progress is called while the work goes on; nil is fine.
	Progress func(Progress)
}

// Env is a finished environment. The zero Env has no packages.
type Env struct {
	Dir string // goes on sys.path, read-only
	Key spec.Digest
}

// EnvFor returns the environment that a closure needs on this interpreter, and
// whether it is there already, without any network. An empty closure, or one
// that needs nothing on this machine, is the zero Env, and there.
func (p *Pythons) EnvFor(in *Interpreter, c *ledger.Closure) (Env, bool, error) {
	wheels, err := wheelsFor(in, c)
	if err != nil || len(wheels) == 0 {
		return Env{}, err == nil, err
	}
	env := Env{Key: envKey(in, wheels)}
	env.Dir = filepath.Join(p.host.Paths.Envs(), env.Key.Hex())
	info, err := os.Stat(env.Dir)
	return env, err == nil && info.IsDir(), nil
}

// wheelsFor picks the wheels of this machine.
func wheelsFor(in *Interpreter, c *ledger.Closure) ([]ledger.Wheel, error) {
	if c == nil || len(c.Targets) == 0 {
		return nil, nil
	}
	if c.Python != in.Minor() {
		return nil, fault.New(fault.Unavailable, "no_python", "packages are for Python %s, the interpreter is %s", c.Python, in.Minor()).
			Hint("%s", installHint(c.Python))
	}
	return choose(c, in.Target)
}

// envKey depends on the content of the wheels and on the interpreter build,
// and on nothing else, so tools with equal closures share an environment.
func envKey(in *Interpreter, wheels []ledger.Wheel) spec.Digest {
	var hashes []string
	for _, w := range wheels {
		hashes = append(hashes, w.SHA256.Hex())
	}
	slices.Sort(hashes)
	return spec.DigestOf([]byte("patch-git env v1\n" + in.Build.Hex() + "\n" + strings.Join(hashes, "\n")))
}

// Install makes the environment of a closure: it downloads by digest, unpacks
// each wheel once for all environments, links the files together, compiles
// them in the sandbox, and renames the result into place. Killed at any
// instant it leaves either no environment or the whole one. Errors are
// Unavailable "no_target", "wheel_download", and "store", and NotVerified
// "wheel_digest", "wheel_unsafe", "wheel_conflict".
func (p *Pythons) Install(ctx context.Context, in *Interpreter, c *ledger.Closure, opt InstallOptions) (Env, error) {
	env, ready, err := p.EnvFor(in, c)
	if err != nil || ready {
		return env, err
	}
	wheels, err := wheelsFor(in, c)
	if err != nil {
		return Env{}, err
	}
	// Several processes want the same environment at the same time when a
	// host starts several servers; one does the work.
	unlock, err := durable.Lock(ctx, p.lockPath(env.Key), limits.Download)
	if err != nil {
		return Env{}, explain(err)
	}
	defer unlock()
	if isDir(env.Dir) {
		return env, nil
	}
	stay, err := durable.RLock(ctx, p.storeLock(), limits.Download)
	if err != nil {
		return Env{}, explain(err)
	}
	defer stay()
	p.sweep()
	if err := p.build(ctx, in, wheels, env, opt); err != nil {
		return Env{}, explain(err)
	}
	return env, nil
}

// build does the work of Install.
func (p *Pythons) build(ctx context.Context, in *Interpreter, wheels []ledger.Wheel, env Env, opt InstallOptions) error {
	if err := p.fetchWheels(ctx, wheels, opt); err != nil {
		return err
	}
	if err := p.writeNote(env.Key, in, wheels); err != nil {
		return err
	}
	return p.stage(env.Dir, func(dir string) error {
		if err := p.merge(wheels, dir); err != nil {
			return err
		}
		if opt.Progress != nil {
			opt.Progress(Progress{Step: "compile"})
		}
		return p.compileTree(ctx, in, dir, env.Dir)
	})
}

// explain gives what the file system refused a kind: a full or read-only disk
// is no fault of the release.
func explain(err error) error {
	if !local(err) || fault.ReasonOf(err) != "" {
		return err
	}
	return fault.New(fault.Unavailable, "store", "keep packages: %w", err).
		Hint("check free space and permissions of the directory, or set PATCH_GIT_HOME to another")
}

// local tells whether the file system, and no server, is what failed.
func local(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	return errors.As(err, &path) || errors.As(err, &link)
}

// fetchWheels brings every wheel into the unpacked store.
func (p *Pythons) fetchWheels(ctx context.Context, wheels []ledger.Wheel, opt InstallOptions) error {
	f := p.newFetcher(opt)
	var missing []ledger.Wheel
	for _, w := range wheels {
		if _, err := os.Stat(p.unpacked(w.SHA256)); err != nil {
			missing = append(missing, w)
			f.total += w.Size
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := durable.MkdirAll(f.dir); err != nil {
		return err
	}
	return f.all(ctx, missing, func(w ledger.Wheel, file *os.File) error {
		f.unpacking(w.File)
		return p.unpack(file, w)
	})
}

// unpacked is where the content of a wheel lies. That the directory exists
// means that it is whole.
func (p *Pythons) unpacked(d spec.Digest) string {
	return filepath.Join(p.host.Paths.Envs(), "wheels", d.Hex())
}

func (p *Pythons) unpack(file *os.File, w ledger.Wheel) error {
	return p.stage(p.unpacked(w.SHA256), func(dir string) error {
		if err := Unpack(file, w.Size, dir); err != nil {
			return fmt.Errorf("%s: %w", w.File, err)
		}
		return nil
	})
}

// stage lets fill make a directory under another name and then gives it its
// own. Two processes that make the same directory both succeed.
func (p *Pythons) stage(final string, fill func(dir string) error) error {
	dir := filepath.Join(p.staging(), rand.Text())
	if err := durable.MkdirAll(dir); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := durable.MkdirAll(filepath.Dir(final)); err != nil {
		return err
	}
	if err := fill(dir); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	if err := os.Rename(dir, final); err != nil {
		if info, err := os.Stat(final); err == nil && info.IsDir() {
			return nil
		}
		return fmt.Errorf("put %q into place: %w", final, err)
	}
	return nil
}

func (p *Pythons) staging() string { return filepath.Join(p.host.Paths.Envs(), "staging") }

// sweep takes away what killed processes left behind. Failures don't matter:
// the next installation tries again.
func (p *Pythons) sweep() {
	now := p.host.Now()
	_, _ = durable.Sweep(p.downloads(), staleAfter, now)
	parts, _ := filepath.Glob(filepath.Join(globQuote(p.host.Paths.Pythons()), partPrefix+"*"))
	for _, part := range parts {
		if info, err := os.Lstat(part); err == nil && now.Sub(info.ModTime()) > staleAfter {
			_ = os.Remove(part)
		}
	}
	list, _ := os.ReadDir(p.staging())
	for _, e := range list {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > staleAfter {
			_ = os.RemoveAll(filepath.Join(p.staging(), e.Name()))
		}
	}
}

// merge links the files of all wheels into dir, in the order of the closure.
func (p *Pythons) merge(wheels []ledger.Wheel, dir string) error {
	seen := map[string]string{} // folded path -> path
	for _, w := range wheels {
		from := p.unpacked(w.SHA256)
		err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
			if err != nil || path == from {
				return err
			}
			rel, err := filepath.Rel(from, path)
			if err != nil {
				return err
			}
			key := fold(rel)
			if old, ok := seen[key]; ok && old != rel {
				return conflict(w, rel)
			}
			seen[key] = rel
			target := filepath.Join(dir, rel)
			if d.IsDir() {
				if err := os.Mkdir(target, 0o755); err != nil && !isDir(target) {
					return conflict(w, rel)
				}
				return nil
			}
			return link(path, target, rel, w)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// link gives a file of the store its second name. Where the name is taken by
// the same content, or by a text that nothing can import and that many wheels
// leave at the top (LICENSE, README.md), the first stays.
func link(from, to, rel string, w ledger.Wheel) error {
	err := os.Link(from, to)
	if err == nil {
		return nil
	}
	if _, missing := os.Lstat(to); missing == nil {
		a, err1 := os.ReadFile(from)
		b, err2 := os.ReadFile(to)
		if err := errors.Join(err1, err2); err != nil {
			return conflict(w, rel)
		}
		if bytes.Equal(a, b) || !strings.ContainsRune(rel, filepath.Separator) && !importable(rel) {
			return nil
		}
		return conflict(w, rel)
	}
	// No hard links here, or too many of them: a copy is as good.
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o444)
}

func importable(name string) bool {
	return slices.Contains([]string{".py", ".so", ".pyd", ".dll", ".dylib", ".pth"}, strings.ToLower(filepath.Ext(name)))
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

func conflict(w ledger.Wheel, rel string) error {
	return fault.New(fault.NotVerified, "wheel_conflict", "%s and another wheel of the release disagree about %s", w.File, spec.Quote(filepath.ToSlash(rel))).
		Hint("report it to the registry: the packages of this release don't fit together")
}

// sha is the digest of several strings that cannot run into each other.
func sha(parts ...string) spec.Digest {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s,", len(p), p)
	}
	return spec.Digest(h.Sum(nil))
}
