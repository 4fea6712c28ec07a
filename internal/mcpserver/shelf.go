package mcpserver

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// shelf is one state of the toolbox. It does not change.
type shelf struct {
	entries []*entry          // of all that is installed, by name, those that would not run too
	byName  map[string]*entry // by the name of the tool and by that which hosts know
	listed  []*entry          // those that hosts are told, by the name they know
	files   []resource        // of the skills, by their addresses
	whole   bool              // false while tools are still verified for the first time
}

// newShelf puts up what is installed. ranks says how much tools are used.
func newShelf(entries []*entry, conf config.MCP, ranks map[spec.Name]string) *shelf {
	s := &shelf{byName: make(map[string]*entry, len(entries)), entries: slices.SortedFunc(slices.Values(entries), func(a, b *entry) int {
		return strings.Compare(string(a.ref.Name), string(b.ref.Name))
	})}
	// A tool of several operations is offered as those, beside which it stands in no list.
	var whole []*entry
	for _, e := range s.entries {
		whole = append(whole, e)
		whole = append(whole, e.parts...)
	}
	all := make([]string, len(whole))
	for i, e := range whole {
		all[i] = e.own()
	}
	short := shortened(all)
	var run []*entry
	for i, e := range whole {
		own := e.own()
		if e.runs() {
			e = e.known(cmp.Or(short[own], own))
			whole[i] = e
			if e.called() {
				run = append(run, e)
			}
			s.files = append(s.files, e.resources()...)
			s.byName[e.name] = e
		}
		s.byName[own] = e
	}
	s.entries = whole
	slices.SortFunc(s.files, func(a, b resource) int { return strings.Compare(a.uri, b.uri) })
	s.listed = expose(run, conf, ranks)
	return s
}

// expose chooses what hosts are told by name: everything where that is little
// enough, else what is pinned, then what is used most, as far as both bounds
// allow. Who asks has no part in it: the list is the same for every host, and no
// call changes it.
func expose(run []*entry, conf config.MCP, ranks map[spec.Name]string) []*entry {
	switch conf.Expose {
	case config.ExposeAll:
		return byName(run)
	case config.ExposeAuto:
	default:
		return nil
	}
	pinned := func(e *entry) bool { return conf.Pins(config.Tool{Registry: e.registry, Name: e.ref.Name}) }
	ranked := slices.SortedStableFunc(slices.Values(run), func(a, b *entry) int {
		if p := pinned(a); p != pinned(b) {
			if p {
				return -1
			}
			return 1
		}
		return cmp.Or(strings.Compare(ranks[b.ref.Name], ranks[a.ref.Name]), strings.Compare(string(a.ref.Name), string(b.ref.Name)))
	})
	var out []*entry
	tokens := 0
	for _, e := range ranked {
		if len(out) == conf.MostTools {
			break
		}
		if tokens+e.tokens <= conf.MostTokens { // a long one does not keep short ones out
			tokens += e.tokens
			out = append(out, e)
		}
	}
	return byName(out)
}

func byName(list []*entry) []*entry {
	return slices.SortedFunc(slices.Values(list), func(a, b *entry) int { return strings.Compare(a.name, b.name) })
}

// news is of what hosts are to ask for another list.
type news struct{ tools, skills bool }

func (n news) any() bool { return n.tools || n.skills }

// since tells in what hosts are told another thing than by an earlier shelf.
func (s *shelf) since(o *shelf) news {
	return news{!slices.EqualFunc(s.listed, o.listed, (*entry).same), !slices.EqualFunc(s.files, o.files, resource.same)}
}

// nearest is the name that was probably meant, of those that hosts and this program
// know; "" where none is near.
func (s *shelf) nearest(name string) string {
	return manifest.Nearest(name, append(slices.Sorted(maps.Keys(s.byName)), metaNames()...))
}

// hidden is how many tools run that hosts are not told by name.
func (s *shelf) hidden() int {
	n := -len(s.listed)
	for _, e := range s.entries {
		if e.called() {
			n++
		}
	}
	return n
}
