package consume

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// shelf is what this user keeps of one registry for searching it: the catalogue
// by its digest, and the index of it by both digests. Nothing on it is ever
// changed, so that many processes may use it at once; all of it can be deleted
// at any time, and none of it is believed without its digest.
//
//	<catalogue>.json
//	index/<edition>-<half of catalogue>-<segment>/
type shelf struct{ dir string }

func (c *Client) shelf(r spec.RegistryName) shelf { return shelf{c.Host.Paths.Search(r)} }

const listExt = ".json"

// catalogue returns a catalogue, nil where it is not here or damaged.
func (s shelf) catalogue(d spec.Digest) []byte {
	data, err := durable.ReadFileNoFollow(filepath.Join(s.dir, d.Hex()+listExt), limits.Catalogue)
	if err != nil || spec.DigestOf(data) != d {
		return nil
	}
	return data
}

// other returns the newest catalogue beside one.
func (s shelf) other(than spec.Digest) (spec.Digest, []byte) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return spec.Digest{}, nil
	}
	type kept struct {
		digest spec.Digest
		at     time.Time
	}
	var all []kept
	for _, e := range entries {
		d, err := spec.ParseDigest("sha256:" + strings.TrimSuffix(e.Name(), listExt))
		info, infoErr := e.Info()
		if err == nil && infoErr == nil && d != than {
			all = append(all, kept{d, info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b kept) int { return b.at.Compare(a.at) })
	for _, k := range all {
		if data := s.catalogue(k.digest); data != nil {
			return k.digest, data
		}
	}
	return spec.Digest{}, nil
}

// keep puts a catalogue here and takes the older ones away.
func (s shelf) keep(d spec.Digest, data []byte) error {
	if err := durable.Replace(filepath.Join(s.dir, d.Hex()+listExt), data, 0o600); err != nil {
		return err
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return durable.Classify("read folder", s.dir, err)
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), listExt); ok && name != d.Hex() {
			_ = os.Remove(filepath.Join(s.dir, e.Name())) // what stays goes the next time
		}
	}
	return nil
}

func (s shelf) indexes() string { return filepath.Join(s.dir, "index") }

// indexOf is what the name of an index of a catalogue begins with.
func indexOf(catalogue spec.Digest) string {
	return fmt.Sprintf("%d-%s-", index.Edition, catalogue.Hex()[:32])
}

// place is where the index of a catalogue belongs.
func (s shelf) place(catalogue, segment spec.Digest) string {
	return filepath.Join(s.indexes(), indexOf(catalogue)+segment.Hex())
}

// index finds the index of a catalogue, by whoever it was made.
func (s shelf) index(catalogue spec.Digest) (dir string, segment spec.Digest, ok bool) {
	entries, err := os.ReadDir(s.indexes())
	if err != nil {
		return "", segment, false
	}
	for _, e := range entries {
		rest, fits := strings.CutPrefix(e.Name(), indexOf(catalogue))
		if segment, err = spec.ParseDigest("sha256:" + rest); fits && err == nil {
			return filepath.Join(s.indexes(), e.Name()), segment, true
		}
	}
	return "", spec.Digest{}, false
}

// usedFor is how long another process may still be about to open an index that
// is no longer the newest one.
const usedFor = 10 * time.Minute

// prune removes what is much older than an index that was just made: older
// indexes, and what a process left that died while it made one.
func (s shelf) prune(newest string) {
	now, err := os.Stat(newest)
	if err != nil {
		return
	}
	entries, err := os.ReadDir(s.indexes())
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && e.Name() != filepath.Base(newest) && now.ModTime().Sub(info.ModTime()) > usedFor {
			_ = os.RemoveAll(filepath.Join(s.indexes(), e.Name()))
		}
	}
}
