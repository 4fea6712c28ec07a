package pyenv

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/standalone"
)

// knownSchema changes whenever what is found out about an interpreter does, so
// that an answer of an older program is asked for again.
const knownSchema = "patch-git/pythons/v2"

// refusedFor is how long a program that was no interpreter is not tried again.
// It may be one tomorrow without its file changing: a library it lacked can be
// installed.
const refusedFor = time.Hour

// known is <cache>/pythons.json: what trying interpreters has shown. It is a
// cache, so whatever is wrong with it means only that they are tried again.
type known struct {
	Schema string  `json:"schema"`
	Tried  []trial `json:"tried"`
}

// trial is the result of trying one program, true as long as the file is the
// same one.
type trial struct {
	Path     string       `json:"path"`
	Identity string       `json:"identity"`
	From     string       `json:"from"` // [Installed] and the like; of the embedded one its ID
	Python   *Interpreter `json:"python,omitempty"`
	Refused  string       `json:"refused,omitempty"`
	Time     time.Time    `json:"time"`
}

func (p *Pythons) knownPath() string {
	return filepath.Join(p.host.Paths.Cache(), "pythons.json")
}

func (p *Pythons) readKnown() known {
	empty := known{Schema: knownSchema}
	b, err := durable.ReadFile(p.knownPath(), limits.MiB)
	if err != nil {
		return empty
	}
	var k known
	if json.Unmarshal(b, &k) != nil || k.Schema != knownSchema {
		return empty
	}
	return k
}

// lookup returns the trial of a program if it is still true.
func (k known) lookup(path string, now time.Time) (trial, bool) {
	i := slices.IndexFunc(k.Tried, func(t trial) bool { return t.Path == path })
	if i < 0 || k.Tried[i].Identity != identity(path) {
		return trial{}, false
	}
	t := k.Tried[i]
	if t.Python == nil && (now.Sub(t.Time) > refusedFor || now.Before(t.Time)) {
		return trial{}, false
	}
	return t, true
}

// remembered returns the interpreter of exactly a version that is preferred of
// those that are known, or nil where a search has to tell. pin is the one that
// the person pinned, or "".
func (p *Pythons) remembered(k known, want, pin string, now time.Time) *Interpreter {
	is := func(t trial) bool { return t.Python != nil && t.Python.Minor() == want }
	if pin != "" {
		if t, ok := k.lookup(pin, now); ok && is(t) {
			return t.Python
		}
		return nil
	}
	for _, rank := range []int{rankInstalled, rankEmbedded, rankHost} {
		if rank == rankHost && p.embedded != nil && p.embedded.Minor() == want {
			return nil // it goes before those of the host and was not tried yet
		}
		var best *Interpreter
		for _, t := range k.Tried {
			if !is(t) || p.rank(t.From) != rank || best != nil && standalone.CompareVersions(t.Python.Version, best.Version) <= 0 {
				continue
			}
			if t, ok := k.lookup(t.Path, now); ok {
				if best = t.Python; rank == rankHost {
					break // the host's own order
				}
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// record adds trials. Two processes that do so at once lose at most one
// answer, which is then asked for again; so there is no lock to wait for.
// A failure to write (a full or read-only disk) costs time, not correctness.
func (p *Pythons) record(trials []trial) {
	k := p.readKnown()
	for _, t := range trials {
		k.Tried = slices.DeleteFunc(k.Tried, func(old trial) bool { return old.Path == t.Path })
		k.Tried = append(k.Tried, t)
	}
	k.Tried = slices.DeleteFunc(k.Tried, func(t trial) bool { return identity(t.Path) != t.Identity })
	b, err := json.Marshal(k)
	if err != nil {
		return
	}
	_ = durable.Replace(p.knownPath(), b, 0o600)
}

// identity is different for a file that was replaced or rewritten; "" for none.
func identity(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d-%d-%d", info.Size(), info.ModTime().UnixNano(), inode(info))
}
