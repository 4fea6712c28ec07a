package pyenv

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Need is an installed release that has packages.
type Need struct {
	Tool    string // "csv_to_json@1.2.0"
	Closure *ledger.Closure
}

// Stored is what the store of one user holds, and what of it is needed.
type Stored struct {
	Envs  []StoredEnv
	Bytes int64 // of everything, each file counted once

	items []*item
	files map[[2]uint64]*stored
}

// StoredEnv is one environment.
type StoredEnv struct {
	Key      spec.Digest
	Python   string    // "3.12.1"; "" where nothing says what it was made of
	Path     string    // of that interpreter
	Packages []Package // sorted by name
	Own      int64     // bytes on disk that nothing else uses
	Shared   int64     // bytes that other environments or the unpacked wheels use too
	LastUsed time.Time
	Tools    []string // the installed releases that need it
}

// Kind says what an [item] of the store is.
type Kind string

// Kinds of items.
const (
	KindEnv      Kind = "environment"
	KindWheel    Kind = "wheel"    // unpacked
	KindDownload Kind = "download" // as it came, or a part of it
	KindLeft     Kind = "leftover" // of a process that was killed
)

// item is what can be pruned as one.
type item struct {
	kind   Kind
	key    spec.Digest
	name   string
	paths  []string
	used   time.Time
	needed bool
	why    string // it is not needed
	index  int    // into Stored.Envs, of an environment
}

// stored is one file, which may have several names.
type stored struct {
	bytes int64
	names int           // that it has anywhere
	held  map[*item]int // names in each item
}

// Stored looks through the store. builds are the interpreters that there are;
// nil is "not known", and then no environment counts as one of an interpreter
// that is gone.
func (p *Pythons) Stored(needs []Need, builds []spec.Digest) (*Stored, error) {
	s := &Stored{files: map[[2]uint64]*stored{}}
	for _, look := range []func([]Need, []spec.Digest, *Stored) error{p.storedEnvs, p.storedWheels, p.storedDownloads, p.storedRest} {
		if err := look(needs, builds, s); err != nil {
			return nil, explain(err)
		}
	}
	for _, f := range s.files {
		s.Bytes += f.bytes
		for i := range f.held {
			if i.kind != KindEnv {
				continue
			}
			if env := &s.Envs[i.index]; f.held[i] == f.names {
				env.Own += f.bytes
			} else {
				env.Shared += f.bytes
			}
		}
	}
	return s, nil
}

// add measures an item and lists it.
func (s *Stored) add(i *item) error {
	s.items = append(s.items, i)
	for _, path := range i.paths {
		err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // gone since it was listed
			}
			if err != nil {
				return err
			}
			info, err := d.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			id, names, bytes := onDisk(info)
			if d.IsDir() {
				names = 1 // its links are its folders
			}
			if id == [2]uint64{} {
				id[1] = uint64(len(s.files)) + 1
			}
			f := s.files[id]
			if f == nil {
				f = &stored{bytes: bytes, names: names, held: map[*item]int{}}
				s.files[id] = f
			}
			f.held[i]++
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// freed is what taking some items away gives back: the files that have no
// other name.
func (s *Stored) freed(gone []*item) int64 {
	var total int64
	for _, f := range s.files {
		names := 0
		for _, i := range gone {
			names += f.held[i]
		}
		if names > 0 && names >= f.names {
			total += f.bytes
		}
	}
	return total
}

func (p *Pythons) storedEnvs(needs []Need, builds []spec.Digest, s *Stored) error {
	return each(p.host.Paths.Envs(), func(d fs.DirEntry, path string) error {
		key, err := spec.ParseDigest(d.Name())
		if err != nil || !d.IsDir() {
			return nil //nolint:nilerr // nothing of ours
		}
		env := StoredEnv{Key: key}
		i := &item{kind: KindEnv, key: key, name: key.Short(), paths: []string{path}, why: "no installed tool needs it", index: len(s.Envs)}
		if n := p.readNote(key); n != nil {
			env.Python, env.Path, env.Packages = n.Python, n.Path, n.Wheels
			slices.SortFunc(env.Packages, func(a, b Package) int { return strings.Compare(a.Name, b.Name) })
			for _, need := range needs {
				if n.serves(key, need.Closure) {
					env.Tools = append(env.Tools, need.Tool)
				}
			}
			if i.needed = len(env.Tools) > 0; i.needed && builds != nil && !slices.Contains(builds, n.Build) {
				i.needed, i.why = false, "its Python "+n.Python+" is not here any more"
			}
		}
		i.used = modified(p.notePath(key), path)
		env.LastUsed = i.used
		s.Envs = append(s.Envs, env)
		return s.add(i)
	})
}

// serves tells whether the environment is the one that a closure means on the
// interpreter that it was made for.
func (n *note) serves(key spec.Digest, c *ledger.Closure) bool {
	in := &Interpreter{Version: n.Python, Build: n.Build, Target: n.Target}
	wheels, err := wheelsFor(in, c)
	return err == nil && len(wheels) > 0 && envKey(in, wheels) == key
}

// wanted tells whether a closure lists a wheel, for whatever platform.
func wanted(needs []Need, d spec.Digest) bool {
	return slices.ContainsFunc(needs, func(n Need) bool {
		for _, wheels := range n.Closure.Targets {
			if slices.ContainsFunc(wheels, func(w ledger.Wheel) bool { return w.SHA256 == d }) {
				return true
			}
		}
		return false
	})
}

func (p *Pythons) storedWheels(needs []Need, _ []spec.Digest, s *Stored) error {
	return each(filepath.Join(p.host.Paths.Envs(), "wheels"), func(d fs.DirEntry, path string) error {
		digest, err := spec.ParseDigest(d.Name())
		if err != nil {
			return nil //nolint:nilerr // nothing of ours
		}
		return s.add(&item{
			kind: KindWheel, key: digest, name: digest.Short(), paths: []string{path}, used: modified(path),
			needed: wanted(needs, digest), why: "no installed tool needs it",
		})
	})
}

func (p *Pythons) storedDownloads(needs []Need, _ []spec.Digest, s *Stored) error {
	return each(p.downloads(), func(d fs.DirEntry, path string) error {
		name, suffix, _ := strings.Cut(d.Name(), ".")
		digest, err := spec.ParseDigest(name)
		if err != nil || suffix != "whl" && suffix != "part" {
			return nil //nolint:nilerr // a lock, or nothing of ours
		}
		i := &item{
			kind: KindDownload, key: digest, name: digest.Short(), paths: []string{path}, used: modified(path),
			needed: wanted(needs, digest), why: "no installed tool needs it",
		}
		if suffix == "part" {
			i.paths = append(i.paths, filepath.Join(p.downloads(), name+".etag"))
		}
		if isDir(p.unpacked(digest)) {
			i.needed, i.why = false, "it is unpacked"
		}
		return s.add(i)
	})
}

// storedRest are things half made or half removed. Who makes or removes any
// holds a lock that keeps Prune out.
func (p *Pythons) storedRest(_ []Need, _ []spec.Digest, s *Stored) error {
	left := func(d fs.DirEntry, path string) error {
		return s.add(&item{kind: KindLeft, name: d.Name(), paths: []string{path}, used: modified(path), why: "a process that was killed left it"})
	}
	if err := errors.Join(each(p.staging(), left), each(p.trash(), left)); err != nil {
		return err
	}
	return each(p.host.Paths.Envs(), func(d fs.DirEntry, path string) error {
		name, ok := strings.CutSuffix(d.Name(), ".json")
		if _, err := spec.ParseDigest(name); !ok || err != nil || isDir(strings.TrimSuffix(path, ".json")) {
			return nil //nolint:nilerr // nothing of ours, or of an environment
		}
		return left(d, path)
	})
}

// trash is where what is being removed lies, out of everybody's way.
func (p *Pythons) trash() string { return filepath.Join(p.host.Paths.Envs(), "trash") }

// each calls do for what lies in a directory, which need not be there.
func each(dir string, do func(d fs.DirEntry, path string) error) error {
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, d := range list {
		if err := do(d, filepath.Join(dir, d.Name())); err != nil {
			return err
		}
	}
	return nil
}

// modified is the time of the first path that is there.
func modified(paths ...string) time.Time {
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil {
			return info.ModTime()
		}
	}
	return time.Time{}
}
