package mcpserver

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sealed"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
)

// kept is the shelf of an earlier server, so that a host that starts one with
// thousands of tools does not wait for thousands of signatures. It carries the
// user's code; each entry counts while its tool's files are as they were.
type kept struct {
	folder *sealed.Folder
	cards  spec.Digest // the name of what a start reads
	search spec.Digest // and of what only a search does
	mu     sync.Mutex
}

// keptEdition changes with what an entry says.
const keptEdition = 1

const keptFor = 30 * 24 * time.Hour

func keptAt(h *host.Host) *kept {
	name := func(what string) spec.Digest {
		return sealed.Name(what, fmt.Sprint(keptEdition), fmt.Sprint(quarantine.RulesVersion))
	}
	return &kept{
		folder: sealed.Open(filepath.Join(h.Paths.Cache(), "mcp"), h.Now, keptFor, limits.MCPListed),
		cards:  name("cards"), search: name("search"),
	}
}

func (k *kept) load() map[spec.Name]*entry {
	r := reader{k.folder.Load(k.cards)}
	out := make(map[spec.Name]*entry, len(r.rest)/aboutEntry)
	for len(r.rest) > 0 {
		e := r.entry()
		if e == nil {
			return out
		}
		out[e.ref.Name] = e
	}
	return out
}

// aboutEntry is how many bytes an entry has, about.
const aboutEntry = 800

// summaries are what a search knows of the tools of a shelf, which stays in the file
// until somebody searches: it would take half the memory of a server.
type summaries map[spec.Digest][]byte

func (k *kept) summaries() summaries {
	out := summaries{}
	r := reader{k.folder.Load(k.search)}
	for len(r.rest) > 0 {
		digest, _ := r.field()
		text, ok := r.field()
		if !ok || len(digest) != len(spec.Digest{}) {
			break
		}
		out[spec.Digest(digest)] = text
	}
	return out
}

// of is that of one tool, nil where nobody knows.
func (s summaries) of(e *entry) []byte {
	if e.summary != nil {
		return e.summary
	}
	return s[e.ref.Digest]
}

func (k *kept) save(entries []*entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	texts := k.summaries()
	var cards, search []byte
	for _, e := range entries {
		if e.runs() && e.op == "" && len(e.parts) == 0 { // those are few, and verified anew
			cards = appendEntry(cards, e)
			search = appendFields(search, e.ref.Digest[:], texts.of(e))
		}
	}
	if len(cards) <= limits.MCPListed && len(search) <= limits.MCPListed {
		k.folder.Save(k.search, search)
		k.folder.Save(k.cards, cards)
	}
}

func appendEntry(b []byte, e *entry) []byte {
	return appendFields(
		b, []byte(e.ref.Name), []byte(e.ref.Version), e.ref.Digest[:], []byte(e.registry), e.stamp[:], e.glimpse[:], e.trust[:],
		[]byte{byte(e.kind)}, []byte(e.description), e.in, e.out, []byte(e.media), []byte(e.tags),
	)
}

// appendFields writes fields one after the other, each behind its length.
func appendFields(b []byte, fields ...[]byte) []byte {
	for _, f := range fields {
		b = append(binary.AppendUvarint(b, uint64(len(f))), f...)
	}
	return b
}

// reader takes entries apart.
type reader struct{ rest []byte }

func (r *reader) field() ([]byte, bool) {
	n, w := binary.Uvarint(r.rest)
	if w <= 0 || n > uint64(len(r.rest)-w) {
		return nil, false
	}
	f := r.rest[w : w+int(n) : w+int(n)]
	r.rest = r.rest[w+int(n):]
	return f, true
}

// entry is the next one; nil where it is none.
func (r *reader) entry() *entry {
	var f [13][]byte
	for i := range f {
		var ok bool
		if f[i], ok = r.field(); !ok {
			return nil
		}
	}
	e := &entry{registry: spec.RegistryName(f[3]), description: string(f[8]), media: string(f[11]), tags: string(f[12])}
	e.ref.Name, e.ref.Version = spec.Name(f[0]), spec.Version(f[1])
	if len(f[2]) != len(e.ref.Digest) || len(f[4]) != len(e.stamp) || len(f[5]) != len(e.glimpse) || len(f[6]) != len(e.trust) || len(f[7]) != 1 {
		return nil
	}
	copy(e.ref.Digest[:], f[2])
	copy(e.stamp[:], f[4])
	copy(e.glimpse[:], f[5])
	copy(e.trust[:], f[6])
	e.kind, e.in = effect(f[7][0]), f[9] // parts of what was read: a copy of each costs more than it saves
	if len(f[10]) > 0 {
		e.out = f[10]
	}
	e.count(string(e.ref.Name))
	return e
}
