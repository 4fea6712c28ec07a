package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// tombstone is what is left of records that were removed because they were old: a
// signed note by which those that stay still have something to follow.
type tombstone struct {
	Schema  string        `json:"schema_version"`
	Records int           `json:"records"` // removed ever
	At      time.Time     `json:"at"`      // when last
	Before  time.Time     `json:"before"`  // what had ended before this was removed
	Ends    []spec.Digest `json:"ends"`    // of those, what a record that stays follows
	Key     string        `json:"key"`
	Sig     string        `json:"sig,omitempty"`
}

// maxTombstone is many more ends than forks can leave.
const maxTombstone = limits.MiB

func (j *Journal) tombstonePath() string { return filepath.Join(j.runs, ".pruned") }

// tombstone reads the note; none is the zero value. One that is not ours is
// fault.NotVerified with reason "tombstone".
func (j *Journal) tombstone(k *keys) (t tombstone, err error) {
	b, err := durable.ReadFileNoFollow(j.tombstonePath(), maxTombstone)
	if errors.Is(err, fs.ErrNotExist) {
		return tombstone{}, nil
	}
	if err != nil && fault.KindOf(err) != fault.Findings {
		return tombstone{}, err
	}
	if err == nil {
		err = json.Unmarshal(b, &t)
	}
	if err != nil || t.Schema != Schema || k == nil || t.Key != k.name || !signedBy(ofTombstone, b, t.Key) {
		return tombstone{}, fault.New(fault.NotVerified, "tombstone", "the note of removed records (%s) is damaged or not yours", j.tombstonePath())
	}
	return t, nil
}

func (j *Journal) bury(t tombstone, k *keys) error {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(t); err != nil {
		return err
	}
	return durable.WriteFile(j.tombstonePath(), k.sign(ofTombstone, b.Bytes()), filePerm)
}

// Pruned is what Prune removed.
type Pruned struct {
	Records    int   `json:"records"`
	Unfinished int   `json:"unfinished"`
	Streams    int   `json:"streams"`
	Bytes      int64 `json:"bytes"`
}

// Prune removes the records of runs that had ended before a time, those of runs
// that began before it and have no end, and the streams that no record needs any
// more. The last record stays. Check goes on to hold: the chain follows a signed
// note in place of what is gone.
//
// Where Check finds damage in the chain it refuses, for the evidence of it might
// be removed; unless damaged is true, which removes damaged records of that age
// too.
func (j *Journal) Prune(ctx context.Context, before time.Time, damaged bool) (Pruned, error) {
	if _, err := os.Stat(j.runs); errors.Is(err, fs.ErrNotExist) {
		return Pruned{}, nil
	}
	j.settleDead(func() bool { return ctx.Err() != nil })
	unlock, err := durable.Lock(ctx, j.lockPath(), limits.LockWait)
	if err != nil {
		return Pruned{}, err
	}
	defer unlock()
	k, err := j.keys()
	if err != nil {
		return Pruned{}, err
	}
	c := newChecked(j)
	if err := c.read(ctx); err != nil {
		return Pruned{}, err
	}
	c.signatures()
	if err := errors.Join(c.chain(), c.anchor()); err != nil {
		return Pruned{}, err
	}
	if len(c.rep.Problems) > 0 && !damaged {
		return Pruned{}, fault.New(fault.NotVerified, "damaged", "the records are damaged, and pruning could remove the traces: %s", c.rep.Problems[0].Message).
			Hint("patch-git runs verify").Hint("patch-git runs prune --damaged")
	}
	p := pruning{j: j, c: c, before: before}
	return p.run(k, damaged)
}

// pruning is a Prune under way.
type pruning struct {
	j      *Journal
	c      *checked
	before time.Time
	done   Pruned
}

func (p *pruning) run(k *keys, damaged bool) (Pruned, error) {
	var gone, stay []place
	for _, r := range p.c.places {
		if r.file && r.ended.Before(p.before) && r.link.digest != p.c.rep.Head {
			gone = append(gone, r)
		} else {
			stay = append(stay, r)
		}
	}
	if len(gone) > 0 {
		if err := p.j.bury(p.stone(k, gone, stay), k); err != nil {
			return p.done, err
		}
	}
	// The newest first: if this is stopped, nothing that is left follows what is
	// gone without standing in the note.
	slices.SortFunc(gone, func(a, b place) int { return b.ended.Compare(a.ended) })
	for _, r := range gone {
		if err := p.remove(p.j.path(r.id), &p.done.Records); err != nil {
			return p.done, err
		}
	}
	for _, i := range p.c.intents {
		if i.StartedAt.Before(p.before) {
			if err := p.remove(p.j.path(i.RunID), &p.done.Unfinished); err != nil {
				return p.done, err
			}
		}
	}
	if damaged {
		for _, id := range p.c.broken {
			if string(id) < string(idAt(p.before)) {
				if err := p.remove(p.j.path(id), &p.done.Records); err != nil {
					return p.done, err
				}
			}
		}
	}
	return p.done, p.streams(stay)
}

// stone is the note about what is gone now and was before.
func (p *pruning) stone(k *keys, gone, stay []place) tombstone {
	t := tombstone{Schema: Schema, Records: p.c.grave.Records + len(gone), At: p.j.now().UTC(), Before: p.before.UTC(), Key: k.name}
	ends := map[spec.Digest]bool{}
	for _, d := range p.c.grave.Ends {
		ends[d] = true
	}
	for _, r := range gone {
		ends[r.link.digest] = true
	}
	add := func(d spec.Digest) {
		if ends[d] && !slices.Contains(t.Ends, d) {
			t.Ends = append(t.Ends, d)
		}
	}
	for _, r := range stay {
		add(r.prev)
	}
	add(p.c.rep.Anchor)
	return t
}

// streams removes those that no record needs. A young one may belong to a run
// whose record is being written.
func (p *pruning) streams(stay []place) error {
	needed := map[string]bool{}
	for _, r := range stay {
		needed[r.out[0].Hex()], needed[r.out[1].Hex()] = true, true
	}
	list, err := os.ReadDir(p.j.blobs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return durable.Classify("list", p.j.blobs, err)
	}
	for _, e := range list {
		info, err := e.Info()
		if len(e.Name()) != 2*len(spec.Digest{}) || needed[e.Name()] || err != nil || p.j.now().Sub(info.ModTime()) < sweepAfter {
			continue
		}
		if err := p.remove(filepath.Join(p.j.blobs, e.Name()), &p.done.Streams); err != nil {
			return err
		}
	}
	return nil
}

func (p *pruning) remove(path string, count *int) error {
	info, err := os.Lstat(path)
	if err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return durable.Classify("remove", path, err)
	}
	*count++
	p.done.Bytes += info.Size()
	return nil
}
