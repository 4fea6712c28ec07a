package toolbox

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Toolbox is the state of one user. Many processes share it.
type Toolbox struct {
	paths paths.Paths
	now   func() time.Time
	seen  atomic.Pointer[seenIndex]

	// Sigstore makes what verifies keyless registries out of a
	// trusted_root.json, of which nil is that of the public instance. Without
	// it no such registry is believed.
	Sigstore func(trustedRoot []byte) (verify.Sigstore, error)
}

// Open returns the toolbox at the paths. It touches nothing yet. A folder in
// which others can write is refused: whoever writes there decides which
// registries are trusted.
func Open(paths paths.Paths, now func() time.Time) (*Toolbox, error) {
	if paths.Root == "" {
		return nil, fault.New(fault.Unavailable, "no_home", "there is no home directory to keep tools in").
			Hint("set PATCH_GIT_HOME to an absolute path")
	}
	if info, err := os.Stat(paths.Root); err == nil && othersWrite(info) {
		return nil, fault.New(fault.Denied, "shared_state", "%s belongs to somebody else, or others can write in it", spec.Quote(paths.Root)).
			Hint("chmod go-w %q", paths.Root).Hint("set PATCH_GIT_HOME to a folder of your own")
	}
	return &Toolbox{paths: paths, now: now}, nil
}

// lock keeps other writers out until the returned function is called.
func (t *Toolbox) lock(ctx context.Context) (func(), error) {
	return durable.Lock(ctx, t.paths.Lock(), limits.LockWait)
}

// index is index.json.
type index struct {
	Schema int                      `json:"schema"`
	Tools  map[spec.Name]IndexEntry `json:"tools"`
}

// IndexEntry is one tool in index.json [AR-22].
type IndexEntry struct {
	Version  spec.Version `json:"version"`
	File     string       `json:"file"` // relative to the state directory, slashes
	LastUsed string       `json:"last_used,omitempty"`
	Weight   int64        `json:"weight,omitempty"` // of its uses, in thousandths, as it was at the last one
}

const indexSchema = 1

// readIndex reads index.json. One that is missing or damaged is rebuilt in
// memory from the receipts, which are the truth.
func (t *Toolbox) readIndex() (*index, error) {
	if ix, err := t.fileIndex(); ix != nil || err != nil {
		return ix, err
	}
	return t.rebuildIndex()
}

// fileIndex is what the file says, nil where it says nothing.
func (t *Toolbox) fileIndex() (*index, error) {
	data, err := durable.ReadFileNoFollow(t.paths.Index(), limits.Document)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if ix := plainIndex(data); ix != nil {
		return ix, nil
	}
	ix := &index{}
	if err == nil && json.Unmarshal(data, ix) == nil && ix.Schema == indexSchema && ix.Tools != nil {
		return ix, nil
	}
	return nil, nil
}

// seenIndex is an index as it was read, and of which file.
type seenIndex struct {
	file Stamp
	*index
}

// lookIndex is readIndex for who changes nothing in it: while the file is the same
// it is parsed once, because a server asks for every call and every tool.
func (t *Toolbox) lookIndex() (*index, error) {
	ix, err := t.knownIndex()
	if ix == nil && err == nil {
		return t.rebuildIndex()
	}
	return ix, err
}

// knownIndex is fileIndex, remembered.
func (t *Toolbox) knownIndex() (*index, error) {
	file := stampOf(t.paths.Index())
	if s := t.seen.Load(); s != nil && s.file == file {
		return s.index, nil
	}
	ix, err := t.fileIndex()
	if ix != nil && stampOf(t.paths.Index()) == file {
		t.seen.Store(&seenIndex{file, ix})
	}
	return ix, err
}

// Named is the version of a tool that index.json names as the current one, "" where it
// names none. Whether that is installed is for [Toolbox.Find] to say.
func (t *Toolbox) Named(n spec.Name) (spec.Version, error) {
	ix, err := t.knownIndex()
	if ix == nil {
		return "", err
	}
	return ix.Tools[n].Version, nil
}

func (t *Toolbox) rebuildIndex() (*index, error) {
	ix := &index{Schema: indexSchema, Tools: map[spec.Name]IndexEntry{}}
	names, err := t.installedNames()
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		versions, err := t.Versions(n)
		if err != nil {
			return nil, err
		}
		if len(versions) > 0 {
			ix.Tools[n] = IndexEntry{Version: versions[len(versions)-1], File: t.toolFile(n, t.formatOf(n, versions[len(versions)-1]))}
		}
	}
	return ix, nil
}

// current is the version that the index names, or the highest one where a
// crash or another process's work keeps the index behind the receipts.
func (ix *index) current(n spec.Name, versions []spec.Version) spec.Version {
	if v := ix.Tools[n].Version; slices.Contains(versions, v) {
		return v
	}
	return versions[len(versions)-1]
}

// writeIndex takes the index over: who wrote it need not read it again. The caller
// holds the lock.
func (t *Toolbox) writeIndex(ix *index, lasting bool) error {
	data, err := json.MarshalIndent(ix, "", "  ")
	if err != nil {
		return err
	}
	write := durable.Replace
	if lasting {
		write = durable.WriteFile
	}
	if err := write(t.paths.Index(), append(data, '\n'), 0o600); err != nil {
		return err
	}
	t.seen.Store(&seenIndex{stampOf(t.paths.Index()), ix})
	return nil
}

// formatOf is the format of an installed version, that of Patch tools where its
// release.json does not say: a damaged one is found when it is loaded.
func (t *Toolbox) formatOf(n spec.Name, v spec.Version) spec.Format {
	doc, err := t.releaseDocument(spec.Ref{Name: n, Version: v})
	if err != nil {
		return spec.FormatPatch
	}
	return doc.Format
}

func (t *Toolbox) toolFile(n spec.Name, format spec.Format) string {
	rel, err := filepath.Rel(t.paths.Root, t.paths.Main(n, format))
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// Installed is one tool of the toolbox.
type Installed struct {
	Name     spec.Name      `json:"name"`
	Current  spec.Version   `json:"version"`
	Versions []spec.Version `json:"versions"` // all that are kept, lowest first
	LastUsed string         `json:"last_used,omitempty"`
	// Uses is how much it is used now: a use counts as one, and half as much after
	// thirty days. Of those within a minute one counts.
	Uses float64 `json:"-"`
}

// List returns what is installed, sorted by name.
func (t *Toolbox) List() ([]Installed, error) {
	ix, err := t.lookIndex()
	if err != nil {
		return nil, err
	}
	names, err := t.installedNames()
	if err != nil {
		return nil, err
	}
	now := t.now()
	var out []Installed
	for _, n := range names {
		versions, err := t.Versions(n)
		if err != nil {
			return nil, err
		}
		if len(versions) == 0 {
			continue
		}
		out = append(out, Installed{Name: n, Versions: versions, Current: ix.current(n, versions), LastUsed: ix.Tools[n].LastUsed, Uses: ix.Tools[n].uses(now)})
	}
	return out, nil
}

// installedNames lists the folders of receipts, sorted; whether there is a
// receipt in them is for [Toolbox.Versions].
func (t *Toolbox) installedNames() ([]spec.Name, error) {
	entries, err := readDir(t.paths.Receipts())
	if err != nil {
		return nil, err
	}
	var out []spec.Name
	for _, e := range entries {
		if n, err := spec.ParseName(e.Name()); err == nil && e.IsDir() {
			out = append(out, n)
		}
	}
	return out, nil
}

// readDir lists a folder, sorted by name; one that is not there is empty.
func readDir(dir string) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.New(fault.Unavailable, "toolbox", "reading toolbox: %w", err)
	}
	return entries, nil
}

// touchAfter is how old the last use in index.json may be before a run writes
// it again: a write for every run would cost more than it tells.
const touchAfter = time.Minute

// Touch notes that a tool was used now. It is best effort by nature: what it
// writes can be lost in a power cut without harm.
func (t *Toolbox) Touch(ctx context.Context, n spec.Name) error {
	now := t.now().UTC()
	ix, err := t.lookIndex()
	if err != nil {
		return err
	}
	if fresh(ix.Tools[n].LastUsed, now) {
		return nil
	}
	unlock, err := t.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if ix, err = t.readIndex(); err != nil {
		return err
	}
	e, ok := ix.Tools[n]
	if !ok || fresh(e.LastUsed, now) {
		return nil // removed, or noted by another process, since we looked
	}
	e.Weight = int64(e.uses(now)*oneUse) + oneUse
	e.LastUsed = now.Format(time.RFC3339)
	ix.Tools[n] = e
	return t.writeIndex(ix, false)
}

const (
	oneUse   = 1000 // the weight of a use
	halfLife = 30 * 24 * time.Hour
)

// uses is the weight as it is by now, in uses.
func (e IndexEntry) uses(now time.Time) float64 {
	at, err := time.Parse(time.RFC3339, e.LastUsed)
	if err != nil {
		return 0
	}
	age := max(now.Sub(at), 0)
	return float64(max(e.Weight, oneUse)) / oneUse * math.Exp2(-float64(age)/float64(halfLife)) // of an older index the last use is known
}

func fresh(lastUsed string, now time.Time) bool {
	t, err := time.Parse(time.RFC3339, lastUsed)
	return err == nil && now.Sub(t) < touchAfter && !t.After(now)
}
