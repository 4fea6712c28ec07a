package consume

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// searched is one registry, opened for a search.
type searched struct {
	c     *Client
	about Searched
	head  verify.Head
	src   registry.Source // nil: nobody is asked

	mu sync.RWMutex // held for reading while the index is in use
	x  *opened

	telling sync.Mutex
	hidden  map[spec.Name]bool // left out, and told
}

func (c *Client) searched(ctx context.Context, pin toolbox.Pin, offline bool) (*searched, error) {
	l := &searched{c: c, hidden: map[spec.Name]bool{}}
	head, kept, err := c.withHead(ctx, pin, offline, func(head verify.Head, src registry.Source) (err error) {
		l.src = src
		l.x, err = c.openIndex(ctx, head, src)
		return err
	})
	if err != nil {
		return nil, err
	}
	doc := head.Document()
	l.head = head
	l.about = Searched{Registry: pin.Name, Seq: doc.Seq, Time: doc.Time, Tools: l.x.Tools(), Kept: kept}
	return l, nil
}

func (l *searched) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.x == nil {
		return nil
	}
	err := l.x.Close()
	l.x = nil
	return err
}

// find searches the index. One that turns out to be damaged is made anew, once.
func (l *searched) find(ctx context.Context, q index.Query, limit int) (*index.Result, error) {
	r, used, err := l.look(ctx, q, limit)
	if fault.ReasonOf(err) == "index" {
		if err := l.remake(ctx, used, err); err != nil {
			return nil, err
		}
		r, _, err = l.look(ctx, q, limit)
	}
	return r, err
}

// look searches the index as it is, and leaves out what nobody should read.
func (l *searched) look(ctx context.Context, q index.Query, limit int) (*index.Result, *opened, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.x == nil {
		return nil, nil, fault.New(fault.Internal, "closed", "the search is closed")
	}
	for ask := limit; ; {
		r, err := l.x.Search(ctx, q, ask)
		if err != nil {
			return nil, l.x, err
		}
		got := len(r.Hits)
		r.Hits = slices.DeleteFunc(r.Hits, func(h index.Hit) bool { return l.leftOut(&h.Tool) })
		out := got - len(r.Hits)
		r.Total -= out
		if ask == 0 || got < ask || len(r.Hits) >= limit {
			if limit > 0 && len(r.Hits) > limit {
				r.Hits = r.Hits[:limit]
			}
			return r, l.x, nil
		}
		ask += 2*out + limit // hits further down take their places
	}
}

// remake replaces an index that was used and found damaged.
func (l *searched) remake(ctx context.Context, used *opened, why error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.x != used {
		return nil // somebody else did it meanwhile
	}
	l.c.warn("the search index of " + string(l.about.Registry) + " is made anew: " + why.Error())
	_ = l.x.Close()
	_ = os.RemoveAll(l.x.dir)
	l.x = nil
	data, _, err := l.c.readCatalogue(ctx, l.head, l.src)
	if err == nil {
		l.x, err = l.c.makeIndex(ctx, l.head, l.c.shelf(l.about.Registry), data)
	}
	return err
}

// leftOut tells whether a tool is not shown because one of its texts hides
// something from its reader [AR-35].
func (l *searched) leftOut(t *ledger.Listing) bool {
	say := func(what string, texts ...string) bool {
		for _, text := range texts {
			if h, ok := sanitize.Hidden(text); ok {
				l.tell(t.Name, fmt.Sprintf("%s of %s is left out: its %s hides the character %U", t.Name, l.about.Registry, what, h.Rune))
				return true
			}
		}
		return false
	}
	for _, in := range t.Summary.Inputs {
		if say("input", in.Name, in.Description) {
			return true
		}
	}
	for _, o := range t.Summary.Operations {
		if say("operation", o.Name, o.Description) {
			return true
		}
	}
	return say("description", t.Description) || say("license", t.Summary.License) || say("owner", t.Owners...) ||
		say("tag", t.Summary.Tags...) || say("example", t.Summary.Examples...)
}

// tell warns of a tool, once.
func (l *searched) tell(n spec.Name, text string) {
	l.telling.Lock()
	defer l.telling.Unlock()
	if !l.hidden[n] {
		l.hidden[n] = true
		l.c.warn(text)
	}
}
