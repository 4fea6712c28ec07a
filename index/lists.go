package index

import "sync"

// entry is one posting as a search adds it up: the tool above eight bits of impact.
type entry uint32

const (
	impactBits = 8
	mostTools  = 1 << (32 - impactBits)
)

func (e entry) tool() int32   { return int32(e >> impactBits) }
func (e entry) impact() int32 { return int32(e & (1<<impactBits - 1)) }

// Lists of words that many tools have are asked for again and again, and reading one
// from the segment costs ten times what adding it up does.
const (
	shortestKept = 64      // entries of a list that is worth a place
	mostKept     = 2 << 20 // entries of all lists: 8 MiB
)

// lists keeps lists that were read. Nothing in them is changed.
type lists struct {
	mu      sync.RWMutex
	of      map[listKey][]entry
	entries int
}

type listKey struct{ field, term string }

func (l *lists) get(field, term string) ([]entry, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	list, ok := l.of[listKey{field, term}]
	return list, ok
}

// put keeps a list that is worth it. When there is no more room all go: those that
// are asked for come back.
func (l *lists) put(field, term string, list []entry) {
	if len(list) < shortestKept || len(list) > mostKept {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil || l.entries+len(list) > mostKept {
		l.of, l.entries = map[listKey][]entry{}, 0
	}
	if _, ok := l.of[listKey{field, term}]; !ok {
		l.of[listKey{field, term}] = list
		l.entries += len(list)
	}
}

// list returns the tools that have a term, each once. They stand in order where the
// index has one segment. The caller changes nothing of it.
func (x *Index) list(field, term string) ([]entry, error) {
	if kept, ok := x.kept.get(field, term); ok {
		return kept, nil
	}
	var out []entry
	for i := range x.parts {
		p := &x.parts[i]
		value, ok, err := p.list(field, term)
		if err == nil && ok {
			out, err = p.entries(out, value, x.tools)
		}
		if err != nil {
			return nil, errIndex("field %s: %w", field, err)
		}
	}
	x.kept.put(field, term, out)
	return out, nil
}

// entries appends a list of the segment.
func (p *part) entries(out []entry, value uint64, tools int) ([]entry, error) {
	err := p.each(value, func(doc uint32, impact uint64) error {
		tool := doc
		if p.tool != nil {
			tool = uint32(p.tool[doc])
		}
		if int(tool) >= tools || impact > mostImpact {
			return errLayout
		}
		out = append(out, entry(tool<<impactBits|uint32(impact)))
		return nil
	})
	return out, err
}
