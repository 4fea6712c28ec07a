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
	"github.com/patch-cat/patch-git/ledger"
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
const keptEdition = 4

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
		if e.runs() && !e.part() { // an operation stands in the entry of its tool
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
	var parts []byte
	for _, p := range e.parts {
		parts = appendEntry(parts, p)
	}
	return appendFields(
		b, []byte(e.ref.Name), []byte(e.ref.Version), e.ref.Digest[:], []byte(e.registry), e.stamp[:], e.glimpse[:], e.trust[:],
		[]byte{byte(e.kind >> 8), byte(e.kind)}, []byte(e.description), e.in, e.out, []byte(e.media), []byte(e.tags),
		[]byte(e.format), []byte(e.op), parts, appendSkill(nil, e.skill),
	)
}

// appendSkill writes what a skill has besides: its words, and for each file three fields.
func appendSkill(b []byte, s *skill) []byte {
	if s == nil {
		return b
	}
	b = appendFields(b, []byte(s.words))
	for _, f := range s.files {
		b = appendFields(b, []byte(f.Path), binary.AppendUvarint(nil, uint64(f.Size)), f.SHA256[:])
	}
	return b
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
func (r *reader) entry() *entry { return r.whole(true) }

// whole reads an entry; parts tells whether it may have some, which have none themselves.
func (r *reader) whole(parts bool) *entry {
	var f [17][]byte
	for i := range f {
		var ok bool
		if f[i], ok = r.field(); !ok {
			return nil
		}
	}
	e := &entry{
		registry: spec.RegistryName(f[3]), description: string(f[8]), media: string(f[11]), tags: string(f[12]),
		format: spec.Format(f[13]), op: string(f[14]),
	}
	e.ref.Name, e.ref.Version = spec.Name(f[0]), spec.Version(f[1])
	if len(f[2]) != len(e.ref.Digest) || len(f[4]) != len(e.stamp) || len(f[5]) != len(e.glimpse) || len(f[6]) != len(e.trust) || len(f[7]) != 2 {
		return nil
	}
	copy(e.ref.Digest[:], f[2])
	copy(e.stamp[:], f[4])
	copy(e.glimpse[:], f[5])
	copy(e.trust[:], f[6])
	e.kind, e.in = effect(f[7][0])<<8|effect(f[7][1]), f[9] // parts of what was read: a copy of each costs more than it saves
	if len(f[10]) > 0 {
		e.out = f[10]
	}
	if len(f[15]) > 0 && !parts {
		return nil
	}
	for inner := (reader{f[15]}); len(inner.rest) > 0; {
		p := inner.whole(false)
		if p == nil {
			return nil
		}
		e.parts = append(e.parts, p)
	}
	var ok bool
	if e.skill, ok = readSkill(f[16], e.ref.Name); !ok {
		return nil
	}
	e.count(e.own())
	return e
}

// readSkill is what appendSkill wrote; ok is false where it wrote no such thing.
func readSkill(data []byte, name spec.Name) (s *skill, ok bool) {
	if len(data) == 0 {
		return nil, true
	}
	r := reader{data}
	words, ok := r.field()
	s = &skill{name: skillName(name), words: string(words)}
	for ok && len(r.rest) > 0 {
		var file ledger.ReleaseFile
		var path, size, digest []byte
		path, _ = r.field()
		size, _ = r.field()
		digest, ok = r.field()
		n, width := binary.Uvarint(size)
		if !ok || width != len(size) || width <= 0 || n > limits.ReleaseBytes || len(digest) != len(file.SHA256) {
			return nil, false
		}
		file.Path, file.Size, file.SHA256 = string(path), int64(n), spec.Digest(digest)
		s.files = append(s.files, file)
	}
	return s, ok
}
