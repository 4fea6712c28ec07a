package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
)

// stock keeps the shelf like the toolbox. What it says decides nothing: a call
// verifies its tool itself.
type stock struct {
	client *consume.Client
	log    *slog.Logger
	kept   *kept
	most   int // tools whose files are looked at before the first list

	state atomic.Pointer[shelf]
	first chan struct{} // closed when there is a state
	late  chan news     // what the first look came to beyond what hosts were told at first

	mu    sync.Mutex // held while the toolbox is looked at
	known map[spec.Name]*entry
	rules toolbox.Stamp
	ranks map[spec.Name]string // of the tools that were seen, as texts in their order; see rank
	begun bool                 // a state was shown
	once  sync.Once
}

func newStock(c *consume.Client, log *slog.Logger) *stock {
	s := &stock{client: c, log: log, kept: keptAt(c.Host), most: limits.MCPGlimpsed, first: make(chan struct{}), late: make(chan news, 1), known: map[spec.Name]*entry{}, ranks: map[spec.Name]string{}}
	s.state.Store(&shelf{})
	return s
}

// rules is what holds for all tools at one time.
type rules struct {
	conf     config.MCP
	standing map[spec.RegistryName]consume.Standing
	trusts   map[spec.RegistryName]spec.Digest // under what a tool of a registry is verified and described
}

func (s *stock) readRules() (rules, error) {
	conf, err := config.Load(s.client.Host.Paths)
	if err != nil {
		return rules{}, err
	}
	conf.MCP.Expose = cmp.Or(s.client.Expose, conf.MCP.Expose)
	standing, err := s.client.Standings()
	if err != nil {
		return rules{}, err
	}
	// What is told follows from the tools whose outputs the user vouches for, too.
	vouched, err := json.Marshal(conf.MCP.TrustedOutputs)
	trusts := map[spec.RegistryName]spec.Digest{}
	for registry, s := range standing {
		trusts[registry] = spec.DigestOf([]byte(s.Trust.Hex() + string(vouched)))
	}
	return rules{conf.MCP, standing, trusts}, err
}

// refresh looks at the toolbox and tells what hosts are to be told another list of.
// Where again is set, what could not be looked at the last time is tried again.
func (s *stock) refresh(ctx context.Context, again bool) (changed news, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	loaded := make(chan map[spec.Name]*entry, 1)
	if !s.begun {
		go func() { loaded <- s.kept.load() }()
	}
	stamp, err := s.client.Box.StampOfRules()
	if err != nil {
		return news{}, err
	}
	list, err := s.client.Box.Glance()
	if err != nil {
		return news{}, err
	}
	rules, err := s.readRules()
	if err != nil {
		return news{}, err
	}
	if !s.begun {
		s.known = <-loaded
	}
	s.rank(list)
	// What is used most is looked at first: it is what a host is told of where
	// looking at everything takes long.
	slices.SortStableFunc(list, func(a, b toolbox.Installed) int { return strings.Compare(s.ranks[b.Name], s.ranks[a.Name]) })
	look := looking{
		stock: s, rules: rules, renewed: !s.begun || stamp != s.rules, again: again, brief: !s.begun,
		blind: len(list) > s.most && !again, entries: make([]*entry, len(list)),
	}
	fresh := look.all(ctx, list, func(entries []*entry) {
		if !s.begun {
			s.state.Store(newShelf(entries, rules.conf, s.ranks))
			s.begun = true
			s.open()
		}
		s.kept.save(entries) // the next server goes on from there, whatever becomes of this one
	})
	if ctx.Err() != nil {
		if fresh {
			s.kept.save(look.entries)
		}
		return news{}, ctx.Err()
	}
	s.rules = stamp
	s.known = map[spec.Name]*entry{}
	state := newShelf(look.entries, rules.conf, s.ranks)
	state.whole = true
	for _, e := range state.entries {
		if !e.part() {
			s.known[e.ref.Name] = e
		}
	}
	before := s.state.Load()
	if s.begun {
		changed = state.since(before)
	}
	if changed.any() || !before.whole || !slices.Equal(before.entries, state.entries) {
		s.state.Store(state) // else what was made of the present one, such as an index, stays good
	}
	if fresh || s.begun && len(state.entries) < len(before.entries) {
		s.kept.save(state.entries)
	}
	s.begun = true
	s.open()
	return changed, nil
}

// rank notes how much tools are used, and when they were last, as it is when they are
// first seen: a list that followed each use would change by the calls of the
// conversation it is told to. What comes while the server runs was just put there by
// somebody, and counts as used most.
func (s *stock) rank(list []toolbox.Installed) {
	const newcomer = 1e9
	for _, t := range list {
		if _, seen := s.ranks[t.Name]; seen {
			continue
		}
		if s.begun {
			t.Uses, t.LastUsed = newcomer, s.client.Host.Now().UTC().Format("2006-01-02T15:04:05Z")
		}
		s.ranks[t.Name] = fmt.Sprintf("%014.3f %s", t.Uses, t.LastUsed)
	}
}

// looking is one look at the whole toolbox.
type looking struct {
	stock          *stock
	rules          rules
	renewed, again bool // the rules are others; what could not be told is tried again
	brief          bool // a glimpse at each is enough
	blind          bool // and where a host would wait for so many, the word of the last server
	entries        []*entry
	mu             sync.Mutex
	fresh          bool
}

// all looks at every tool, in its order, and tells whether any had to be verified.
// early gets what is there when that takes too long.
func (l *looking) all(ctx context.Context, list []toolbox.Installed, early func([]*entry)) bool {
	var group sync.WaitGroup
	var next atomic.Int64
	done := make(chan struct{})
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		group.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(list) && ctx.Err() == nil; i = next.Add(1) - 1 {
				e, fresh := l.one(ctx, list[i])
				l.mu.Lock()
				l.entries[i] = e
				l.fresh = l.fresh || fresh
				l.mu.Unlock()
			}
		})
	}
	go func() { group.Wait(); close(done) }()
	waitFirst(ctx, done, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		early(slices.DeleteFunc(slices.Clone(l.entries), func(e *entry) bool { return e == nil }))
	})
	<-done
	l.entries = slices.DeleteFunc(l.entries, func(e *entry) bool { return e == nil })
	return l.fresh
}

// one looks at one tool; nil where it is gone. fresh tells that it was verified.
func (l *looking) one(ctx context.Context, t toolbox.Installed) (e *entry, fresh bool) {
	box := l.stock.client.Box
	if t.Current == "" { // the index does not have it yet, or not any more
		versions, err := box.Versions(t.Name)
		if err == nil && len(versions) == 0 {
			return nil, false
		}
		if err != nil {
			return &entry{ref: spec.Ref{Name: t.Name}, err: err}, false
		}
		t.Current = versions[len(versions)-1]
	}
	old := l.stock.known[t.Name]
	if l.brief && old != nil && old.ref.Version == t.Current && l.stands(old) && (l.blind || old.glimpse == box.Glimpse(t.Name, t.Current)) {
		return old, false
	}
	stamp := box.Stamp(t.Name, t.Current)
	switch {
	case old == nil || old.stamp != stamp || old.ref.Version != t.Current:
	case old.err != nil && (l.renewed || l.again && !decided(old.err)):
	case old.err != nil, !l.renewed:
		return old, false
	case l.stands(old):
		return old, false
	}
	glimpse := box.Glimpse(t.Name, t.Current)
	card, err := l.stock.client.Card(ctx, t)
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return nil, true
	}
	if err == nil {
		e, err = newEntry(card)
	}
	if err != nil {
		e = &entry{ref: spec.Ref{Name: t.Name, Version: t.Current}, err: err}
	}
	e.stamp, e.glimpse, e.trust = stamp, glimpse, l.rules.trusts[e.registry] // as they were before it was read
	return e, true
}

// stands tells whether a tool that was verified earlier is good under the rules of now.
func (l *looking) stands(e *entry) bool {
	return e.err == nil && l.rules.standing[e.registry].Refuses(e.ref) == nil && e.trust == l.rules.trusts[e.registry]
}

// decided tells whether an error is a "no", which stays one while nothing changes.
func decided(err error) bool {
	switch fault.KindOf(err) {
	case fault.NotVerified, fault.Denied, fault.Findings:
		return true
	}
	return false
}

// open lets those go on who wait for the first state, were it an empty one.
func (s *stock) open() { s.once.Do(func() { close(s.first) }) }

// now is the present state; it waits for the first one.
func (s *stock) now(ctx context.Context) *shelf {
	select {
	case <-s.first:
	case <-ctx.Done():
	}
	return s.state.Load()
}
